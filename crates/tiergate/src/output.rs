//! The two streams: results on standard output, everything else on standard error.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the one place through which the binary prints"
)]

use anstyle::{AnsiColor, Style};
use std::io::{self, IsTerminal, Write};
use tiergate_model::ExitStatus;
use tiergate_report::printable;

use crate::args::ColorChoice;
use crate::failure::Failure;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Applies `--color`; `auto` follows `NO_COLOR`, `CLICOLOR_FORCE`, `TERM` and the terminal.
pub(crate) fn choose_colors(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => {}
        ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
}

pub(crate) fn error(message: &str) {
    anstream::eprintln!("{ERROR}error{ERROR:#}: {}", printable(message));
}

pub(crate) fn warning(message: &str) {
    anstream::eprintln!("{WARNING}warning{WARNING:#}: {}", printable(message));
}

pub(crate) fn hint(message: &str) {
    anstream::eprintln!("{HINT}hint{HINT:#}: {}", printable(message));
}

/// Something that accompanies the results.
pub(crate) fn note(message: &str) {
    anstream::eprintln!("{DIM}{}{DIM:#}", printable(message));
}

/// A text of several lines that accompanies the results, as it is.
pub(crate) fn aside(text: &str) {
    anstream::eprint!("{text}");
}

/// Prints results. A reader that has gone away, as `head` does, is no error.
pub(crate) fn results(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(ExitStatus::Incomplete, format!("can't write the results: {error}")))
        }
        _ => Ok(()),
    }
}

/// Passes a bench file's own output on to standard error, byte for byte.
pub(crate) fn pass_on(bytes: &[u8]) {
    let mut stderr = io::stderr().lock();
    // Nobody is left to tell when standard error is gone.
    let _ = stderr.write_all(bytes).and_then(|()| stderr.flush());
}

/// How reports look on standard output: always styled, as `anstream` strips what the stream can't
/// show, and as wide as the terminal.
pub(crate) fn style() -> tiergate_report::Style {
    let columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = columns.filter(|_| io::stdout().is_terminal()).unwrap_or(100).max(60);
    tiergate_report::Style::coloured(width)
}

/// Whether a progress bar may be drawn.
pub(crate) fn may_draw_progress() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && !dumb && std::env::var_os("CI").is_none()
}
