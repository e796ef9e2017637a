//! Every format, as snapshots and properties.
#![allow(clippy::unwrap_used, reason = "tests and their helpers fail by panicking")]

mod annotations;
mod comparison_text;
mod functions;
mod inspection;
mod junit;
mod markdown;
mod noise;
mod phases;
mod properties;
mod run_text;
mod support;
