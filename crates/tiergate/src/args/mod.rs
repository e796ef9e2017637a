//! The command line's grammar.

mod examples;

mod inspections;

pub(crate) use inspections::{NoiseOptions, ProveOptions};

use clap::{Args, Parser, Subcommand, ValueEnum};
use examples::{
    ACCEPT_EXAMPLES, COMPARE_EXAMPLES, COMPLETION_EXAMPLES, EXIT_CODES, GATE_EXAMPLES,
    MERGE_EXAMPLES, NOISE_EXAMPLES, PROVE_EXAMPLES, RUN_EXAMPLES,
};
use std::path::PathBuf;
use std::process::ExitCode;
use tiergate_model::ExitStatus;
use tiergate_report::SuiteName;

/// Counts the instructions per operation of JavaScript benchmarks, each in a fresh process, and
/// says whether a change made them slower.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one, parsed once")]
pub(crate) enum Command {
    /// Measure benches: instructions per op, each bench in fresh processes
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunOptions),
    /// List benches without running any
    List(ListOptions),
    /// Compare two result files
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareOptions),
    /// Measure base and head, both built from git, in pairs, and judge the difference
    #[command(after_help = GATE_EXAMPLES)]
    Gate(GateOptions),
    /// Put the results of shards together, check that none is missing, and report
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeOptions),
    /// Accept the regression that the last gate found in a bench, for its base
    #[command(after_help = ACCEPT_EXAMPLES)]
    Accept(AcceptOptions),
    /// Write a configuration and an example, or a CI workflow
    Init(InitOptions),
    /// Show the evidence for a bench's window: what the engine did at which op, and what it cost
    #[command(after_help = PROVE_EXAMPLES)]
    Prove(ProveOptions),
    /// Show how stable the benches are: equal code compared with itself, or what moves one bench
    #[command(after_help = NOISE_EXAMPLES)]
    Noise(NoiseOptions),
    /// Show what this machine and these engines can do, and what is missing
    Doctor(DoctorOptions),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETION_EXAMPLES)]
    Completions(CompletionOptions),
    /// Print the JSON schema of the result file
    #[command(hide = true)]
    Schema,
}

/// A program that uses no framework.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Entry {
    /// A program with loops and clocks of its own, instead of bench files; `--mark-function` names
    /// what is measured in it
    #[arg(long, value_name = "FILE", requires = "mark_function", conflicts_with = "paths")]
    pub(crate) entry: Option<PathBuf>,
    /// The function of `--entry` whose calls are the op: the program runs until it calls it, and
    /// this call is repeated; can be given several times
    #[arg(long, value_name = "NAME", requires = "entry")]
    pub(crate) mark_function: Vec<String>,
}

