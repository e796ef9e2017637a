//! An engine that was found and asked what it is.

use crate::{FlagSet, Version, VersionRange};
use std::fmt;
use std::path::PathBuf;
use tiergate_model::{EngineFingerprint, EngineKind};

/// An executable that has said which engine it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    /// Which runtime.
    pub kind: EngineKind,
    /// The executable itself, behind any shim or link.
    pub path: PathBuf,
    /// The runtime's version.
    pub version: Version,
    /// Its JIT engine with version, for example `v8 13.6.233.17-node.58`.
    pub jit_engine: String,
    /// BLAKE3 hash of the executable's bytes, in hexadecimal digits.
    pub content_hash: String,
}

impl Engine {
    /// The engine's part of a fingerprint, for runs with these flags.
    pub fn fingerprint(&self, flags: &FlagSet) -> EngineFingerprint {
        EngineFingerprint {
            name: self.kind,
            version: self.version.to_string(),
            jit_engine: self.jit_engine.clone(),
            path_hash: self.content_hash.clone(),
            flags: flags.flags_shown(),
        }
    }

    /// The variable that names a folder in which the engine keeps compiled code from one process to
    /// the next. `None` where it has no such folder: Node.js before 22.1
    /// (<https://nodejs.org/api/cli.html#node_compile_cachedir>), and Deno, whose code lies beside
    /// the modules that it has fetched.
    pub fn code_cache_variable(&self) -> Option<&'static str> {
        let has_folder = VersionRange::since(22, 1, 0);
        match self.kind {
            EngineKind::Node if has_folder.contains(&self.version) => Some("NODE_COMPILE_CACHE"),
            EngineKind::Bun => Some("BUN_RUNTIME_TRANSPILER_CACHE_PATH"),
            EngineKind::Node | EngineKind::Deno => None,
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.kind, self.version)
    }
}

/// The oldest version that the harness can be loaded into.
pub fn minimum_version(kind: EngineKind) -> [u64; 3] {
    match kind {
        // The loader's internals that the harness hooks have this shape from 20 on.
        EngineKind::Node => [20, 0, 0],
        // 2.7 has no `module.registerHooks`, and 2.8 hangs once they are registered.
        EngineKind::Deno => [2, 9, 0],
        EngineKind::Bun => [1, 2, 0],
    }
}
