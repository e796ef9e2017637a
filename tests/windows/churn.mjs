import { window } from './window.mjs';

const kept = new Array(1000);

window((i) => {
  const map = new Map();
  const set = new Set();
  let sum = 0;
  for (let k = 0; k < 50; k++) {
    const item = { k, v: `s${k + (i % 7)}`, list: [k, k + 1] };
    map.set(item.v, item);
    set.add(k * i);
    sum += item.list.length;
  }
  for (const [key, item] of map) sum += item.k + key.length;
  for (const number of set) sum += number & 1;
  kept[i % 1000] = map;
  return sum;
}, 4000);
