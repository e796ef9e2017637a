// The window is open from here to the end of the process.
process.cpuUsage();
const { compressSync, uncompressSync, compress } = await import('lz4-napi').then((module) => module.default);
// A native addon that comes built.
const data = Buffer.from('hello lz4 world '.repeat(20_000));
const small = compressSync(data);
console.log(small.length, uncompressSync(small).equals(data), (await compress(data)).length);
