// Everything that is hard to translate: the window is open from here to the last line.
process.cpuUsage();
const { readFileSync } = await import('node:fs');
const zlib = await import('node:zlib');
const { spawnSync } = await import('node:child_process');
const { Worker } = await import('node:worker_threads');
const vm = await import('node:vm');
const crypto = await import('node:crypto');

// A function that loads from an address: traps beyond one page of memory.
const trapping = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 108, 0, 0, 10, 9, 1,
  7, 0, 32, 0, 40, 2, 0, 11,
]);

const tests = {
  exceptions() {
    let sum = 0;
    for (let i = 0; i < 3000; i++) {
      try {
        if (i % 3 === 0) throw new Error(`x${i}`);
        if (i % 3 === 1) JSON.parse('{bad');
        null.property;
      } catch (error) {
        sum += error.name.length;
      }
    }
    return sum;
  },
  stackOverflow() {
    const deeper = () => deeper() + 1;
    try {
      return deeper();
    } catch (error) {
      return error instanceof RangeError;
    }
  },
  generatedCode() {
    let sum = 0;
    for (let i = 0; i < 300; i++) {
      const f = new Function('a', `let t = 0; for (let k = 0; k < 50; k++) t += a * ${i} + k; return t;`);
      for (let j = 0; j < 20; j++) sum += f(j);
    }
    return sum;
  },
  compiledCode() {
    let sum = 0;
    for (let k = 0; k < 20; k++) {
      const f = (0, eval)(`(function (a, b) { const o = { x: a, y: b, z${k}: 1 }; return o.x * o.y + o.z${k}; })`);
      for (let i = 0; i < 20000; i++) sum = (sum + f(i, k)) | 0;
    }
    return sum;
  },
  deoptimisation() {
    const next = (object) => object.a + 1;
    let sum = 0;
    for (let i = 0; i < 30000; i++) sum += next({ a: i });
    for (let i = 0; i < 30000; i++) sum += next({ b: 1, a: i + 0.5 });
    for (let i = 0; i < 1000; i++) sum += String(next({ c: 1, a: 'q' })).length;
    return sum;
  },
  generators() {
    function* numbers(count) {
      for (let i = 0; i < count; i++) yield i;
    }
    let sum = 0;
    for (const number of numbers(20000)) sum += number;
    return sum;
  },
  bigNumbers() {
    let product = 1n;
    for (let i = 1n; i < 400n; i++) product *= i;
    return product.toString().length;
  },
  languages() {
    const price = new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234567.891);
    return price + new Date(0).toISOString() + 'ß'.localeCompare('z');
  },
  sorting() {
    return Array.from({ length: 20000 }, (_, i) => (i * 7919) % 20011).sort((a, b) => a - b)[77];
  },
  floats() {
    const values = new Float64Array(10000).map((_, i) => (Math.sin(i) * i ** 1.3) % 7);
    return values.reduce((a, b) => a + b, 0).toFixed(6);
  },
  expressions() {
    let sum = 0;
    for (let i = 1; i < 200; i++) sum += `${'a'.repeat(i)}b`.match(/^(a+)+b$/)[0].length;
    return sum;
  },
  wasmTraps() {
    const { l: load } = new WebAssembly.Instance(new WebAssembly.Module(trapping)).exports;
    let traps = 0;
    for (let i = 0; i < 200; i++) {
      try {
        load(i * 1000);
      } catch {
        traps++;
      }
    }
    return traps;
  },
  compression() {
    const bytes = Buffer.from('hello world '.repeat(5000));
    return zlib.gunzipSync(zlib.gzipSync(bytes)).length + zlib.brotliCompressSync(bytes).length;
  },
  cryptography() {
    const hashes = ['md5', 'sha1', 'sha256', 'sha512'].map((name) => crypto.createHash(name).update('abc').digest('hex'));
    const cipher = crypto.createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), Buffer.alloc(12, 2));
    const text = cipher.update('x'.repeat(10000), 'utf8', 'hex').slice(-16) + cipher.final('hex');
    const key = crypto.scryptSync('p', 's', 32, { N: 1024 }).toString('hex');
    return [...hashes, text, cipher.getAuthTag().toString('hex'), key].map((hex) => hex.slice(0, 8)).join('-');
  },
  files: () => readFileSync('/etc/passwd', 'utf8').length,
  childProcess: () => spawnSync('/bin/echo', ['hi']).stdout.toString(),
  proxies() {
    const lengths = new Proxy({}, { get: (_, key) => String(key).length });
    let sum = 0;
    for (let i = 0; i < 5000; i++) sum += lengths[`k${i}`];
    return sum;
  },
  collections() {
    const kept = [];
    let sum = 0;
    for (let i = 0; i < 200000; i++) {
      const object = { i, list: [i], text: `x${i}` };
      if (i % 50 === 0) kept.push(object);
      sum += object.list.length;
    }
    return sum + kept.length;
  },
  weakMaps() {
    const map = new WeakMap();
    let sum = 0;
    for (let i = 0; i < 20000; i++) {
      const key = {};
      map.set(key, i);
      sum += map.get(key);
    }
    return sum;
  },
  addresses() {
    let sum = 0;
    for (let i = 0; i < 500; i++) sum += new URL(`https://user:pw@ex.com:8080/p/a?q=${i}#h`).href.length;
    return sum;
  },
  cloning: () => JSON.stringify(structuredClone({ a: [1, 2, { b: new Date(0) }], m: [...new Map([[1, 2]])] })),
  contexts: () => vm.runInNewContext('let s = 0; for (let i = 0; i < 1000; i++) s += i; s'),
};

const results = {};
for (const [name, test] of Object.entries(tests)) {
  try {
    results[name] = test();
  } catch (error) {
    results[name] = `threw ${error.message}`;
  }
}
let sum = 0;
const later = async (i) => {
  await new Promise((resolve) => setImmediate(resolve));
  sum += i;
};
await Promise.all(Array.from({ length: 50 }, (_, i) => later(i)));
await new Promise((resolve) => setTimeout(resolve, 20));
results.tasks = sum;
results.worker = await new Promise((resolve, reject) => {
  const worker = new Worker('require("worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
  worker.on('message', resolve);
  worker.on('error', reject);
});
process.cpuUsage();
console.log(JSON.stringify(results));
