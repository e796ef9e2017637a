//! Colours, and the width to fill.

use anstyle::{AnsiColor, Style as Paint};
use tiergate_model::Verdict;

/// How a text report is to look. Whether a terminal wants colours is the caller's to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// Columns to fit into; names are shortened for it, numbers never.
    pub width: usize,
}

impl Style {
    /// Without colours.
    pub fn plain(width: usize) -> Self {
        Self { colour: false, width }
    }

    /// With colours.
    pub fn coloured(width: usize) -> Self {
        Self { colour: true, width }
    }

    pub(crate) fn paint(&self, text: &str, paint: Paint) -> String {
        if self.colour && !text.is_empty() && paint != Paint::new() {
            format!("{paint}{text}{paint:#}")
        } else {
            text.to_owned()
        }
    }
}

/// No colour.
pub(crate) const PLAIN: Paint = Paint::new();
/// Headings and files.
pub(crate) const BOLD: Paint = Paint::new().bold();
/// What is there for completeness.
pub(crate) const DIM: Paint = Paint::new().dimmed();
/// What the user can do.
pub(crate) const HINT: Paint = AnsiColor::Cyan.on_default();
/// What must not be overlooked.
pub(crate) const ALARM: Paint = AnsiColor::Red.on_default().bold();
/// What should be looked at.
pub(crate) const CAUTION: Paint = AnsiColor::Yellow.on_default();

pub(crate) fn verdict_paint(verdict: Verdict) -> Paint {
    match verdict {
        Verdict::Fail | Verdict::Incomplete => ALARM,
        Verdict::Inconclusive | Verdict::Warn | Verdict::Accepted => CAUTION,
        Verdict::Improved | Verdict::Ok => AnsiColor::Green.on_default(),
        Verdict::Added | Verdict::Removed => AnsiColor::Blue.on_default(),
        Verdict::Skipped => DIM,
    }
}
