//! Which functions an op's instructions are in, and what generated code calls.

use super::Proof;
use crate::failure::Failure;
use crate::output;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tiergate_measure::Fault;
use tiergate_measure::executor::Bench;
use tiergate_measure::profile::{Function, Profile};
use tiergate_model::{
    BenchResult, ExitStatus, FunctionCount, OpBudget, SymbolEntries, WindowFunctions,
};
use tiergate_report::window_functions_text;

impl Proof<'_> {
    /// Shows one profile of each bench; `symbols` are the functions whose entries are asked for.
    pub(super) fn functions(&self, symbols: &[String]) -> Result<ExitStatus, Failure> {
        let look =
            |bench: &Bench, result: &BenchResult| self.window_functions(bench, result, symbols);
        let Some((found, status)) = self.of_each(look) else { return Ok(ExitStatus::Interrupted) };
        self.inspected.print(&found, || {
            let text = |one| window_functions_text(one, &output::style());
            found.iter().map(text).collect::<Vec<_>>().join("\n")
        })?;
        Ok(status)
    }

    fn window_functions(
        &self,
        bench: &Bench,
        result: &BenchResult,
        symbols: &[String],
    ) -> Result<WindowFunctions, Fault> {
        let budget = OpBudget { warmup_ops: result.warmup_ops, window_ops: result.window_ops };
        let profile = self.inspected.executor.profile(bench, budget)?;
        let functions = profile.functions();
        let generated = functions.iter().filter(|(function, _)| function.is_generated());
        Ok(WindowFunctions {
            id: result.id.clone(),
            window_ops: result.window_ops,
            instructions: profile.total(),
            generated_instructions: generated.map(|(_, count)| count).sum(),
            transfers: sorted(profile.transfers()),
            entries: symbols.iter().map(|symbol| entries(&profile, symbol)).collect(),
            functions: sorted(functions),
        })
    }
}

fn entries(profile: &Profile, symbol: &str) -> SymbolEntries {
    SymbolEntries { symbol: symbol.to_owned(), count: profile.entries(symbol) }
}

/// The largest counts first.
fn sorted(functions: BTreeMap<Function, u64>) -> Vec<FunctionCount> {
    let mut counts: Vec<FunctionCount> = functions
        .into_iter()
        .map(|(function, count)| FunctionCount {
            name: function.readable(),
            file: function.file,
            count,
        })
        .collect();
    counts.sort_by_key(|one| Reverse(one.count));
    counts
}
