//! The pins themselves, as data.

use super::{Pin, Profile};
use crate::FlagForm::{Argument, Held, V8, Variable};
use crate::VersionRange;
use tiergate_model::EngineKind::{self, Bun, Deno, Node};

type Engines = &'static [(EngineKind, VersionRange)];

const EXACT: &[Profile] = &[Profile::Exact];
const BENCH_IR: &[Profile] = &[Profile::BenchIr];
const BOTH: &[Profile] = &[Profile::Exact, Profile::BenchIr];

const ON_V8: Engines = &[(Node, VersionRange::ALL), (Deno, VersionRange::ALL)];
const ON_NODE: Engines = &[(Node, VersionRange::ALL)];
const ON_DENO: Engines = &[(Deno, VersionRange::ALL)];
const ON_BUN: Engines = &[(Bun, VersionRange::ALL)];
const ON_ALL: Engines =
    &[(Node, VersionRange::ALL), (Deno, VersionRange::ALL), (Bun, VersionRange::ALL)];
const WITH_LIBUV_POOL: Engines = &[(Node, VersionRange::ALL), (Bun, VersionRange::ALL)];

/// What of the pins moves the engines' own thresholds between their tiers.
pub(super) const THRESHOLDS: &[&str] = &[
    "--invocation-count-for-turbofan=150",
    "--interrupt-budget=6758",
    "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp=3200",
];

