import { payload, records, slotOf } from '#inputs';
import { decode, encode } from '@msgpack/msgpack';
import base64 from 'base64-js';
import equal from 'fast-deep-equal';
import ini from 'ini';
import JSON5 from 'json5';
import Papa from 'papaparse';
import qs from 'qs';
import { bench, group } from 'tiergate';
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml';
import YAML from 'yaml';

const plain = records.slice(0, 20).map(({ id, name, tags, price, active }) => ({ id, name, tags, price, active }));
const copy = structuredClone(payload);
const packed = encode(plain);
const query = qs.stringify({ plain: plain.slice(0, 8) });
const sections = Object.fromEntries(records.map((one) => [one.name, { id: one.id, slot: slotOf(one) }]));
const settings = ini.stringify(sections);
const toml = stringifyToml({ plain });
const yaml = YAML.stringify(plain.slice(0, 1));
const json5 = JSON5.stringify(plain, null, 2);
const csv = Papa.unparse(plain.map(({ tags, ...one }) => ({ ...one, tags: tags.join(' ') })));
const bytes = new Uint8Array(3000).map((_, index) => (index * 31) & 255);

group('msgpack', () => {
  bench('encode', () => encode(payload));
  bench('decode', () => decode(packed));
});
group('qs', () => {
  bench('parse', () => qs.parse(query));
  bench('stringify', () => qs.stringify({ plain: plain.slice(0, 8) }));
});
group('ini', () => {
  bench('parse', () => ini.parse(settings));
});
group('yaml', () => {
  bench('parse', () => YAML.parse(yaml));
  bench('stringify', () => YAML.stringify(plain.slice(0, 1)));
});
bench('json5 > parse', () => JSON5.parse(json5));
bench('toml > parse', () => parseToml(toml));
bench('csv > parse', () => Papa.parse(csv, { header: true }));
bench('base64 > both ways', () => base64.toByteArray(base64.fromByteArray(bytes)));
bench('equal > records', () => equal(payload, copy));
bench('table > slots', () => records.reduce((sum, one) => sum + slotOf(one), 0));
