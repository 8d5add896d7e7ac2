//! Explores the schedules of concurrent requests, or replays one.

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use explore::{Bounds, Progress};

/// Explores the schedules of concurrent requests.
#[derive(Parser)]
struct Arguments {
    /// The maximum number of schedules that are explored of one scenario
    #[arg(long, default_value_t = 250)]
    schedules: usize,
    /// The maximum number of faults, stale answers and repeated records in a schedule
    #[arg(long, default_value_t = 1)]
    deviations: usize,
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

fn main() -> Result<ExitCode> {
    let Arguments { schedules, deviations, threads, only, list, replay, scenario } = Arguments::parse();
    if let Some(line) = replay {
        let (trace, finding) = explore::replay(&line)?;
        println!("{}\n{finding}", trace.join("\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let scenarios = match scenario {
        Some(scenario) => vec![scenario.parse()?],
        None => explore::scenarios()?,
    };
    if list {
        for scenario in &scenarios {
            println!("{scenario}");
        }
        println!("{} scenarios", scenarios.len());
        return Ok(ExitCode::SUCCESS);
    }
    let bounds = Bounds { schedules, threads, deviations, words: only };
    let summary = explore::explore(scenarios, &bounds, |progress| match progress {
        Progress::Found(finding) => println!("{finding}"),
        Progress::Left(scenarios) if scenarios % 50 == 0 => eprintln!("{scenarios} scenarios left"),
        Progress::Left(_) => {}
    })?;
    println!("{summary}");
    Ok(if summary.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
