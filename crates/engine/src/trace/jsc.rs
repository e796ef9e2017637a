//! JavaScriptCore's lines, as Bun 1.2 to 1.4 print them.

use super::{CollectionKind, Compile, CompileOutcome, Event, Tier, between};

/// The event that the line tells; output of the program may stand before it.
pub(super) fn read_line(line: &str) -> Option<Event> {
    if let Some((_, rest)) = line.split_once("Optimized ") {
        return compiled(rest);
    }
    if let Some((_, rest)) = line.split_once("Generated JIT code for ") {
        return exit(rest);
    }
    collection(line)
}

/// `f#BsO5mj:[0x…->0x…, NoneFunctionCall, 33] using FTL with FTL into 352 bytes in 1.1 ms (…).`
fn compiled(rest: &str) -> Option<Event> {
    let (subject, after) = rest.split_once("] using ")?;
    let (mode, _) = after.split_once(" with ")?;
    after.split_once(" ms")?;
    Some(Event::Compile(Compile {
        function: function(subject)?,
        tier: tier(mode)?,
        osr: mode.contains("ForOSREntry"),
        outcome: CompileOutcome::Completed,
    }))
}

/// `DFG OSR exit #1 (D@34, bc#0, BadCache) from f#BsO5mj:[…]`
fn exit(rest: &str) -> Option<Event> {
    let (mode, after) = rest.split_once(" OSR exit ")?;
    let (place, subject) = after.split_once(") from ")?;
    Some(Event::Bailout {
        kind: "exit".to_owned(),
        reason: place.rsplit(", ").next()?.to_owned(),
        function: function(subject)?,
        tier: tier(mode),
    })
}

/// `[GC<0x…>: START M 33920kb => EdenCollection, … => 242kb, p=0.6ms (max 0.6), cycle 0.6ms END]`
fn collection(line: &str) -> Option<Event> {
    let (_, rest) = line.split_once("[GC<")?;
    let kind = match between(rest, " => ", "Collection")? {
        "Eden" => CollectionKind::Young,
        "Full" => CollectionKind::Full,
        _ => return None,
    };
    rest.split_once("ms END]")?;
    Some(Event::Collection { kind, reason: String::new() })
}

/// The name before the code's hash, which is six letters and digits.
fn function(subject: &str) -> Option<String> {
    let (name, _) = subject.split_once(":[")?;
    let (name, hash) = name.rsplit_once('#')?;
    let is_hash = hash.len() == 6 && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_hash.then(|| name.to_owned())
}

fn tier(mode: &str) -> Option<Tier> {
    match mode {
        "Baseline" => Some(Tier::Baseline),
        "DFG" => Some(Tier::Dfg),
        "FTL" | "FTLForOSREntry" => Some(Tier::Ftl),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiles_exits_and_collections() {
        for (line, expected) in [
            (
                "Optimized f#DsemBQ:[0x1->0x2->0x3, NoneFunctionCall, 46 (StrictMode)] using FTL with FTL into 544 bytes in 0.824456 ms (DFG: 1, B3: 2).",
                "`f` compiled by FTL",
            ),
            (
                "hello Optimized #DsemBQ:[0x1->0x2, NoneFunctionCall, 46] using FTLForOSREntry with FTL into 5 bytes in 0.8 ms.",
                "a function without a name compiled by FTL, for its running loop",
            ),
            (
                "Generated JIT code for FTL OSR exit #8 (D@36, bc#11, BadConstantValue) from #warm#BPyYbT:[0x1->0x2, FTLFunctionCall, 54], with operands = x",
                "`#warm` left its FTL code: BadConstantValue",
            ),
            (
                "[GC<0x1>: START M 8857kb => FullCollection, v=0kb o=0 => 4452kb, p=5.8ms (max 5.8), cycle 5.8ms END]",
                "a collection of the whole heap",
            ),
        ] {
            let event = read_line(line);
            assert_eq!(event.map(|event| event.to_string()).as_deref(), Some(expected), "{line}");
        }
        for line in
            ["Optimized f", "[GC<0x1>: START M 8857kb => EdenCollection, v=0kb", "GC END!", ""]
        {
            assert_eq!(read_line(line), None, "{line}");
        }
    }
}
