//! The default benchmark: every function by itself, on the sample data, over TLS.
//!
//! The baseline is the empty function. Peers in other languages and other builds of the functions
//! can be measured in the same run.

use std::fs;
use std::iter::once;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use local::template::{Function, Template};
use testing::harness::Harness;
use testing::recorder::Recorder;

use crate::cpu_quota::CpuQuota;
use crate::deployed::{self, EMPTY_FUNCTION};
use crate::subject::{ColdStart, Subject, WarmProcess};

mod measurement;
mod peers;
mod report;
mod results;
pub(crate) mod tls;

use measurement::{Benchmark, Program, Warm};
use peers::Peers;
use tls::{Endpoint, Proxy};

/// The number of batches that the warm requests to each program of a function are divided into. The
/// programs alternate, so that other load on the machine affects all of them alike.
const BATCHES: u32 = 50;

/// The options of the benchmark.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The functions to measure, such as get-user; all functions if none is named
    #[arg(value_name = "FUNCTION")]
    functions: Vec<String>,
    /// The number of cold starts of each function
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// The number of warm requests to each function
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// Repeats the benchmark with the CPU share that Lambda gives to each of these memory sizes in
    /// MB, which commas separate; a whole CPU if none is given
    #[arg(long, value_name = "MB", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(128..=10240))]
    pub(crate) memory: Vec<u64>,
    /// Also measures programs in Python and Node that make the same requests;
    /// tools/bench/peers/install installs them
    #[arg(long)]
    peers: bool,
    /// A directory with another build of the same functions, which is measured in the same run; may
    /// be repeated
    #[arg(long, value_name = "DIR")]
    beside: Vec<PathBuf>,
}

/// Measures the selected functions. Prints a table, and writes the results to the directory `out`.
pub(crate) async fn run(template: &Template, root: &Path, options: &Options, out: &Path) -> Result<()> {
    let functions = select(template, &options.functions)?;
    let binaries = deployed::build(root, &functions).await?;
    let builds = copies(root, &functions, &options.beside)?;
    let harness = Harness::new(binaries)?;
    let proxy = Proxy::start(harness.dynamodb()).context("cannot start the TLS proxy")?;
    let peers = if options.peers { Some(Peers::find(root)?) } else { None };

    let quotas = if options.memory.is_empty() {
        vec![(None, None)]
    } else {
        let quota = |&megabytes: &u64| Ok((Some(megabytes), Some(CpuQuota::for_memory(megabytes)?)));
        options.memory.iter().map(quota).collect::<Result<_>>()?
    };
    for (megabytes, quota) in &quotas {
        let mut benchmarks = vec![];
        for function in once(&empty_function(&functions[0])).chain(&functions) {
            benchmarks.push(prepare(&harness, function, proxy.endpoint(), peers.as_ref(), &builds).await?);
        }
        measure(&harness, &mut benchmarks, quota.as_ref(), options).await?;
        report::print(&benchmarks, *megabytes);
        results::write(&benchmarks, *megabytes, out)?;
    }
    Ok(())
}

/// Copies the binaries of these functions in each other build, and returns the directories of the
/// copies. They keep the names of the builds.
fn copies(root: &Path, functions: &[Function], builds: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let copy = |(number, build): (usize, &PathBuf)| {
        let copies = root.join(format!("target/deployed/beside-{number}")).join(build.file_name().unwrap_or_default());
        deployed::copy(build, &names, &copies)?;
        Ok(copies)
    };
    builds.iter().enumerate().map(copy).collect()
}

/// Returns the functions with these names, or all functions if there are no names.
pub(crate) fn select(template: &Template, names: &[String]) -> Result<Vec<Function>> {
    if names.is_empty() {
        return Ok(template.functions.clone());
    }
    let find = |name: &String| template.functions.iter().find(|function| function.name == *name);
    names
        .iter()
        .map(|name| find(name).cloned().with_context(|| format!("template.yaml has no function {name}")))
        .collect()
}

/// Returns the empty function with the settings of another function.
fn empty_function(settings: &Function) -> Function {
    Function { name: EMPTY_FUNCTION.to_owned(), ..settings.clone() }
}

