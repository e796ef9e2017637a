//! `tiergate list`.

use super::run::one_document;
use crate::args::{Format, ListOptions};
use crate::discover::{Filter, bench_files};
use crate::failure::Failure;
use crate::listing::{list_all, no_bench_files};
use crate::output;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::setup::{Setup, choose_instrument, interrupt_flag};
use crate::shard;
use std::sync::atomic::Ordering;
use tiergate_model::ExitStatus;
use tiergate_report::{ListedBench, list_json, list_markdown, list_text};
use tiergate_store::{Lock, lock_engine};

pub(crate) fn list(options: &ListOptions) -> Result<ExitStatus, Failure> {
    let selection = &options.selection;
    let (settings, paths) = Settings::load_with_entry(selection, &options.entry)?;
    let shard = selection.shard.as_deref().map(shard::parse).transpose()?;
    let filter = Filter::new(&selection.filter, selection.exact)?;
    let files = bench_files(&settings, &paths)?;
    if files.is_empty() && !selection.allow_empty {
        return Err(no_bench_files());
    }
    let lock = Lock::read(settings.lock_path()).map_err(Failure::from)?.value;
    let interrupted = interrupt_flag()?;
    let setup = Setup {
        settings: &settings,
        selection,
        interrupted: interrupted.clone(),
        output: Progress::new().output_sink(),
    };
    let mut status = ExitStatus::Pass;
    let engines = settings.engines(selection)?;
    one_document(engines.len(), options.format, &[])?;
    for spec in &engines {
        // Listing needs no instrument; the clock is there everywhere.
        let instrument = if std::env::var_os("TIERGATE_MOCK").is_some() { "mock" } else { "wall" };
        let executor = setup.executor(spec, choose_instrument(instrument)?)?;
        let engine = &executor.fingerprint().engine;
        let lock_name = lock_engine(engine.name, &engine.version);
        let mut listed = list_all(executor.as_ref(), &files, &filter, settings.jobs(None));
        listed.keep_shard(shard, &lock, &lock_name);
        listed.tell();
        if !listed.faults.is_empty() {
            status = status.worst(ExitStatus::Incomplete);
        }
        listed.check_not_empty(selection.allow_empty)?;
        let benches: Vec<ListedBench> = listed
            .benches
            .into_iter()
            .map(|bench| {
                let entry = lock.get(&lock_name, bench.id());
                ListedBench {
                    budget: entry.map(|entry| entry.budget),
                    seconds: entry.map(|entry| entry.seconds),
                    bench: bench.discovered,
                }
            })
            .collect();
        if engines.len() > 1 && options.format != Format::Json {
            output::results(&format!("{} {}\n", engine.name, engine.version))?;
        }
        output::results(&match options.format {
            Format::Human => list_text(&benches, &output::style()),
            Format::Json => list_json(&benches).map_err(Failure::incomplete)?,
            Format::Markdown => list_markdown(&benches),
        })?;
    }
    Ok(if interrupted.load(Ordering::Relaxed) { ExitStatus::Interrupted } else { status })
}
