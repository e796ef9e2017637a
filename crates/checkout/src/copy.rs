//! Copies of files and trees. Links stay links.

use crate::CheckoutError;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Copies one file or link, its folders included, with its permissions.
///
/// # Errors
/// When it can't be read or written.
pub fn copy_file(from: &Path, to: &Path) -> Result<(), CheckoutError> {
    if let Some(folder) = to.parent() {
        create_folder(folder)?;
    }
    let metadata = fs::symlink_metadata(from).map_err(CheckoutError::io("read", from))?;
    if metadata.is_symlink() {
        let target = fs::read_link(from).map_err(CheckoutError::io("read", from))?;
        let _ = fs::remove_file(to);
        return symlink(target, to).map_err(CheckoutError::io("write", to));
    }
    if fs::symlink_metadata(to).is_ok_and(|present| present.is_symlink()) {
        fs::remove_file(to).map_err(CheckoutError::io("replace", to))?;
    }
    // Sockets and pipes are no part of a project.
    if metadata.is_file() {
        fs::copy(from, to).map_err(CheckoutError::io("copy to", to))?;
    }
    Ok(())
}

/// Copies a tree; folders of that name are left out, at any depth.
///
/// # Errors
/// When something can't be read or written.
pub fn copy_tree(from: &Path, to: &Path, left_out: &[&str]) -> Result<(), CheckoutError> {
    create_folder(to)?;
    for entry in fs::read_dir(from).map_err(CheckoutError::io("read", from))? {
        let entry = entry.map_err(CheckoutError::io("read", from))?;
        let kind = entry.file_type().map_err(CheckoutError::io("read", &entry.path()))?;
        let name = entry.file_name();
        if !kind.is_dir() {
            copy_file(&entry.path(), &to.join(&name))?;
        } else if !left_out.iter().any(|left_out| name == *left_out) {
            copy_tree(&entry.path(), &to.join(&name), left_out)?;
        }
    }
    Ok(())
}

pub(crate) fn create_folder(folder: &Path) -> Result<(), CheckoutError> {
    fs::create_dir_all(folder).map_err(CheckoutError::io("create", folder))
}

pub(crate) fn remove_tree(folder: &Path) -> Result<(), CheckoutError> {
    match fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            Err(CheckoutError::Io { action: "remove", path: folder.to_owned(), cause })
        }
        _ => Ok(()),
    }
}
