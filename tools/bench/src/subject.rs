//! A program that serves one event: its cold start, and its warm requests.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, anyhow, ensure};
use axum::body::Bytes;
use local::lambda::process::Process;
use local::template::Function;
use local::trace::Trace;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use testing::harness::Harness;
use tokio::process::Command;

use crate::cpu_quota::CpuQuota;

/// The timeout of every invocation: the longest timeout in template.yaml. Some functions start no
/// new work in the last minute before their deadline, so a shorter timeout would change what they
/// do.
const INVOCATION_TIMEOUT: Duration = Duration::from_mins(5);

/// A program to measure, and the event that it serves.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) name: String,
    /// The function of template.yaml that the program is, or that it is compared with.
    pub(crate) function: Function,
    pub(crate) event: Bytes,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
}

impl Subject {
    /// Returns the function's own binary, with DynamoDB at the URL `dynamodb`.
    pub(crate) fn new(harness: &Harness, function: &Function, event: Bytes, dynamodb: &str) -> Self {
        Self {
            name: function.name.clone(),
            function: function.clone(),
            event,
            program: harness.binary(function),
            arguments: vec![],
            environment: harness.environment(function, dynamodb),
        }
    }

    /// Invokes the program once in a new process and discards the answer.
    pub(crate) async fn invoke_once(&self, harness: &Harness) -> Result<()> {
        WarmProcess::start_on_sample_data(harness, self, None).await?.stop().await;
        Ok(())
    }

    /// Restores the sample data, then applies the change that a stream event reports, so that the
    /// tables are in the state that the event describes.
    fn reset_tables(&self, harness: &Harness) -> Result<()> {
        harness.restore()?;
        let event: Value =
            serde_json::from_slice(&self.event).with_context(|| format!("the event of {}", self.function.name))?;
        harness.apply_stream_changes(&self.function, &event)
    }

    /// Starts a process and waits until it requests its first event. Returns the process and its
    /// id.
    async fn start(&self) -> Result<(Process, u32)> {
        let name: Arc<str> = self.name.as_str().into();
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(&self.environment);
        let mut process = Process::start(&name, command)
            .with_context(|| format!("cannot start {name} ({})", self.program.display()))?;
        process.ready().await.map_err(|failure| self.failed(&failure))?;
        let id = process.id().with_context(|| format!("{name} ended before it received an event"))?;
        Ok((process, id))
    }

    /// Invokes the process with the event and returns the latency. An answer that reports an error
    /// is an error here too: a rejected request is fast and measures nothing.
    async fn invoke(&self, process: &mut Process) -> Result<Duration> {
        let arn: Arc<str> = format!("arn:aws:lambda:us-east-1:123456789012:function:{}", self.name).into();
        let request_id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
        let trace = Trace::start();
        let begin = Instant::now();
        let answer = process.invoke(request_id, &arn, &trace, self.event.clone(), INVOCATION_TIMEOUT).await;
        let latency = begin.elapsed();
        let answer = answer.map_err(|failure| self.failed(&failure))?;
        let body: Value = serde_json::from_slice(&answer.payload).unwrap_or_default();
        let is_success = body["statusCode"].as_u64().is_none_or(|status| status < 400)
            && body["batchItemFailures"].as_array().is_none_or(Vec::is_empty);
        ensure!(
            !answer.function_error && is_success,
            "{} did not answer with success: {}",
            self.name,
            String::from_utf8_lossy(&answer.payload)
        );
        Ok(latency)
    }

    fn failed(&self, failure: &impl Debug) -> Error {
        anyhow!("{} did not answer: {failure:?}", self.name)
    }
}

/// The figures of one cold start: a new process that serves one event.
#[derive(Clone, Copy)]
pub(crate) struct ColdStart {
    /// The time from the start of the process until it requests its first event.
    pub(crate) start_up: Duration,
    /// The time from the delivery of the first event until its answer.
    pub(crate) first_request: Duration,
    /// The CPU time that the start-up and the first request took together.
    pub(crate) cpu: Duration,
    /// The largest resident set of the process in bytes, which includes the pages of the binary.
    pub(crate) peak_memory: u64,
}

