//! Annotations for GitHub Actions: workflow commands, which the runner reads in a step's output.

use crate::comparison::differing_values;
use crate::number::{change, per_op};
use crate::run::{is_doubtful, short_name};
use crate::summary::comparison_summary;
use crate::text::printable;
use crate::{Style, run_summary};
use tiergate_model::{BenchId, BenchStatus, Comparison, ComparisonRow, ResultFile, Verdict};

/// GitHub shows so many errors and so many warnings of a step, and drops the rest.
const SHOWN: usize = 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
}

struct Annotation {
    level: Level,
    file: Option<String>,
    title: String,
    message: String,
}

/// A comparison's annotations, the worst first, each a line. `folder` is the root's path below the
/// repository, empty where they are the same.
pub fn comparison_annotations(comparison: &Comparison, folder: &str) -> String {
    let differences = comparison.differences.iter().map(|difference| {
        let (base, head) = differing_values(difference);
        Annotation {
            level: Level::Error,
            file: None,
            title: format!("not comparable: {}", difference.field),
            message: format!("base: {base}\nhead: {head}"),
        }
    });
    let rows = comparison.rows.iter().filter_map(|row| row_annotation(row, comparison, folder));
    let summary = comparison_summary(comparison, &Style::plain(0));
    lines(differences.chain(rows).collect(), &summary)
}

/// A run's annotations: the benches that could not be measured.
pub fn run_annotations(result: &ResultFile, folder: &str) -> String {
    let benches = result.benches.iter().filter_map(|bench| {
        let word = match bench.status {
            BenchStatus::Incomplete => Verdict::Incomplete,
            BenchStatus::Measured if is_doubtful(bench) => Verdict::Inconclusive,
            BenchStatus::Measured | BenchStatus::Skipped => return None,
        };
        Some(Annotation {
            level: Level::Error,
            file: Some(path(folder, &bench.id)),
            title: format!("{word}: {}", short_name(bench)),
            message: bench.reason.clone().unwrap_or_default(),
        })
    });
    lines(benches.collect(), &run_summary(result, &Style::plain(0)))
}

fn row_annotation(
    row: &ComparisonRow,
    comparison: &Comparison,
    folder: &str,
) -> Option<Annotation> {
    let level = match row.verdict {
        Verdict::Fail | Verdict::Incomplete | Verdict::Inconclusive => Level::Error,
        Verdict::Warn => Level::Warning,
        _ => return None,
    };
    let figures = match (row.base_per_op, row.head_per_op) {
        (Some(base), Some(head)) => {
            let unit = comparison.unit.per_op();
            Some(format!("{} → {} {unit}", per_op(base), per_op(head)))
        }
        _ => None,
    };
    let hint = row.hint.as_ref().map(|hint| format!("hint: {hint}"));
    let parts: Vec<String> = [figures, row.reason.clone(), hint].into_iter().flatten().collect();
    let size = row.change.map(|size| format!(" {}", change(Some(size)))).unwrap_or_default();
    let name = if row.id.is_file() { row.id.as_str() } else { row.id.name() };
    Some(Annotation {
        level,
        file: Some(path(folder, &row.id)),
        title: format!("{}{size}: {name}", row.verdict),
        message: parts.join("\n"),
    })
}

fn path(folder: &str, id: &BenchId) -> String {
    if folder.is_empty() { id.file().to_owned() } else { format!("{folder}/{}", id.file()) }
}

fn lines(annotations: Vec<Annotation>, summary: &str) -> String {
    let mut text = String::new();
    let mut left_out = 0;
    for level in [Level::Error, Level::Warning] {
        let of_level: Vec<&Annotation> =
            annotations.iter().filter(|annotation| annotation.level == level).collect();
        of_level.iter().take(SHOWN).for_each(|annotation| text.push_str(&line(annotation)));
        left_out += of_level.len().saturating_sub(SHOWN);
    }
    if left_out > 0 {
        let message = format!("{summary}; {left_out} more are in the step's summary");
        text.push_str(&format!("::notice title=tiergate::{}\n", data(&message)));
    }
    text
}

fn line(annotation: &Annotation) -> String {
    let level = match annotation.level {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    let file = annotation.file.as_ref().map(|file| format!("file={},", property(file)));
    format!(
        "::{level} {}title={}::{}\n",
        file.unwrap_or_default(),
        property(&annotation.title),
        data(&annotation.message)
    )
}

/// A command's message; its own lines stay lines.
fn data(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(printable).collect();
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a command's property.
fn property(text: &str) -> String {
    data(&printable(text)).replace(':', "%3A").replace(',', "%2C")
}
