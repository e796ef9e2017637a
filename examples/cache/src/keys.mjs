// Keys from arguments: equal arguments give equal keys, whatever the order of their properties.

import { createHash } from 'node:crypto';

export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value && typeof value === 'object') {
    const pairs = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${pairs.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

export function keyOf(name, args) {
  return `${name}:${createHash('sha256').update(canonical(args)).digest('hex')}`;
}
