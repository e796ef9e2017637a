/** Counts how often each word occurs, the most frequent first. */
export function countWords(text) {
  const counts = new Map();
  for (const word of text.toLowerCase().split(/\W+/)) {
    if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
}
