//! `tiergate gate`: base and head from git, built, measured in pairs, judged.

mod accepted;
mod against_file;
mod benches;
mod guard;
mod measuring;
mod source;
mod trees;
mod unchanged;
mod verdicts;

pub(crate) use accepted::accepted_for;
pub(crate) use trees::cache_folders;
pub(crate) use verdicts::{accept, exit_status, judge};

use crate::args::GateOptions;
use crate::budgets::{lock_name, planned_budgets};
use crate::discover::Filter;
use crate::export::Exports;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::report::Report;
use crate::settings::Settings;
use crate::setup::{Choice, Setup, choose_for_base, choose_instrument, interrupt_flag, stop_after};
use crate::shard::{self, Share};
use benches::{Benches, Search};
use measuring::Measuring;
use source::BaseSource;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tiergate_checkout::CheckoutError;
use tiergate_measure::executor::{Bench, Executor};
use tiergate_measure::pairs::Sides;
use tiergate_model::{BenchId, EngineSpec, ExitStatus, Limits, ResultFile, Shard};
use tiergate_store::{GATE_VERSION, GateFolder, GateRecord, GateSide, Lock};
use trees::{Preparation, Tree, Trees};
use unchanged::{Differences, Unchanged, foreign, plain};

/// The accepted changes' name, beside the configuration.
pub(crate) const ACCEPTED: &str = "tiergate.accepted.toml";

pub(crate) fn gate(options: &GateOptions) -> Result<ExitStatus, Failure> {
    let selection = &options.selection;
    let user = Settings::load(selection.config.as_deref(), &selection.paths)?;
    if options.base_file.is_some() || options.base_baseline.is_some() {
        return against_file::gate(options);
    }
    let source = BaseSource::of(options, &user)?;
    let shard = selection.shard.as_deref().map(shard::parse).transpose()?;
    let filter = Filter::new(&selection.filter, selection.exact)?;
    user.limits(&options.judging)?;
    let exports = Exports::parse(&options.shown, &user.root)?;
    let interrupted = interrupt_flag()?;
    let preparation =
        Preparation { options, user: &user, source: &source, interrupted: &interrupted };
    let trees = preparation.prepare()?;
    Gate { options, source, shard, filter, exports, interrupted, trees: &trees, user: &user }.run()
}

/// A gate whose sides are ready.
struct Gate<'a> {
    options: &'a GateOptions,
    source: BaseSource,
    shard: Option<Shard>,
    filter: Filter,
    exports: Exports,
    interrupted: Arc<AtomicBool>,
    trees: &'a Trees,
    user: &'a Settings,
}

