//! What the base is.

use crate::args::GateOptions;
use crate::failure::Failure;
use crate::settings::Settings;
use tiergate_checkout::NpmPackage;

/// What head is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BaseSource {
    /// The last commit that head has in common with this one.
    Ref(String),
    /// A published package.
    Package(NpmPackage),
    /// Head's own files: only the engine differs.
    SameAsHead,
}

impl BaseSource {
    pub(super) fn of(options: &GateOptions, settings: &Settings) -> Result<Self, Failure> {
        let changes_engine = options.base_engine.is_some();
        let named = options.base.as_ref();
        // A change of the engine is not judged together with a change of the code by default.
        let named = named.or(settings.file.gate.base.as_ref().filter(|_| !changes_engine));
        let Some(name) = named else {
            return if changes_engine {
                Ok(Self::SameAsHead)
            } else {
                Err(Failure::usage("a gate needs a base").hint(
                    "name it with `--base main`, or set `base` of `[gate]` in `tiergate.toml`",
                ))
            };
        };
        match name.strip_prefix("npm:") {
            Some(package) => NpmPackage::parse(package).map(Self::Package).ok_or_else(|| {
                Failure::usage(format!("`{name}` is no package"))
                    .hint("write for example `npm:left-pad@1.3.0`")
            }),
            None if name.is_empty() || name.starts_with('-') => {
                Err(Failure::usage(format!("`{name}` is no base"))
                    .hint("name a commit, branch or tag"))
            }
            None => Ok(Self::Ref(name.clone())),
        }
    }

    pub(super) fn is_ref(&self) -> bool {
        matches!(self, Self::Ref(_))
    }
}
