//! The page around its parts: what holds it together, and what it may load, which is nothing.

use super::benches::{badge, table};
use super::prose::prose;
use super::{Page, Side};
use crate::comparison::short_commit;
use crate::exit::meaning;
use crate::text::printable;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The verdicts, for readers who meet them for the first time.
const VERDICTS: [(&str, &str); 8] = [
    ("ok", "no proven change beyond the limits"),
    ("warn", "proven to be slower than the warning limit allows"),
    ("FAIL", "proven to be slower than the limit allows"),
    ("improved", "proven to be faster"),
    ("INCONCLUSIVE", "measured, but not decidable; the reason is named"),
    ("INCOMPLETE", "not, or only partly, measured on a side; the reason is named"),
    ("accepted", "slower, and somebody accepted that with a reason"),
    ("added, removed, skipped", "only one side has it, or it was not to be measured"),
];

pub(super) fn render(page: &Page) -> Result<String, serde_json::Error> {
    let benches = table(page)?;
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Keeps browsers from asking for one.
                link rel="icon" href="data:,";
                title { (summary(page)) " – " (page.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#benches" { "To the benches" }
                (header(page))
                main {
                    (page.environment)
                    @if !page.rows.is_empty() {
                        (controls(page))
                        (benches)
                        p #no-match hidden { "No bench matches." }
                    }
                    (page.after)
                }
                (footer(page))
                script #data type="application/json" data-file=(page.file_name) {
                    (PreEscaped(embedded(&page.data)))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(markup.into_string() + "\n")
}

/// Only this page's own style and script may work, and nothing may be loaded.
fn policy() -> String {
    format!(
        "default-src 'none'; img-src data:; style-src '{}'; script-src '{}'; base-uri 'none'; \
         form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// JSON that can't end the element that it stands in; the escapes are JSON's own.
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The headline without its badges.
fn summary(page: &Page) -> String {
    let counts = page.tally.iter().map(|(count, badge)| format!("{count} {}", badge.word));
    let parts: Vec<String> = page.headline.map(str::to_owned).into_iter().chain(counts).collect();
    parts.join(", ")
}

fn header(page: &Page) -> Markup {
    html! {
        header {
            div.top {
                p.brand { (page.title) }
                button #theme type="button" hidden { "Theme: system" }
            }
            h1 {
                @if let Some(headline) = page.headline { span { (headline) } " " }
                @for (count, counted) in &page.tally {
                    span.count {
                        (count) " " span class={ "word " (counted.class()) } { (counted.word) }
                    }
                    " "
                }
            }
            p.exit { b { "Exit code " (page.exit.code()) } ": " (meaning(page.exit)) "." }
            dl.sides { @for one in &page.sides { (side(one)) } }
            @for note in &page.notes { p.note { (prose(note)) } }
            @if let Some(fine_print) = &page.fine_print { p.dim { (fine_print) } }
        }
    }
}

fn side(side: &Side) -> Markup {
    html! {
        div {
            dt { (side.name) }
            dd {
                (side.text)
                @if let Some(commit) = &side.commit {
                    br; span.dim { "commit " } code title=(printable(commit)) { (short_commit(commit)) }
                }
                @if let Some(shard) = &side.file.shard {
                    br; span.dim { "shard " (shard) }
                }
                @if !side.file.filter.is_empty() {
                    br; span.dim { "filter " } code { (printable(&side.file.filter.join(" "))) }
                }
            }
        }
    }
}

/// What needs the script is hidden until that has started.
fn controls(page: &Page) -> Markup {
    html! {
        form.controls hidden role="search" {
            label.search {
                span { "Filter" }
                input #filter type="search" autocomplete="off" spellcheck="false"
                    placeholder="name or reason" aria-keyshortcuts="/";
                kbd aria-hidden="true" { "/" }
            }
            div.chips role="group" aria-label="Show only" {
                @for (count, counted) in &page.tally {
                    button.chip type="button" aria-pressed="false" data-verdict=(counted.word) {
                        (badge(*counted)) " " span.dim { (count) }
                    }
                }
            }
            div.actions {
                output #shown aria-live="polite" {}
                button #expand type="button" { "Expand all" }
                button #save type="button" { "Save as JSON" }
            }
        }
    }
}

fn footer(page: &Page) -> Markup {
    let version = page.sides.first().map(|side| side.file.tool_version.as_str());
    html! {
        footer {
            details {
                summary { "What the verdicts and figures mean" }
                dl.meanings {
                    @for (word, meaning) in VERDICTS { dt { (word) } dd { (meaning) } }
                    dt { "change" } dd { "head divided by base, less 1" }
                    dt { (page.unit.per_op()) }
                    dd { "the median over the repeats, for one call of the benchmarked function" }
                    dt { "A/A" }
                    dd { "the spread over repeats of equal code; the wider one of the two sides" }
                    dt { "noise floor" }
                    dd { "how far equal code moves under harmless perturbations" }
                }
            }
            p.dim.keys hidden {
                "Keys: " kbd { "/" } " filter, " kbd { "↑" } " " kbd { "↓" } " move, "
                kbd { "Enter" } " open and close, " kbd { "Esc" } " clear the filter"
            }
            @if let Some(version) = version { p.dim { "tiergate " (printable(version)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_json_stays_within_its_element_and_means_the_same() {
        let value = serde_json::json!("</script><!--\u{2028}&\u{2029}");
        let text = embedded(&value.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn style_and_script_can_not_end_their_elements() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</"));
    }
}
