// The window is open from here to the end of the process.
process.cpuUsage();
const { default: nacl } = await import('tweetnacl');
const seed = Uint8Array.from({ length: 32 }, (_, i) => i);
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const pair = nacl.sign.keyPair.fromSeed(seed);
const message = Buffer.from('a message to sign');
const signature = nacl.sign.detached(message, pair.secretKey);
console.log(hex(signature), nacl.sign.detached.verify(message, signature, pair.publicKey));
const [mine, theirs] = [seed, seed.map((byte) => byte + 1)].map((key) => nacl.box.keyPair.fromSecretKey(key));
const boxed = nacl.box(message, new Uint8Array(24), theirs.publicKey, mine.secretKey);
console.log(hex(boxed), hex(nacl.box.open(boxed, new Uint8Array(24), mine.publicKey, theirs.secretKey)));
