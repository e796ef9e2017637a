//! Facts of this machine that readings depend on.

use crate::process::BaseEnvironment;
use std::fs;
use tiergate_model::CpuFingerprint;

/// The processor: its model, and a hash of the features that programs choose their code by, any
/// mask in `GLIBC_TUNABLES` included.
pub fn cpu(environment: &BaseEnvironment) -> CpuFingerprint {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |names: &[&str]| {
        info.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| names.contains(&name.trim()))
            .map(|(_, value)| value.trim().to_owned())
            .unwrap_or_default()
    };
    let mut features: Vec<String> =
        field(&["flags", "Features"]).split_whitespace().map(str::to_owned).collect();
    features.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    hasher.update(features.join(" ").as_bytes());
    for name in ["GLIBC_TUNABLES", "OPENSSL_ia32cap"] {
        if let Some(value) = environment.get(std::ffi::OsStr::new(name)) {
            hasher.update(value.as_encoded_bytes());
        }
        hasher.update(&[0]);
    }
    CpuFingerprint {
        model: field(&["model name", "CPU part"]),
        features_hash: hasher.finalize().to_hex()[..16].to_owned(),
    }
}

/// The kernel's release.
pub fn kernel() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease")
        .map(|release| release.trim().to_owned())
        .unwrap_or_default()
}

/// Operating system and architecture, for example `linux-x86_64`.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

/// Hash of the variables that the engine sees, and of whether its processes share compiled code.
/// Variables whose values are folders of this machine count by name only: they differ between
/// machines and lead to nothing that is measured.
pub fn settings_hash(environment: &BaseEnvironment, code_cache: bool) -> String {
    let mut hasher = blake3::Hasher::new();
    if code_cache {
        hasher.update(b"code cache\0");
    }
    for (name, value) in environment {
        hasher.update(name.as_encoded_bytes());
        hasher.update(&[0]);
        let is_folder =
            ["HOME", "TMPDIR", "XDG_CACHE_HOME", "DENO_DIR"].iter().any(|folder| name == folder);
        if !is_folder {
            hasher.update(value.as_encoded_bytes());
        }
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The C library's name and version as it says itself, for example `glibc 2.36`; `unknown` where
/// there is no `getconf`.
pub fn libc() -> String {
    std::process::Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()
        .filter(|output| output.status.success())
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .filter(|version| !version.is_empty())
        .unwrap_or_else(|| "unknown".to_owned())
}
