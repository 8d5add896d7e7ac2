//! Who used the CPU.

use std::fs;
use std::process;
use std::time::Duration;

use local::testing::processes::children;
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

/// CPU time, by who used it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cpu {
    /// The thread that drives the traffic.
    pub(crate) client: Duration,
    /// The processes of all functions.
    pub(crate) functions: Duration,
    /// The engine's thread.
    pub(crate) engine: Duration,
    /// The rest of this process: the gateway, the Runtime API and the readers of streams.
    pub(crate) gateway: Duration,
}

impl Cpu {
    /// What was used so far. The caller is the thread that drives the traffic.
    pub(crate) fn now() -> Result<Self, String> {
        let clock = |clock: ClockId| clock_gettime(clock).map(Duration::from);
        let failed = |error| format!("the CPU time of this process: {error}");
        let client = clock(ClockId::CLOCK_THREAD_CPUTIME_ID).map_err(failed)?;
        let process = clock(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_err(failed)?;
        let engine = thread(local::dynamodb::THREAD);
        // One that has ended meanwhile is not waited for: hardly ever does a process end.
        let functions = children(process::id()).into_iter().filter_map(|(id, _)| {
            let id = Pid::from_raw(id.try_into().ok()?);
            clock_getcpuclockid(id).and_then(clock).ok()
        });
        Ok(Self { client, functions: functions.sum(), engine, gateway: process - client - engine })
    }

    /// What was used from `before` on.
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            client: self.client.saturating_sub(before.client),
            functions: self.functions.saturating_sub(before.functions),
            engine: self.engine.saturating_sub(before.engine),
            gateway: self.gateway.saturating_sub(before.gateway),
        }
    }

    pub(crate) fn sum(&self) -> Duration {
        self.client + self.functions + self.engine + self.gateway
    }
}

/// What the threads of this name have used: nanoseconds stand first in
/// [`schedstat`](https://docs.kernel.org/scheduler/sched-stats.html).
fn thread(name: &str) -> Duration {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads
        .filter_map(|thread| {
            let of = |file| fs::read_to_string(thread.path().join(file)).ok();
            if of("comm")?.trim_end() != name {
                return None;
            }
            of("schedstat")?.split(' ').next()?.parse().ok().map(Duration::from_nanos)
        })
        .sum()
}
