//! One process of an engine that runs a bench with its window, whatever counts in it.

use super::super::held;
use super::super::invocation::Invocation;
use super::super::outcome::{IDLE, Measured, Traced};
use super::super::perturbed::Changes;
use super::super::phases::phases;
use super::super::scratch::Scratch;
use super::super::window::{Division, WindowPlan};
use super::super::{Bench, ReadOptions};
use super::{EngineExecutor, selection};
use crate::Fault;
use crate::harness::{Mode, RequestBudget};
use crate::marks::MarkReport;
use tiergate_engine::AcceptedFlags;
use tiergate_model::{MarkCheck, OpBudget, Perturbation, Phases};
use tiergate_protocol::environment;

/// The circumstances of a window.
pub(super) struct How<'a> {
    pub(super) flags: &'a AcceptedFlags,
    /// What the preloaded library holds constant.
    pub(super) held: &'a [&'a str],
    pub(super) division: Division<'a>,
    pub(super) options: ReadOptions,
}

/// Not a reading that a user looks at.
pub(super) const UNSEEN: ReadOptions =
    ReadOptions { perturbation: Perturbation::None, show_output: false };

/// A bench that was run with its window.
pub(super) struct WindowRun {
    pub(super) plan: WindowPlan,
    pub(super) measured: Measured,
    pub(super) report: MarkReport,
    pub(super) marks: MarkCheck,
    pub(super) seconds: f64,
    pub(super) phases: Option<Phases>,
    pub(super) fixed_seed: bool,
}

impl EngineExecutor {
    /// Runs a bench with its window, whatever counts in it.
    pub(super) fn run_window(
        &self,
        scratch: &Scratch,
        bench: &Bench,
        budget: OpBudget,
        mut invocation: Invocation,
        preload_name: &str,
        how: &How<'_>,
    ) -> Result<WindowRun, Fault> {
        self.check_engine()?;
        held::hold(how.held, &mut invocation, scratch)?;
        let preload = self.harness.preload.as_ref().ok_or_else(|| {
            Fault::Marks("this build of tiergate carries no library for the marks".to_owned())
        })?;
        let mut request = self.request(Mode::Measure, &bench.file, scratch);
        request.select = Some(selection(bench));
        let plan = WindowPlan::of(bench, budget, how.division);
        request.budget = Some(RequestBudget {
            warmup_ops: budget.warmup_ops,
            window_ops: budget.window_ops,
            shares: (plan.shares.len() > 1).then(|| plan.shares.clone()),
            from_first: budget.warmup_ops == 0
                && matches!(how.division, Division::Shares(_) | Division::Loops(_)),
        });
        request.perturb = Changes::of(how.options.perturbation).perturb();
        let report = scratch.path("marks");
        let variables = [
            ("LD_PRELOAD", preload.clone().into_os_string()),
            (environment::REPORT, report.clone().into_os_string()),
            (environment::INSTRUMENT, preload_name.into()),
            (environment::SHAPE, plan.shape.into()),
            (environment::MARKS, plan.marks_each.to_string().into()),
            (environment::SECTIONS, plan.sections.to_string().into()),
            (environment::SUB_WINDOWS, plan.shares.len().to_string().into()),
        ];
        for (name, value) in &variables {
            invocation.set(name, value);
        }
        let idle = (!how.held.is_empty()).then_some(IDLE);
        let mut limits = self.limits(how.options.show_output, idle);
        limits.watched = vec![request.events.clone(), report.clone()];
        let (events, outcome) = self.start(scratch, request, invocation, &limits)?;
        let traced = Traced { events: &events, outcome: &outcome, timeout: self.sandbox.timeout };
        let measured = traced.measured(budget.window_ops)?;
        let report = MarkReport::read(&report)?;
        let marks = report.check(plan.sections, plan.marks_each)?;
        let (seconds, fixed_seed) = (outcome.seconds, outcome.fixed_seed);
        let phases = match &outcome.growths[..] {
            [events, marks] => phases(events, marks, seconds),
            _ => None,
        };
        Ok(WindowRun { plan, measured, report, marks, seconds, phases, fixed_seed })
    }
}
