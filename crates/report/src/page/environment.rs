//! The fingerprints of the sides, side by side.

use super::facts::facts;
use crate::comparison::differing_values;
use crate::text::printable;
use maud::{Markup, html};
use tiergate_model::{FingerprintDifference, ResultFile};

/// One field of a fingerprint.
struct Field {
    name: String,
    values: Vec<String>,
    /// How it differs, where it does.
    note: Option<&'static str>,
}

/// The fingerprints of base and head, open where they forbid a comparison.
pub(super) fn of_two(
    base: &ResultFile,
    head: &ResultFile,
    differences: &[FingerprintDifference],
) -> Result<Markup, serde_json::Error> {
    let mut fields = fields(&[base, head])?;
    for field in &mut fields {
        if field.values[0] == field.values[1] {
            continue;
        }
        let compared = differences.iter().find(|difference| label(&difference.field) == field.name);
        field.note = Some(if compared.is_some() { "differs" } else { "differs, not compared" });
        if let Some(difference) = compared {
            let (base, head) = differing_values(difference);
            field.values = vec![printable(&base), printable(&head)];
        }
    }
    let heading = match differences.len() {
        0 => "Environment: comparable".to_owned(),
        1 => "Environment: 1 field differs".to_owned(),
        count => format!("Environment: {count} fields differ"),
    };
    Ok(table(&heading, &["base", "head"], &fields, !differences.is_empty()))
}

/// The fingerprint of a run.
pub(super) fn of_one(result: &ResultFile) -> Result<Markup, serde_json::Error> {
    Ok(table("Environment", &["value"], &fields(&[result])?, false))
}

fn label(field: &str) -> String {
    field.split('.').map(super::label::words).collect::<Vec<_>>().join(" › ")
}

fn fields(files: &[&ResultFile]) -> Result<Vec<Field>, serde_json::Error> {
    let mut fields: Vec<Field> = Vec::new();
    for (side, file) in files.iter().enumerate() {
        let mut all = facts(&[serde_json::to_value(&file.fingerprint)?]);
        all.extend(facts(&[serde_json::json!({ "tiergate": file.tool_version })]));
        for fact in all {
            let place =
                fields.iter().position(|field| field.name == fact.name).unwrap_or_else(|| {
                    let values = vec![String::new(); files.len()];
                    fields.push(Field { name: fact.name, values, note: None });
                    fields.len() - 1
                });
            fields[place].values[side] = fact.value;
        }
    }
    Ok(fields)
}

fn table(heading: &str, sides: &[&str], fields: &[Field], open: bool) -> Markup {
    html! {
        details.environment open[open] {
            summary { h2 { (heading) } }
            table.fields {
                thead { tr { td {} @for side in sides { th scope="col" { (side) } } } }
                tbody {
                    @for field in fields {
                        tr.differs[field.note.is_some()] {
                            th scope="row" {
                                (field.name)
                                @if let Some(note) = field.note { span.note { " ≠ " (note) } }
                            }
                            @for (side, value) in sides.iter().zip(&field.values) {
                                td data-label=(side) { (value) }
                            }
                        }
                    }
                }
            }
        }
    }
}