/// In the order in which an engine gets them, which is part of its fingerprint.
///
/// What is not here, and why: `--predictable-gc-schedule` is not needed for equal counts, and
/// makes an op that allocates cost up to 1.6 times as much; `--no-opt` would hide the tier that
/// users run.
pub(super) const PINS: &[Pin] = &[
    Pin {
        profiles: EXACT,
        engines: ON_ALL,
        form: Held,
        text: "pin:clock",
        reason: "engines read clocks in collections, timers and the event loop; the digits and \
                 comparisons of what they read cost instructions, and heaps grow by measured speed",
    },
    Pin {
        profiles: EXACT,
        engines: ON_V8,
        form: Held,
        text: "pin:gate",
        reason: "workers survive every flag and take work off a collection at random; results of \
                 the pools of threads arrive in any order",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Held,
        text: "pin:gate=t Helper Thread+mi-scavenger",
        reason: "two helpers of JavaScriptCore and its allocator stay alive whatever is switched \
                 off; other threads of Bun wait where the gate can't see them",
    },
    Pin {
        profiles: EXACT,
        engines: ON_ALL,
        form: Held,
        text: "pin:random",
        reason: "the allocator's seeds decide where objects lie, and addresses are hashed and \
                 become part of generated code",
    },
    Pin {
        profiles: EXACT,
        engines: ON_ALL,
        form: Held,
        text: "pin:seed",
        reason: "the stack's canary is made of it, and a collector that scans the stack may take \
                 it for a pointer",
    },
    Pin {
        profiles: EXACT,
        engines: ON_ALL,
        form: Held,
        text: "pin:resources",
        reason: "a collector that scans the stack meets the figures there and may take them for \
                 pointers; their digits cost instructions",
    },
    Pin {
        profiles: EXACT,
        engines: ON_ALL,
        form: Held,
        text: "pin:process",
        reason: "the process's number is kept in strings and printed, in collections too: a number \
                 of more digits takes more room in the heap and more instructions",
    },
    Pin {
        profiles: EXACT,
        engines: ON_DENO,
        form: Held,
        text: "pin:caches",
        reason: "Deno keeps what it knows of modules in databases that its processes share: which \
                 of them waits, finds a module analysed, or mends the log that another has left, \
                 decides where later objects lie",
    },
    Pin {
        profiles: BOTH,
        engines: ON_V8,
        form: V8,
        text: "--single-threaded",
        reason: "compilers and collectors on other threads finish at random points; \
                 on the main thread functions still reach TurboFan, synchronously",
    },
    Pin {
        profiles: BENCH_IR,
        engines: ON_V8,
        form: V8,
        text: "--predictable",
        reason: "one of bench:ir's flags; implies single threads and a fixed order",
    },
    Pin {
        profiles: BOTH,
        engines: ON_V8,
        form: V8,
        text: "--hash-seed=1",
        reason: "the seed of string hashes decides which keys collide",
    },
    Pin {
        profiles: BOTH,
        engines: ON_V8,
        form: V8,
        text: "--random-seed=1",
        reason: "seeds `Math.random` and the engine's own choices",
    },
    Pin {
        profiles: BOTH,
        engines: ON_V8,
        form: V8,
        text: "--no-liftoff",
        reason: "WebAssembly goes straight to its optimised code, so that no window holds a change \
                 of tier",
    },
    Pin {
        profiles: EXACT,
        engines: ON_V8,
        form: V8,
        text: "--no-wasm-dynamic-tiering",
        reason: "WebAssembly functions are otherwise recompiled when a budget runs out, wherever \
                 that is",
    },
    Pin {
        profiles: BENCH_IR,
        engines: ON_V8,
        form: V8,
        text: "--predictable-gc-schedule",
        reason: "one of bench:ir's flags; fixes how the heap grows",
    },
    Pin {
        profiles: BOTH,
        engines: &[(Node, VersionRange::since(22, 0, 0)), (Deno, VersionRange::ALL)],
        form: V8,
        text: "--invocation-count-for-turbofan=150",
        reason: "brings the last tier into the reach of a short warm-up: a twentieth of V8's own \
                 count; Node 20 does not know it",
    },
    Pin {
        profiles: EXACT,
        engines: &[(Node, VersionRange::before(22, 0, 0))],
        form: V8,
        text: "--interrupt-budget=6758",
        reason: "brings the last tier into the reach of a short warm-up: a twentieth of the 132 KB \
                 of bytecode that V8 11 runs between two looks at a function",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp=3200",
        reason: "brings the last tier into the reach of a short warm-up: a twentieth of \
                 JavaScriptCore's own count",
    },
    Pin {
        profiles: EXACT,
        engines: ON_NODE,
        form: Argument,
        text: "--v8-pool-size=0",
        reason: "the number of worker threads follows the number of processors",
    },
    Pin {
        profiles: EXACT,
        engines: ON_DENO,
        form: Argument,
        text: "--no-code-cache",
        reason: "a cold and a warm cache of compiled code give different counts",
    },
    Pin {
        profiles: EXACT,
        engines: ON_DENO,
        form: Variable,
        text: "DENO_NO_UPDATE_CHECK=1",
        reason: "the check for a newer version runs beside the program and uses the network",
    },
    Pin {
        profiles: EXACT,
        engines: WITH_LIBUV_POOL,
        form: Variable,
        text: "UV_THREADPOOL_SIZE=1",
        reason: "with several threads for files and names, results arrive in any order",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_JSC_useConcurrentJIT=0",
        reason: "compilers on other threads finish at random points",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_JSC_useConcurrentGC=0",
        reason: "a collector beside the program takes work from the main thread at random",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_JSC_numberOfGCMarkers=1",
        reason: "several markers share the main thread's work at random",
    },
    Pin {
        profiles: EXACT,
        engines: &[(Bun, VersionRange::since(1, 4, 1))],
        form: Variable,
        text: "BUN_JSC_useWarmUpMarkedBlocks=0",
        reason: "a helper thread prepares heap blocks ahead of the main thread; \
                 1.4.0 does not know it",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_JSC_forceRAMSize=4294967296",
        reason: "the heap grows by the machine's memory: twice the memory moves an op that \
                 allocates by a fifth",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_JSC_forceWeakRandomSeed=1",
        reason: "makes the engine use the seed that follows",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        // Small seeds make the first numbers of `Math.random` almost zero: the seed 1, spread.
        text: "BUN_JSC_forcedWeakRandomSeed=2654435769",
        reason: "seeds `Math.random` and the engine's own choices",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_FEATURE_FLAG_DISABLE_ASYNC_TRANSPILER=1",
        reason: "modules are otherwise translated on threads that finish in any order",
    },
    Pin {
        profiles: EXACT,
        engines: &[(Bun, VersionRange::since(1, 4, 0))],
        form: Variable,
        text: "BUN_FEATURE_FLAG_DISABLE_EPOLL_PWAIT2=1",
        reason: "the event loop then waits by a call that the preloaded library sees; \
                 1.3 does not know it",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_RUNTIME_TRANSPILER_CACHE_PATH=0",
        reason: "a cold and a warm cache of translated modules give different counts",
    },
    Pin {
        profiles: EXACT,
        engines: ON_BUN,
        form: Variable,
        text: "BUN_GC_TIMER_DISABLE=1",
        reason: "a timer starts collections by the clock",
    },
];
