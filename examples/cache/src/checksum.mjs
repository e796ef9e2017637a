// A checksum in WebAssembly behind an envelope of JavaScript: bytes go into its memory, a number comes back.

// (module
//   (memory (export "memory") 1)
//   (func (export "sum") (param $length i32) (result i32) (local $at i32) (local $sum i32)
//     (loop $next
//       (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const 31)) (i32.load8_u (local.get $at))))
//       (local.set $at (i32.add (local.get $at) (i32.const 1)))
//       (br_if $next (i32.lt_u (local.get $at) (local.get $length))))
//     (local.get $sum)))
const MODULE = Uint8Array.from(
  ('0061736d0100000001060160017f017f030201000503010001071002066d656d6f727902000373756d00000a26012401' +
    '027f03402002411f6c20012d00006a2102200141016a210120012000490d000b20020b')
    .match(/../g)
    .map((byte) => Number.parseInt(byte, 16)),
);

export function checksum() {
  const { memory, sum } = new WebAssembly.Instance(new WebAssembly.Module(MODULE)).exports;
  const bytes = new Uint8Array(memory.buffer);
  return (data) => {
    bytes.set(data);
    return sum(data.length) >>> 0;
  };
}
