//! Lambda's share of CPU, by a control group.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The memory with which a function has
/// [one CPU](https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html); with less, it has less of it.
const MEGABYTES_OF_A_CPU: u64 = 1769;

/// How often the share is given out, in microseconds. AWS doesn't say; 20 ms is what functions see when they watch themselves being
/// stopped.
const PERIOD: u64 = 20_000;

/// A control group with the share of CPU of one memory size. It is removed when dropped, by when its processes have to be
/// gone.
pub(crate) struct Quota {
    directory: PathBuf,
}

impl Quota {
    /// Makes the group below the one in which this process is. That takes permission to write there; root mostly has
    /// it, and so has a user to whom systemd has delegated a subtree with its CPU controller.
    pub(crate) fn of(megabytes: u64) -> Result<Self, String> {
        let ours = fs::read_to_string("/proc/self/cgroup").map_err(|error| format!("/proc/self/cgroup: {error}"))?;
        let quota = (PERIOD * megabytes / MEGABYTES_OF_A_CPU).max(1000);
        let name = format!("quick-photos-{megabytes}-{}", std::process::id());
        let mut refusals = vec![];
        for line in ours.lines() {
            // hierarchy:controllers:path, see cgroups(7)
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let unified = controllers.is_empty();
            if !unified && !controllers.split(',').any(|controller| controller == "cpu") {
                continue;
            }
            let roots: &[&str] =
                if unified { &["/sys/fs/cgroup"] } else { &["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"] };
            let files = if unified {
                vec![("cpu.max", format!("{quota} {PERIOD}"))]
            } else {
                vec![("cpu.cfs_period_us", PERIOD.to_string()), ("cpu.cfs_quota_us", quota.to_string())]
            };
            for root in roots {
                let directory = Path::new(root).join(path.trim_start_matches('/')).join(&name);
                match make(&directory, &files) {
                    Ok(()) => return Ok(Self { directory }),
                    Err(error) => {
                        let _ = fs::remove_dir(&directory);
                        refusals.push(format!("{}: {error}", directory.display()));
                    }
                }
            }
        }
        Err(format!("no share of CPU can be set here: {}", refusals.join("; ")))
    }

    /// From now on the process has this share and no more.
    pub(crate) fn hold(&self, process: u32) -> Result<(), String> {
        let file = self.directory.join("cgroup.procs");
        fs::write(&file, process.to_string()).map_err(|error| format!("{}: {error}", file.display()))
    }
}

fn make(directory: &Path, files: &[(&str, String)]) -> io::Result<()> {
    fs::create_dir(directory)?;
    for (name, value) in files {
        // Without O_CREAT: a file system of another kind must not take it for a new file.
        fs::OpenOptions::new()
            .write(true)
            .open(directory.join(name))
            .and_then(|mut file| io::Write::write_all(&mut file, value.as_bytes()))?;
    }
    Ok(())
}

impl Drop for Quota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.directory);
    }
}
