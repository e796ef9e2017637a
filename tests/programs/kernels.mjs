// The window is open from here to the end of the process.
process.cpuUsage();
// Small kernels in the manner of the Octane suite: objects, closures, floating point, arrays, recursion, strings.
function richards(rounds) {
  const queue = [];
  let handled = 0;
  class Task {
    constructor(id, priority) { this.id = id; this.priority = priority; this.count = 0; }
    run(packet) { this.count++; return { id: packet.id + 1, data: packet.data.map((x) => (x * 31 + this.id) & 0xffff) }; }
  }
  const tasks = Array.from({ length: 6 }, (_, i) => new Task(i, 10 - i));
  queue.push({ id: 0, data: [1, 2, 3, 4] });
  for (let i = 0; i < rounds; i++) {
    const packet = queue.shift();
    queue.push(tasks[packet.id % tasks.length].run(packet));
    handled += packet.data[i & 3];
  }
  return handled;
}
function bodies(steps) {
  const all = Array.from({ length: 5 }, (_, i) => ({ x: i, y: i * 2, z: i / 3, vx: 0, vy: 0.01 * i, vz: 0, m: 1 + i }));
  for (let s = 0; s < steps; s++) {
    for (const a of all) for (const b of all) {
      if (a === b) continue;
      const [dx, dy, dz] = [a.x - b.x, a.y - b.y, a.z - b.z];
      const mag = 0.001 / (Math.sqrt(dx * dx + dy * dy + dz * dz) ** 3 + 0.01);
      a.vx -= dx * b.m * mag; a.vy -= dy * b.m * mag; a.vz -= dz * b.m * mag;
    }
    for (const a of all) { a.x += a.vx; a.y += a.vy; a.z += a.vz; }
  }
  return all.reduce((sum, a) => sum + a.x * a.m, 0).toFixed(9);
}
function trees(depth) {
  const make = (d) => (d === 0 ? { left: null, right: null } : { left: make(d - 1), right: make(d - 1) });
  const check = (tree) => (tree.left === null ? 1 : 1 + check(tree.left) + check(tree.right));
  return check(make(depth));
}
function sieve(limit) {
  const composite = new Uint8Array(limit + 1);
  let primes = 0;
  for (let i = 2; i <= limit; i++) {
    if (composite[i]) continue;
    primes++;
    for (let k = i * 2; k <= limit; k += i) composite[k] = 1;
  }
  return primes;
}
function words(count) {
  const seen = new Map();
  for (let i = 0; i < count; i++) {
    const word = ((i * 2654435761) >>> 0).toString(36).slice(0, 3);
    seen.set(word, (seen.get(word) ?? 0) + 1);
  }
  return [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, 5).join(';');
}
console.log(richards(200_000), bodies(2000), trees(16), sieve(500_000), words(100_000));
