//! Who used the CPU.

use std::process;
use std::time::Duration;

use local::lambda::children::children;
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

/// CPU time, by who used it.
#[derive(Clone, Copy)]
pub(crate) struct Cpu {
    /// The gateway, the Runtime API, the engine and the readers of its streams: this process without the client.
    pub(crate) stack: Duration,
    /// The processes of all functions.
    pub(crate) functions: Duration,
    /// The thread that drives the traffic.
    pub(crate) client: Duration,
}

impl Cpu {
    /// What was used so far. The caller is the thread that drives the traffic.
    pub(crate) fn now() -> Result<Self, String> {
        let clock = |clock: ClockId| clock_gettime(clock).map(Duration::from);
        let failed = |error| format!("the CPU time of this process: {error}");
        let client = clock(ClockId::CLOCK_THREAD_CPUTIME_ID).map_err(failed)?;
        let process = clock(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_err(failed)?;
        // What one that has ended meanwhile had used is left out: hardly ever does one end.
        let functions = children(process::id()).into_iter().filter_map(|(id, _)| {
            let id = Pid::from_raw(id.try_into().ok()?);
            clock_getcpuclockid(id).and_then(clock).ok()
        });
        Ok(Self { stack: process.saturating_sub(client), functions: functions.sum(), client })
    }

    /// What was used from `before` on.
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            stack: self.stack.saturating_sub(before.stack),
            functions: self.functions.saturating_sub(before.functions),
            client: self.client.saturating_sub(before.client),
        }
    }

    pub(crate) fn sum(&self) -> Duration {
        self.stack + self.functions + self.client
    }
}
