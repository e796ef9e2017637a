//! What the launcher and the preloaded library say to each other. No dependencies: the library is
//! loaded into engines. What the launcher and the harness's JavaScript say to each other is
//! described in `harness/PROTOCOL.md`.

#![no_std]

/// The environment variables that the launcher sets for the preloaded library, which removes them
/// from the environment before the engine's `main` runs.
pub mod environment {
    /// Path of the report that the library writes.
    pub const REPORT: &str = "TIERGATE_REPORT";
    /// The instrument: one of the [`super::instrument`] names.
    pub const INSTRUMENT: &str = "TIERGATE_INSTRUMENT";
    /// Path of the file for the counter's executions of every block; without it there is none.
    pub const PROFILE: &str = "TIERGATE_PROFILE";
    /// `span` or `brackets`, see [`super::shape`].
    pub const SHAPE: &str = "TIERGATE_SHAPE";
    /// How many marks a section has.
    pub const MARKS: &str = "TIERGATE_MARKS";
    /// Into how many sub-windows the counter divides a section; 1 where it is not set. Their edges
    /// are marks: all of a span's, and those that end every so many brackets.
    pub const SUB_WINDOWS: &str = "TIERGATE_SUB_WINDOWS";
    /// How many sections follow one another.
    pub const SECTIONS: &str = "TIERGATE_SECTIONS";
    /// What of the process's surroundings is held constant: [`super::pin`] names with commas
    /// between them. Without it nothing is.
    pub const PINS: &str = "TIERGATE_PINS";
    /// Path of a file to which the paths that the process opens are appended, see
    /// [`super::opened`].
    pub const OPENED: &str = "TIERGATE_OPENED";
    /// Path of the trace, for the instrument [`super::instrument::TRACE`].
    pub const TRACE: &str = "TIERGATE_TRACE";
    /// The stream that the engine traces to: one of the [`super::traced`] names.
    pub const TRACED_STREAM: &str = "TIERGATE_TRACED_STREAM";
}

/// Words that begin the lines of a profile: the header, mappings of code as in `/proc/PID/maps`,
/// then blocks with their addresses in hexadecimal digits, instructions and executions, then the end.
pub mod profile {
    /// First line: the format's name and version.
    pub const HEADER: &str = "tiergate-profile 2";
    /// A mapping of code.
    pub const MAPPING: &str = "map";
    /// A block of code.
    pub const BLOCK: &str = "block";
    /// How often control went from generated code to an address in a file's.
    pub const TRANSFER: &str = "transfer";
    /// Last line.
    pub const END: &str = "end";
}

/// The notes of the paths that a process opens: each ends in a zero byte.
pub mod opened {
    /// Stands for a path that is relative to another folder than the working directory.
    pub const UNKNOWN: &core::ffi::CStr = c"?";
}

/// What the preloaded library can hold constant, by name.
pub mod pin {
    /// All clocks advance by a fixed step per reading, and by the whole time of a wait that ran
    /// out.
    pub const CLOCK: &str = "clock";
    /// Helper threads run one at a time and only while the main thread waits. `gate=a+b` is about
    /// the threads named `a` and `b` only.
    pub const GATE: &str = "gate";
    /// The kernel's random bytes are a fixed sequence.
    pub const RANDOM: &str = "random";
    /// The kernel's random bytes for the program itself are constant: the launcher's part, which
    /// the library ignores.
    pub const SEED: &str = "seed";
    /// The engine's caches on disk are empty and its own: the launcher's part, too.
    pub const CACHES: &str = "caches";
    /// The process's own number is constant.
    pub const PROCESS: &str = "process";
    /// Figures of the memory and the processor time that were used, and are left, are fixed.
    pub const RESOURCES: &str = "resources";
}

/// Names of instruments as the preloaded library knows them.
pub mod instrument {
    /// Reads the monotonic clock at the marks.
    pub const CLOCK: &str = "clock";
    /// Translates and counts the thread's instructions in the process.
    pub const COUNTER: &str = "counter";
    /// Asks Valgrind's callgrind to collect between the marks.
    pub const CALLGRIND: &str = "callgrind";
    /// Counts nothing: has the engine's traces and the marks written to one file.
    pub const TRACE: &str = "trace";
    /// Lets the kernel count; one of the [`super::perf_event`] names follows.
    pub const PERF_PREFIX: &str = "perf:";
}

