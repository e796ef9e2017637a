//! The environment variables that every engine sees.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;

/// Names and values, sorted, so that their place in the child's memory is the same each time.
pub type BaseEnvironment = BTreeMap<OsString, OsString>;

/// Variables taken over from the caller, each with its reason.
const PASSED: [&str; 6] = [
    // Where engines keep their caches and users' packages look for settings.
    "HOME",
    "XDG_CACHE_HOME",
    "DENO_DIR",
    "TMPDIR",
    // The C library's choice of routines: part of the fingerprint, so it must reach the engine.
    "GLIBC_TUNABLES",
    // OpenSSL's choice of instructions, likewise.
    "OPENSSL_ia32cap",
];

/// Variables of fixed content, each with its reason.
const FIXED: [(&str, &str); 4] = [
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    // Sorting, case mapping and number formats must not depend on the caller.
    ("LANG", "C.UTF-8"),
    ("TZ", "UTC"),
    // Colour codes in a bench's own output would depend on the terminal.
    ("NO_COLOR", "1"),
];

/// The cleaned environment: fixed variables, the few that are passed, and those that the settings
/// pass or set.
pub fn base_environment(pass: &[String], set: &BTreeMap<String, String>) -> BaseEnvironment {
    let mut environment = BaseEnvironment::new();
    for (name, value) in FIXED {
        environment.insert(name.into(), value.into());
    }
    for name in PASSED.into_iter().chain(pass.iter().map(String::as_str)) {
        if let Some(value) = env::var_os(name) {
            environment.insert(name.into(), value);
        }
    }
    for (name, value) in set {
        environment.insert(name.into(), value.into());
    }
    environment
}
