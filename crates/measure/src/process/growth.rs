//! When files that a process writes grew: the moments of what it notes there, by a clock that no pin
//! holds.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// A file and its sizes so far.
#[derive(Debug, Clone)]
pub struct Growth {
    path: PathBuf,
    /// Sizes in bytes, and when each was seen first, in seconds since the process's start.
    sizes: Vec<(u64, f64)>,
}

impl Growth {
    pub(super) fn of(path: PathBuf) -> Self {
        Self { path, sizes: Vec::new() }
    }

    pub(super) fn look(&mut self, now: Duration) {
        let size = fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        if size > self.sizes.last().map_or(0, |last| last.0) {
            self.sizes.push((size, now.as_secs_f64()));
        }
    }

    /// When the line was written that the predicate holds for first, or last.
    pub fn moment(&self, last: bool, holds: impl Fn(&str) -> bool) -> Option<f64> {
        let text = fs::read_to_string(&self.path).ok()?;
        let mut end = 0;
        let mut found = None;
        for line in text.split_inclusive('\n') {
            end += line.len() as u64;
            if holds(line) && (last || found.is_none()) {
                found = Some(end);
            }
        }
        let end = found?;
        self.sizes.iter().find(|(size, _)| *size >= end).map(|(_, seconds)| *seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_was_written_when_the_file_first_held_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut growth = Growth::of(path.clone());
        growth.look(Duration::from_secs(1));
        for (second, text) in [(2, "a\n"), (3, "a\nb\n"), (4, "a\nb\n"), (5, "a\nb\nb\n")] {
            fs::write(&path, text).unwrap();
            growth.look(Duration::from_secs(second));
        }
        assert_eq!(growth.moment(false, |line| line == "a\n"), Some(2.0));
        assert_eq!(growth.moment(false, |line| line == "b\n"), Some(3.0));
        assert_eq!(growth.moment(true, |line| line == "b\n"), Some(5.0));
        assert_eq!(growth.moment(true, |line| line == "c\n"), None);
    }
}
