//! Names of fields and variants, for people.

use serde_json::Value;

/// A field's name in words: `young_collections` as `young collections`.
pub(super) fn words(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

/// A perturbation in words, whatever kinds there are: `none` as `unperturbed`, `{"hash-seed": 3}`
/// as `hash seed 3`.
pub(super) fn perturbation(value: &Value) -> String {
    match value {
        Value::String(name) if name == "none" => "unperturbed".to_owned(),
        Value::String(name) => words(name),
        Value::Object(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{} {}", words(name), perturbation(value)))
                .collect();
            parts.join(", ")
        }
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => value.to_string(),
    }
}

/// Linux system calls on x86-64 that windows have been seen to make, by their numbers.
const SYSTEM_CALLS: [(&str, &str); 46] = [
    ("0", "read"),
    ("1", "write"),
    ("2", "open"),
    ("3", "close"),
    ("5", "fstat"),
    ("7", "poll"),
    ("8", "lseek"),
    ("9", "mmap"),
    ("10", "mprotect"),
    ("11", "munmap"),
    ("12", "brk"),
    ("13", "rt_sigaction"),
    ("14", "rt_sigprocmask"),
    ("15", "rt_sigreturn"),
    ("16", "ioctl"),
    ("17", "pread64"),
    ("18", "pwrite64"),
    ("20", "writev"),
    ("24", "sched_yield"),
    ("25", "mremap"),
    ("28", "madvise"),
    ("35", "nanosleep"),
    ("39", "getpid"),
    ("41", "socket"),
    ("42", "connect"),
    ("44", "sendto"),
    ("45", "recvfrom"),
    ("56", "clone"),
    ("59", "execve"),
    ("62", "kill"),
    ("72", "fcntl"),
    ("96", "gettimeofday"),
    ("98", "getrusage"),
    ("110", "getppid"),
    ("186", "gettid"),
    ("202", "futex"),
    ("204", "sched_getaffinity"),
    ("228", "clock_gettime"),
    ("230", "clock_nanosleep"),
    ("232", "epoll_wait"),
    ("257", "openat"),
    ("262", "newfstatat"),
    ("281", "epoll_pwait"),
    ("318", "getrandom"),
    ("332", "statx"),
    ("435", "clone3"),
];

/// A system call's name with its number, or the number alone.
pub(super) fn system_call(number: &str) -> String {
    match SYSTEM_CALLS.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => format!("{name} ({number})"),
        None => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn perturbations_of_any_shape_have_a_name() {
        for (value, name) in [
            (json!("none"), "unperturbed"),
            (json!("heap-phase"), "heap phase"),
            (json!({ "hash-seed": 3 }), "hash seed 3"),
            (json!({ "kind": "environment", "bytes": 64 }), "kind environment, bytes 64"),
        ] {
            assert_eq!(perturbation(&value), name);
        }
    }

    #[test]
    fn system_calls_are_named_where_known() {
        assert_eq!(system_call("202"), "futex (202)");
        assert_eq!(system_call("9999"), "9999");
    }
}
