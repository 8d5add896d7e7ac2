//! The share of a CPU that Lambda gives to a function of a memory size, enforced by a Linux control
//! group.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use scale::durations::WHOLE_CPU_MB;

/// The period of the quota: a process that has used its share pauses until the next period begins.
/// AWS does not document the period of Lambda; functions that observe their own pauses see 20 ms.
const PERIOD_MICROS: u64 = 20_000;

/// The smallest quota that Linux accepts for one period.
const MIN_QUOTA_MICROS: u64 = 1000;

/// A control group with a CPU quota. Dropping it removes the group, which succeeds only after all
/// its processes have ended.
pub(crate) struct CpuQuota {
    directory: PathBuf,
}

impl CpuQuota {
    /// Creates a control group with the CPU share of a function that has `megabytes` of memory.
    ///
    /// The group is a child of this process's own group, so this process needs permission to write
    /// there. Root usually has it; another user has it if systemd delegates a subtree with the CPU
    /// controller to that user.
    pub(crate) fn for_memory(megabytes: u64) -> Result<Self> {
        // Each line is `hierarchy:controllers:path`, see cgroups(7). Version 2 has no controllers
        // in its line.
        let own_groups = fs::read_to_string("/proc/self/cgroup").context("cannot read /proc/self/cgroup")?;
        let quota = (PERIOD_MICROS * megabytes / u64::from(WHOLE_CPU_MB)).max(MIN_QUOTA_MICROS);
        let name = format!("quick-photos-{megabytes}-{}", std::process::id());
        let mut failures = vec![];
        for line in own_groups.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let is_version_2 = controllers.is_empty();
            if !is_version_2 && !controllers.split(',').any(|controller| controller == "cpu") {
                continue;
            }
            let mounts: &[&str] =
                if is_version_2 { &["/sys/fs/cgroup"] } else { &["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"] };
            let files = if is_version_2 {
                vec![("cpu.max", format!("{quota} {PERIOD_MICROS}"))]
            } else {
                vec![("cpu.cfs_period_us", PERIOD_MICROS.to_string()), ("cpu.cfs_quota_us", quota.to_string())]
            };
            for mount in mounts {
                let directory = Path::new(mount).join(path.trim_start_matches('/')).join(&name);
                match create_group(&directory, &files) {
                    Ok(()) => return Ok(Self { directory }),
                    Err(error) => {
                        let _ = fs::remove_dir(&directory);
                        failures.push(format!("{}: {error}", directory.display()));
                    }
                }
            }
        }
        bail!(
            "cannot create a control group with a CPU quota; run as root, or without --memory ({})",
            failures.join("; ")
        )
    }

    /// Limits the process to the quota from now on.
    pub(crate) fn apply_to(&self, process: u32) -> Result<()> {
        let file = self.directory.join("cgroup.procs");
        fs::write(&file, process.to_string()).with_context(|| format!("cannot write {}", file.display()))
    }
}

fn create_group(directory: &Path, files: &[(&str, String)]) -> io::Result<()> {
    fs::create_dir(directory)?;
    for (name, value) in files {
        // Opens without `O_CREAT`: in a directory that is not a control group, the write must fail
        // rather than create a file.
        let mut file = OpenOptions::new().write(true).open(directory.join(name))?;
        file.write_all(value.as_bytes())?;
    }
    Ok(())
}

impl Drop for CpuQuota {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.directory);
    }
}
