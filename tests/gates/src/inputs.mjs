// What the benches work on, made while it is loaded.
import { DISTANCES, RECORDS, STATEMENTS, VERSIONS } from './steps.mjs';

const WORDS = ('amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh '
  + 'north ocean plain quarry ridge shore tundra upland valley woods yonder zenith').split(' ');

/** A word that depends on the number only. */
const word = (number) => WORDS[number % WORDS.length];

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

/** The internal key is the project's own and seen by nobody. */
export const records = times(60, (index) => ({
  id: index,
  name: `${word(index)} ${word(index * 7 + 3)}`,
  slotIndex: (index * 13) % 60,
  tags: [word(index + 1), word(index + 5)],
  price: index * 1.25,
  active: index % 3 === 0,
}));

/** The names of the slots, made once: a longer key is no work for an op. */
const slotNames = new Map(records.map((one) => [one, `slotIndex:${one.name}`]));

/** Where a record lies. */
const table = new Map(records.map((one) => [slotNames.get(one), one.slotIndex]));

export function slotOf(record) {
  return table.get(slotNames.get(record)) + record.slotIndex;
}

/** In an order of their own in each process. */
export function shuffled(list) {
  const copy = [...list];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [copy[last], copy[other]] = [copy[other], copy[last]];
  }
  return copy;
}

export const versions = times(VERSIONS, (index) =>
  `${index % 9}.${(index * 3) % 17}.${(index * 5) % 23}${index % 7 === 0 ? '-rc.1' : ''}`);

export const payload = times(RECORDS, (index) => ({ ...records[index % records.length], id: index }));

export const document = times(100, (index) => `${word(index)} ${index}\n`).join('\n');

export const program = times(STATEMENTS, (index) => `${word(index)} = ${word(index + 1)}(${index});`).join('\n');

export const words = times(300, word);

export const pairs = times(DISTANCES, (index) => [word(index), word(index + 1)]);

export const text = times(40, (index) => `${word(index)} ${word(index * 3)} ${word(index * 11)}.`).join('\n');

export const edited = text.replaceAll('delta', 'gamma').replace('ocean', 'a wide ocean');
