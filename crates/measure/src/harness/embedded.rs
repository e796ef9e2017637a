//! The harness and the preloaded library, carried in this binary and unpacked once per content.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/harness.rs"));
const PRELOAD: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libtiergate_preload.so"));
const PRELOAD_NAME: &str = "libtiergate_preload.so";

/// The unpacked harness.
#[derive(Debug, Clone)]
pub struct Harness {
    /// The folder with the JavaScript.
    pub directory: PathBuf,
    /// The library for `LD_PRELOAD`; `None` in a build for another machine than the builder's.
    pub preload: Option<PathBuf>,
    /// Hash over all names and contents, 16 hexadecimal digits.
    pub hash: String,
}

/// The harness can't be unpacked.
#[derive(Debug, thiserror::Error)]
#[error("can't unpack the harness to `{path}`: {source}")]
pub struct UnpackError {
    path: String,
    source: io::Error,
}

/// Unpacks into the user's cache folder, or into the folder for temporary files where that one
/// can't be written to. A copy that is there already is used after comparing every byte: it could
/// be damaged, or be somebody else's.
///
/// # Errors
/// When neither folder can be written to.
pub fn unpack() -> Result<Harness, UnpackError> {
    let hash = hash();
    let mut last_error = None;
    for base in cache_folders() {
        let directory = base.join("tiergate").join(&hash);
        match unpack_into(&directory) {
            Ok(()) => {
                let preload = directory.join(PRELOAD_NAME);
                let preload = (!PRELOAD.is_empty()).then_some(preload);
                return Ok(Harness { directory: directory.join("harness"), preload, hash });
            }
            Err(source) => {
                let path = directory.display().to_string();
                last_error = Some(UnpackError { path, source });
            }
        }
    }
    Err(last_error.unwrap_or_else(|| UnpackError {
        path: "tiergate".to_owned(),
        source: io::Error::other("no folder to unpack to"),
    }))
}

fn cache_folders() -> Vec<PathBuf> {
    let home = env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    [env::var_os("XDG_CACHE_HOME").map(PathBuf::from), home, Some(env::temp_dir())]
        .into_iter()
        .flatten()
        .filter(|folder| folder.is_absolute())
        .collect()
}

fn hash() -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, content) in FILES.iter().copied().chain([(PRELOAD_NAME, PRELOAD)]) {
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
        hasher.update(&(content.len() as u64).to_le_bytes());
        hasher.update(content);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

fn unpack_into(directory: &Path) -> io::Result<()> {
    if is_intact(directory) {
        return Ok(());
    }
    let parent = directory.parent().unwrap_or(directory);
    fs::create_dir_all(parent)?;
    // Written beside and renamed: parallel runs never see half a copy.
    let fresh = tempfile::Builder::new().prefix(".unpack-").tempdir_in(parent)?;
    for (name, content) in files() {
        let path = fresh.path().join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, content)?;
    }
    // Looked at again: what another run has put there meanwhile may be in use.
    if directory.exists() && !is_intact(directory) {
        fs::remove_dir_all(directory)?;
    }
    match fs::rename(fresh.path(), directory) {
        // Another run was faster with the same content.
        Err(_) if is_intact(directory) => Ok(()),
        result => result,
    }
}

fn files() -> impl Iterator<Item = (PathBuf, &'static [u8])> {
    FILES
        .iter()
        .map(|(name, content)| (Path::new("harness").join(name), *content))
        .chain([(PathBuf::from(PRELOAD_NAME), PRELOAD)])
}

fn is_intact(directory: &Path) -> bool {
    files().all(|(name, content)| {
        fs::read(directory.join(name)).is_ok_and(|present| present == content)
    })
}
