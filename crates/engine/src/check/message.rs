//! Finding the telling line in what an engine says about its flags.

use crate::Flag;
use crate::process::Output;

/// The line of an engine's message that holds the flag as a whole word.
pub(super) fn line_about<'a>(flag: &Flag, message: &'a str) -> Option<&'a str> {
    let text = flag.words.first()?;
    message.lines().map(str::trim).find(|line| {
        line.match_indices(text.as_str()).any(|(at, _)| {
            let next = line[at + text.len()..].chars().next();
            !next.is_some_and(|next| next.is_alphanumeric() || next == '-' || next == '_')
        })
    })
}

/// The most telling line: one about the flag that says more than its name, else the first error.
pub(super) fn message_about(flag: &Flag, output: &Output) -> String {
    line_about(flag, &output.stderr)
        .filter(|line| line.len() > flag.words.first().map_or(0, String::len) + 1)
        .map_or_else(|| first_message(output), |line| without_prefix(line).to_owned())
}

pub(super) fn first_message(output: &Output) -> String {
    let mut lines = output.stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.to_lowercase().contains("error"));
    match error.or_else(|| lines.next()) {
        Some(line) => without_prefix(line).to_owned(),
        None => format!("it {}", output.ending()),
    }
}

/// The message without the program's path or the word "error" before it.
fn without_prefix(line: &str) -> &str {
    match line.split_once(": ") {
        Some((before, after)) if before.ends_with("rror") || before.contains('/') => after,
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FlagForm, FlagOrigin};

    fn flag(text: &str) -> Flag {
        Flag { form: FlagForm::Argument, origin: FlagOrigin::User, words: vec![text.to_owned()] }
    }

    #[test]
    fn a_flag_is_found_in_a_message_as_a_whole_word() {
        let message = "/opt/node: bad option: --always-turbofan-x\n/opt/node: bad option: --opt";
        assert_eq!(line_about(&flag("--always-turbofan"), message), None);
        assert_eq!(line_about(&flag("--opt"), message), Some("/opt/node: bad option: --opt"));
        let deno = "error: V8 did not recognize flag '--bogus'";
        assert_eq!(line_about(&flag("--bogus"), deno), Some(deno));
    }

    #[test]
    fn messages_lose_what_the_error_says_anyway() {
        assert_eq!(without_prefix("/opt/node: bad option: --opt"), "bad option: --opt");
        assert_eq!(without_prefix("error: V8 did not"), "V8 did not");
        assert_eq!(without_prefix("Error: illegal value"), "illegal value");
        assert_eq!(without_prefix("--opt: bad"), "--opt: bad");
    }
}
