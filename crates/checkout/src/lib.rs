//! The trees of base and head: where they come from, their dependencies, their builds, and what
//! differs between them. The user's own work tree is read and never written to.

mod build;
mod command;
mod copy;
mod dependencies;
mod digest;
mod error;
mod git;
mod npm;
mod scratch;

pub use build::{Build, Builder};
pub use copy::{copy_file, copy_tree};
pub use dependencies::{Dependencies, Provided};
pub use digest::{Digests, digest_tree};
pub use error::CheckoutError;
pub use git::{Commit, Repository};
pub use npm::{NpmPackage, unpack_package};
pub use scratch::Scratch;
