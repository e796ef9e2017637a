// One window: `process.cpuUsage()` calls `getrusage`, which the counter's example driver takes for a mark. The
// arguments are the calls of the op before the window and those in it.
export function window(op, warmup = 2000, ops = 300) {
  const [before = warmup, inside = ops] = process.argv.slice(2).map(Number);
  // Loaded lazily on first use, which isn't to happen in the window.
  performance.now();
  repeat(op, before);
  process.cpuUsage();
  const start = performance.now();
  const result = repeat(op, inside);
  const end = performance.now();
  process.cpuUsage();
  console.log(JSON.stringify({ result, nsPerOp: ((end - start) * 1e6) / inside }));
}

function repeat(op, times) {
  let sum = 0;
  for (let i = 0; i < times; i++) sum = (sum + op(i)) | 0;
  return sum;
}
