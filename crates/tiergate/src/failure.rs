//! An error on its way to the user: one line that names the thing, hints below it, an exit code.

use std::fmt;
use tiergate_model::ExitStatus;

/// Why a command could not do what it was asked for.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hints: Vec<String>,
    status: ExitStatus,
}

impl Failure {
    pub(crate) fn new(status: ExitStatus, message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), hints: Vec::new(), status }
    }

    /// A wrong command line or configuration.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Usage, message)
    }

    /// Something that was to be measured could not be.
    pub(crate) fn incomplete(message: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Incomplete, message)
    }

    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    pub(crate) fn hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// Prints it and gives the exit status.
    pub(crate) fn print(&self) -> ExitStatus {
        crate::output::error(&self.message);
        for hint in &self.hints {
            crate::output::hint(hint);
        }
        self.status
    }
}

impl From<tiergate_store::StoreError> for Failure {
    fn from(error: tiergate_store::StoreError) -> Self {
        let hint = error.hint();
        Self::new(error.exit_status(), error).hints(hint)
    }
}

impl From<tiergate_checkout::CheckoutError> for Failure {
    fn from(error: tiergate_checkout::CheckoutError) -> Self {
        let hint = error.hint();
        Self::new(error.exit_status(), error).hints(hint)
    }
}

impl From<tiergate_measure::instrument::Unusable> for Failure {
    fn from(unusable: tiergate_measure::instrument::Unusable) -> Self {
        let hint = unusable.hint.clone();
        Self::incomplete(unusable).hint(hint)
    }
}
