// A cache that forgets what was used longest ago: a map to the entries, which are linked in the order of their use.

export class Lru {
  #entries = new Map();
  // Before the first entry and after the last one.
  #ends = {};

  constructor(capacity) {
    this.capacity = capacity;
    this.#ends.next = this.#ends;
    this.#ends.previous = this.#ends;
  }

  get(key) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#unlink(entry);
    this.#append(entry);
    return entry.value;
  }

  set(key, value) {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.value = value;
      this.#unlink(known);
      this.#append(known);
      return;
    }
    if (this.#entries.size >= this.capacity) {
      const oldest = this.#ends.next;
      this.#unlink(oldest);
      this.#entries.delete(oldest.key);
    }
    const entry = { key, value, next: undefined, previous: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
  }

  #unlink(entry) {
    entry.previous.next = entry.next;
    entry.next.previous = entry.previous;
  }

  #append(entry) {
    const last = this.#ends.previous;
    entry.previous = last;
    entry.next = this.#ends;
    last.next = entry;
    this.#ends.previous = entry;
  }
}
