import { createHash } from 'node:crypto';
import { window } from './window.mjs';

const bytes = Buffer.alloc(1024, 7);

window((i) => {
  bytes[0] = i;
  return createHash('sha256').update(bytes).update('abc').digest('hex').charCodeAt(3);
}, 5000);
