import { bench } from 'tiergate';

bench('in time', () => 1);
setTimeout(() => {
  bench('too late', () => 1);
}, 10);
