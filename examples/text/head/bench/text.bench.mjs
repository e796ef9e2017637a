import { bench, group } from 'tiergate';
import { parseCsv } from '../src/csv.mjs';
import { slugify } from '../src/slug.mjs';
import { compile } from '../src/template.mjs';
import { countWords } from '../src/words.mjs';

const prose = 'It was the best of times, it was the worst of times, it was the age of wisdom. '.repeat(8);

group('csv', () => {
  const row = (i) => `${i},"name ${i}","says ""hi"" ${i}",${i * 1.5}\n`;
  bench('parse', ({ text }) => parseCsv(text), {
    params: { rows: [10, 100] },
    setup: ({ rows }) => ({ text: Array.from({ length: rows }, (_, i) => row(i)).join('') }),
  });
});

group('slug', () => {
  bench('plain', () => slugify('The Quick Brown Fox'));
  bench('accents', () => slugify('Crème Brûlée à la Façon d’Été'));
});

bench('count words', () => countWords(prose));

group('template', () => {
  const render = compile('<li class="{{ kind }}">{{ name }}: {{ text }}</li>');
  const values = { kind: 'note', name: 'Ada', text: 'a < b && c > d' };
  bench('render', () => render(values));
  bench('render async', async () => render(await values));
});
