/** Compiles `Hello {{ name }}` into a function from values to text. */
export function compile(source) {
  const parts = source.split(/\{\{\s*(\w+)\s*\}\}/);
  return (values) => {
    let text = parts[0];
    for (let i = 1; i < parts.length; i += 2) text += escape(String(values[parts[i]])) + parts[i + 1];
    return text;
  };
}

function escape(text) {
  return /[&<>"]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
    : text;
}
