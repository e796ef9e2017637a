// How much work the ops do that a change is planted in.

/** Versions that are looked at by an op of `semver > satisfies`. */
export const VERSIONS = 400;
/** Records that are encoded by an op of `msgpack > encode`. */
export const RECORDS = 200;
/** Sections that are rendered by an op of `markdown-it > render`. */
export const SECTIONS = 200;
/** Statements that are parsed by an op of `acorn > parse`. */
export const STATEMENTS = 200;
