//! What an op that does nothing costs, found out once for every kind of op.

use super::{Bench, BenchFile, Suite, Tiers};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tiergate_model::{BenchId, DiscoveredBench, OpBudget, WindowShape};

/// The bench file with the empty ops, in the harness's folder.
const FILE: &str = "entry/empty.bench.mjs";

/// Long after the loops have reached their last tier; a window in which the marks do not matter.
const BUDGET: OpBudget = OpBudget { warmup_ops: 100_000, window_ops: 200_000 };

/// The same at the lowest tiers, where nothing changes any more after a few calls.
const LOWEST_BUDGET: OpBudget = OpBudget { warmup_ops: 500, window_ops: 20_000 };

pub(super) struct EmptyOps {
    file: PathBuf,
    known: Mutex<BTreeMap<(bool, Tiers), Option<f64>>>,
}

impl EmptyOps {
    pub(super) fn new(harness: &Path) -> Self {
        Self { file: harness.join(FILE), known: Mutex::default() }
    }

    /// What is known, or what `read` finds.
    pub(super) fn per_op(
        &self,
        is_async: bool,
        tiers: Tiers,
        read: impl FnOnce(&Bench, OpBudget) -> Option<f64>,
    ) -> Option<f64> {
        // Held while reading: others wait for the same figure instead of reading it again.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry((is_async, tiers)).or_insert_with(|| {
            let budget = match tiers {
                Tiers::AsMeasured => BUDGET,
                Tiers::Lowest => LOWEST_BUDGET,
            };
            read(&self.bench(is_async), budget)
        })
    }

    fn bench(&self, is_async: bool) -> Bench {
        let names = vec![if is_async { "async" } else { "sync" }.to_owned()];
        Bench {
            file: BenchFile {
                relative: FILE.to_owned(),
                absolute: self.file.clone(),
                suite: Suite::default(),
            },
            ordinal: 1,
            discovered: DiscoveredBench {
                id: BenchId::new(FILE, &names, 1),
                framework: "tiergate".to_owned(),
                framework_version: String::new(),
                window: WindowShape::Span,
                batch_ops: 1,
                divisible: true,
                skipped: false,
                conditions: BTreeMap::new(),
            },
            names,
        }
    }
}
