//! JavaScript engines: finding them, asking them what they are, and knowing their flags.
//!
//! The way through: [`find`] an [`Engine`], take the [`FlagSet`] of a [`Profile`], add the user's
//! flags, have the engine accept them with [`check_flags`], and let a [`Launch`] write the command
//! line. Nothing here measures, and nothing here prints.

mod binary;
mod check;
mod engine;
mod find;
mod flags;
mod launch;
mod places;
mod probe;
mod process;
mod profile;
mod search;
pub mod trace;
mod version;

pub use binary::{NotLoadable, can_preload};
pub use check::{
    AcceptedFlags, Extras, FlagError, check_flags, check_lowest_tier_flags, check_trace_flags,
};
pub use engine::{Engine, minimum_version};
pub use find::{FindError, Found, Survey, find, find_all};
pub use flags::{Flag, FlagForm, FlagOrigin, FlagSet, NotAFlag, Seeds};
pub use launch::{CommandLine, Launch};
pub use probe::{PROBE_LIMIT, ProbeError};
pub use profile::{Pin, Profile, ProfileError, pins};
pub use search::Search;
pub use version::{Version, VersionError, VersionRange};
