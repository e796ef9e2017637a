// How much work the ops do that a change is planted in: 200, so that half a percent is one step.

/** Versions that are looked at by an op of `semver > satisfies`. */
export const VERSIONS = 200;
/** Records that are encoded by an op of `msgpack > encode`. */
export const RECORDS = 200;
/** Statements that are parsed by an op of `acorn > parse`. */
export const STATEMENTS = 200;
/** Pairs of words that are compared by an op of `levenshtein > distance`. */
export const DISTANCES = 200;
