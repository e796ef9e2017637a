// A binary encoding in the manner of MessagePack: small integers, floats, strings, arrays, maps, bytes.

export class Packer {
  #bytes = new Uint8Array(64);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** The bytes of a value; they are valid until the next call. */
  pack(value) {
    this.#at = 0;
    this.#write(value);
    return this.#bytes.subarray(0, this.#at);
  }

  #reserve(length) {
    if (this.#at + length <= this.#bytes.length) return;
    let size = this.#bytes.length;
    while (size < this.#at + length) size *= 2;
    const larger = new Uint8Array(size);
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  #head(tag, length) {
    this.#reserve(5);
    this.#bytes[this.#at] = tag;
    this.#view.setUint32(this.#at + 1, length);
    this.#at += 5;
  }

  #write(value) {
    switch (typeof value) {
      case 'number':
        return this.#number(value);
      case 'string':
        return this.#string(value);
      case 'boolean':
        this.#reserve(1);
        this.#bytes[this.#at++] = value ? 0xc3 : 0xc2;
        return;
      default:
        return this.#object(value);
    }
  }

  #number(value) {
    this.#reserve(9);
    if (Number.isInteger(value) && value >= 0 && value < 128) {
      this.#bytes[this.#at++] = value;
    } else {
      this.#bytes[this.#at] = 0xcb;
      this.#view.setFloat64(this.#at + 1, value);
      this.#at += 9;
    }
  }

  #string(value) {
    this.#head(0xdb, value.length);
    this.#reserve(value.length);
    for (let i = 0; i < value.length; i++) this.#bytes[this.#at++] = value.charCodeAt(i) & 0xff;
  }

  #object(value) {
    if (value == null) {
      this.#reserve(1);
      this.#bytes[this.#at++] = 0xc0;
    } else if (value instanceof Uint8Array) {
      this.#head(0xc6, value.length);
      this.#reserve(value.length);
      this.#bytes.set(value, this.#at);
      this.#at += value.length;
    } else if (Array.isArray(value)) {
      this.#head(0xdd, value.length);
      for (const item of value) this.#write(item);
    } else {
      const keys = Object.keys(value);
      this.#head(0xdf, keys.length);
      for (const key of keys) {
        this.#string(key);
        this.#write(value[key]);
      }
    }
  }
}
