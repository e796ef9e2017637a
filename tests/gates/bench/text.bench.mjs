import { edited, document, pairs, records, slotOf, text, words } from '#inputs';
import { createTwoFilesPatch } from 'diff';
import { distance } from 'fastest-levenshtein';
import { decode, encode } from 'he';
import MarkdownIt from 'markdown-it';
import ms from 'ms';
import Mustache from 'mustache';
import { Bench } from 'tinybench';

const markdown = new MarkdownIt({ linkify: false, typographer: true });
const template = '{{#records}}<li class="{{slot}}">{{name}}{{#active}} <b>{{price}}</b>{{/active}}</li>{{/records}}';
const view = { records: records.map((one) => ({ ...one, slot: slotOf(one) })) };
const markup = encode(text.repeat(3), { useNamedReferences: true });
const list = words.slice(0, 30).map((one) => `- ${one}\n`).join('');
const spans = ['2 days', '1d', '10h', '2.5 hrs', '1m', '5s', '100', '-3 weeks'];

const bench = new Bench({ time: 100 });
bench
  .add('markdown-it > render', () => markdown.render(document))
  .add('markdown-it > parse', () => markdown.parse(list, {}))
  .add('mustache > render', () => Mustache.render(template, view))
  .add('diff > patch', () => createTwoFilesPatch('a', 'b', text, edited))
  .add('levenshtein > distance', () => {
    let sum = 0;
    for (const [one, other] of pairs) sum += distance(one, other);
    return sum;
  })
  .add('he > encode', () => encode(text))
  .add('he > decode', () => decode(markup))
  .add('ms > parse', () => spans.map((one) => ms(one)))
  .add('ms > format', () => spans.map((one) => ms(ms(one), { long: true })));

await bench.run();
