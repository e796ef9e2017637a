import { Bench } from 'tinybench';

const bench = new Bench({ name: 'suite' });

let called = 0;
bench.add('sum', () => {
  called++;
  let sum = 0;
  for (let i = 0; i < 100; i++) sum += i;
  return sum;
});
bench.add('async', async () => {
  called++;
});
bench.add('promise', () => {
  called++;
  return Promise.resolve(1);
});
bench.add(
  'hooked',
  () => {
    called++;
  },
  { beforeEach() {}, afterEach() {} },
);

await bench.run();
console.table(bench.table());
console.log('called', called);
