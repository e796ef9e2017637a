//! Every format, as snapshots and properties.

mod comparison_text;
mod markdown;
mod properties;
mod run_text;
mod support;
