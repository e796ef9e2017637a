//! Sentences from elsewhere.

use crate::text::printable;
use maud::{Markup, html};

/// A text of several lines, each harmless; what stands between back-ticks is shown as code.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @for (index, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
            @if index > 0 { br; }
            (marked_up(&printable(line)))
        }
    }
}

fn marked_up(line: &str) -> Markup {
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (line) };
    }
    html! {
        @for (index, part) in parts.into_iter().enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_marked_up_and_nothing_else_is() {
        let shown = |text| prose(text).into_string();
        assert_eq!(shown("use `a<b>` now\n\nor"), "use <code>a&lt;b&gt;</code> now<br>or");
        assert_eq!(shown("it's `odd <b>"), "it's `odd &lt;b&gt;");
    }
}
