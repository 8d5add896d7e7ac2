//! The exploration: goes through the levels of the search for each scenario, and collects what the
//! judges find.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::ValueEnum as _;
use tokio::runtime::{Builder, Runtime};

use crate::execution::execute;
use crate::judge::Judge;
use crate::outside::Outside;
use crate::priorities::{Priorities, probability};
use crate::run::Run;
use crate::scenarios::derive;
use crate::schedule::{self, Planned, Scenario, Step};
use crate::search::{LEVELS, Replay, Search};
use crate::system::System;
use crate::world::World;

/// The bounds of an exploration.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// The maximum number of schedules of a scenario.
    pub schedules: usize,
    /// The number of threads.
    pub threads: usize,
    /// The maximum number of deviations in a schedule.
    pub deviations: usize,
    /// The number of random schedules of each scenario whose schedules are more than the maximum.
    pub random: usize,
    /// Explores only scenarios in whose text all of these words occur.
    pub words: Vec<String>,
}

/// A schedule that leads to something that must not be.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The line that replays the schedule.
    pub schedule: String,
    /// The errors.
    pub faults: Vec<String>,
}

/// The result of an exploration.
#[derive(Debug, Default)]
pub struct Summary {
    /// The number of scenarios.
    pub scenarios: usize,
    /// The number of scenarios whose schedules were all explored within the bound of deviations.
    pub complete: usize,
    /// The number of schedules that were run.
    pub schedules: usize,
    /// The number of random schedules among them.
    pub random: usize,
    /// The lowest of the probabilities, over the scenarios with random schedules, that these find
    /// an error of three steps, if there is one.
    pub probability: Option<f64>,
    /// The number of schedules that were begun and given up, because they only repeat another one.
    pub repeated: usize,
    /// The findings: at most one for each scenario and kind of fault.
    pub findings: Vec<Finding>,
    /// The time that it took.
    pub elapsed: Duration,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenarios, complete, schedules, random, repeated, findings, elapsed, .. } = self;
        let cut = scenarios - complete;
        write!(
            f,
            "{scenarios} scenarios, {schedules} schedules in {} s, {repeated} schedules given up as equivalent, {} findings; \
             the bound of schedules cut off {cut} scenarios",
            elapsed.as_secs(),
            findings.len(),
        )?;
        match self.probability {
            Some(probability) => write!(
                f,
                ", and of these {random} random schedules were run, which find an error of three steps with a probability of \
                 {probability:.1e} at least"
            ),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.schedule)?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n    {fault}"))
    }
}

/// Returns a runtime whose clock stands still while a process can run.
fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_time().start_paused(true).build()?)
}

/// Returns the scenarios of all worlds, or of those that one of the words names, such as `feeds:`.
/// Deriving the scenarios of all worlds takes minutes in a debug build.
pub fn scenarios(words: &[String]) -> Result<Vec<Scenario>> {
    let is_named = |world: &World| words.contains(&format!("{world}:"));
    let mut explored = World::value_variants().to_vec();
    if explored.iter().any(is_named) {
        explored.retain(is_named);
    }
    let of_world = |world| runtime()?.block_on(derive(&mut System::new(world)?));
    thread::scope(|scope| {
        let threads: Vec<_> = explored.into_iter().map(|world| scope.spawn(move || of_world(world))).collect();
        let lists = threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a thread has panicked"))?);
        Ok(lists.collect::<Result<Vec<_>>>()?.concat())
    })
}

/// Returns the names of the functions that the requests of scenarios go to.
pub fn functions(scenarios: &[Scenario]) -> Result<BTreeSet<String>> {
    let system = System::new(World::Own)?;
    let requests = scenarios.iter().flat_map(|scenario| &scenario.sessions).flatten();
    let requests = requests.filter(|request| !matches!(Outside::parse(request), Ok(Some(_))));
    requests.map(|request| Ok(system.function_of(request)?.name.clone())).collect()
}

/// The progress of an exploration.
#[derive(Debug)]
pub enum Progress<'a> {
    /// There is a finding.
    Found(&'a Finding),
    /// The schedules of a scenario are explored, and so many scenarios are left.
    Left(usize),
}

/// Explores scenarios, and reports the progress to `watch`.
pub fn explore(
    scenarios: Vec<Scenario>,
    bounds: &Bounds,
    watch: impl Fn(&Progress<'_>) + Send + Sync,
) -> Result<Summary> {
    let begin = Instant::now();
    let mut scenarios = scenarios;
    scenarios.retain(|scenario| bounds.words.iter().all(|word| scenario.to_string().contains(word)));
    let summary = Mutex::new(Summary { scenarios: scenarios.len(), ..Summary::default() });
    scenarios.reverse();
    let queue = Arc::new(Mutex::new(scenarios));
    let lock = || summary.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || -> Result<()> {
        let runtime = runtime()?;
        let mut systems =
            World::value_variants().iter().map(|&world| System::new(world)).collect::<Result<Vec<_>>>()?;
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(scenario) = next else { return Ok(()) };
            let system = systems.iter_mut().find(|system| system.world == scenario.world);
            let system = system.ok_or_else(|| anyhow!("no system"))?;
            let _named = NamedInPanic(&scenario);
            let result = runtime.block_on(explore_scenario(system, &scenario, bounds))?;
            result.findings.iter().for_each(|finding| watch(&Progress::Found(finding)));
            watch(&Progress::Left(queue.lock().unwrap_or_else(PoisonError::into_inner).len()));
            let mut summary = lock();
            summary.schedules += result.schedules;
            summary.random += result.random;
            let probabilities = [summary.probability, result.probability].into_iter().flatten();
            summary.probability = probabilities.reduce(f64::min);
            summary.repeated += result.repeated;
            summary.complete += result.complete;
            summary.findings.extend(result.findings);
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..bounds.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow!("a thread has panicked"))?)
    })?;
    let mut summary = summary.into_inner().unwrap_or_else(PoisonError::into_inner);
    summary.elapsed = begin.elapsed();
    Ok(summary)
}

