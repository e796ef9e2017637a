/* One window of a program that isn't JavaScript, between two calls of `getrusage`: sorting through a function pointer,
   jumps out of a recursion, string instructions, formatted output, floating point. The arguments are the rounds before the
   window, which make its data, and those in it. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { LENGTH = 256 };

static jmp_buf out;
static uint32_t state = 42;
static uint32_t numbers[LENGTH];
static char text[4096];

static uint32_t next(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static int ascending(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void descend(int depth) {
  if (depth == 0) longjmp(out, 1);
  descend(depth - 1);
  state++;
}

static void fill(void *to, int byte, size_t count) {
#if defined(__x86_64__)
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(byte) : "memory");
#else
  memset(to, byte, count);
#endif
}

static uint32_t round_of_work(void) {
  for (int i = 0; i < LENGTH; i++) numbers[i] = next() % 1000;
  qsort(numbers, LENGTH, sizeof *numbers, ascending);
  if (setjmp(out) == 0) descend(20 + next() % 20);
  fill(text, 'a' + next() % 26, 100 + next() % 1000);
  int length = snprintf(text, sizeof text, "%u %s %.6f %x", numbers[7], "words", numbers[9] / 7.0, state);
  double parsed = strtod(text + length / 2, NULL);
  char *copy = malloc(sizeof text);
  memcpy(copy, text, sizeof text);
  uint32_t sum = (uint32_t)parsed + (uint32_t)strlen(copy);
  free(copy);
  return sum;
}

int main(int count, char **words) {
  int before = count > 1 ? atoi(words[1]) : 100, inside = count > 2 ? atoi(words[2]) : 5;
  uint32_t sum = 0;
  struct rusage usage;
  for (int i = 0; i < before; i++) sum += round_of_work();
  getrusage(RUSAGE_SELF, &usage);
  for (int i = 0; i < inside; i++) sum += round_of_work();
  getrusage(RUSAGE_SELF, &usage);
  printf("%u\n", sum);
  return 0;
}
