//! The user's own words for an engine.

use super::{Flag, FlagForm, FlagOrigin};
use tiergate_model::EngineKind;

/// A word among the user's flags that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no flag for an engine: expected `--flag`, `--flag=value` or `NAME=value`")]
pub struct NotAFlag(pub String);

pub(super) fn parse(kind: EngineKind, words: &[String]) -> Result<Vec<Flag>, NotAFlag> {
    let mut flags: Vec<Flag> = Vec::new();
    let user = |form, text: &str| Flag::new(form, FlagOrigin::User, text);
    for word in words {
        if let Some(list) = word.strip_prefix("--v8-flags=").filter(|_| kind == EngineKind::Deno) {
            flags.extend(list.split(',').map(|text| user(FlagForm::V8, text)));
        } else if word.len() > 1 && word.starts_with('-') && word != "--" {
            flags.push(user(FlagForm::Argument, word));
        } else if word.starts_with("pin:") || word.starts_with("no-pin:") {
            flags.push(user(FlagForm::Held, word));
        } else if is_variable(word) {
            flags.push(user(FlagForm::Variable, word));
        } else {
            match flags.last_mut() {
                Some(last) if last.form == FlagForm::Argument => last.words.push(word.clone()),
                _ => return Err(NotAFlag(word.clone())),
            }
        }
    }
    Ok(flags)
}

/// `NAME=value`, with a name that begins with a capital, as engines' variables do.
fn is_variable(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|one: char| one.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn values_stay_with_their_options() {
        let text = "--require ./a.cjs --no-opt NODE_ENV=test --require ./b.cjs";
        let flags = parse(EngineKind::Node, &words(text)).unwrap();
        let shown: Vec<String> = flags.iter().map(Flag::to_string).collect();
        assert_eq!(shown, ["--require ./a.cjs", "--no-opt", "NODE_ENV=test", "--require ./b.cjs"]);
        assert_eq!(flags[2].variable(), Some(("NODE_ENV".to_owned(), "test".to_owned())));
        assert_eq!(flags[0].variable(), None);
    }

    #[test]
    fn a_word_that_would_be_the_script_is_refused() {
        for text in ["script.js", "A=1 script.js", "--", "-", "a=1"] {
            assert!(parse(EngineKind::Node, &words(text)).is_err(), "{text}");
        }
    }
}
