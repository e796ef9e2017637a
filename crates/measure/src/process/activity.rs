//! Whether a process, or one that it has started, still does something.

use std::fs;
use std::time::Duration;

/// How often the kernel is asked.
const INTERVAL: Duration = Duration::from_millis(500);

/// Ticks of a hundredth of a second within one interval that are not taken for activity: a thread
/// that waits behind the gate looks around now and then.
const LOOKING_AROUND: u64 = 1;

/// Watches the processor time of one process and of all that it has started.
pub(super) struct Activity {
    process: u32,
    ticks: Option<u64>,
    changed: Duration,
    asked: Duration,
}

impl Activity {
    pub(super) fn new(process: u32) -> Self {
        Self { process, ticks: None, changed: Duration::ZERO, asked: Duration::ZERO }
    }

    /// For how long its processor time has not moved, `now` being the time since its start.
    pub(super) fn idle_time(&mut self, now: Duration) -> Duration {
        if now.saturating_sub(self.asked) >= INTERVAL {
            self.asked = now;
            let tree = tree_of(self.process);
            let ticks = tree.map(|tree| tree.ticks);
            let spent = ticks.zip(self.ticks).map(|(now, before)| now.saturating_sub(before));
            // On a machine that is too busy a process may want to do something and not get to it.
            let wants_to = tree.is_some_and(|tree| tree.is_runnable);
            if (wants_to || spent.is_none_or(|spent| spent > LOOKING_AROUND)) && ticks.is_some() {
                self.changed = now;
            }
            self.ticks = ticks;
        }
        self.asked.saturating_sub(self.changed)
    }
}

/// What a process and its descendants do.
#[derive(Clone, Copy)]
struct Tree {
    /// Their processor time.
    ticks: u64,
    /// Whether a thread of theirs runs, could run, or waits for a disk.
    is_runnable: bool,
}

/// `None` when the process is gone.
fn tree_of(process: u32) -> Option<Tree> {
    let folder = format!("/proc/{process}");
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    let mut tree = Tree { ticks: ticks(&stat)?, is_runnable: false };
    for task in fs::read_dir(format!("{folder}/task")).ok()?.flatten() {
        let read = |name| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        tree.is_runnable |= is_runnable(&read("stat"));
        for child in read("children").split_whitespace().filter_map(|id| id.parse().ok()) {
            if let Some(child) = tree_of(child) {
                tree.ticks += child.ticks;
                tree.is_runnable |= child.is_runnable;
            }
        }
    }
    Some(tree)
}

/// Whether the state of a thread is that of one that is not waiting for anything but a processor or
/// a disk.
fn is_runnable(stat: &str) -> bool {
    // The name, in brackets, may hold anything.
    stat.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with(['R', 'D']))
}

/// User and system time of the process and of the children that it has waited for.
fn ticks(stat: &str) -> Option<u64> {
    // The name, in brackets, may hold anything; the fields after it are numbered from 3.
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    fields.get(11..15)?.iter().map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_wants_to_run_is_not_idle() {
        assert!(is_runnable("42 (a) b) R 1") && is_runnable("42 (a) D 1"));
        assert!(!is_runnable("42 (R) S 1") && !is_runnable(""));
        assert!(tree_of(std::process::id()).is_some_and(|tree| tree.is_runnable));
        assert!(tree_of(0).is_none());
    }

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 20 0 1 0 5";
        assert_eq!(ticks(stat), Some(127));
        assert_eq!(ticks("42 (a"), None);
    }

    #[test]
    fn a_process_that_works_is_not_idle() {
        let mut activity = Activity::new(std::process::id());
        let second = Duration::from_secs(1);
        assert_eq!(activity.idle_time(second), Duration::ZERO);
        // Until it has worked: on a loaded machine a stretch of the clock may hold none of its time.
        let spent = || ticks(&fs::read_to_string("/proc/self/stat").unwrap()).unwrap();
        let before = spent();
        while spent() <= before + 2 * LOOKING_AROUND {}
        assert_eq!(activity.idle_time(10 * second), Duration::ZERO);
        let mut gone = Activity::new(u32::MAX);
        gone.idle_time(second);
        assert!(gone.idle_time(20 * second) >= 19 * second);
    }
}
