//! What the harness says. Unknown events and fields are errors only where they would hide
//! something: an event of an unknown name is refused, an extra field is not.

use crate::Fault;
use serde::Deserialize;
use std::fmt;
use std::path::Path;
use std::{fs, io};
use tiergate_model::WindowShape;

/// One event; the fields are those of `harness/PROTOCOL.md`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// The preload script is in place.
    Hello {
        /// The harness's protocol version.
        protocol: u32,
    },
    /// A bench was registered.
    Bench {
        /// Groups from the outermost, then the bench's name.
        names: Vec<String>,
        /// 1 for the first of these names.
        ordinal: u32,
        /// The framework.
        framework: String,
        /// The framework's version.
        framework_version: String,
        /// How its window is laid out.
        window: WindowShape,
        /// Ops per bracket.
        batch_ops: u64,
        /// Whether marks can lie between the ops of a span.
        divisible: bool,
        /// The file skips it.
        skipped: bool,
        /// What loads modules, where that is not the engine.
        #[serde(default)]
        imports: Option<String>,
        /// Arguments of the engine that the bench asks for.
        #[serde(default)]
        engine_args: Vec<String>,
    },
    /// The file is one that a framework's own program has to run.
    Runner {
        /// The framework.
        framework: String,
    },
    /// The file starts a thread, or a child that runs the engine, for the first time.
    Outside {
        /// Which of the two.
        kind: OutsideKind,
        /// The name of its script.
        name: String,
    },
    /// A framework in an unknown version.
    Unsupported {
        /// The framework.
        framework: String,
        /// The version found.
        framework_version: String,
        /// The major versions known.
        supported: Vec<String>,
    },
    /// The main module has been evaluated.
    Loaded {},
    /// Something that the user should know and that stops nothing.
    Warning {
        /// What.
        message: String,
    },
    /// The selected bench begins.
    Started {},
    /// It is set up, and its first ops have run.
    Ready {},
    /// A sizing run is done.
    Sized {
        /// Whether the op's promise is awaited.
        r#async: bool,
        /// Ops of warm-up that fitted.
        warmup_ops: u64,
        /// Nanoseconds per op after them.
        ns_per_op: f64,
    },
    /// The last mark has come and the bench is torn down.
    Measured {
        /// Whether the op's promise was awaited.
        r#async: bool,
        /// Ops before the window.
        warmup_ops: u64,
        /// Ops in the window.
        window_ops: u64,
        /// How its marks lie between its ops.
        course: WarmupCourse,
        /// Whether the very first op gave something and the last one nothing; known only where the window
        /// begins with that op.
        #[serde(default)]
        ran_dry: bool,
        /// By how many bytes the heap without garbage grew, where it was weighed.
        #[serde(default)]
        retained_bytes: Option<f64>,
        /// Ops between the two weighings.
        #[serde(default)]
        retained_ops: Option<u64>,
    },
    /// User code threw, or the harness failed.
    Error {
        /// Where in a bench's life; `mark` where a function that the user has named did not come up.
        phase: String,
        /// The error's text.
        message: String,
        /// `file:line:column` in the user's code.
        #[serde(default)]
        r#where: Option<String>,
    },
    /// User code asked for the process's end, or the engine ends it.
    Exit {
        /// `file:line:column` of the call in the user's code, where there is one.
        #[serde(default)]
        r#where: Option<String>,
        /// Benches that were added to a framework which was never told to run them.
        #[serde(default)]
        unrun: u64,
    },
    /// The harness ends the process.
    End {
        /// As in [`Event::Exit`].
        #[serde(default)]
        unrun: u64,
    },
}

/// What a bench file can start beside its main thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutsideKind {
    /// A worker thread.
    Thread,
    /// A process.
    Child,
}

impl fmt::Display for OutsideKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Thread => "worker thread",
            Self::Child => "child process",
        })
    }
}

/// How the marks of a warm-up lie between its ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WarmupCourse {
    /// Ops that were through when the warm-up's loop began.
    pub first_ops: u64,
    /// Marks before that.
    pub marks_before: u64,
    /// Ops of one step of the loop; for brackets, brackets of one round of it.
    pub step: u64,
    /// Marks of a step of a span: one after it, or two around it.
    pub marks_per_step: u64,
    /// Whether user code loops over the ops, instead of the harness.
    pub own_loop: bool,
}

/// Reads the events of one child. A last line without its end is left out: the child was ended
/// while writing it.
///
/// # Errors
/// [`Fault::Garbage`] for a line that is no event.
pub fn read_events(path: &Path) -> Result<Vec<Event>, Fault> {
    let text = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(Fault::Scratch { path: path.display().to_string(), source }),
    };
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole
        .lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line)
                .map_err(|error| Fault::Garbage { line: index + 1, fault: error.to_string() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_cut_off_is_left_out_and_garbage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        assert_eq!(read_events(&path).unwrap(), []);

        fs::write(&path, "{\"event\":\"hello\",\"protocol\":1,\"engine\":\"node\"}\n{\"eve")
            .unwrap();
        assert_eq!(read_events(&path).unwrap(), [Event::Hello { protocol: 1 }]);

        fs::write(&path, "{\"event\":\"hello\",\"protocol\":1}\nhi there\n").unwrap();
        assert!(matches!(read_events(&path), Err(Fault::Garbage { line: 2, .. })));
    }
}
