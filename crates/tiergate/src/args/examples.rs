//! What the help shows below the options.

pub(super) const EXIT_CODES: &str = "\
Exit codes:
  0    everything passed
  1    a regression
  2    not comparable
  3    inconclusive
  4    incomplete: a bench, or the run itself, failed
  64   wrong command line or configuration
  130  interrupted

Start with:
  tiergate doctor                          what this machine can do
  tiergate run bench/ --save base.json     measure
  tiergate compare base.json head.json     compare two measurements
  tiergate gate --base main                build and measure base and head, and judge the change";

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  tiergate run                                  every *.bench.* file below the root
  tiergate run bench/parse.bench.mjs            one file
  tiergate run --filter '*parse*'               benches whose id matches
  tiergate run --engine node@22 --engine bun    two engines, one after the other
  tiergate run --entry bench/own.js --mark-function parse
                                                a program with a loop and a clock of its own
  tiergate run --save head.json --compare base.json
  tiergate run --save-baseline main             and later: tiergate run --baseline main";

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  tiergate compare base.json head.json
  tiergate compare head.json --baseline main
  tiergate compare base.json head.json --fail 5% --format markdown
  tiergate compare base.json head.json --export html=report.html
  tiergate compare base.json head.json --export github";

pub(super) const GATE_EXAMPLES: &str = "\
Base and head are copied to the cache, built there with `[build] command` of `tiergate.toml`, and
measured with the same bench files, those of head. The work tree is only read.

Examples:
  tiergate gate --base main                     the present files against the merge base with main
  tiergate gate --base v1.2.0 --head HEAD       two commits
  tiergate gate --base npm:left-pad@1.3.0       a published version as base
  tiergate gate --base-engine node@24 --head-engine node@26
  tiergate gate --base main --shard 1/4 --save shards/1     and then: tiergate merge shards
  tiergate gate --base main --resume            go on with an interrupted gate";

pub(super) const MERGE_EXAMPLES: &str = "\
Examples:
  tiergate merge shards                         folders that `tiergate gate --shard --save` wrote
  tiergate merge results --save head.json       result files of `tiergate run --shard --save`";

pub(super) const ACCEPT_EXAMPLES: &str = "\
The entry is written to `tiergate.accepted.toml`, which belongs in version control. It holds for the
base that the gate measured, and for no larger change; once the base moves on, it is ignored.

Examples:
  tiergate accept 'bench/a.bench.mjs::parse' --reason 'the new checks are worth it'
  tiergate accept --list                        what is accepted";

pub(super) const PROVE_EXAMPLES: &str = "\
Examples:
  tiergate prove 'bench/parse.bench.mjs::csv'   the bench of this id
  tiergate prove '*csv*' --engine node@22       those that match
  tiergate prove '*csv*' --export html=csv.html the warm-up as a curve
  tiergate prove '*csv*' --export trace=csv.txt the engine's own words, with our marks
  tiergate prove '*csv*' --thresholds           does tiering up sooner move the count?
  tiergate prove '*csv*' --diff-profiles        which functions differ between equal runs?

Exit codes: 0 proven, 3 a window is none to judge by or equal runs differ, 4 a bench could not be
measured.";

pub(super) const NOISE_EXAMPLES: &str = "\
Examples:
  tiergate noise                                the whole suite as base and as head, 10 times
  tiergate noise bench/parse.bench.mjs --rounds 20
  tiergate noise --detail 'bench/parse.bench.mjs::csv'
                                                seeds, heap phase, environment, …: what each does

Exit codes: 0 no false alarm, 3 false alarms, 4 a bench could not be measured.";

pub(super) const COMPLETION_EXAMPLES: &str = "\
Examples:
  tiergate completions bash > ~/.local/share/bash-completion/completions/tiergate
  tiergate completions zsh > ~/.zfunc/_tiergate
  tiergate completions fish > ~/.config/fish/completions/tiergate.fish";
