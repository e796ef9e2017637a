//! The flags of suites that have some of their own, tried on the engine once each.

use super::Suite;
use crate::Fault;
use crate::process::with_own_children;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tiergate_engine::{AcceptedFlags, Engine, check_flags};

/// Accepted flags by the words that were added for a suite.
#[derive(Debug, Default)]
pub(super) struct SuiteFlags(Mutex<BTreeMap<Vec<String>, AcceptedFlags>>);

impl SuiteFlags {
    /// The run's flags and those of the suite.
    ///
    /// # Errors
    /// [`Fault::Flags`] when the engine does not take them.
    pub(super) fn of<'a>(
        &self,
        suite: &Suite,
        engine: &Engine,
        flags: &'a AcceptedFlags,
        root: &Path,
    ) -> Result<Cow<'a, AcceptedFlags>, Fault> {
        let words = suite.own_arguments();
        if words.is_empty() {
            return Ok(Cow::Borrowed(flags));
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(accepted) = known.get(&words) {
            return Ok(Cow::Owned(accepted.clone()));
        }
        let fault = |error: &dyn std::error::Error| Fault::Flags(error.to_string());
        let wanted = flags.set().clone().with_user(&words).map_err(|error| fault(&error))?;
        let directory = suite.directory.as_deref().unwrap_or(root);
        let accepted = with_own_children(|| check_flags(engine, wanted, directory))
            .map_err(|error| fault(&error))?;
        known.insert(words, accepted.clone());
        Ok(Cow::Owned(accepted))
    }
}
