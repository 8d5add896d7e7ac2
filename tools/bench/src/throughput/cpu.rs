//! The CPU time of the stack, of the functions and of the clients.

use std::process;
use std::time::Duration;

use anyhow::{Context, Result};
use local::lambda::children::children;
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

/// CPU time by user.
#[derive(Clone, Copy)]
pub(super) struct CpuTime {
    /// The gateway, the Runtime API, the DynamoDB engine and the stream pollers: this process without the clients.
    pub(super) stack: Duration,
    /// The processes of all functions.
    pub(super) functions: Duration,
    /// The thread of the clients.
    pub(super) clients: Duration,
}

impl CpuTime {
    /// Returns the CPU time since the start of each process. The calling thread must be the thread of the clients.
    pub(super) fn now() -> Result<Self> {
        let clock = |clock: ClockId| clock_gettime(clock).map(Duration::from);
        let own = |id: ClockId| clock(id).context("cannot read the CPU time of this process");
        let clients = own(ClockId::CLOCK_THREAD_CPUTIME_ID)?;
        let process = own(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
        // The time of functions that have ended is missing. That is negligible, because hardly any ends under load.
        let functions = children(process::id()).into_iter().filter_map(|(id, _)| {
            let id = Pid::from_raw(id.try_into().ok()?);
            clock_getcpuclockid(id).and_then(clock).ok()
        });
        Ok(Self { stack: process.saturating_sub(clients), functions: functions.sum(), clients })
    }

    /// Returns the CPU time that was used after `before` was taken.
    pub(super) fn since(&self, before: &Self) -> Self {
        Self {
            stack: self.stack.saturating_sub(before.stack),
            functions: self.functions.saturating_sub(before.functions),
            clients: self.clients.saturating_sub(before.clients),
        }
    }

    /// Returns the CPU time of all users together.
    pub(super) fn sum(&self) -> Duration {
        self.stack + self.functions + self.clients
    }
}
