// The window is open from here to the end of the process.
process.cpuUsage();
const { z } = await import('zod');
const person = z.object({
  name: z.string().min(2),
  age: z.number().int().positive(),
  tags: z.array(z.string()).default([]),
  contact: z.union([z.object({ mail: z.email() }), z.object({ phone: z.string().regex(/^\d+$/) })]),
});
let good = 0;
const problems = {};
for (let i = 0; i < 3000; i++) {
  const result = person.safeParse({ name: 'n'.repeat(i % 4), age: i % 5, contact: i % 2 ? { mail: 'a@b.cd' } : { phone: i % 3 ? '12' : 'x' } });
  if (result.success) good++;
  else for (const { code } of result.error.issues) problems[code] = (problems[code] ?? 0) + 1;
}
console.log(good, JSON.stringify(problems));