/// Which benches, with which engines.
#[derive(Debug, Clone, Args)]
pub(crate) struct Selection {
    /// Bench files, or folders to look for them in [default: `files` of the configuration, else
    /// every `*.bench.{js,mjs,cjs,ts,mts,cts}` below the root]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Engine: `node`, `deno`, `bun`, one of them with a version (`node@24`), or a path; can be
    /// given several times or with commas
    #[arg(long, short, value_name = "ENGINE", value_delimiter = ',')]
    pub(crate) engine: Vec<String>,
    /// An additional argument for the engine, for example `--engine-arg=--no-opt`; can be given
    /// several times
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) engine_arg: Vec<String>,
    /// Determinism profile of the engine: `exact`, `bench:ir` or `default`
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Let the processes of a run share what the engine compiles while it loads the bench file, which
    /// saves time where a lot is loaded; only results with it are comparable with one another
    #[arg(long)]
    pub(crate) code_cache: bool,
    /// Only benches whose id matches this glob (`*` and `?`); can be given several times
    #[arg(long, short, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,
    /// Take every `--filter` as a whole id instead of a glob
    #[arg(long)]
    pub(crate) exact: bool,
    /// Only the benches of one of several machines: `2/4` is the second of four; `auto` reads the
    /// variables of GitLab, Buildkite, CircleCI, Slurm and Kubernetes, or `TIERGATE_SHARD_INDEX`
    /// (from 0) and `TIERGATE_SHARD_TOTAL`
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Read this configuration instead of the `tiergate.toml` found upward
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Seconds that one process may take [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
    /// No bench found is not an error
    #[arg(long)]
    pub(crate) allow_empty: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// What counts: `auto`, `counter`, `callgrind`, `perf` or `wall`
    #[arg(long, short, value_name = "INSTRUMENT")]
    pub(crate) instrument: Option<String>,
    /// A/A repeats of every reading, at least 3 [default: 5]
    #[arg(long, value_name = "R")]
    pub(crate) repeats: Option<u32>,
    /// Measure under K circumstances that should make no difference as well, such as other seeds,
    /// and print how far they move each bench: its noise floor. At least 2; 6 is usual
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..=64))]
    pub(crate) perturbations: Option<u32>,
    /// Wall-clock rounds beside the instrument; they give ns/op
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub(crate) wall: u32,
    /// Processes at a time [default: the number of cores]
    #[arg(long, short, value_name = "J")]
    pub(crate) jobs: Option<usize>,
    /// Write the results to this file, after every bench; `{engine}` stands for the engine's name
    /// and version
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Keep the results under this name
    #[arg(long, value_name = "NAME")]
    pub(crate) save_baseline: Option<String>,
    /// Compare with this result file afterwards
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) compare: Option<PathBuf>,
    /// Compare with the results kept under this name afterwards
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) shown: Shown,
    /// Pass the output of every process on, not only that of each bench's first
    #[arg(long)]
    pub(crate) show_output: bool,
    /// Find the ops of warm-up and window anew instead of taking those in `tiergate.lock`
    #[arg(long)]
    pub(crate) recalibrate: bool,
    /// Show on standard error where the seconds of each bench's processes went
    #[arg(long)]
    pub(crate) timings: bool,
    /// Which side of a comparison this is, kept in the results
    #[arg(long, value_enum, value_name = "SIDE")]
    pub(crate) side: Option<SideName>,
    /// Whether accepted changes hold, as in a gate.
    #[arg(skip)]
    pub(crate) accepting: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GateOptions {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// What head is compared with: a commit, branch or tag, of which the last common ancestor with
    /// head is taken, or `npm:PACKAGE@VERSION` [default: `base` of `[gate]` in the configuration]
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// What is judged: `worktree`, which is the files as they are, or a commit, branch or tag
    #[arg(long, value_name = "REF", default_value = "worktree")]
    pub(crate) head: String,
    /// Compare with this result file instead of measuring a base
    #[arg(long, value_name = "FILE", conflicts_with_all = ["base", "base_baseline"])]
    pub(crate) base_file: Option<PathBuf>,
    /// Compare with the results kept under this name instead of measuring a base
    #[arg(long, value_name = "NAME", conflicts_with = "base")]
    pub(crate) base_baseline: Option<String>,
    /// The base's engine, where it is the engine that changes
    #[arg(long, value_name = "ENGINE", requires = "head_engine", conflicts_with = "engine")]
    pub(crate) base_engine: Option<String>,
    /// The head's engine
    #[arg(long, value_name = "ENGINE", requires = "base_engine")]
    pub(crate) head_engine: Option<String>,
    /// Whose bench files measure the base: `head`'s, or the base's `own`
    #[arg(long, value_enum, default_value_t, value_name = "SIDE")]
    pub(crate) bench_from: BenchFrom,
    /// Measure also what loads the same files on both sides
    #[arg(long)]
    pub(crate) no_build_hash: bool,
    /// What counts: `auto`, `counter`, `callgrind` or `wall`
    #[arg(long, short, value_name = "INSTRUMENT")]
    pub(crate) instrument: Option<String>,
    /// A/A repeats of each side's first readings, at least 3; equal ones end sooner [default: 5]
    #[arg(long, value_name = "R")]
    pub(crate) repeats: Option<u32>,
    /// Pairs of readings of a bench that the first one does not decide, each under other seeds, heap
    /// and environment on both sides [default: 6]
    #[arg(long, value_name = "K")]
    pub(crate) perturbations: Option<u32>,
    /// Processes at a time [default: the number of cores]
    #[arg(long, short, value_name = "J")]
    pub(crate) jobs: Option<usize>,
    /// Keep the results of both sides in this folder, after every bench
    #[arg(long, value_name = "FOLDER")]
    pub(crate) save: Option<PathBuf>,
    /// Go on with the results of an interrupted gate of the same base and head
    #[arg(long)]
    pub(crate) resume: bool,
    /// Seconds that all measuring may take; benches that are not reached are INCOMPLETE
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time_limit: Option<u64>,
    /// Seconds that one bench may take on both sides together
    #[arg(long, value_name = "SECONDS")]
    pub(crate) bench_time_limit: Option<u64>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Args)]
