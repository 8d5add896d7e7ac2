//! `measure --load`: the throughput of the local stack under mixed traffic on all routes, at increasing concurrency.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use local::stack::{Options, Stack};
use local::template::{Route, Template};
use tokio::runtime::Builder;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::sleep;

mod counts;
mod cpu;
mod report;
mod step;
mod traffic;

use cpu::CpuTime;
use step::Step;
use traffic::Traffic;

/// The numbers of concurrent clients, one step each.
const CLIENTS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// The warm-up at the start of a step. It is not measured, because more clients make the stack start more processes of
/// each function.
const WARM_UP: Duration = Duration::from_secs(3);

/// The measured time of a step.
const MEASURED: Duration = Duration::from_secs(6);

/// Measures every step. Prints the tables and writes them to the directory `out`. Fails if any request was answered
/// with an error.
pub(crate) async fn run(template: &Template, root: &Path, binaries: &Path, out: &Path) -> Result<()> {
    let options = Options { functions: Some(binaries.to_owned()), ..Options::default() };
    let stack = Stack::start(options).await?;
    let traffic = Traffic::new(&stack, root, template)?;

    // The clients run on a thread of their own, so that their CPU time can be told from that of the stack.
    let steps = spawn_blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(drive(&Arc::new(traffic)))
    });
    let steps = steps.await??;
    let begin = Instant::now();
    stack.idle().await;
    let stream_lag = begin.elapsed();
    stack.shutdown().await;

    let routes = template.functions.iter().flat_map(|function| &function.routes).map(Route::key).collect();
    report::write(&steps, stream_lag, &routes, out)
}

/// Runs all steps one after the other. The clients of a step go on in the next one.
async fn drive(traffic: &Arc<Traffic>) -> Result<Vec<Step>> {
    let mut tasks = JoinSet::new();
    let mut steps = vec![];
    for clients in CLIENTS {
        while tasks.len() < clients {
            tasks.spawn(traffic.clone().run_client());
        }
        sleep(WARM_UP).await;
        let warm_up = traffic.take_counts();
        let (begin, cpu_before) = (Instant::now(), CpuTime::now()?);
        sleep(MEASURED).await;
        let (duration, cpu) = (begin.elapsed(), CpuTime::now()?.since(&cpu_before));
        let mut counts = traffic.take_counts();
        // Errors count during the warm-up too.
        for (error, number) in warm_up.errors {
            *counts.errors.entry(error).or_default() += number;
        }
        steps.push(Step { clients, duration, counts, cpu });
    }
    Ok(steps)
}
