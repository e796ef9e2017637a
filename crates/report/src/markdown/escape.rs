//! Text from elsewhere, made fit for a Markdown table.

use crate::text::{printable, shorten};

/// Longer texts would crowd out other rows.
const LONGEST: usize = 300;

/// A text as code within a table's cell. Nothing in it is read as Markdown, as HTML or as a
/// mention.
pub(crate) fn code(text: &str) -> String {
    let text = shorten(&printable(text), LONGEST);
    let longest_run = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest_run + 1);
    // The blanks keep a back-tick at an end apart from the fence; they are not shown.
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    // A pipe ends a cell even in code, unless escaped.
    format!("{fence}{blank}{}{blank}{fence}", text.replace('|', "\\|"))
}

/// A text as plain words within a table's cell: no markup, no mention, no reference to an issue.
/// Literals between back-ticks become code.
pub(crate) fn words(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = shorten(&printable(&lines.join(" ")), LONGEST);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(&text);
    }
    let part = |(index, part): (usize, &&str)| match (index % 2, *part) {
        (0, part) => escaped(part),
        (_, "") => String::new(),
        (_, part) => code(part),
    };
    parts.iter().enumerate().map(part).collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '`' => {
                escaped.extend(['\\', character]);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // A comment in between keeps GitHub from seeing a mention or an issue's number.
            '@' | '#' => {
                escaped.push(character);
                escaped.push_str("<!-- -->");
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_pipes_and_back_ticks() {
        assert_eq!(code("a.mjs::x"), "`a.mjs::x`");
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("say `hi`"), "`` say `hi` ``");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("a\u{1b}\nb"), "`a\\u{1b}\\nb`");
    }

    #[test]
    fn words_have_no_markup() {
        assert_eq!(
            words("<b>*x*</b> | @me #1"),
            "&lt;b&gt;\\*x\\*&lt;/b&gt; \\| @<!-- -->me #<!-- -->1"
        );
        assert_eq!(words("one\n  two"), "one two");
        assert_eq!(words("same `a_b.lock` here"), "same `a_b.lock` here");
        assert_eq!(words("it's `odd"), "it's \\`odd");
    }
}
