import { window } from './window.mjs';

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

window(() => {
  place = 0;
  encode(document);
  return place;
}, 4000);
