//! Builds the function binaries beside the one that runs.

use std::{
    env,
    path::{Path, PathBuf},
    process::Stdio,
};

use tokio::process::Command;

/// What `cargo run` tells the program about the package that it runs. Handed on to another cargo, it would make some
/// build scripts run again.
const ABOUT_THIS_PACKAGE: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];

/// Where the binaries of this build lie: beside the running one, whether it is a program or a test.
pub fn directory() -> Result<PathBuf, String> {
    let program = env::current_exe().map_err(|error| format!("which program is this? {error}"))?;
    let mut directory = program.parent().unwrap_or(Path::new("/")).to_owned();
    if directory.ends_with("deps") {
        directory.pop();
    }
    Ok(directory)
}

/// Builds the binaries of the workspace at `root` into [`directory`], with the profile of the running program. What
/// cargo has to say goes to stderr.
pub async fn functions(root: &Path) -> Result<(), String> {
    let directory = directory()?;
    let profile = match directory.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    // All of the workspace at once, so that features are those of `cargo run` and nothing is compiled twice.
    let target = directory.parent().unwrap_or(Path::new("/"));
    cargo(root, &["--workspace", "--profile", profile], target).await
}

/// Runs `cargo build --bins` with these further arguments in the workspace at `root`, with `target` as the target
/// directory. Cargo's messages go to stderr. Building takes minutes when nothing is compiled yet, so no timeout
/// applies; dropping the future kills cargo.
pub async fn cargo(root: &Path, arguments: &[&str], target: &Path) -> Result<(), String> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let name_text = name.to_string_lossy();
        if ABOUT_THIS_PACKAGE.iter().any(|prefix| name_text.starts_with(prefix)) {
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
    let status = command.status().await.map_err(|error| format!("cannot run cargo to build the functions: {error}"))?;
    if !status.success() {
        return Err("the functions don't build".to_owned());
    }
    Ok(())
}
