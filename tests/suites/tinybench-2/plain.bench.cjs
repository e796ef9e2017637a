const { Bench } = require('tinybench');

async function main() {
  const bench = new Bench();
  bench
    .add('sum', () => 1)
    .add('async', async () => 1)
    .todo('later');
  await bench.warmup();
  await bench.run();
  console.table(bench.table());
}
main();
