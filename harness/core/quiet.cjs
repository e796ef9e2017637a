'use strict';

// A file may keep a timer or a server open for good. When its main module is through, no bench came up for a
// while and no framework is running, the list is complete and the selected bench will not come any more.

const { setTimeout, clearTimeout } = require('node:timers');

const DEFAULT_SECONDS = 2;

class Quiet {
  #onQuiet;
  #timer;
  #milliseconds;
  #held = 0;

  constructor(onQuiet) {
    this.#onQuiet = onQuiet;
  }

  start(seconds = DEFAULT_SECONDS) {
    this.#milliseconds = seconds * 1000;
    this.stir();
  }

  /** Something came up: the time begins anew. */
  stir() {
    if (this.#milliseconds === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#held === 0 && this.#onQuiet(), this.#milliseconds);
    // A process that ends by itself must not wait for this.
    this.#timer.unref();
  }

  hold(promise) {
    this.#held++;
    const release = () => {
      this.#held--;
      this.stir();
    };
    promise.then(release, release);
  }

  /** For good: from here on nothing of the harness may run by itself. */
  stop() {
    clearTimeout(this.#timer);
    this.#milliseconds = undefined;
  }
}

module.exports = { Quiet };
