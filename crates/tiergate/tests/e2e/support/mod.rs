//! Projects in temporary folders, and the binary run in them with an environment of fixed content.

mod engines;
mod fake_counter;
mod invocation;
mod project;
mod repository;
mod script;

pub(crate) use engines::{ENGINES, STRIPPING_ENGINES, framework_folder, node};
pub(crate) use fake_counter::{Opened, Words, with_fake_counters};
pub(crate) use invocation::{Invocation, Outcome};
pub(crate) use project::{Project, bench_of};
pub(crate) use repository::{Repository, git};
pub(crate) use script::{Script, scripted};

/// Ends a test whose precondition this machine does not meet, and says so where people look.
macro_rules! skip {
    ($($reason:tt)*) => {{
        eprintln!("SKIPPED: {}: {}", module_path!(), format_args!($($reason)*));
        return;
    }};
}

/// Ends a test that counts with callgrind where Valgrind is not installed.
macro_rules! need_valgrind {
    () => {
        if !$crate::support::has_program("valgrind") {
            skip!("it counts with callgrind, and there is no `valgrind` in PATH");
        }
    };
}

/// Ends a test that counts with the in-process counter where there is none.
macro_rules! need_x86 {
    () => {
        if !cfg!(target_arch = "x86_64") {
            skip!("the counter translates x86-64 code only");
        }
    };
}

pub(crate) use {need_valgrind, need_x86, skip};

/// Whether a program is in PATH.
pub(crate) fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
