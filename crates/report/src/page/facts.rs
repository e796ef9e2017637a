//! What readings say beside their counts, whatever fields they have: every field of every reading
//! becomes a line, so that a new one is shown without a change here.

use super::label::{system_call, words};
use crate::number::per_op;
use crate::text::printable;
use serde_json::Value;

/// Fields whose keys are data and no names of fields.
const MAPS: [&str; 2] = ["system_calls", "tiers"];

/// The most items of a list, and of a map, that are shown.
const LISTED: usize = 40;

/// Between the names of a path.
pub(super) const STEP: &str = " › ";

/// One thing that several readings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    /// What it is: a path of names, for example `observed › signals`.
    pub(super) name: String,
    /// What all readings say, or the range over them.
    pub(super) value: String,
    /// Whether it says that nothing happened.
    pub(super) is_nothing: bool,
}

/// What a path leads to in one or more readings.
struct Seen {
    path: String,
    numbers: Vec<f64>,
    texts: Vec<String>,
}

/// The facts of several readings of one side, in the order of their fields.
pub(super) fn facts(readings: &[Value]) -> Vec<Fact> {
    let mut seen = Vec::new();
    for reading in readings {
        collect(reading, String::new(), &mut seen);
    }
    seen.into_iter().map(fact).collect()
}

/// The fields of an object without those that are shown in other places.
pub(super) fn other_fields(mut value: Value, shown: &[&str]) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|name, _| !shown.contains(&name.as_str()));
    }
    value
}

fn collect(value: &Value, path: String, seen: &mut Vec<Seen>) {
    match value {
        Value::Object(fields) => {
            let is_map = MAPS.iter().any(|map| path.ends_with(&words(map)));
            for (name, value) in fields.iter().take(LISTED) {
                let name = match (is_map, path.ends_with(&words("system_calls"))) {
                    (true, true) => system_call(name),
                    (true, false) if name.is_empty() => "(anonymous)".to_owned(),
                    (true, false) => printable(name),
                    (false, _) => words(name),
                };
                let path = if path.is_empty() { name } else { format!("{path}{STEP}{name}") };
                collect(value, path, seen);
            }
            if fields.len() > LISTED {
                let more = format!("{} more", fields.len() - LISTED);
                note(seen, path, |seen| push_once(&mut seen.texts, more));
            }
        }
        Value::Null => {}
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            note(seen, path, |seen| seen.numbers.push(number));
        }
        Value::Array(items) => {
            let mut texts: Vec<String> = items.iter().take(LISTED).map(item).collect();
            if items.len() > LISTED {
                texts.push(format!("{} more", items.len() - LISTED));
            }
            let gap = if items.iter().any(Value::is_object) { "; " } else { ", " };
            let text = if texts.is_empty() { "none".to_owned() } else { texts.join(gap) };
            note(seen, path, |seen| push_once(&mut seen.texts, text));
        }
        Value::Bool(_) | Value::String(_) => {
            note(seen, path, |seen| push_once(&mut seen.texts, item(value)));
        }
    }
}

fn note(seen: &mut Vec<Seen>, path: String, add: impl FnOnce(&mut Seen)) {
    let place = seen.iter().position(|known| known.path == path).unwrap_or_else(|| {
        seen.push(Seen { path, numbers: Vec::new(), texts: Vec::new() });
        seen.len() - 1
    });
    add(&mut seen[place]);
}

fn push_once(texts: &mut Vec<String>, text: String) {
    if !texts.contains(&text) {
        texts.push(text);
    }
}

/// A value in one line.
fn item(value: &Value) -> String {
    match value {
        Value::String(text) => printable(text),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Object(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .filter(|(_, value)| !value.is_null() && value.as_str() != Some(""))
                .map(|(name, value)| format!("{}: {}", words(name), item(value)))
                .collect();
            parts.join(", ")
        }
        Value::Array(items) => items.iter().map(item).collect::<Vec<_>>().join(", "),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), figure),
        Value::Null => "none".to_owned(),
    }
}

fn fact(seen: Seen) -> Fact {
    let smallest = seen.numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = seen.numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut parts = seen.texts;
    if smallest == largest {
        parts.push(figure(smallest));
    } else if !seen.numbers.is_empty() {
        parts.push(format!("{} to {}", figure(smallest), figure(largest)));
    }
    let value = parts.join(" | ");
    let is_nothing = matches!(value.as_str(), "0" | "none");
    Fact { name: seen.path, value, is_nothing }
}

/// A number without decimals where it has none.
fn figure(number: f64) -> String {
    let text = per_op(number);
    if number.fract() == 0.0 { text.split('.').next().unwrap_or_default().to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines(readings: &[Value]) -> Vec<String> {
        let line = |fact: Fact| {
            let nothing = if fact.is_nothing { " (nothing)" } else { "" };
            format!("{}: {}{nothing}", fact.name, fact.value)
        };
        facts(readings).into_iter().map(line).collect()
    }

    #[test]
    fn fields_of_any_shape_become_lines() {
        let reading = |signals: u32, tier: &str| {
            json!({
                "marks": { "expected": 2, "seen": 2 },
                "absent": null,
                "observed": { "signals": signals, "faults": 0, "system_calls": { "202": 3 } },
                "twin": {
                    "tiers": { "parse_csv": tier },
                    "changes_in_window": [],
                    "last_change": { "what": "compiled", "after_ops": 1234.0 },
                },
                "pinned": { "held": ["clock", "random"], "lifted": true },
                "list": [{ "what": "deopt", "function": "", "after_ops": 12 }],
            })
        };
        assert_eq!(
            lines(&[reading(0, "turbofan"), reading(2, "maglev")]),
            [
                "marks › expected: 2",
                "marks › seen: 2",
                "observed › signals: 0 to 2",
                "observed › faults: 0 (nothing)",
                "observed › system calls › futex (202): 3",
                "twin › tiers › parse_csv: turbofan | maglev",
                "twin › changes in window: none (nothing)",
                "twin › last change › what: compiled",
                "twin › last change › after ops: 1,234",
                "pinned › held: clock, random",
                "pinned › lifted: yes",
                "list: what: deopt, after ops: 12",
            ]
        );
        assert_eq!(lines(&[]), [""; 0]);
    }

    #[test]
    fn fields_that_are_shown_elsewhere_are_left_out() {
        let value = other_fields(json!({ "id": "a", "heap_bytes": 12, "wall": null }), &["id"]);
        assert_eq!(lines(&[value]), ["heap bytes: 12"]);
    }
}
