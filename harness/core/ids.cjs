'use strict';

/** Numbers the benches of a file that have equal names, and knows the selected one. */
class Ids {
  #seen = new Map();
  #selected;

  constructor(select) {
    this.#selected = select && { key: keyOf(select.names), ordinal: select.ordinal };
  }

  /** The ordinal of the next bench of these names, and whether it is the selected one. */
  take(names) {
    const key = keyOf(names);
    const ordinal = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, ordinal);
    const selected = this.#selected?.key === key && this.#selected.ordinal === ordinal;
    return { ordinal, selected };
  }

  /** Whether a bench of these names can turn out to be the selected one. */
  mayBeSelected(names) {
    return this.#selected?.key === keyOf(names);
  }
}

const keyOf = (names) => JSON.stringify(names);

module.exports = { Ids };
