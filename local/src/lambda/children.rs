//! Finds child processes and sends them signals, for tests and the load benchmark. Uses `/proc` and
//! the `kill` of the shell, so that no tool has to be installed.

use std::fs;
use std::process::{Command, Stdio};

/// The process id of a child and the name of its program.
pub type Child = (u32, String);

/// Returns the running processes that `parent` has started.
#[must_use]
pub fn children(parent: u32) -> Vec<Child> {
    let processes = fs::read_dir("/proc").expect("/proc");
    processes
        .filter_map(|process| {
            let process = process.ok()?.path();
            let pid = process.file_name()?.to_str()?.parse().ok()?;
            // The line is `pid (name) state parent …`. The name may contain spaces and parentheses.
            let stat = fs::read_to_string(process.join("stat")).ok()?;
            let parent_of_process: u32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            // A zombie has no program.
            let program = fs::read_link(process.join("exe")).ok()?;
            (parent_of_process == parent)
                .then(|| (pid, program.file_name().unwrap_or_default().to_string_lossy().into()))
        })
        .collect()
}

/// Sends a signal such as `KILL`. Returns false if the process does not exist.
#[must_use]
pub fn signal(pid: u32, signal: &str) -> bool {
    let kill = Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).stderr(Stdio::null()).status();
    kill.expect("sh").success()
}

/// Returns whether the process exists.
#[must_use]
pub fn is_running(pid: u32) -> bool {
    signal(pid, "0")
}
