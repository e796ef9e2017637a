//! `tiergate schema`, which keeps the checked-in schema up to date.

use crate::failure::Failure;
use crate::output;
use tiergate_model::ExitStatus;

pub(crate) fn schema() -> Result<ExitStatus, Failure> {
    output::results(&tiergate_store::result_schema())?;
    Ok(ExitStatus::Pass)
}
