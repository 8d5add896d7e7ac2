//! Builds the binaries of the functions with cargo.

use std::{
    env,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context as _, Result, bail};
use tokio::process::Command;

/// The prefixes of the variables by which `cargo run` and `cargo test` describe the package to the program. A cargo that
/// inherits them runs some build scripts again.
const PACKAGE_VARIABLES: [&str; 5] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "OUT_DIR"];

/// Returns the directory of this build's binaries. A running program is in it, a running test in its subdirectory
/// `deps`.
pub fn directory() -> Result<PathBuf> {
    let program = env::current_exe().context("cannot find the path of the running program")?;
    let mut directory = program.parent().unwrap_or(Path::new("/")).to_owned();
    if directory.ends_with("deps") {
        directory.pop();
    }
    Ok(directory)
}

/// Builds the binaries of the workspace at `root` into [`directory`], with the profile of the running program. The
/// output of cargo goes to stderr.
pub async fn functions(root: &Path) -> Result<()> {
    let directory = directory()?;
    let profile = match directory.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    // One build of the whole workspace selects the same features as `cargo run`, so nothing is compiled twice.
    let target = directory.parent().unwrap_or(Path::new("/"));
    cargo(root, &["--workspace", "--profile", profile], target).await
}

/// Runs `cargo build --bins` with these further arguments in the workspace at `root`, with `target` as the target
/// directory. Cargo's messages go to stderr. Building takes minutes when nothing is compiled yet, so no timeout
/// applies; dropping the future kills cargo.
pub async fn cargo(root: &Path, arguments: &[&str], target: &Path) -> Result<()> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let name_text = name.to_string_lossy();
        if PACKAGE_VARIABLES.iter().any(|prefix| name_text.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
        .args(["build", "--bins", "--target-dir"])
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
