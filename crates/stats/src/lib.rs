//! Statistics and verdicts of tiergate, pure functions.

mod benjamini_hochberg;
mod bootstrap;
mod mann_whitney;
mod sample;
mod welch;

pub use benjamini_hochberg::benjamini_hochberg;
pub use bootstrap::median_ratio_interval;
pub use mann_whitney::{MannWhitney, mann_whitney, smallest_p};
pub use sample::{Summary, median, quantile, spread};
pub use welch::{Welch, welch};
