//! What can be asked about benches beyond measuring them.

use super::{PlainFormat, Selection};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ProveOptions {
    /// The benches: an id, a glob that ids match, or a bench file
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Instead, compare the count with that of the engine's own thresholds between its tiers, after
    /// a warm-up twenty times as long
    #[arg(long, conflicts_with_all = ["diff_profiles", "export"])]
    pub(crate) thresholds: bool,
    /// Instead, count in which functions the instructions are, in as many processes as there are
    /// repeats, and show the functions that differ
    #[arg(long, conflicts_with = "export")]
    pub(crate) diff_profiles: bool,
    /// Instead, show which functions an op's instructions are in, and how often code that the engine
    /// has generated goes to the engine's own
    #[arg(long, conflicts_with_all = ["thresholds", "diff_profiles", "export"])]
    pub(crate) functions: bool,
    /// With --functions, also how often control comes to this function of the engine or of a library:
    /// its symbol, or its name without parameters. May be given several times
    #[arg(long, value_name = "SYMBOL", requires = "functions")]
    pub(crate) entries: Vec<String>,
    /// Find warm-up and window anew instead of taking those of the lock
    #[arg(long)]
    pub(crate) recalibrate: bool,
    /// A/A repeats, at least 3 [default: 5]
    #[arg(long, value_name = "R")]
    pub(crate) repeats: Option<u32>,
    /// Processes at a time [default: the number of cores]
    #[arg(long, short, value_name = "J")]
    pub(crate) jobs: Option<usize>,
    /// `html=FILE`: a page with the cost of an op over its age; `trace=FILE`: the engine's raw trace
    #[arg(long, value_name = "KIND=FILE")]
    pub(crate) export: Vec<String>,
    /// Format on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, Args)]
pub(crate) struct NoiseOptions {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Instead of comparing the suite with itself, measure the benches of this id or glob under
    /// other seeds, heap phases, warm-ups and environments, each kind by itself
    #[arg(long, value_name = "ID", conflicts_with = "filter")]
    pub(crate) detail: Option<String>,
    /// How often the suite is compared with itself
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "detail",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Pairs of an undecided bench, as a gate takes them
    #[arg(long, value_name = "K", default_value_t = 6, conflicts_with = "detail",
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) pairs: u32,
    /// What counts: `auto`, `counter`, `callgrind` or `wall`
    #[arg(long, short, value_name = "INSTRUMENT")]
    pub(crate) instrument: Option<String>,
    /// A/A repeats of every unperturbed reading, at least 3 [default: 5]
    #[arg(long, value_name = "R")]
    pub(crate) repeats: Option<u32>,
    /// Processes at a time [default: the number of cores]
    #[arg(long, short, value_name = "J")]
    pub(crate) jobs: Option<usize>,
    /// Format on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: PlainFormat,
}
