// Six kinds of work: encoding, JSON, collections, regular expressions, native code, WebAssembly.
import { createHash } from 'node:crypto';
import { bench } from 'tiergate';

const buffer = new Uint8Array(65536);
let place = 0;
function number(value) {
  buffer[place++] = 0xcb;
  for (let i = 0; i < 8; i++) buffer[place++] = (value >>> (i * 4)) & 255;
}
function string(value) {
  buffer[place++] = 0xd9;
  buffer[place++] = value.length & 255;
  for (let i = 0; i < value.length; i++) buffer[place++] = value.charCodeAt(i);
}
function encode(value) {
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return string(value);
  if (Array.isArray(value)) {
    buffer[place++] = 0x90 | value.length;
    for (const item of value) encode(item);
    return;
  }
  const keys = Object.keys(value);
  buffer[place++] = 0x80 | keys.length;
  for (const key of keys) {
    string(key);
    encode(value[key]);
  }
}
const document = { id: 123, name: 'hello world', tags: ['a', 'bb', 'ccc'], nested: { x: 1, y: 2, z: { w: 'deep' } } };
bench('encode', () => {
  place = 0;
  encode(document);
  return place;
});

const users = Array.from({ length: 20 }, (_, i) => ({
  id: i, name: `user ${i}`, tags: ['a', 'b', 'c'], score: i * 1.5, nested: { x: i, y: [1, 2, 3], z: null, t: true },
}));
const text = JSON.stringify({ users });
let parsed = 0;
bench('json', () => {
  const value = JSON.parse(text);
  value.users[parsed % 20].id = parsed++;
  return JSON.stringify(value).length;
});

const kept = new Array(1000);
let churned = 0;
bench('churn', () => {
  const i = churned++;
  const map = new Map();
  const set = new Set();
  let sum = 0;
  for (let k = 0; k < 50; k++) {
    const item = { k, v: `s${k + (i % 7)}`, list: [k, k + 1] };
    map.set(item.v, item);
    set.add(k * i);
    sum += item.list.length;
  }
  for (const [key, value] of map) sum += value.k + key.length;
  for (const value of set) sum += value & 1;
  kept[i % 1000] = map;
  return sum;
});

const line = '2026-11-30T12:58:15Z host app[1234]: GET /api/v1/users/42?x=1&y=two HTTP/1.1 200 1534 "Mozilla/5.0 (X11; Linux x86_64)"';
const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\S+) (\w+) (\w+)\[(\d+)\]: (GET|POST) (\S+) HTTP\/1\.\d (\d+) (\d+) "([^"]*)"$/;
let matched = 0;
bench('regexp', () => {
  const one = line.replace('42', String(matched++));
  const match = pattern.exec(one);
  const parts = match[9].split(/[?&]/).map((part) => part.toUpperCase()).join('|');
  const doubled = parts.replace(/[aeiou]/gi, (vowel) => vowel + vowel);
  return doubled.length + match[12].indexOf('Linux') + one.slice(5, 20).padStart(30, '*').length;
});

const block = Buffer.alloc(1024, 7);
let hashed = 0;
bench('sha', () => {
  block[0] = hashed++;
  return createHash('sha256').update(block).update('abc').digest('hex').charCodeAt(3);
});

const wasm = 'AGFzbQEAAAABBgFgAX8BfwMFBAAAAAAEBAFwAAIFAwEAAQcIAQR3b3JrAAEJCAEAQQALAgIDCowBBBwAIABBAkgEfyAABSAAQQFrEAAgAEECaxAAagsLXQECfwNAIAFB/wdxQQJ0IAEgAWwgAHM2AgAgAiABQQdsQf8HcUECdCgCAGohAiABQQ9xRQRAIAIgASABQQR2QQFxEQAAaiECCyABQQFqIgEgAEgNAAsgAkEIEABqCwcAIABBA2wLBwAgAEEFcws=';
const { work } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(wasm, 'base64'))).exports;
let worked = 0;
bench('wasm', () => work(200 + (worked++ & 7)));
