// The window is open from here to the end of the process.
process.cpuUsage();
const { default: streams } = await import('readable-stream');
const { createHash } = await import('node:crypto');
const { Readable, Transform, Writable, pipeline } = streams;
const hash = createHash('sha256');
let chunks = 0;
pipeline(
  Readable.from((function* () {
    for (let i = 0; i < 5000; i++) yield `line ${i}\n`;
  })()),
  new Transform({
    transform(chunk, encoding, done) {
      setImmediate(() => done(null, chunk.toString().toUpperCase()));
    },
  }),
  new Writable({
    highWaterMark: 64,
    write(chunk, encoding, done) {
      chunks++;
      hash.update(chunk);
      done();
    },
  }),
  (error) => console.log(error ?? 'done', chunks, hash.digest('hex')),
);