/// Returns a function with the programs to measure beside it. Invokes the function once to record its
/// DynamoDB requests. The recorder is not part of the later measurements: between the function and
/// DynamoDB there is only the TLS proxy.
async fn prepare(
    harness: &Harness,
    function: &Function,
    endpoint: &Endpoint,
    peers: Option<&Peers>,
    builds: &[PathBuf],
) -> Result<Benchmark> {
    let is_empty = function.name == EMPTY_FUNCTION;
    let event = harness.event(if is_empty { "get-user" } else { &function.name })?;
    let recorder = Recorder::start(harness.dynamodb()).context("cannot start the recorder")?;
    Subject::new(harness, function, event.clone(), recorder.url()).invoke_once(harness).await?;
    let requests = recorder.take();

    let mut subject = Subject::new(harness, function, event, &endpoint.url);
    subject.environment.insert("SSL_CERT_FILE".to_owned(), endpoint.roots.display().to_string());
    let mut others = vec![];
    if !is_empty {
        others.extend(builds.iter().map(|build| {
            let name = build.file_name().unwrap_or(build.as_os_str()).display().to_string();
            Subject { name, program: build.join(&function.name), ..subject.clone() }
        }));
        if let Some(peers) = peers {
            others.extend(peers.subjects(&subject, &requests, endpoint)?);
        }
    }

    let binary = &subject.program;
    let binary_size = fs::metadata(binary).with_context(|| format!("cannot read {}", binary.display()))?.len();
    let others = others.into_iter().map(Program::new).collect();
    Ok(Benchmark { own: Program::new(subject), others, binary_size, requests })
}

/// Takes all samples. The programs take turns: each starts once before any starts a second time, so
/// that other load on the machine affects all alike. The builds of a function take turns in being
/// the first of them, because the first one starts with the caches of another function.
async fn measure(
    harness: &Harness,
    benchmarks: &mut [Benchmark],
    quota: Option<&CpuQuota>,
    options: &Options,
) -> Result<()> {
    let programs: usize = benchmarks.iter().map(|benchmark| 1 + benchmark.others.len()).sum();
    let progress = ProgressBar::new(u64::from(options.runs) * programs as u64 + benchmarks.len() as u64);
    for run in 0..options.runs {
        for benchmark in &mut *benchmarks {
            let mut turn: Vec<_> = benchmark.programs().collect();
            let first = run as usize % turn.len();
            turn.rotate_left(first);
            for Program { subject, cold_starts, .. } in turn {
                cold_starts.0.push(ColdStart::measure(harness, subject, quota).await?);
                progress.inc(1);
            }
        }
    }
    for benchmark in benchmarks {
        measure_warm(harness, benchmark, quota, options.requests).await?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(())
}

/// Samples the warm requests of all programs of a function, which take turns.
async fn measure_warm(
    harness: &Harness,
    benchmark: &mut Benchmark,
    quota: Option<&CpuQuota>,
    requests: u32,
) -> Result<()> {
    let writes = benchmark.requests.iter().any(|request| request.units.write > 0.0);
    let mut processes = vec![];
    for Program { subject, warm, .. } in benchmark.programs() {
        processes.push((WarmProcess::start_on_sample_data(harness, subject, quota).await?, warm));
    }
    for batch in 0..BATCHES {
        let size = requests / BATCHES + u32::from(batch < requests % BATCHES);
        for (process, warm) in &mut processes {
            measure_batch(process, size, writes, warm).await?;
        }
    }
    for (process, _) in processes {
        process.stop().await;
    }
    Ok(())
}

/// Samples some warm requests to one process.
async fn measure_batch(process: &mut WarmProcess<'_>, size: u32, writes: bool, warm: &mut Warm) -> Result<()> {
    let cpu_before = process.cpu_time()?;
    for _ in 0..size {
        // Tables that were just restored are slower to read, so they are restored only if the
        // function writes.
        let latency = if writes { process.invoke_on_sample_data().await? } else { process.invoke().await? };
        warm.latencies.push(latency);
    }
    warm.cpu += process.cpu_time()?.saturating_sub(cpu_before);
    Ok(())
}
