//! Reading with a limit, writing without loss.

use crate::StoreError;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A thousand benches with hundreds of readings each stay below it.
const LIMIT_MIB: u64 = 256;

/// A value that was read, with what the reader did not understand.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded<T> {
    /// The value.
    pub value: T,
    /// One line for each thing that was ignored.
    pub warnings: Vec<String>,
}

/// Reads a file or a pipe whole.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    let fault = |cause: io::Error| match cause.kind() {
        // A path below a file exists as little as one in a missing folder.
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            StoreError::Missing { path: path.to_owned() }
        }
        io::ErrorKind::IsADirectory => StoreError::Directory { path: path.to_owned() },
        _ => StoreError::Unreadable { path: path.to_owned(), cause },
    };
    let file = File::open(path).map_err(fault)?;
    let limit = LIMIT_MIB << 20;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(fault)?;
    if bytes.len() as u64 > limit {
        return Err(StoreError::TooLarge { path: path.to_owned(), limit_mib: LIMIT_MIB });
    }
    Ok(bytes)
}

/// Replaces a file's content in one step: the new content is complete and on the disk before it
/// takes the file's place, so that a full disk or an interruption leaves the old content.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let target = target(path)?;
    replace(&target, content)
        .map_err(|cause| StoreError::Unwritable { path: path.to_owned(), cause })
}

/// A link keeps being one: what it leads to is replaced.
fn target(path: &Path) -> Result<PathBuf, StoreError> {
    let not_regular = || StoreError::NotRegular { path: path.to_owned() };
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(path.to_owned()),
        Ok(metadata) if metadata.is_symlink() => {
            let target = fs::canonicalize(path).map_err(|_| not_regular())?;
            if target.is_file() { Ok(target) } else { Err(not_regular()) }
        }
        Ok(_) => Err(not_regular()),
        // Creating the temporary file beside it will say what is wrong, if anything is.
        Err(_) => Ok(path.to_owned()),
    }
}

fn replace(target: &Path, content: &[u8]) -> io::Result<()> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tiergate-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As an ordinary new file; the process's mask takes away from it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder).map_err(|error| without_path(&error))?;
    temporary.as_file_mut().write_all(content)?;
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|failed| failed.error)?;
    // The rename is on the disk once the folder is; some file systems can't do that, and then the
    // file is as safe as they make it.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The temporary file's path would tell the user of a file that was never asked for.
fn without_path(error: &io::Error) -> io::Error {
    match error.kind() {
        kind @ io::ErrorKind::NotFound => io::Error::new(kind, "its folder does not exist"),
        kind => io::Error::from(kind),
    }
}
