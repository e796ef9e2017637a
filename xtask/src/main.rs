//! Chores of the repository: set-up, demo, tests.

fn main() {}
