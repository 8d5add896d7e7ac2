//! One process of one function: started, given its event, watched, ended.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, io};

use axum::body::Bytes;
use local::lambda::process::{Failure, Process};
use local::template::Function;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use testing::harness::Workbench;
use tokio::process::Command;

use crate::quota::Quota;

/// How long any event may take: the longest timeout in template.yaml. Some functions begin nothing in their last minute.
const TIME_LIMIT: Duration = Duration::from_mins(5);

/// A program that serves events, and the event that it is measured with.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) name: String,
    /// The function of template.yaml that it is, or stands for.
    pub(crate) function: Function,
    pub(crate) event: Bytes,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
}

impl Subject {
    /// A function on the DynamoDB at this URL.
    pub(crate) fn of(bench: &Workbench, function: &Function, event: Bytes, dynamodb: &str) -> Self {
        Self {
            name: function.name.clone(),
            function: function.clone(),
            event,
            program: bench.binary(function),
            arguments: vec![],
            environment: bench.environment(function, dynamodb),
        }
    }
}

/// A start from cold.
#[derive(Clone, Copy)]
pub(crate) struct Cold {
    /// From the start of the process until it asked for its first event.
    pub(crate) start_up: Duration,
    /// From then until its answer.
    pub(crate) first_request: Duration,
    /// What CPU both took.
    pub(crate) cpu: Duration,
    /// The most memory that was its own at a time, program text included, in bytes.
    pub(crate) peak_memory: u64,
}

/// Starts it, gives it its event, and ends it.
pub(crate) async fn cold(bench: &Workbench, subject: &Subject, quota: Option<&Quota>) -> Result<Cold, String> {
    reset(bench, subject)?;
    let begin = Instant::now();
    let mut process = start(subject)?;
    process.ready().await.map_err(|failure| failed(subject, &failure))?;
    let start_up = begin.elapsed();
    let id = process.id().ok_or_else(|| format!("{} has ended", subject.name))?;
    if let Some(quota) = quota {
        quota.hold(id)?;
    }
    let first_request = invoke(&mut process, subject).await?;
    let cpu = cpu(id)?;
    let peak_memory = peak_memory(id).map_err(|error| format!("/proc/{id}/status: {error}"))?;
    process.kill().await;
    Ok(Cold { start_up, first_request, cpu, peak_memory })
}

/// A process that has served its first event, for those that follow.
pub(crate) struct Warm<'a> {
    bench: &'a Workbench,
    subject: &'a Subject,
    process: Process,
    id: u32,
}

impl<'a> Warm<'a> {
    pub(crate) async fn up(bench: &'a Workbench, subject: &'a Subject, quota: Option<&Quota>) -> Result<Self, String> {
        reset(bench, subject)?;
        Self::start(bench, subject, quota).await
    }

    /// The same on the tables as they are.
    pub(crate) async fn start(
        bench: &'a Workbench,
        subject: &'a Subject,
        quota: Option<&Quota>,
    ) -> Result<Self, String> {
        let mut process = start(subject)?;
        process.ready().await.map_err(|failure| failed(subject, &failure))?;
        let id = process.id().ok_or_else(|| format!("{} has ended", subject.name))?;
        if let Some(quota) = quota {
            quota.hold(id)?;
        }
        invoke(&mut process, subject).await?;
        Ok(Self { bench, subject, process, id })
    }

    /// Gives it its event once more, with the tables as they were before the first.
    pub(crate) async fn again(&mut self) -> Result<Duration, String> {
        reset(self.bench, self.subject)?;
        self.ask().await
    }

    /// Gives it its event once more, with the tables as they are.
    pub(crate) async fn ask(&mut self) -> Result<Duration, String> {
        // It has answered; let it ask for the next event before the clock runs.
        self.process.ready().await.map_err(|failure| failed(self.subject, &failure))?;
        invoke(&mut self.process, self.subject).await
    }

    /// What CPU it has taken since its start.
    pub(crate) fn cpu(&self) -> Result<Duration, String> {
        cpu(self.id)
    }

    pub(crate) async fn down(self) {
        self.process.kill().await;
    }
}

/// Gives the function its event and its answer to nobody: what it asked for on the way is in the recorder.
pub(crate) async fn once(bench: &Workbench, subject: &Subject) -> Result<(), String> {
    Warm::up(bench, subject, None).await?.down().await;
    Ok(())
}

/// Makes the tables what they are when the event comes.
fn reset(bench: &Workbench, subject: &Subject) -> Result<(), String> {
    bench.restore()?;
    let event = serde_json::from_slice(&subject.event).map_err(|error| format!("{}: {error}", subject.name))?;
    bench.follow(&subject.function, &event)
}

fn start(subject: &Subject) -> Result<Process, String> {
    let name: Arc<str> = subject.name.as_str().into();
    let mut command = Command::new(&subject.program);
    command.args(&subject.arguments).env_clear().envs(&subject.environment);
    Process::start(&name, command).map_err(|error| format!("cannot start {name}: {error}"))
}

async fn invoke(process: &mut Process, subject: &Subject) -> Result<Duration, String> {
    let arn: Arc<str> = format!("arn:aws:lambda:us-east-1:123456789012:function:{}", subject.name).into();
    let begin = Instant::now();
    let answer = process.invoke("8476a536-e9f4-11e8-9739-2dfe598c3fcd", &arn, subject.event.clone(), TIME_LIMIT).await;
    let took = begin.elapsed();
    let answer = answer.map_err(|failure| failed(subject, &failure))?;
    // A fast refusal is no measurement.
    let body: serde_json::Value = serde_json::from_slice(&answer.payload).unwrap_or_default();
    let is_success = body["statusCode"].as_u64().is_none_or(|status| status < 300)
        && body["batchItemFailures"].as_array().is_none_or(Vec::is_empty);
    if answer.function_error || !is_success {
        return Err(format!("{} answers {}", subject.name, String::from_utf8_lossy(&answer.payload)));
    }
    Ok(took)
}

fn failed(subject: &Subject, failure: &Failure) -> String {
    format!("{}: {failure:?}", subject.name)
}

/// The CPU time of all threads, of those too that have ended.
fn cpu(process: u32) -> Result<Duration, String> {
    let id = Pid::from_raw(process.try_into().map_err(|_| format!("{process} is no process id"))?);
    let time = clock_getcpuclockid(id).and_then(clock_gettime);
    time.map(Duration::from).map_err(|error| format!("the CPU time of {process}: {error}"))
}

/// <https://man7.org/linux/man-pages/man5/proc_pid_status.5.html>: `VmHWM` is the peak of the resident set.
fn peak_memory(process: u32) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.map(|kibibytes| kibibytes * 1024).ok_or_else(|| io::Error::other("no VmHWM"))
}
