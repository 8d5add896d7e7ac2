//! Processes, as tests look at and kill them: by `/proc` and a shell's own `kill`, so that no tool has to be installed.

use std::collections::BTreeMap;
use std::fs;
use std::process::{self, Command, Stdio};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use tokio::time::sleep;

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

/// Draws a function that this process runs and whose name is fine, and kills all processes that it has, busy or not; waits
/// for one if there is none.
pub async fn kill_one(random: &mut StdRng, is_fine: impl Fn(&str) -> bool) {
    loop {
        let mut functions: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (pid, name) in children(process::id()) {
            if name.contains('-') && is_fine(&name) {
                functions.entry(name).or_default().push(pid);
            }
        }
        let functions: Vec<_> = functions.into_iter().collect();
        if let Some((name, pids)) = functions.choose(random) {
            let killed = pids.iter().filter(|pid| signal(**pid, "KILL")).count();
            if killed > 0 {
                eprintln!("killed {killed} of {name}");
                return;
            }
        }
        sleep(Duration::from_millis(20)).await;
    }
}
