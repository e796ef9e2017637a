//! A traced run as a part of a proof.

use super::{Place, TimedEvent, Timeline};
use std::collections::BTreeMap;
use tiergate_engine::trace::{CollectionKind, Compile, CompileOutcome, Event, Tier};
use tiergate_model::{CodeChange, Twin};

/// The tier of a function that has left its optimised code.
const NOT_OPTIMISED: &str = "not optimised";

impl Timeline {
    /// What the proof of a counted run takes from it.
    pub fn twin(&self) -> Twin {
        let warmup_ops = self.budget.warmup_ops;
        let collections = |kind| self.collections(kind, warmup_ops) as u64;
        let is_before = |event: &&TimedEvent| matches!(event.place, Place::Warmup { .. });
        Twin {
            changes_in_window: self.in_window().filter_map(change).collect(),
            last_change_before: self.unsettling().rfind(is_before).and_then(change),
            young_collections: collections(CollectionKind::Young),
            full_collections: collections(CollectionKind::Full),
            tiers: self.tiers(),
            untraced: self.untraced.clone(),
        }
    }

    /// The last code of every function that was compiled or left its code among the ops.
    fn tiers(&self) -> BTreeMap<String, String> {
        let mut tiers = BTreeMap::new();
        for event in self.unsettling() {
            match &event.event {
                Event::Compile(Compile {
                    function,
                    tier,
                    osr: false,
                    outcome: CompileOutcome::Completed,
                }) => {
                    // Baseline code is also made for functions that have better code already.
                    let has_better = |known: &String| *known != NOT_OPTIMISED;
                    if *tier > Tier::Baseline || !tiers.get(function).is_some_and(has_better) {
                        tiers.insert(function.clone(), tier.to_string());
                    }
                }
                Event::Bailout { function, .. } => {
                    tiers.insert(function.clone(), NOT_OPTIMISED.to_owned());
                }
                _ => {}
            }
        }
        tiers
    }
}

fn change(event: &TimedEvent) -> Option<CodeChange> {
    let (Place::Warmup { after, until } | Place::Window { after, until }) = event.place else {
        return None;
    };
    Some(CodeChange {
        what: event.event.to_string(),
        function: event.event.function().unwrap_or_default().to_owned(),
        after_ops: after,
        until_ops: until,
    })
}
