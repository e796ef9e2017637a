//! Embeds what is loaded into the engine: the harness's files and the preloaded library, which is
//! built here, because Cargo can't yet depend on another package's `cdylib`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Fallible<()> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let crates = manifest.parent().ok_or("the crate has no parent folder")?;
    let workspace = crates.parent().ok_or("the workspace has no root")?;

    embed_harness(&workspace.join("harness"), &out.join("harness.rs"))?;

    for source in ["preload", "protocol", "counter"] {
        let source = crates.join(source);
        if source.exists() {
            println!("cargo::rerun-if-changed={}", source.display());
        }
    }
    let library = out.join("libtiergate_preload.so");
    if env::var("TARGET")? == env::var("HOST")? {
        let built = build_preload(&crates.join("preload"), &out.join("preload-target"))?;
        fs::copy(built, library)?;
    } else {
        // A cross-checked tree has no linker for the target; such a build says at run time that
        // it carries no library.
        fs::write(library, [])?;
    }
    Ok(())
}

fn embed_harness(harness: &Path, generated: &Path) -> Fallible<()> {
    println!("cargo::rerun-if-changed={}", harness.display());
    let mut files = Vec::new();
    collect(harness, harness, &mut files)?;
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        let path = harness.join(&file);
        code += &format!("    ({file:?}, include_bytes!({path:?})),\n");
    }
    code += "]\n";
    fs::write(generated, code)?;
    Ok(())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<String>) -> Fallible<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a name is not UTF-8")?;
        if path.is_dir() {
            if !matches!(name, "test" | "node_modules") {
                collect(root, &path, files)?;
            }
        } else if !name.ends_with(".md") {
            let relative = path.strip_prefix(root)?;
            files.push(relative.to_str().ok_or("a name is not UTF-8")?.to_owned());
        }
    }
    Ok(())
}

fn build_preload(package: &Path, target: &Path) -> Fallible<PathBuf> {
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        // Clippy and coverage wrap the outer compiler; the library must be a plain build.
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("CARGO_MAKEFLAGS");
    if !cargo.status()?.success() {
        return Err("the preloaded library did not build".into());
    }
    Ok(target.join("release/libtiergate_preload.so"))
}
