//! Which accepted changes hold for a base.

use super::ACCEPTED;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::path::Path;
use tiergate_model::BenchId;
use tiergate_store::{Acceptances, Accepted};

/// Reads the accepted changes beside the configuration and keeps those for this base; the note
/// says how many others there are.
pub(crate) fn accepted_for(
    base: &str,
    root: &Path,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<BenchId, Accepted>, Failure> {
    let all = Acceptances::read(&root.join(ACCEPTED))?.0;
    let count = all.len();
    let valid: BTreeMap<BenchId, Accepted> = all
        .into_iter()
        .filter(|(_, acceptance)| acceptance.base == base)
        .map(|(id, acceptance)| {
            let change = acceptance.change_percent.map(|percent| percent / 100.0);
            (id, Accepted { change, reason: acceptance.reason })
        })
        .collect();
    if valid.len() < count {
        let expired = count - valid.len();
        let entries = if expired == 1 { "entry" } else { "entries" };
        notes.push(format!(
            "{expired} {entries} of `{ACCEPTED}` expired: the base has moved on since"
        ));
    }
    Ok(valid)
}
