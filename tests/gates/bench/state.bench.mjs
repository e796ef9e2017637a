import { records, shuffled, words } from '#inputs';
import Ajv from 'ajv';
import dayjs from 'dayjs';
import { produce } from 'immer';
import { LRUCache } from 'lru-cache';
import { customRandom } from 'nanoid';
import { bench, group } from 'tiergate';
import { z } from 'zod';

const keys = shuffled(words.map((one, index) => `${one}-${index}`));
const cache = new LRUCache({ max: 200 });
const state = { records: records.map((one) => ({ ...one })), total: 0 };
const shape = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: { type: 'integer' }, name: { type: 'string', minLength: 3 }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['id', 'name'],
  },
};
const validate = new Ajv().compile(shape);
const schema = z.array(z.object({ id: z.number(), name: z.string().min(3), tags: z.array(z.string()), price: z.number() }));
const day = dayjs('2026-03-04T05:06:07Z');
const id = customRandom('abcdefghijklmnopqrstuvwxyz', 12, (size) => new Uint8Array(size).map((_, index) => index * 7));

group('lru-cache', () => {
  bench('hit', () => {
    let sum = 0;
    for (let index = 0; index < 150; index += 1) sum += cache.get(keys[index]) ?? 0;
    return sum;
  }, { setup: () => { for (let index = 0; index < 150; index += 1) cache.set(keys[index], index); } });
  bench('churn', () => { for (const key of keys) cache.set(key, key.length); });
});
group('immer', () => {
  bench('produce', () => produce(state, (draft) => { draft.records[7].price += 1; draft.total += 1; }));
});
bench('ajv > validate', () => validate(records));
bench('zod > parse', () => schema.parse(records));
group('dayjs', () => {
  bench('format', () => day.format('YYYY-MM-DD HH:mm:ss'));
  bench('add', () => day.add(3, 'month').valueOf());
});
bench('nanoid > custom', () => id());
