//! Processes that an engine leaves behind. A process group catches most of them; one that has
//! made a session of its own becomes a child of this process, because it is a subreaper, and is
//! ended from here.

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use std::collections::HashSet;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The children that this process has started and not yet waited for.
static STARTED: Mutex<Option<HashSet<i32>>> = Mutex::new(None);

/// How long killed processes may take to die; one that the kernel holds must not hold the run.
const PATIENCE: Duration = Duration::from_secs(2);

fn started() -> MutexGuard<'static, Option<HashSet<i32>>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process the parent of its descendants' orphans.
pub(super) fn adopt() {
    // Refused only by kernels before 3.4; then orphans go to init, as everywhere else.
    let _ = nix::sys::prctl::set_child_subreaper(true);
    started().get_or_insert_default();
}

/// Starts a child and registers it in one step, so that it is never taken for an orphan.
pub(super) fn register<E>(
    spawn: impl FnOnce() -> Result<std::process::Child, E>,
) -> Result<std::process::Child, E> {
    let mut started = started();
    let child = spawn()?;
    if let (Some(started), Ok(id)) = (started.as_mut(), i32::try_from(child.id())) {
        started.insert(id);
    }
    Ok(child)
}

/// Does something that starts children and waits for them by itself; meanwhile nothing is taken for an
/// orphan.
pub(super) fn spare<T>(children: impl FnOnce() -> T) -> T {
    let _started = started();
    children()
}

/// Ends the child's group and every adopted orphan. To be called after the child has been waited
/// for.
pub(super) fn end(child: u32) {
    let mut started = started();
    let Ok(id) = i32::try_from(child) else { return };
    let _ = nix::sys::signal::killpg(Pid::from_raw(id), Signal::SIGKILL);
    let Some(started) = started.as_mut() else { return };
    started.remove(&id);
    let give_up = Instant::now() + PATIENCE;
    loop {
        let mut orphans = children_of_this_process();
        orphans.retain(|orphan| !started.contains(orphan));
        if orphans.is_empty() || Instant::now() > give_up {
            return;
        }
        for orphan in orphans {
            let _ = kill(Pid::from_raw(orphan), Signal::SIGKILL);
            let _ = waitpid(Pid::from_raw(orphan), Some(WaitPidFlag::WNOHANG));
        }
        // The children of an orphan come here when it has died, which takes a moment.
        thread::sleep(Duration::from_millis(1));
    }
}

fn children_of_this_process() -> Vec<i32> {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    tasks
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|list| {
            list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        })
        .collect()
}
