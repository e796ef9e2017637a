//! The evidence for one bench's window, for a terminal.

use crate::number::{per_op, spread, whole};
use crate::phases::phases_text;
use crate::style::{ALARM, BOLD, CAUTION, DIM, Style};
use crate::table::note_text;
use crate::text::printable;
use tiergate_model::{BenchResult, Evidence, Moment, MomentKind, Proof};

/// Moments shown before they are summed up.
const MOST_MOMENTS: usize = 40;

/// Points of the curve that are shown.
const POINTS: usize = 12;

/// A time line of ops with what happened at which, what the window held, and how to see it again.
pub fn evidence_text(evidence: &Evidence, style: &Style) -> String {
    let result = &evidence.result;
    let mut lines = Lines { text: String::new(), style };
    lines.title(&printable(result.id.as_str()));
    lines.note(&evidence.engine);
    if !evidence.flags.is_empty() {
        lines.note(&format!("flags: {}", evidence.flags.join(" ")));
    }
    lines.gap();
    lines.figures(result);
    lines.gap();
    lines.time_line(evidence);
    if let Some(proof) = result.readings.first().map(|reading| &reading.proof) {
        lines.gap();
        lines.proof(result, proof);
    }
    if !evidence.curve.is_empty() {
        lines.gap();
        lines.curve(evidence);
    }
    lines.gap();
    lines.note(&format!("again: {}", evidence.repeat));
    lines.text
}

struct Lines<'a> {
    text: String,
    style: &'a Style,
}

impl Lines<'_> {
    fn gap(&mut self) {
        self.text.push('\n');
    }

    fn title(&mut self, text: &str) {
        self.text.push_str(&self.style.paint(text, BOLD));
        self.gap();
    }

    fn note(&mut self, text: &str) {
        self.text.push_str(&note_text(text, 0, DIM, self.style));
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.gap();
    }

    fn figures(&mut self, result: &BenchResult) {
        let per_op = result.instructions_per_op.map_or_else(|| "no count".to_owned(), per_op);
        self.line(&format!(
            "{per_op} Ir/op, A/A {} over {} readings, warm-up {} ops, window {} ops",
            spread(result.aa_spread),
            result.readings.len(),
            whole(result.warmup_ops),
            whole(result.window_ops)
        ));
        if let Some(reason) = &result.reason {
            self.text.push_str(&note_text(reason, 2, ALARM, self.style));
        }
        if let Some(phases) = phases_text(result) {
            self.text.push_str(&note_text(&phases, 2, DIM, self.style));
        }
        for warning in &result.warnings {
            self.text.push_str(&note_text(&format!("note: {warning}"), 2, CAUTION, self.style));
        }
    }

    fn time_line(&mut self, evidence: &Evidence) {
        let result = &evidence.result;
        self.title("ops");
        let changes: Vec<&Moment> = evidence
            .moments
            .iter()
            .filter(|moment| moment.kind != MomentKind::Collection)
            .collect();
        let (before, within): (Vec<&Moment>, Vec<&Moment>) =
            changes.into_iter().partition(|moment| !moment.in_window);
        let left_out = before.len().saturating_sub(MOST_MOMENTS);
        if left_out > 0 {
            self.note(&format!("{left_out} earlier changes are left out"));
        }
        for moment in &before[left_out..] {
            self.moment(moment);
        }
        let in_window = |moment: &&Moment| moment.in_window;
        let collections = evidence.of_kind(MomentKind::Collection);
        let (inside, outside): (Vec<&Moment>, Vec<&Moment>) = collections.partition(in_window);
        if !outside.is_empty() {
            self.note(&format!("{} collections in the warm-up", outside.len()));
        }
        let opens = result.warmup_ops;
        let rule = "─".repeat(10);
        self.line(&format!("{:>14}  {rule} the window opens", whole(opens)));
        for moment in within.iter().take(MOST_MOMENTS) {
            self.moment(moment);
        }
        if within.is_empty() {
            self.line(&format!("{:>14}  no change of code", ""));
        }
        self.line(&format!("{:>14}  {} collections", "", inside.len()));
        let closes = opens + result.window_ops;
        self.line(&format!("{:>14}  {rule} the window closes", whole(closes)));
        if let Some(last) = before.last() {
            let distance = opens.saturating_sub(last.until_ops);
            self.note(&format!(
                "the last change before the window lies {} ops before it",
                whole(distance)
            ));
        }
    }

    fn moment(&mut self, moment: &Moment) {
        let paint = match moment.kind {
            MomentKind::Bailout => ALARM,
            MomentKind::Compile if moment.in_window => ALARM,
            MomentKind::Compile | MomentKind::Collection => DIM,
        };
        let at = format!("{:>14}  ", whole(moment.until_ops));
        let what = self.style.paint(&printable(&moment.what), paint);
        self.line(&format!("{at}{what}"));
    }

    fn proof(&mut self, result: &BenchResult, proof: &Proof) {
        self.title("in the window");
        if let [first, second] = proof.sub_windows.as_slice() {
            let second_ops = result.window_ops / 2;
            let first_ops = result.window_ops - second_ops;
            self.line(&format!(
                "  halves        {} and {} instructions per op",
                per_op(*first as f64 / first_ops.max(1) as f64),
                per_op(*second as f64 / second_ops.max(1) as f64)
            ));
        }
        if let Some(twin) = &proof.twin {
            let tiers: Vec<String> = twin
                .tiers
                .iter()
                .filter(|(name, _)| !name.is_empty() && !name.starts_with("tiergate"))
                .map(|(name, tier)| format!("{} {tier}", printable(name)))
                .collect();
            let shown = if tiers.is_empty() {
                "none compiled by themselves".to_owned()
            } else {
                tiers.join(", ")
            };
            self.text.push_str(&note_text(&format!("code          {shown}"), 2, DIM, self.style));
        }
        if let Some(seen) = &proof.observed {
            let calls: u64 = seen.system_calls.values().sum();
            self.line(&format!(
                "  counter saw   {} code writes, {} system calls, {} signals, {} threads and {} \
                 processes started, {} repeated instructions",
                seen.code_writes,
                calls,
                seen.signals,
                seen.threads_started,
                seen.children_started,
                seen.repeated_instructions
            ));
        }
        if let Some(pinned) = &proof.pinned {
            let lifted = pinned.lifted.as_deref().map(|why| format!("; lifted: {why}"));
            self.line(&format!(
                "  held constant {}{}",
                pinned.held.join(", "),
                lifted.unwrap_or_default()
            ));
        }
    }

    fn curve(&mut self, evidence: &Evidence) {
        self.title("cost of an op by its age");
        let points = &evidence.curve;
        let every = points.len().div_ceil(POINTS).max(1);
        let highest = points.iter().map(|point| point.per_op).fold(0.0, f64::max).max(1.0);
        let width = 30.0;
        for point in points.iter().step_by(every) {
            // On a logarithmic scale: the first ops cost a thousand times as much as later ones.
            let share = (point.per_op.max(1.0).ln() / highest.ln().max(1.0)).clamp(0.0, 1.0);
            #[allow(
                clippy::cast_sign_loss,
                clippy::cast_possible_truncation,
                reason = "between 0 and 30"
            )]
            let bar = "▇".repeat((share * width).round() as usize);
            self.line(&format!(
                "{:>14}  {:>12}  {bar}",
                whole(point.after_ops),
                per_op(point.per_op)
            ));
        }
    }
}
