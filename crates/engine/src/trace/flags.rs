//! What makes an engine print a trace, and what keeps it from optimising.

use crate::FlagForm;
use tiergate_model::EngineKind;

/// The flags, and how they reach the engine. All versions that the harness can be loaded into know
/// them. None of them changes what is compiled or collected and when.
pub fn trace_flags(kind: EngineKind) -> &'static [(FlagForm, &'static str)] {
    match kind {
        EngineKind::Node | EngineKind::Deno => &[
            (FlagForm::V8, "--trace-opt"),
            (FlagForm::V8, "--trace-deopt"),
            (FlagForm::V8, "--trace-osr"),
            (FlagForm::V8, "--trace-baseline"),
            (FlagForm::V8, "--trace-gc"),
        ],
        EngineKind::Bun => &[
            (FlagForm::Variable, "BUN_JSC_reportCompileTimes=1"),
            (FlagForm::Variable, "BUN_JSC_verboseDFGOSRExit=1"),
            (FlagForm::Variable, "BUN_JSC_verboseFTLOSRExit=1"),
            (FlagForm::Variable, "BUN_JSC_logGC=1"),
        ],
    }
}

/// Keeps an engine at its lowest tiers, in which an op costs the same from its first calls on; and
/// collections rare, which the look would take for work of the op.
pub(crate) fn lowest_tier_flags(kind: EngineKind) -> &'static [(FlagForm, &'static str)] {
    match kind {
        EngineKind::Node | EngineKind::Deno => &[
            (FlagForm::V8, "--always-sparkplug"),
            (FlagForm::V8, "--no-lazy-feedback-allocation"),
            (FlagForm::V8, "--no-maglev"),
            (FlagForm::V8, "--no-opt"),
            (FlagForm::V8, "--no-use-osr"),
            (FlagForm::V8, "--min-semi-space-size=256"),
            (FlagForm::V8, "--max-semi-space-size=256"),
        ],
        EngineKind::Bun => &[
            (FlagForm::Variable, "BUN_JSC_useBaselineJIT=0"),
            (FlagForm::Variable, "BUN_JSC_useDFGJIT=0"),
            (FlagForm::Variable, "BUN_JSC_useFTLJIT=0"),
            // Of its heaps the program's is a large one; it is collected no earlier than at that size.
            (FlagForm::Variable, "BUN_JSC_largeHeapSize=268435456"),
        ],
    }
}
