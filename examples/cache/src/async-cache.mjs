// An async cache over a store; the store in memory answers in a later microtask, as a real one would later still.

export class MemoryStore {
  #entries = new Map();

  async get(key) {
    return this.#entries.get(key);
  }

  async set(key, value) {
    this.#entries.set(key, value);
  }
}

export class AsyncCache {
  constructor(store) {
    this.store = store;
  }

  async wrap(key, make) {
    const known = await this.store.get(key);
    if (known !== undefined) return known;
    const value = await make();
    await this.store.set(key, value);
    return value;
  }
}
