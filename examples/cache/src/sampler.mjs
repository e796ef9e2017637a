// Times about one call in 1,024, drawn from `Math.random`.

export class Sampler {
  calls = 0;
  samples = 0;
  sampledMs = 0;

  run(work) {
    this.calls++;
    if (Math.random() * 1024 >= 1) return work();
    const start = performance.now();
    const result = work();
    this.sampledMs += performance.now() - start;
    this.samples++;
    return result;
  }
}
