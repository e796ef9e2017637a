//! All that must be equal for two readings to be comparable.

use crate::{EngineKind, InstrumentKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All that must be equal for two result files to be comparable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// The engine.
    pub engine: EngineFingerprint,
    /// The instrument.
    pub instrument: InstrumentFingerprint,
    /// The processor.
    pub cpu: CpuFingerprint,
    /// The C library's name and version, which picks its routines by processor.
    pub libc: String,
    /// The kernel's release.
    pub kernel: String,
    /// Operating system and architecture, for example `linux-x86_64`.
    pub platform: String,
    /// Whether address-space randomisation was switched off; a container can refuse it.
    pub address_randomisation_off: bool,
    /// Hash of the harness's files.
    pub harness_hash: String,
    /// Hash of the settings and of the environment that the engine sees.
    pub settings_hash: String,
}

/// The engine's part of a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineFingerprint {
    /// Which runtime.
    pub name: EngineKind,
    /// Its full version.
    pub version: String,
    /// Its JIT engine with version, for example `v8 13.6.233.17-node.41`.
    pub jit_engine: String,
    /// Hash of the executable's bytes.
    pub path_hash: String,
    /// The flags and engine variables it ran with, in order.
    pub flags: Vec<String>,
}

/// The instrument's part of a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstrumentFingerprint {
    /// Which instrument.
    pub name: InstrumentKind,
    /// Its version.
    pub version: String,
}

/// The processor's part of a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuFingerprint {
    /// The model's name.
    pub model: String,
    /// Hash of the feature flags that programs see, with any mask set by `GLIBC_TUNABLES`.
    pub features_hash: String,
}

/// One field in which two fingerprints differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FingerprintDifference {
    /// Dotted name of the field, for example `engine.version`.
    pub field: String,
    /// The base's value.
    pub base: String,
    /// The head's value.
    pub head: String,
}

impl Fingerprint {
    /// The fields in which `head` differs from `self`, in the order of the file.
    ///
    /// For instruction counts of a pinned engine the kernel does not run in the window's
    /// user-space count, so its release is compared only for wall-clock instruments.
    pub fn differences(&self, head: &Self) -> Vec<FingerprintDifference> {
        let wall = self.instrument.name == InstrumentKind::Wall;
        let mut pairs = vec![
            ("engine.name", self.engine.name.to_string(), head.engine.name.to_string()),
            ("engine.version", self.engine.version.clone(), head.engine.version.clone()),
            ("engine.jit_engine", self.engine.jit_engine.clone(), head.engine.jit_engine.clone()),
            ("engine.path_hash", self.engine.path_hash.clone(), head.engine.path_hash.clone()),
            ("engine.flags", self.engine.flags.join(" "), head.engine.flags.join(" ")),
            ("instrument.name", self.instrument.name.to_string(), head.instrument.name.to_string()),
            (
                "instrument.version",
                self.instrument.version.clone(),
                head.instrument.version.clone(),
            ),
            ("cpu.model", self.cpu.model.clone(), head.cpu.model.clone()),
            ("cpu.features_hash", self.cpu.features_hash.clone(), head.cpu.features_hash.clone()),
            ("libc", self.libc.clone(), head.libc.clone()),
            ("platform", self.platform.clone(), head.platform.clone()),
            (
                "address_randomisation_off",
                self.address_randomisation_off.to_string(),
                head.address_randomisation_off.to_string(),
            ),
            ("harness_hash", self.harness_hash.clone(), head.harness_hash.clone()),
            ("settings_hash", self.settings_hash.clone(), head.settings_hash.clone()),
        ];
        if wall {
            pairs.push(("kernel", self.kernel.clone(), head.kernel.clone()));
        }
        pairs
            .into_iter()
            .filter(|(_, base, head)| base != head)
            .map(|(field, base, head)| FingerprintDifference {
                field: field.to_owned(),
                base,
                head,
            })
            .collect()
    }
}
