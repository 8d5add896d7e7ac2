//! `measure --load`: mixed traffic of all routes through the whole stack, at rising concurrency.

mod cpu;
mod report;
mod tally;
mod traffic;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::stack::{Options, Stack};
use local::template::{Route, Template};
use tokio::runtime::Builder;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::sleep;

use self::cpu::Cpu;
use self::tally::Tally;
use self::traffic::Traffic;

/// How many clients there are at a time.
const STAGES: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// How long new clients have until it counts: functions that serve more at once than before start more processes.
const WARM_UP: Duration = Duration::from_secs(3);

/// How long it counts.
const MEASURED: Duration = Duration::from_secs(6);

/// What was found out at one concurrency.
pub(crate) struct Stage {
    pub(crate) clients: usize,
    pub(crate) took: Duration,
    pub(crate) tally: Tally,
    pub(crate) cpu: Cpu,
}

impl Stage {
    /// Successes a second.
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    pub(crate) fn rate(&self) -> f64 {
        self.tally.all().count() as f64 / self.took.as_secs_f64()
    }
}

/// Drives the traffic, and writes what it found. Fails if anything was answered with an error.
pub(crate) async fn run(functions: &Path, out: &Path) -> Result<(), String> {
    let template_path = Template::find()?;
    let template = Template::read(&template_path)?;
    let root = template_path.parent().ok_or("template.yaml lies nowhere")?;
    let stack = Stack::start(Options { functions: Some(functions.to_owned()), ..Options::default() }).await?;
    let traffic = Traffic::new(&stack, root, &template)?;

    // On a thread of its own, whose CPU is known.
    let driven = spawn_blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        runtime.block_on(drive(&Arc::new(traffic)))
    });
    let stages = driven.await.map_err(|error| error.to_string())??;
    let begin = Instant::now();
    stack.streams_idle().await;
    let streams = begin.elapsed();
    stack.shutdown().await;

    let routes = template.functions.iter().flat_map(|function| &function.routes).map(Route::key).collect();
    report::write(&stages, streams, &routes, out)
}

/// All stages, one after the other. Clients that have begun go on until the end.
async fn drive(traffic: &Arc<Traffic>) -> Result<Vec<Stage>, String> {
    let mut clients = JoinSet::new();
    let mut stages = vec![];
    for number in STAGES {
        while clients.len() < number {
            clients.spawn(traffic.clone().visit_again_and_again());
        }
        sleep(WARM_UP).await;
        let warm_up = traffic.take();
        let (begin, before) = (Instant::now(), Cpu::now()?);
        sleep(MEASURED).await;
        let (took, cpu) = (begin.elapsed(), Cpu::now()?.since(&before));
        let mut tally = traffic.take();
        for (error, times) in warm_up.errors {
            *tally.errors.entry(error).or_default() += times;
        }
        stages.push(Stage { clients: number, took, tally, cpu });
    }
    Ok(stages)
}
