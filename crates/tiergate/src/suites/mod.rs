//! How each bench file is run: as its `[[suite]]` of the configuration says, else as its imports,
//! its package and its framework's configuration tell.

mod configured;
mod detected;
mod loaders;

pub(crate) use configured::Suites;
pub(crate) use detected::{configured_vitest, vitest_suite};
pub(crate) use loaders::loaded_suite;
