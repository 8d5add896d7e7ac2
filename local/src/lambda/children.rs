//! Processes, as tests look at and kill them: by `/proc` and a shell's own `kill`, so that no tool has to be installed.

use std::fs;
use std::process::{Command, Stdio};

/// A child's process id, and the name of its program.
pub type Child = (u32, String);

/// The processes that `parent` has started and that have not ended.
#[must_use]
pub fn children(parent: u32) -> Vec<Child> {
    let processes = fs::read_dir("/proc").expect("/proc");
    processes
        .filter_map(|process| {
            let process = process.ok()?.path();
            let pid = process.file_name()?.to_str()?.parse().ok()?;
            // `pid (name) state parent …`, and the name may have anything in it.
            let stat = fs::read_to_string(process.join("stat")).ok()?;
            let parent_of_process: u32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            // One that has ended and was not waited for has no program any more.
            let program = fs::read_link(process.join("exe")).ok()?;
            (parent_of_process == parent)
                .then(|| (pid, program.file_name().unwrap_or_default().to_string_lossy().into()))
        })
        .collect()
}

/// Sends a signal, such as `KILL`; false if there is no such process any more.
#[must_use]
pub fn signal(pid: u32, signal: &str) -> bool {
    let kill = Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).stderr(Stdio::null()).status();
    kill.expect("sh").success()
}

/// Whether there is such a process.
#[must_use]
pub fn is_running(pid: u32) -> bool {
    signal(pid, "0")
}
