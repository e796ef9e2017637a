// The window is open from here to the end of the process.
process.cpuUsage();
const { gzipSync, gunzipSync, zipSync, unzipSync, strToU8 } = await import('fflate');
const { gunzipSync: native } = await import('node:zlib');
const data = strToU8('some text that repeats, more or less; '.repeat(4000) + 'end');
const zipped = gzipSync(data, { level: 9, mtime: 0 });
console.log(zipped.length, gunzipSync(zipped).length, native(zipped).equals(data));
const archive = zipSync({ 'a.txt': data, folder: { 'b.txt': data.subarray(0, 1000) } }, { mtime: new Date(2000, 1, 1) });
console.log(archive.length, Object.keys(unzipSync(archive)).join());
