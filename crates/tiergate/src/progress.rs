//! The progress display. It is drawn only when something has ended, by the thread that ended it:
//! no ticking thread runs beside a reading.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use tiergate_measure::process::OutputSink;
use tiergate_model::{BenchStatus, RunEvent};

/// A bar on a terminal; elsewhere one line per bench.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    drawn: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let drawn = output::may_draw_progress();
        let bar = ProgressBar::with_draw_target(
            None,
            if drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
        );
        let style =
            ProgressStyle::with_template("{bar:24} {pos}/{len} processes  {eta} left  {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self { bar, drawn }
    }

    /// Shows one event.
    pub(crate) fn show(&self, event: &RunEvent) {
        match event {
            RunEvent::Warning(text) => self.bar.suspend(|| output::warning(text)),
            RunEvent::DiscoveryStarted { .. } | RunEvent::FileDiscovered { .. } => {}
            RunEvent::RunStarted { processes, .. } => {
                self.bar.set_length(*processes as u64);
                self.bar.reset_eta();
            }
            RunEvent::ProcessesReplanned { processes } => self.bar.set_length(*processes as u64),
            RunEvent::ProcessFinished { id, .. } => {
                self.bar.set_message(id.to_string());
                self.bar.inc(1);
            }
            RunEvent::BenchFinished(result) if !self.drawn => {
                let status = match result.status {
                    BenchStatus::Measured => "measured",
                    BenchStatus::Incomplete => "INCOMPLETE",
                    BenchStatus::Skipped => "skipped",
                };
                let reason = result.reason.as_ref().map(|reason| format!(": {reason}"));
                let reason = reason.unwrap_or_default();
                output::note(&format!("{status} {}{reason}", result.id));
            }
            RunEvent::BenchFinished(_) => {}
            RunEvent::RunFinished { seconds } => {
                let processes = self.bar.position();
                self.bar.finish_and_clear();
                output::note(&format!("{processes} processes in {seconds:.1} s"));
            }
        }
    }

    /// Where the bench files' own output goes: above the bar.
    pub(crate) fn output_sink(&self) -> OutputSink {
        let bar = self.bar.clone();
        Arc::new(move |bytes| bar.suspend(|| output::pass_on(bytes)))
    }
}