/// Names its scenario if the thread panics.
struct NamedInPanic<'a>(&'a Scenario);

impl Drop for NamedInPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("explore: the thread explored {}", self.0);
        }
    }
}

async fn explore_scenario(system: &mut System, scenario: &Scenario, bounds: &Bounds) -> Result<Summary> {
    let judge = Judge::new(system, scenario).await?;
    let mut explored = Explored { scenario, judge, summary: Summary::default(), kinds: vec![], steps: 0 };
    for level in LEVELS.into_iter().filter(|level| level.deviations <= bounds.deviations) {
        let mut search = Search::new(level);
        while !search.is_complete {
            if explored.summary.schedules + explored.summary.repeated >= bounds.schedules {
                explored.run_at_random(system, bounds).await?;
                return Ok(explored.summary);
            }
            let run = execute(system, scenario, &mut search).await?;
            explored.add(system, run).await?;
            search.advance();
        }
    }
    explored.summary.complete = 1;
    Ok(explored.summary)
}

/// The exploration of one scenario so far.
struct Explored<'a> {
    scenario: &'a Scenario,
    judge: Judge<'a>,
    summary: Summary,
    /// The kinds of faults that were found.
    kinds: Vec<Vec<String>>,
    /// The number of steps of the longest schedule.
    steps: usize,
}

impl Explored<'_> {
    /// Judges a schedule that was run.
    async fn add(&mut self, system: &mut System, run: Run) -> Result<()> {
        if run.is_abandoned {
            self.summary.repeated += 1;
            return Ok(());
        }
        self.summary.schedules += 1;
        self.steps = self.steps.max(run.steps.len());
        let faults = self.judge.judge(system, &run).await?;
        if !faults.is_empty() && !self.kinds.contains(&faults) {
            let steps = self.shorten(system, run.steps, &faults).await?;
            self.summary
                .findings
                .push(Finding { schedule: schedule::line(self.scenario, &steps), faults: faults.clone() });
            self.kinds.push(faults);
        }
        Ok(())
    }

    /// Runs the maximum number of random schedules. They have no deviation, one, and so on in turn,
    /// up to one more than the search has.
    async fn run_at_random(&mut self, system: &mut System, bounds: &Bounds) -> Result<()> {
        let mut processes = 1;
        for seed in 0..bounds.random {
            let mut chooser = Priorities::new(seed as u64, self.steps, seed % (bounds.deviations + 2));
            let run = execute(system, self.scenario, &mut chooser).await?;
            processes = processes.max(chooser.processes());
            self.add(system, run).await?;
        }
        self.summary.random = bounds.random;
        self.summary.probability = (bounds.random > 0).then(|| probability(bounds.random, processes, self.steps));
        Ok(())
    }

    /// Leaves out the steps of a schedule without which it has the same faults. Those that are left
    /// are followed by the first choice of each further step, as a replay does.
    async fn shorten(&mut self, system: &mut System, steps: Vec<Step>, faults: &[String]) -> Result<Vec<Step>> {
        let mut shortest = steps;
        let mut part = shortest.len();
        while part > 0 {
            let mut begin = 0;
            while begin < shortest.len() {
                let end = shortest.len().min(begin + part);
                let shorter = [&shortest[..begin], &shortest[end..]].concat();
                let planned: Vec<_> = shorter
                    .iter()
                    .map(|step| Planned { step: step.clone(), is_awaited: false, is_optional: true })
                    .collect();
                let run = execute(system, self.scenario, &mut Replay::new(&planned)).await?;
                if self.judge.judge(system, &run).await? == faults {
                    shortest = shorter;
                } else {
                    begin = end;
                }
            }
            part /= 2;
        }
        Ok(shortest)
    }
}

/// Runs the schedule of a line. Returns what happened, and what is wrong: also a step that does not
/// apply when it is its turn.
pub fn replay(line: &str) -> Result<(Vec<String>, Finding)> {
    let (scenario, steps) = schedule::parse(line)?;
    let mut system = System::new(scenario.world)?;
    let runtime = runtime()?;
    let mut judge = runtime.block_on(Judge::new(&mut system, &scenario))?;
    let mut replay = Replay::new(&steps);
    let run = runtime.block_on(execute(&mut system, &scenario, &mut replay))?;
    let mut faults = runtime.block_on(judge.judge(&mut system, &run))?;
    faults.extend(replay.not_taken().map(|step| format!("the step {step} does not apply")));
    let mut trace = run.trace.clone();
    if !faults.is_empty() {
        trace.extend(judge.difference(&run));
    }
    Ok((trace, Finding { schedule: schedule::line(&scenario, &run.steps), faults }))
}