impl Gate<'_> {
    fn run(&self) -> Result<ExitStatus, Failure> {
        let options = self.options;
        let settings = &self.trees.head.settings;
        let limits = settings.limits(&options.judging)?;
        let jobs = settings.jobs(options.jobs);
        let time_limit = options.time_limit.map(Duration::from_secs);
        let stop = stop_after(time_limit, &self.interrupted)?;
        let progress = Progress::new();
        let executors = self.executors(&stop, &progress)?;
        let executors = Sides { base: executors.base.as_ref(), head: executors.head.as_ref() };

        let benches = Search {
            trees: self.trees,
            base: executors.base,
            head: executors.head,
            paths: &options.selection.paths,
            filter: &self.filter,
            from: options.bench_from,
            base_has_own: self.source.is_ref(),
            jobs,
        }
        .run()?;
        if self.is_interrupted() {
            return Err(CheckoutError::Interrupted("the benches were listed").into());
        }
        benches::tell(&benches);
        self.check_found(&benches)?;
        self.check_own_files(&benches)?;

        let engine_change = options.base_engine.is_some();
        let differences = Differences::between(self.trees)?;
        let lock = Lock::read(self.lock_path())?.value;
        let share = Share::of(self.shard, &self.seconds(&benches, executors.head, &lock));
        let has = |id: &BenchId| share.has(id);
        let own_limits = settings.own_limits(benches.head.benches.iter().map(Bench::id), limits)?;
        let unchanged = if options.no_build_hash || engine_change || self.is_interrupted() {
            Unchanged::default()
        } else {
            // A hard limit needs a count, whatever base has.
            let relative =
                |id: &BenchId| own_limits.get(id).is_none_or(|own| own.most_per_op.is_none());
            let may_be = |id: &BenchId| has(id) && relative(id);
            differences.unchanged(&benches, &may_be, executors.head, jobs)
        };
        let mut record = self.record(&differences, &executors, limits, unchanged.benches)?;
        record.own_limits = own_limits.into_iter().filter(|(id, _)| has(id)).collect();
        record.notes.extend(self.trees.notes.iter().cloned());
        record.notes.extend(benches.notes.iter().cloned());
        record.notes.extend(unchanged.notes);
        let folder = self.folder();
        let earlier = self.earlier(&folder, &record)?;
        let measured = Measuring {
            executors,
            benches: &benches,
            has: &has,
            unchanged: &record.unchanged,
            budgets: planned_budgets(settings, Some(&lock), executors.head, &benches.head.benches)?,
            repeats: settings.repeats(options.repeats)?,
            pairs: settings.pairs(options.perturbations)?,
            limits,
            jobs,
            bench_limit: options.bench_time_limit.map(Duration::from_secs),
            commits: Sides {
                base: self.trees.base.commit.clone(),
                head: self.trees.head.commit.clone(),
            },
            filter: &options.selection.filter,
            shard: self.shard,
            folder: &folder,
            stop: &stop,
            interrupted: &self.interrupted,
            time_limit,
            progress: &progress,
        }
        .run(earlier, &record)?;
        record.notes.extend(measured.notes);
        record.finished = !self.is_interrupted();
        folder.write_record(&record)?;
        self.report(&record, &measured.base, &measured.head, &folder)
    }

    fn report(
        &self,
        record: &GateRecord,
        base: &ResultFile,
        head: &ResultFile,
        folder: &GateFolder,
    ) -> Result<ExitStatus, Failure> {
        let comparison = judge(record, base, head);
        let report = Report::Comparison { comparison: &comparison, base, head };
        report.publish(&self.options.shown, &self.exports)?;
        if self.is_interrupted() {
            output::note(&format!(
                "what was measured is kept in `{}`; `--resume` goes on with it",
                folder.path().display()
            ));
            return Ok(ExitStatus::Interrupted);
        }
        Ok(exit_status(record, &comparison))
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn folder(&self) -> GateFolder {
        let own = || self.trees.scratch.results();
        GateFolder::new(self.options.save.clone().unwrap_or_else(own))
    }

    fn executors(
        &self,
        stop: &Arc<AtomicBool>,
        progress: &Progress,
    ) -> Result<Sides<Box<dyn Executor>>, Failure> {
        let (base, head) = self.engines()?;
        let name = self.options.instrument.as_deref();
        let name = name.or(self.trees.head.settings.file.instrument.as_deref()).unwrap_or("auto");
        let executor = |tree: &Tree, engine: &EngineSpec, choice: Choice| {
            let setup = Setup {
                settings: &tree.settings,
                selection: &self.options.selection,
                interrupted: Arc::clone(stop),
                output: progress.output_sink(),
            };
            setup.executor(engine, choice)
        };
        let choice = choose_instrument(name)?;
        let for_base = choose_for_base(&choice)?;
        Ok(Sides {
            base: executor(&self.trees.base, &base, for_base)?,
            head: executor(&self.trees.head, &head, choice)?,
        })
    }

    fn engines(&self) -> Result<(EngineSpec, EngineSpec), Failure> {
        let parse = |name: &String| name.parse::<EngineSpec>().map_err(Failure::usage);
        if let (Some(base), Some(head)) = (&self.options.base_engine, &self.options.head_engine) {
            return Ok((parse(base)?, parse(head)?));
        }
        let engines = self.trees.head.settings.engines(&self.options.selection)?;
        match engines.as_slice() {
            [engine] => Ok((engine.clone(), engine.clone())),
            engines => Err(Failure::usage(format!("a gate has one engine, not {}", engines.len()))
                .hint(
                    "run it once for each, or name `--base-engine` and `--head-engine` to compare \
                     two",
                )),
        }
    }

    fn check_found(&self, benches: &Benches) -> Result<(), Failure> {
        if benches.base.benches.is_empty()
            && benches.base.faults.is_empty()
            && benches.removed.is_empty()
        {
            return benches.head.check_not_empty(self.options.selection.allow_empty);
        }
        Ok(())
    }

    /// A side that loads the user's files instead of its own measures the same code on both sides.
    fn check_own_files(&self, benches: &Benches) -> Result<(), Failure> {
        for (side, listed) in [("base", &benches.base), ("head", &benches.head)] {
            if let Some(path) = foreign(listed, self.trees) {
                return Err(Failure::incomplete(format!(
                    "{side} loads `{}` from the work tree instead of from its own copy",
                    path.display()
                ))
                .hint(
                    "import it by a relative path or by the package's name; absolute paths and \
                     links lead out of the copy",
                ));
            }
        }
        Ok(())
    }

    /// The lock of head; one that lies outside of the repository is no part of either side.
    fn lock_path(&self) -> PathBuf {
        let own = self.trees.head.settings.lock_path();
        let within = plain(&own).starts_with(&self.trees.head.top);
        if within { own } else { self.user.lock_path() }
    }

    /// All benches of either side and the files that could not be listed, with the recorded
    /// seconds.
    fn seconds(
        &self,
        benches: &Benches,
        executor: &dyn Executor,
        lock: &Lock,
    ) -> BTreeMap<BenchId, Option<f64>> {
        let name = lock_name(executor);
        let listed = [&benches.base, &benches.head];
        let ids = listed.iter().flat_map(|listed| &listed.benches).chain(&benches.removed);
        let faults = listed.iter().flat_map(|listed| &listed.faults);
        ids.map(|bench| bench.id().clone())
            .chain(faults.map(|(file, _)| BenchId::from_text(file.relative.as_str())))
            .map(|id| {
                let seconds = lock.get(&name, &id).map(|entry| entry.seconds);
                (id, seconds)
            })
            .collect()
    }

    fn record(
        &self,
        differences: &Differences<'_>,
        executors: &Sides<&dyn Executor>,
        limits: Limits,
        unchanged: BTreeMap<BenchId, String>,
    ) -> Result<GateRecord, Failure> {
        let (base, head) = (&self.trees.base, &self.trees.head);
        let mut notes = Vec::new();
        let accepted = accepted_for(&base.identity, &head.settings.root, &mut notes)?;
        let side = |tree: &Tree, digest: &str| GateSide {
            source: tree.source.clone(),
            identity: tree.identity.clone(),
            digest: digest.to_owned(),
        };
        let mut hasher = blake3::Hasher::new();
        let settings = &executors.head.fingerprint().settings_hash;
        let engine = |side: &dyn Executor| format!("{:?}", side.fingerprint().engine);
        for part in [
            env!("CARGO_PKG_VERSION"),
            settings,
            &engine(executors.base),
            &engine(executors.head),
            &format!("{:?}", head.settings.file),
            &format!("{:?} {:?}", self.options.bench_from, self.options.no_build_hash),
            &self.options.selection.filter.join("\n"),
        ] {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        Ok(GateRecord {
            schema_version: GATE_VERSION,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            base: side(base, &differences.base_digest),
            head: side(head, &differences.head_digest),
            settings: hasher.finalize().to_hex()[..32].to_owned(),
            filter: self.options.selection.filter.clone(),
            shard: self.shard,
            limits,
            allow_removed: self.options.judging.allow_removed,
            engine_change: self.options.base_engine.is_some(),
            own_limits: BTreeMap::new(),
            unchanged,
            accepted,
            notes,
            finished: false,
        })
    }

    /// The results of an interrupted gate, where it is to be gone on with.
    fn earlier(
        &self,
        folder: &GateFolder,
        record: &GateRecord,
    ) -> Result<Option<(ResultFile, ResultFile)>, Failure> {
        if !self.options.resume || !folder.is_used() {
            if self.options.resume {
                output::warning("there is no interrupted gate to go on with; this one is new");
            }
            return Ok(None);
        }
        let loaded = match folder.read() {
            Ok(loaded) => loaded.value,
            Err(error) => {
                output::warning(&format!("the interrupted gate can't be gone on with: {error}"));
                return Ok(None);
            }
        };
        let earlier = &loaded.record;
        let same = earlier.settings == record.settings
            && earlier.shard == record.shard
            && earlier.base == record.base
            && earlier.head == record.head;
        if !same {
            output::warning(
                "base, head or settings have changed since the interrupted gate; this one is new",
            );
            return Ok(None);
        }
        Ok(Some((loaded.base, loaded.head)))
    }
}
