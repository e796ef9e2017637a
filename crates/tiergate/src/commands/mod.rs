//! One file per command.

pub(crate) mod accept;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod gate;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod merge;
pub(crate) mod noise;
pub(crate) mod prove;
pub(crate) mod run;
pub(crate) mod schema;
