//! Builds the binaries of the functions with cargo.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::SystemTime,
};

use anyhow::{Context as _, Result, bail};
use tokio::process::Command;

/// The prefixes of the variables by which `cargo run` and `cargo test` describe the package to the
/// program. A cargo that inherits them runs some build scripts again.
const PACKAGE_VARIABLES: [&str; 5] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "OUT_DIR"];

/// Returns the directory of this build's binaries. A running program is in it, a running test in
/// its subdirectory `deps`.
pub fn directory() -> Result<PathBuf> {
    let program = env::current_exe().context("cannot find the path of the running program")?;
    let mut directory = program.parent().unwrap_or(Path::new("/")).to_owned();
    if directory.ends_with("deps") {
        directory.pop();
    }
    Ok(directory)
}

/// Builds the binaries of the functions of the workspace at `root`, like [`programs`].
pub async fn functions(root: &Path) -> Result<()> {
    programs(root, &names(root)?).await
}

/// Builds these binaries of the workspace at `root` into [`directory`], with the profile of the
/// running program. The output of cargo goes to stderr.
pub async fn programs(root: &Path, names: &[String]) -> Result<()> {
    let directory = directory()?;
    let profile = match directory.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    // A build of the whole workspace selects the same features as `cargo run`, so nothing is
    // compiled twice. The names of the binaries leave out the tools.
    let binaries = names.iter().flat_map(|name| ["--bin", name]);
    let arguments: Vec<&str> = ["--workspace", "--profile", profile].into_iter().chain(binaries).collect();
    cargo(root, &arguments, directory.parent().unwrap_or(Path::new("/"))).await
}

/// Returns the names of the functions of the workspace at `root`: those of their programs,
/// `functions/NOUN/src/bin/NAME.rs`.
pub(crate) fn names(root: &Path) -> Result<Vec<String>> {
    let failed = || format!("cannot read {}", root.join("functions").display());
    let mut names = vec![];
    for noun in fs::read_dir(root.join("functions")).with_context(failed)? {
        let programs = noun.with_context(failed)?.path().join("src/bin");
        for program in fs::read_dir(programs).with_context(failed)? {
            let program = program.with_context(failed)?.path();
            names.extend(program.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    Ok(names)
}

/// Returns the time at which a binary was built, or `None` if there is none.
pub(crate) fn time(binary: &Path) -> Option<SystemTime> {
    fs::metadata(binary).and_then(|file| file.modified()).ok()
}

/// Runs `cargo build` with these further arguments in the workspace at `root`, with `target` as the
/// target directory. Cargo's messages go to stderr. Building takes minutes when nothing is compiled
/// yet, so no timeout applies; dropping the future kills cargo.
pub async fn cargo(root: &Path, arguments: &[&str], target: &Path) -> Result<()> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let name_text = name.to_string_lossy();
        if PACKAGE_VARIABLES.iter().any(|prefix| name_text.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
        .args(["build", "--target-dir"])
        .arg(target)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    let status = command.status().await.context("cannot run cargo to build the functions")?;
    if !status.success() {
        bail!("cargo cannot build the functions; its errors are above");
    }
    Ok(())
}
