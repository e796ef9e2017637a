//! The file that the preloaded library writes.

use std::path::{Path, PathBuf};
use std::{fs, io};
use tiergate_protocol::profile;

/// One block of code and how often it was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Address of its first instruction.
    pub start: u64,
    /// Address behind its last one.
    pub end: u64,
    /// Instructions in it.
    pub instructions: u64,
    /// How often it was executed.
    pub executions: u64,
}

impl Block {
    /// Instructions executed in it.
    pub fn total(&self) -> u64 {
        self.instructions * self.executions
    }
}

/// How often control went from generated code to an address in a file's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Transfer {
    pub(super) target: u64,
    pub(super) count: u64,
}

/// A mapping of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Offset in the file.
    pub(super) offset: u64,
    pub(super) file: Option<PathBuf>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Contents {
    pub(super) mappings: Vec<Mapping>,
    pub(super) blocks: Vec<Block>,
    pub(super) transfers: Vec<Transfer>,
}

/// A profile that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file can't be read.
    #[error("can't read the profile `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is not what it should be, or the end is missing.
    #[error("the profile `{}` is damaged at line {line}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

impl Contents {
    pub(super) fn read(path: &Path) -> Result<Self, ProfileError> {
        let text = fs::read_to_string(path)
            .map_err(|source| ProfileError::Read { path: path.to_owned(), source })?;
        Self::parse(&text).map_err(|line| ProfileError::Damaged { path: path.to_owned(), line })
    }

    /// The number of the first bad line in place of an error.
    fn parse(text: &str) -> Result<Self, usize> {
        let mut contents = Self::default();
        let mut ended = false;
        for (line, number) in text.lines().zip(1..) {
            if number == 1 {
                if line != profile::HEADER {
                    return Err(number);
                }
                continue;
            }
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let known = match word {
                profile::MAPPING if !ended => {
                    mapping(rest).map(|mapping| contents.mappings.push(mapping))
                }
                profile::BLOCK if !ended => block(rest).map(|block| contents.blocks.push(block)),
                profile::TRANSFER if !ended => {
                    transfer(rest).map(|transfer| contents.transfers.push(transfer))
                }
                profile::END if !ended => {
                    ended = true;
                    Some(())
                }
                _ => None,
            };
            known.ok_or(number)?;
        }
        if ended { Ok(contents) } else { Err(text.lines().count()) }
    }
}

fn hexadecimal(digits: &str) -> Option<u64> {
    u64::from_str_radix(digits, 16).ok()
}

fn block(words: &str) -> Option<Block> {
    let words: Vec<&str> = words.split(' ').collect();
    let [start, end, instructions, executions] = words.as_slice() else { return None };
    Some(Block {
        start: hexadecimal(start)?,
        end: hexadecimal(end)?,
        instructions: instructions.parse().ok()?,
        executions: executions.parse().ok()?,
    })
}

fn transfer(words: &str) -> Option<Transfer> {
    let (target, count) = words.split_once(' ')?;
    Some(Transfer { target: hexadecimal(target)?, count: count.parse().ok()? })
}

/// A line of `/proc/PID/maps`: see `proc_pid_maps(5)`.
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let (start, end) = words.next()?.split_once('-')?;
    let offset = words.nth(1)?;
    let _inode = words.nth(1)?;
    let file = line.find('/').map(|at| PathBuf::from(&line[at..]));
    Some(Mapping {
        start: hexadecimal(start)?,
        end: hexadecimal(end)?,
        offset: hexadecimal(offset)?,
        file,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_whole_or_not_at_all() {
        let good = "tiergate-profile 2\n\
                    map 00400000-00500000 r-xp 00001000 fe:01 5308568   /usr/bin/my node\n\
                    map 7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n\
                    block 400010 400020 4 25\n\
                    transfer 400010 7\n\
                    end\n";
        let contents = Contents::parse(good).unwrap();
        assert_eq!(contents.mappings[0].file.as_deref(), Some(Path::new("/usr/bin/my node")));
        assert_eq!(contents.mappings[0].offset, 0x1000);
        assert_eq!(contents.mappings[1].file, None);
        assert_eq!(contents.blocks[0].total(), 100);
        assert_eq!(contents.transfers, [Transfer { target: 0x40_0010, count: 7 }]);
        for (from, to, line) in [
            ("end\n", "", 5),
            ("profile 2", "profile 1", 1),
            ("4 25", "4", 4),
            ("00001000 fe:01", "offset fe:01", 2),
            ("400010 7", "400010", 5),
            ("end\n", "end\nend\n", 7),
        ] {
            assert_eq!(Contents::parse(&good.replace(from, to)).unwrap_err(), line, "{from}");
        }
    }
}
