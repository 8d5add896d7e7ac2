//! Explores the schedules of concurrent requests, or replays one.

use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use explore::{Bounds, Progress};
use terminal::println;

/// Runs requests that meet in many orders, with faults, stale reads and repeated records, and
/// checks what each order leaves behind. The exit code is 0 if nothing is wrong, 1 if a schedule
/// breaks a guarantee, and 2 if the exploration could not be done.
#[derive(Parser)]
#[command(name = "explore", version, verbatim_doc_comment)]
struct Arguments {
    /// The maximum number of schedules that are explored of one scenario
    #[arg(long, default_value_t = 250)]
    schedules: usize,
    /// The maximum number of faults, stale answers and repeated records in a schedule
    #[arg(long, default_value_t = 1)]
    deviations: usize,
    /// The number of random schedules of each scenario that has more schedules than the maximum
    #[arg(long, default_value_t = 0)]
    random: usize,
    /// The number of threads
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Explores only the scenarios in whose text all of these words occur
    #[arg(long)]
    only: Vec<String>,
    /// Lists the scenarios
    #[arg(long)]
    list: bool,
    /// Replays the schedule of this line and prints each step
    #[arg(long)]
    replay: Option<String>,
    /// Explores this scenario
    #[arg(long)]
    scenario: Option<String>,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => terminal::exit_code("explore", Err(error)),
    }
}

/// Returns whether no schedule has broken a guarantee.
fn run(arguments: Arguments) -> Result<bool> {
    let Arguments { schedules, deviations, random, threads, only, list, replay, scenario } = arguments;
    if let Some(line) = replay {
        let (trace, finding) = explore::replay(&line).context("--replay takes a line that this program has printed")?;
        println!("{}\n{finding}", trace.join("\n"));
        return Ok(true);
    }
    let scenarios = match scenario {
        Some(scenario) => vec![scenario.parse().context("--scenario takes a line of --list")?],
        None => explore::scenarios(&only)?,
    };
    if list {
        for scenario in &scenarios {
            println!("{scenario}");
        }
        println!("{} scenarios", scenarios.len());
        return Ok(true);
    }
    let bounds = Bounds { schedules, threads, deviations, random, words: only };
    let summary = explore::explore(scenarios, &bounds, |progress| match progress {
        Progress::Found(finding) => println!("{finding}"),
        Progress::Left(scenarios) if scenarios % 50 == 0 => eprintln!("{scenarios} scenarios left"),
        Progress::Left(_) => {}
    })?;
    ensure!(summary.scenarios > 0, "no scenario has all words of --only; --list prints the scenarios");
    println!("{summary}");
    Ok(summary.findings.is_empty())
}
