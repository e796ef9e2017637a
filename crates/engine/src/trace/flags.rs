//! What makes an engine print a trace, and what keeps it from optimising.

use crate::FlagForm;
use tiergate_model::EngineKind;

/// A flag of a run beside the readings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extra {
    pub(crate) form: FlagForm,
    pub(crate) text: &'static str,
    /// What such a run lacks without it; `None` where it would be worth nothing.
    pub(crate) loss: Option<&'static str>,
}

const fn needed(form: FlagForm, text: &'static str) -> Extra {
    Extra { form, text, loss: None }
}

const fn optional(form: FlagForm, text: &'static str, loss: &'static str) -> Extra {
    Extra { form, text, loss: Some(loss) }
}

/// None of them changes what is compiled or collected and when.
pub(crate) fn trace_flags(kind: EngineKind) -> &'static [Extra] {
    use FlagForm::{V8, Variable};
    const ON_V8: &[Extra] = &[
        needed(V8, "--trace-opt"),
        needed(V8, "--trace-deopt"),
        optional(
            V8,
            "--trace-osr",
            "loops that enter optimised code while they run are not traced",
        ),
        optional(V8, "--trace-baseline", "compilations by the baseline compiler are not traced"),
        needed(V8, "--trace-gc"),
    ];
    const ON_BUN: &[Extra] = &[
        needed(Variable, "BUN_JSC_reportCompileTimes=1"),
        needed(Variable, "BUN_JSC_verboseDFGOSRExit=1"),
        needed(Variable, "BUN_JSC_verboseFTLOSRExit=1"),
        needed(Variable, "BUN_JSC_logGC=1"),
    ];
    if kind.is_v8() { ON_V8 } else { ON_BUN }
}

/// Keeps an engine at its lowest tiers, in which an op costs the same from its first calls on; and
/// collections rare, which the look would take for work of the op.
pub(crate) fn lowest_tier_flags(kind: EngineKind) -> &'static [Extra] {
    use FlagForm::{V8, Variable};
    const ON_V8: &[Extra] = &[
        needed(V8, "--always-sparkplug"),
        needed(V8, "--no-lazy-feedback-allocation"),
        needed(V8, "--no-maglev"),
        needed(V8, "--no-opt"),
        needed(V8, "--no-use-osr"),
        needed(V8, "--min-semi-space-size=256"),
        needed(V8, "--max-semi-space-size=256"),
    ];
    const ON_BUN: &[Extra] = &[
        needed(Variable, "BUN_JSC_useBaselineJIT=0"),
        needed(Variable, "BUN_JSC_useDFGJIT=0"),
        needed(Variable, "BUN_JSC_useFTLJIT=0"),
        // Of its heaps the program's is a large one; it is collected no earlier than at that size.
        needed(Variable, "BUN_JSC_largeHeapSize=268435456"),
    ];
    if kind.is_v8() { ON_V8 } else { ON_BUN }
}
