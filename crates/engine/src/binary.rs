//! What kind of executable an engine is, read from its ELF headers: whether a library for this
//! program's own C library and processor can be loaded into it.

use object::elf::{EM_AARCH64, EM_X86_64, FileHeader64, PT_INTERP};
use object::endian::Endianness;
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Why a library can't be loaded into an executable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotLoadable {
    /// There is no dynamic loader in it.
    #[error(
        "it is statically linked, so the library that every instrument needs (also callgrind and \
         perf) can't be loaded into it; use a dynamically linked build of the engine"
    )]
    Static,
    /// It is for another C library.
    #[error(
        "it is built for musl ({}), and this tiergate's library for glibc, which every instrument \
         needs (also callgrind and perf), can't be loaded into it; use the engine's build for glibc",
        loader.display()
    )]
    Musl {
        /// Its dynamic loader.
        loader: PathBuf,
    },
    /// It is for another processor.
    #[error(
        "it is built for {machine}, and this tiergate for {}; use builds for the same processor",
        std::env::consts::ARCH
    )]
    OtherProcessor {
        /// The processor's name, or its number in the ELF format.
        machine: String,
    },
}

/// Looks at an executable. What is no ELF file with 64-bit addresses, such as a script that starts
/// the engine, passes: what it starts shows by itself whether the library was loaded.
///
/// # Errors
/// Why the preloaded library can't be used with it.
pub fn can_preload(executable: &Path) -> Result<(), NotLoadable> {
    match File::open(executable) {
        Ok(file) => judge(&ReadCache::new(file)),
        Err(_) => Ok(()),
    }
}

fn judge(file: &ReadCache<File>) -> Result<(), NotLoadable> {
    let Ok(header) = FileHeader64::<Endianness>::parse(file) else { return Ok(()) };
    let Ok(endian) = header.endian() else { return Ok(()) };
    let machine = match header.e_machine(endian) {
        EM_X86_64 => "x86_64",
        EM_AARCH64 => "aarch64",
        other => return Err(NotLoadable::OtherProcessor { machine: format!("processor {other}") }),
    };
    if machine != std::env::consts::ARCH {
        return Err(NotLoadable::OtherProcessor { machine: machine.to_owned() });
    }
    let Ok(segments) = header.program_headers(endian, file) else { return Ok(()) };
    let loader = segments
        .iter()
        .filter(|segment| segment.p_type(endian) == PT_INTERP)
        .find_map(|segment| segment.interpreter(endian, file).ok().flatten());
    let Some(loader) = loader else {
        return Err(NotLoadable::Static);
    };
    let loader = PathBuf::from(String::from_utf8_lossy(loader).into_owned());
    let name = loader.file_name().unwrap_or_default().to_string_lossy();
    if cfg!(target_env = "gnu") && name.starts_with("ld-musl") {
        return Err(NotLoadable::Musl { loader });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const X86_64: u16 = EM_X86_64;
    const HEADER: u16 = 64;
    const SEGMENT: u16 = 56;

    /// The smallest ELF file with one segment, of this kind and with this content.
    fn elf(machine: u16, kind: u32, content: &[u8]) -> Vec<u8> {
        let header = usize::from(HEADER);
        let content_at = HEADER + SEGMENT;
        let mut bytes = vec![0; content_at.into()];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, b"\x7fELF\x02\x01\x01");
        put(16, &2_u16.to_le_bytes());
        put(18, &machine.to_le_bytes());
        put(20, &1_u32.to_le_bytes());
        put(32, &u64::from(HEADER).to_le_bytes());
        put(52, &HEADER.to_le_bytes());
        put(54, &SEGMENT.to_le_bytes());
        put(56, &1_u16.to_le_bytes());
        put(header, &kind.to_le_bytes());
        put(header + 8, &u64::from(content_at).to_le_bytes());
        put(header + 32, &(content.len() as u64).to_le_bytes());
        bytes.extend(content);
        bytes
    }

    fn judged(bytes: &[u8]) -> Result<(), NotLoadable> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        fs::write(&path, bytes).unwrap();
        can_preload(&path)
    }

    fn own_machine() -> u16 {
        if cfg!(target_arch = "aarch64") { EM_AARCH64 } else { X86_64 }
    }

    #[test]
    fn the_dynamic_loader_tells_the_c_library() {
        let with_loader = |loader: &[u8]| judged(&elf(own_machine(), PT_INTERP, loader));
        assert_eq!(with_loader(b"/lib64/ld-linux-x86-64.so.2\0"), Ok(()));
        assert_eq!(with_loader(b"/nix/store/abc-glibc-2.40/lib/ld-linux-x86-64.so.2\0"), Ok(()));
        let musl = with_loader(b"/lib/ld-musl-x86_64.so.1\0").unwrap_err();
        assert!(musl.to_string().contains("musl (/lib/ld-musl-x86_64.so.1)"), "{musl}");
    }

    #[test]
    fn without_one_it_is_static() {
        const PT_LOAD: u32 = 1;
        assert_eq!(judged(&elf(own_machine(), PT_LOAD, b"")), Err(NotLoadable::Static));
    }

    #[test]
    fn another_processor_is_named() {
        let other = if own_machine() == X86_64 { EM_AARCH64 } else { X86_64 };
        let reason = judged(&elf(other, PT_INTERP, b"/lib/ld.so\0")).unwrap_err().to_string();
        let name = if own_machine() == X86_64 { "aarch64" } else { "x86_64" };
        assert!(reason.contains(name), "{reason}");
        let odd = judged(&elf(243, PT_INTERP, b"/lib/ld.so\0")).unwrap_err().to_string();
        assert!(odd.contains("processor 243"), "{odd}");
    }

    #[test]
    fn what_is_no_executable_passes() {
        assert_eq!(judged(b"#!/bin/sh\nexec node \"$@\"\n"), Ok(()));
        assert_eq!(judged(b"\x7fELF"), Ok(()));
        assert_eq!(can_preload(Path::new("/nonexistent")), Ok(()));
        assert_eq!(can_preload(&std::env::current_exe().unwrap()), Ok(()));
    }
}