/// C streams that engines trace to.
pub mod traced {
    /// V8's.
    pub const STDOUT: &str = "stdout";
    /// JavaScriptCore's.
    pub const STDERR: &str = "stderr";
}

/// Words that begin our own lines in a trace; a number from 1 follows.
pub mod trace {
    /// A mark of the first thread, armed or not.
    pub const MARK: &str = "tiergate-mark";
    /// The beginning of a section.
    pub const ARM: &str = "tiergate-arm";
}

/// What the kernel is to count.
pub mod perf_event {
    /// The processor's counter of instructions.
    pub const INSTRUCTIONS: &str = "instructions";
    /// Nanoseconds that the thread ran: as the next, kept by the kernel itself, and there on machines
    /// without hardware counters.
    pub const TASK_CLOCK: &str = "task-clock";
    /// Nothing: it stays at zero.
    pub const DUMMY: &str = "dummy";
}

/// What the kernel's counter could not be made to do.
pub mod perf_step {
    /// To open.
    pub const OPEN: &str = "open";
    /// To be switched on or off.
    pub const SWITCH: &str = "switch";
    /// To be read.
    pub const READ: &str = "read";
    /// To stay on the processor all the time.
    pub const KEEP: &str = "keep";
}

/// A section can't be divided into more sub-windows.
pub const MOST_SUB_WINDOWS: usize = 256;

/// Shapes of a window.
pub mod shape {
    /// All marks of a section bound one window after the other without a gap.
    pub const SPAN: &str = "span";
    /// Odd marks open, even marks close; what lies between a close and an open is not counted.
    pub const BRACKETS: &str = "brackets";
}

/// Words that begin the lines of the report.
///
/// ```text
/// tiergate-report 1
/// armed 1 thread 4711
/// opened 1
/// pinned 0 clock gate
/// closed 1 marks 2 ns 123456
/// counted 1 instructions 123456
/// sub-window 1 61728
/// spent 1 own 9000000 threads 12000 children 0
/// observed 1 system_calls 12
/// perf 1 from 0 to 123456 enabled 5000 running 5000
/// perf_failed 1 open 13
/// excess 1
/// rearmed 1
/// ```
/// `armed`, `opened` and `closed` carry the section's number from 1. `ns` is the time between the
/// marks by the monotonic clock. `counted` and `observed` are the in-process counter's; in their
/// place `refused` and `incomplete`, each followed by the section's number and a reason in words,
/// say why there is no count or only a part of one. `perf` has the first and the last reading of the
/// kernel's counter and its times in nanoseconds; where a reading was below the one before it, they
/// are those two. `perf_failed` has one of the [`super::perf_step`] names and the error's number.
/// `excess` counts marks of the armed thread after the last section has closed, `rearmed` a section
/// that began before the one before it had closed.
pub mod report {
    /// First line: the format's name and version.
    pub const HEADER: &str = "tiergate-report 1";
    /// A section was armed.
    pub const ARMED: &str = "armed";
    /// A section's first mark has come.
    pub const OPENED: &str = "opened";
    /// A section's last mark has come.
    pub const CLOSED: &str = "closed";
    /// The in-process counter's count of a section.
    pub const COUNTED: &str = "counted";
    /// Something that the counter saw in a section: a name and a number.
    pub const OBSERVED: &str = "observed";
    /// The in-process counter's count of a sub-window, in their order.
    pub const SUB_WINDOW: &str = "sub-window";
    /// Nanoseconds of processor time between a section's first and last mark: the armed thread's
    /// own, the other threads', and that of children which ended and were waited for.
    pub const SPENT: &str = "spent";
    /// A system call that was made in a section: its number and how often.
    pub const SYSTEM_CALL: &str = "syscall";
    /// The counter can't count in this process; the reason follows.
    pub const REFUSED: &str = "refused";
    /// The count of a section is not the whole truth; the reason follows.
    pub const INCOMPLETE: &str = "incomplete";
    /// What the kernel's counter read.
    pub const PERF: &str = "perf";
    /// Why the kernel's counter has no reading.
    pub const PERF_FAILED: &str = "perf_failed";
    /// Before the end of a section: how often a thread ran outside of the gate's order so far, and
    /// the names of the pins that are on.
    pub const PINNED: &str = "pinned";
    /// A mark came after the last section.
    pub const EXCESS: &str = "excess";
    /// A section began inside another.
    pub const REARMED: &str = "rearmed";
}
