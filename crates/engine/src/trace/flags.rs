//! What makes an engine print a trace.

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