impl ColdStart {
    /// Measures one cold start on the sample data. The CPU quota applies from the first event on;
    /// the start-up has a whole CPU.
    pub(crate) async fn measure(harness: &Harness, subject: &Subject, quota: Option<&CpuQuota>) -> Result<Self> {
        subject.reset_tables(harness)?;
        let begin = Instant::now();
        let (mut process, id) = subject.start().await?;
        let start_up = begin.elapsed();
        if let Some(quota) = quota {
            quota.apply_to(id)?;
        }
        let first_request = subject.invoke(&mut process).await?;
        let cpu = cpu_time(id)?;
        let peak_memory = peak_memory(id)?;
        process.kill().await;
        Ok(Self { start_up, first_request, cpu, peak_memory })
    }

    /// The start-up and the first request together.
    pub(crate) fn duration(&self) -> Duration {
        self.start_up + self.first_request
    }
}

/// A process that has served one event and serves the same event again. The first event was the
/// warm-up.
pub(crate) struct WarmProcess<'a> {
    harness: &'a Harness,
    subject: &'a Subject,
    process: Process,
    id: u32,
}

impl<'a> WarmProcess<'a> {
    /// Restores the sample data, then starts a process and lets it serve its first event.
    pub(crate) async fn start_on_sample_data(
        harness: &'a Harness,
        subject: &'a Subject,
        quota: Option<&CpuQuota>,
    ) -> Result<Self> {
        subject.reset_tables(harness)?;
        let (mut process, id) = subject.start().await?;
        if let Some(quota) = quota {
            quota.apply_to(id)?;
        }
        subject.invoke(&mut process).await?;
        Ok(Self { harness, subject, process, id })
    }

    /// Restores the tables to their state before the first event, then invokes the process and
    /// returns the latency.
    pub(crate) async fn invoke_on_sample_data(&mut self) -> Result<Duration> {
        self.subject.reset_tables(self.harness)?;
        self.invoke().await
    }

    /// Invokes the process on the tables in their present state and returns the latency.
    pub(crate) async fn invoke(&mut self) -> Result<Duration> {
        // The process has answered, but may not have requested the next event yet. That time is not
        // part of the latency.
        self.process.ready().await.map_err(|failure| self.subject.failed(&failure))?;
        self.subject.invoke(&mut self.process).await
    }

    /// Returns the CPU time that the process has used since its start.
    pub(crate) fn cpu_time(&self) -> Result<Duration> {
        cpu_time(self.id)
    }

    /// Asks the process to end, and waits until it has ended.
    pub(crate) async fn terminate(mut self, timeout: Duration) -> Result<()> {
        let id = Pid::from_raw(self.id.try_into().with_context(|| format!("{} is not a process id", self.id))?);
        kill(id, Signal::SIGTERM).with_context(|| format!("cannot end {}", self.subject.name))?;
        let ended = tokio::time::timeout(timeout, self.process.ended()).await;
        ended.with_context(|| format!("{} has not ended", self.subject.name))
    }

    /// Kills the process.
    pub(crate) async fn stop(self) {
        self.process.kill().await;
    }
}

/// Returns the CPU time that a process has used in all its threads, including threads that have
/// ended.
#[cfg(target_os = "linux")]
fn cpu_time(process: u32) -> Result<Duration> {
    use nix::time::{clock_getcpuclockid, clock_gettime};
    let id = Pid::from_raw(process.try_into().with_context(|| format!("{process} is not a process id"))?);
    let time = clock_getcpuclockid(id).and_then(clock_gettime);
    time.map(Duration::from).with_context(|| format!("cannot read the CPU time of process {process}"))
}

/// Other systems tell the CPU time of the own process alone.
#[cfg(not(target_os = "linux"))]
fn cpu_time(_: u32) -> Result<Duration> {
    anyhow::bail!("measure needs Linux")
}

/// Returns the largest resident set of a process in bytes: the field `VmHWM` of
/// <https://man7.org/linux/man-pages/man5/proc_pid_status.5.html>.
fn peak_memory(process: u32) -> Result<u64> {
    let file = format!("/proc/{process}/status");
    let status = fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.map(|kibibytes| kibibytes * 1024).with_context(|| format!("{file} has no VmHWM in kB"))
}