pub(crate) struct MergeOptions {
    /// Folder with the shards' results, searched with all folders below it
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Keep what is put together: in a folder for gates, in a file for runs
    #[arg(long, value_name = "PATH")]
    pub(crate) save: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: Shown,
    /// Read this configuration instead of the `tiergate.toml` found upward
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct AcceptOptions {
    /// The bench, as reports name it
    #[arg(value_name = "ID", required_unless_present = "list")]
    pub(crate) id: Option<String>,
    /// Why the change is worth it
    #[arg(long, value_name = "TEXT", required_unless_present = "list")]
    pub(crate) reason: Option<String>,
    /// The folder with the gate's results [default: those of the last gate here]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) from: Option<PathBuf>,
    /// Show what is accepted
    #[arg(long, conflicts_with_all = ["id", "reason"])]
    pub(crate) list: bool,
    /// Read this configuration instead of the `tiergate.toml` found upward
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct InitOptions {
    /// Write a workflow for this CI
    #[arg(long, value_enum, value_name = "CI")]
    pub(crate) ci: Option<Ci>,
    /// Write the plugin by which `vitest bench` measures with tiergate
    #[arg(long, conflicts_with = "ci")]
    pub(crate) vitest: bool,
    /// Jobs among which the benches are divided
    #[arg(long, value_name = "N", default_value_t = 1, requires = "ci")]
    pub(crate) shards: u32,
    /// Write over files that are there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ci {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum BenchFrom {
    /// Head's measure both sides
    #[default]
    Head,
    /// Each side is measured with its own
    Own,
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) entry: Entry,
    /// Format on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    /// Result file of the base, or of the head when `--baseline` names the base
    #[arg(value_name = "BASE")]
    pub(crate) first: PathBuf,
    /// Result file of the head
    #[arg(value_name = "HEAD", required_unless_present = "baseline", conflicts_with = "baseline")]
    pub(crate) second: Option<PathBuf>,
    /// Take the base from the results kept under this name
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    #[command(flatten)]
    pub(crate) shown: Shown,
    /// Read this configuration instead of the `tiergate.toml` found upward
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Limits of a comparison.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Judging {
    /// An increase beyond this fails [default: 2%]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) fail: Option<String>,
    /// An increase beyond this warns [default: 1%]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) warn: Option<String>,
    /// A decrease beyond this is an improvement [default: 2%]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) improved: Option<String>,
    /// An A/A spread beyond this makes a bench undecidable [default: 0.4%]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) aa_spread: Option<String>,
    /// Benches that only the base has are `removed` instead of INCOMPLETE
    #[arg(long)]
    pub(crate) allow_removed: bool,
}

/// How results are shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct Shown {
    /// Format on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Write a report as well; can be given several times
    ///
    /// - markdown=FILE: a comment for a pull request, below 64 KB
    /// - json=FILE:     everything, for programs
    /// - junit=FILE:    test cases, for CI systems that list them
    /// - html=FILE:     one page with table, plots and proof
    /// - github:        summary and annotations of a step in GitHub Actions
    ///
    /// With `-` for FILE it stands on standard output, in place of the table.
    #[arg(long, value_name = "KIND[=FILE]", verbatim_doc_comment)]
    pub(crate) export: Vec<String>,
    /// Name of the suite in reports, where a repository has several: a part of headings, and of the
    /// hidden marker by which a Markdown comment is found again
    #[arg(long, value_name = "NAME")]
    pub(crate) suite: Option<SuiteName>,
}

/// Formats of reports that are no part of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum PlainFormat {
    /// Tables for people
    #[default]
    Human,
    /// JSON for programs
    Json,
}

impl From<PlainFormat> for Format {
    fn from(format: PlainFormat) -> Self {
        match format {
            PlainFormat::Human => Self::Human,
            PlainFormat::Json => Self::Json,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DoctorOptions {
    /// Engine to look at [default: all that are found]
    #[arg(long, short, value_name = "ENGINE", value_delimiter = ',')]
    pub(crate) engine: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionOptions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// Tables for people
    #[default]
    Human,
    /// JSON for programs
    Json,
    /// Markdown for a pull request
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On terminals that show them
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SideName {
    /// What head is compared with
    Base,
    /// What is judged
    Head,
}

/// Prints what clap has to say, with this tool's exit codes.
pub(crate) fn report(error: &clap::Error) -> ExitCode {
    // A closed stream leaves nobody to tell.
    let _ = error.print();
    let status = if error.use_stderr() { ExitStatus::Usage } else { ExitStatus::Pass };
    ExitCode::from(status.code())
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_consistent() {
        Arguments::command().debug_assert();
    }
}
