// The window is open from here to the end of the process.
process.cpuUsage();
const [{ sha256, sha512 }, { sha3_256, keccak_512 }, { blake3 }, { scrypt }, { bytesToHex }] = await Promise.all(
  ['sha2', 'sha3', 'blake3', 'scrypt', 'utils'].map((name) => import(`@noble/hashes/${name}.js`)),
);
const data = Uint8Array.from({ length: 50_000 }, (_, i) => (i * 31) & 255);
for (const hash of [sha256, sha512, sha3_256, keccak_512, blake3]) console.log(bytesToHex(hash(data)));
console.log(bytesToHex(scrypt(data.subarray(0, 8), data.subarray(8, 16), { N: 1024, r: 8, p: 1, dkLen: 32 })));
