//! Text from elsewhere, made fit for a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Makes a text from a user's file or program harmless: control characters, which could drive the
/// terminal, and characters that reorder or hide others are shown as escapes. The result is one
/// line.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || reorders_or_hides(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Marks and overrides of direction, separators of lines, and characters without width; the
/// joiner of emoji stays.
fn reorders_or_hides(character: char) -> bool {
    matches!(
        character,
        '\u{061c}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
    )
}

/// Columns that a printable text takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Shortens a printable text to at most so many columns by leaving out its middle: a path's
/// beginning and a bench's end tell more.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    if columns(text) <= width && text.chars().count() <= most_characters(width) {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let end = taken(text.chars().rev(), room - room / 3).rev().collect::<String>();
    let start: String = taken(text.chars(), room / 3).collect();
    format!("{start}…{end}")
}

/// Marks that combine with others take no column, but room in a file.
fn most_characters(width: usize) -> usize {
    width.saturating_mul(2).saturating_add(16)
}

/// The first characters that fit.
fn taken(
    characters: impl Iterator<Item = char>,
    width: usize,
) -> impl DoubleEndedIterator<Item = char> {
    let mut used = 0;
    let fitting: Vec<char> = characters
        .take(most_characters(width))
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used <= width
        })
        .collect();
    fitting.into_iter()
}

/// Breaks a text into printable lines of at most so many columns, at spaces; its own lines stay
/// lines, and a longer word stays whole.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    text.lines()
        .map(printable)
        .filter(|line| !line.trim().is_empty())
        .flat_map(|line| wrap_line(&line, width))
        .collect()
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut current = String::new();
    for word in line.split_whitespace() {
        if !current.is_empty() && columns(&current) + 1 + columns(word) > width {
            lines.push(std::mem::take(&mut current));
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_drive_a_terminal_is_shown_as_an_escape() {
        assert_eq!(printable("a\u{1b}[31mb\nc\td"), "a\\u{1b}[31mb\\nc\\td");
        assert_eq!(printable("\u{9b}1m \u{202e}abc"), "\\u{9b}1m \\u{202e}abc");
        assert_eq!(printable("größer 日本語 👩‍💻"), "größer 日本語 👩‍💻");
    }

    #[test]
    fn shortening_leaves_both_ends_and_keeps_to_columns() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("packages/a.mjs::parse", 10), "pac…:parse");
        assert_eq!(shorten("日本語日本語", 6), "…本語");
        assert!(shorten(&"\u{301}".repeat(1000), 30).chars().count() < 100);
        for width in 0..20 {
            assert!(columns(&shorten("日本語 packages/a.mjs", width)) <= width.max(1));
        }
    }

    #[test]
    fn wrapping_keeps_lines_and_words() {
        assert_eq!(wrap("one two three\n\nfour", 8), ["one two", "three", "four"]);
        assert_eq!(wrap("unbreakable", 3), ["unbreakable"]);
        assert!(wrap(" \n", 10).is_empty());
    }
}
