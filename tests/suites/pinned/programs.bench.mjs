// Programs that need threads, timers or the network: they must give the same as without pins.
import { pbkdf2, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip, gunzip } from 'node:zlib';
import { bench } from 'tiergate';

function expect(condition, what) {
  if (!condition) throw new Error(`not as expected: ${what}`);
}

bench('timers', async () => {
  const order = [];
  const start = performance.now();
  const real = Date.now();
  await Promise.all([30, 5, 1, 10].map((time) => sleep(time).then(() => order.push(time))));
  await new Promise((done) => {
    let ticks = 0;
    const timer = setInterval(() => {
      if (++ticks === 3) {
        clearInterval(timer);
        done();
      }
    }, 10);
  });
  expect(order.join() === '1,5,10,30', `the order of timers ${order}`);
  const elapsed = performance.now() - start;
  expect(elapsed >= 59 && elapsed < 5000, `${elapsed} ms by performance.now`);
  const difference = Math.abs(Date.now() - real - elapsed);
  expect(difference < 50, `${difference} ms between performance.now and Date`);
});

bench('files', async () => {
  const content = await readFile(new URL(import.meta.url), 'utf8');
  expect(content.startsWith('// Programs'), 'the content of this file');
});

const bytes = Buffer.alloc(100_000, 'abc');
bench('zlib', async () => {
  const back = await promisify(gunzip)(await promisify(gzip)(bytes));
  expect(back.equals(bytes), 'bytes packed and unpacked');
});

bench('crypto', async () => {
  const key = await promisify(pbkdf2)('password', 'salt', 1000, 32, 'sha256');
  expect(key.toString('hex').startsWith('632c2812e46d4604'), 'a known key');
  expect(!randomBytes(16).equals(randomBytes(16)), 'random bytes that differ');
});

const code = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (n) => {
    let sum = 0;
    for (let i = 0; i <= n; i++) sum += i;
    parentPort.postMessage(sum);
  });
`;
bench('worker', async (worker) => {
  const answer = new Promise((done) => worker.once('message', done));
  worker.postMessage(1000);
  expect((await answer) === 500_500, 'the sum');
}, {
  setup: () => new Worker(code, { eval: true }),
  teardown: (worker) => worker.terminate(),
});

bench('loopback', async ({ port }) => {
  const body = await new Promise((done, fail) => {
    const call = request({ port, host: '127.0.0.1', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => done(text));
    });
    call.on('error', fail).end();
  });
  expect(body === 'pong', `the answer ${body}`);
}, {
  setup: async () => {
    const server = createServer((_, response) => response.end('pong'));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    return { server, port: server.address().port };
  },
  teardown: ({ server }) => new Promise((done) => server.close(done)),
});
