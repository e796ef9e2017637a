//! Statistics and verdicts of tiergate, pure functions.

mod benjamini_hochberg;
mod bootstrap;
mod compare;
mod evidence;
mod mann_whitney;
mod noise;
mod renames;
mod sample;
mod sides;
mod verdict;
mod welch;

pub use benjamini_hochberg::benjamini_hochberg;
pub use bootstrap::median_ratio_interval;
pub use compare::{CompareOptions, compare, compare_with};
pub use evidence::{moved_by, noise_floor, summarise_readings};
pub use mann_whitney::{MannWhitney, mann_whitney, smallest_p};
pub use noise::{noise_detail, noise_suite};
pub use sample::{Summary, median, quantile, spread};
pub use verdict::{EQUAL_SPREAD, verdict};
pub use welch::{Welch, welch};
