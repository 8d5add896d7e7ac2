//! The limits and the costs of the system, computed from the recorded requests of every function.
//!
//! - [`record`] runs every function with its sample event, and [`partitions`] finds the partitions
//!   that its requests touch.
//! - [`prices`], [`durations`] and [`costs`] turn a recording into dollars.
//! - The simulation of a month takes the costs of the recordings and the assumptions of
//!   `assumptions.toml`.
//! - [`documents`] writes the results into the generated parts of the documents, and the answers into
//!   docs/answers.json.

mod answers;
pub mod assumptions;
pub mod batches;
mod collections;
pub mod costs;
mod csv_file;
pub mod durations;
mod model;
mod names;
pub mod partitions;
pub mod prices;
mod recording;
mod simulation;
mod tables;
mod text;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use testing::access_patterns;
use testing::runner::{Run, Runner};

use crate::assumptions::Assumptions;
use crate::batches::Batches;
use crate::collections::Collection;
use crate::durations::Durations;
use crate::prices::Prices;

pub use crate::recording::Recording;

/// The document with the limits and the simulation.
const SCALING: &str = "docs/scaling.md";

/// The document with the partitions of each function.
const PARTITIONS: &str = "docs/results/partitions.md";

/// The column of access-patterns.md with the dollars for a million requests.
const DOLLARS: &str = "$";

/// The numbers of users that are simulated.
const USERS: [f64; 3] = [1e6, 1e7, 1e8];

/// The number of users of a hobbyist's app.
const FEW_USERS: f64 = 100.0;

/// All functions, and the item collections of the sample data.
#[derive(Clone, Debug)]
pub struct Recordings {
    functions: Vec<Recording>,
    collections: BTreeMap<(String, String), Collection>,
}

/// Runs every function with its sample event.
pub async fn record(runner: &Runner) -> Result<Recordings> {
    let mut functions = vec![];
    for function in &runner.template().functions {
        let event = runner.event(function)?;
        let Run { operations: requests, body: answer } = runner.run(function, &event).await?;
        let loads = partitions::loads(&runner.harness, function, &event, &requests)
            .with_context(|| format!("the partitions of {}", function.name))?;
        functions.push(Recording { function: function.clone(), requests, loads, answer });
    }
    runner.harness.restore()?;
    Ok(Recordings { functions, collections: collections::measure(&runner.harness)? })
}

/// Returns the documents that are generated in whole or in part, as paths relative to the root of the repository and
/// texts.
pub fn documents(root: &Path, recordings: &Recordings) -> Result<Vec<(&'static str, String)>> {
    let (assumptions, prices) = (Assumptions::read()?, Prices::read()?);
    let durations = Durations::read(&root.join(durations::FILE))?;
    let batches = Batches::read(&root.join(batches::FILE))?;
    let functions = &recordings.functions;
    let read = |document: &str| {
        std::fs::read_to_string(root.join(document)).with_context(|| format!("cannot read {document}"))
    };

    let dollars = |name: &str| -> Option<String> {
        let recording = functions.iter().find(|recording| recording.function.name == name)?;
        let usage = costs::usage(recording, &durations, &assumptions);
        Some(format!("{:.2}", prices.marginal(&usage).ok()? * 1e6))
    };
    let patterns = text::fill_column(&read(access_patterns::DOCUMENT)?, "function", DOLLARS, dollars)?;

    let months = USERS.into_iter().map(|users| simulation::run(users, functions, &durations, &batches, &assumptions));
    let months = months.collect::<Result<Vec<_>>>()?;
    let small = simulation::run(FEW_USERS, functions, &durations, &batches, &assumptions)?;
    let mut scaling = read(SCALING)?;
    let parts = [
        ("rates", tables::rates(functions, &assumptions)),
        ("collections", collections::table(&recordings.collections)),
        ("streams", tables::streams(functions, &durations, &batches, &prices, &assumptions)?),
        ("months", tables::months(&months)),
        ("dollars", tables::dollars(&months, &prices)?),
        ("hobby", tables::bill(&small, &prices)?),
        ("assumptions", assumptions.table()),
    ];
    for (name, part) in parts {
        scaling = text::replace_part(&scaling, name, &part).with_context(|| SCALING.to_owned())?;
    }
    let partitions =
        text::replace_part(&read(PARTITIONS)?, "partitions", &tables::partitions(functions, &assumptions))?;
    let answers = answers::text(&read(answers::DOCUMENT)?, functions)?;
    Ok(vec![
        (access_patterns::DOCUMENT, patterns),
        (SCALING, scaling),
        (PARTITIONS, partitions),
        (answers::DOCUMENT, answers),
    ])
}
