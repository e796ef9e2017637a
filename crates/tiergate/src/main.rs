//! An instruction-exact performance gate for JavaScript.

fn main() {}
