//! V8's lines, as versions 11.3 to 15.0 print them.

use super::{CollectionKind, Compile, CompileOutcome, Event, Tier, between};

/// Reads what follows the beginning that it belongs to.
type Reader = fn(&str) -> Option<Event>;

/// The event that the line tells. The engine's part is looked for anywhere in the line: output of
/// the program without an end of line may stand before it.
pub(super) fn read_line(line: &str) -> Option<Event> {
    let readers: [(&str, Reader); 6] = [
        ("[completed compiling ", completed),
        ("[completed optimizing ", completed),
        ("[aborted ", aborted),
        ("[bailout (kind: ", bailout),
        ("[marking dependent code ", invalidated),
        ("[OSR - entry. function: ", osr_entry),
    ];
    readers
        .into_iter()
        .find_map(|(start, read)| line.split_once(start).map(|(_, rest)| read(rest)))
        .unwrap_or_else(|| collection(line))
}

/// `0x… <JSFunction hot (sfi = 0x…)> (target MAGLEV) OSR - took 0.010, 1.081, 0.011 ms]`
fn completed(rest: &str) -> Option<Event> {
    rest.split_once(" - took ")?;
    compile(rest, CompileOutcome::Completed)
}

/// `compiling 0x… <JSFunction f (sfi = 0x…)> (target MAGLEV) because: R - took …]`
fn aborted(rest: &str) -> Option<Event> {
    let reason = rest.split_once("because: ").map_or("", |(_, reason)| reason);
    let reason = reason.split(" - took ").next().unwrap_or(reason).trim_end_matches(']');
    compile(rest, CompileOutcome::Aborted(reason.to_owned()))
}

fn compile(rest: &str, outcome: CompileOutcome) -> Option<Event> {
    let (subject, after) = rest.split_once(" (target ")?;
    let (target, after) = after.split_once(')')?;
    Some(Event::Compile(Compile {
        function: function(subject)?,
        tier: tier(target)?,
        osr: after.starts_with(" OSR"),
        outcome,
    }))
}

/// `deopt-eager, reason: wrong map): begin. deoptimizing 0x… <JSFunction f (sfi = 0x…)>, 0x… <Code
/// TURBOFAN_JS>, opt id 3, …`
fn bailout(rest: &str) -> Option<Event> {
    let (kind, rest) = rest.split_once(", reason: ")?;
    let (reason, subject) = rest.split_once("): begin. deoptimizing ")?;
    Some(Event::Bailout {
        kind: kind.trim_start_matches("deopt-").to_owned(),
        reason: reason.to_owned(),
        function: function(subject)?,
        tier: between(subject, "<Code ", ">").and_then(tier),
    })
}

/// `0x… <Code TURBOFAN_JS> (0x… <SharedFunctionInfo f>) (opt id 6) for deoptimization, reason: R]`
fn invalidated(rest: &str) -> Option<Event> {
    let (_, reason) = rest.split_once("for deoptimization, reason: ")?;
    Some(Event::Invalidated {
        reason: reason.split(']').next()?.to_owned(),
        function: function(rest)?,
    })
}

/// `f, osr offset: 53]`
fn osr_entry(rest: &str) -> Option<Event> {
    let (function, _) = rest.rsplit_once(", osr offset: ")?;
    Some(Event::OsrEntry { function: function.to_owned() })
}

/// `[123:0x…]       17 ms: Scavenge 3.9 (4.0) -> 3.0 (5.0) MB, … current mu = 1.000) R;`
fn collection(line: &str) -> Option<Event> {
    let (_, text) = line.split_once(" ms: ")?;
    let (words, rest) = text.split_once(" -> ")?;
    let reason = rest.split_once("current mu = ")?.1.split_once(')')?.1;
    let words = words.strip_prefix("Incremental ").unwrap_or(words);
    let kind = if words.starts_with("Scavenge") || words.starts_with("Minor Mark-") {
        CollectionKind::Young
    } else if words.starts_with("Mark-") {
        CollectionKind::Full
    } else {
        return None;
    };
    Some(Event::Collection { kind, reason: reason.trim_matches([' ', ';', '\r']).to_owned() })
}

/// The name in `<JSFunction name (sfi = 0x…)>`, `<JSFunction (sfi = 0x…)>`, `<SharedFunctionInfo
/// name>` or `<SharedFunctionInfo>`.
fn function(text: &str) -> Option<String> {
    if let Some((_, rest)) = text.split_once("<JSFunction ") {
        let name = if rest.starts_with("(sfi = ") { "" } else { rest.split_once(" (sfi = ")?.0 };
        return Some(name.to_owned());
    }
    let (_, rest) = text.split_once("<SharedFunctionInfo")?;
    let name = rest.split_once(">)").map_or(rest, |(name, _)| name);
    Some(name.strip_suffix('>').unwrap_or(name).trim_start().to_owned())
}

fn tier(target: &str) -> Option<Tier> {
    match target {
        "BASELINE" => Some(Tier::Baseline),
        "MAGLEV" => Some(Tier::Maglev),
        "TURBOFAN" | "TURBOFAN_JS" => Some(Tier::TurboFan),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(function: &str, tier: Tier, osr: bool) -> Option<Event> {
        let function = function.to_owned();
        Some(Event::Compile(Compile { function, tier, osr, outcome: CompileOutcome::Completed }))
    }

    #[test]
    fn compiles_of_every_shape() {
        for (line, expected) in [
            (
                "[completed compiling 0x1 <JSFunction a b (sfi = 0x2)> (target TURBOFAN_JS) - took 0.010, 1.081, 0.011 ms]",
                compiled("a b", Tier::TurboFan, false),
            ),
            (
                "out[completed compiling 0x1 <JSFunction (sfi = 0x2)> (target MAGLEV) OSR - took 0.010, 1.081, 0.011 ms]",
                compiled("", Tier::Maglev, true),
            ),
            (
                "[completed compiling 0x1 <SharedFunctionInfo f> (target BASELINE) - took 0.092 ms]",
                compiled("f", Tier::Baseline, false),
            ),
            (
                "[completed compiling 0x1 <SharedFunctionInfo> (target BASELINE) - took 0.092 ms]",
                compiled("", Tier::Baseline, false),
            ),
            ("[completed compiling 0x1 <JSFunction f (sfi = 0x2)> (target TURBO", None),
            (
                "[compiling method 0x1 <JSFunction f (sfi = 0x2)> (target MAGLEV), mode: ConcurrencyMode::kSynchronous]",
                None,
            ),
        ] {
            assert_eq!(read_line(line), expected, "{line}");
        }
    }

    #[test]
    fn an_aborted_compile_says_why() {
        let line = "[aborted optimizing 0x1 <JSFunction f (sfi = 0x2)> (target TURBOFAN_JS) because: Function is too big - took 0.0, 1.0, 0.0 ms]";
        let Some(Event::Compile(compile)) = read_line(line) else { panic!("no compile") };
        assert_eq!(compile.outcome, CompileOutcome::Aborted("Function is too big".to_owned()));
    }

    #[test]
    fn marks_of_dependent_code_name_the_function() {
        let line = "[marking dependent code 0x1 <Code TURBOFAN_JS> (0x2 <SharedFunctionInfo f>) (opt id 6) for deoptimization, reason: embedded weak objects cleared]";
        let expected = Event::Invalidated {
            reason: "embedded weak objects cleared".to_owned(),
            function: "f".to_owned(),
        };
        assert_eq!(read_line(line), Some(expected));
    }
}
