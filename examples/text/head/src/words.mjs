/** Counts how often each word occurs, the most frequent first. */
export function countWords(text) {
  const counts = new Map();
  for (const word of text.toLowerCase().split(/\W+/)) {
    if (isWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
}

/** New in this version: every third character of a word must be a letter. Costs about 5 %. */
function isWord(word) {
  for (let i = 0; i < word.length; i += 3) {
    const code = word.charCodeAt(i) | 32;
    if (code < 97 || code > 122) return false;
  }
  return word !== '';
}
