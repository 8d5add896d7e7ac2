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
pub mod audiences;
pub mod batches;
mod collections;
pub mod costs;
mod csv_file;
pub mod durations;
mod limits;
mod model;
mod names;
mod nouns;
pub mod partitions;
pub mod prices;
mod recording;
mod simulation;
mod tables;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use local::template::{Function, Template};
use testing::runner::{Run, Runner};

use crate::assumptions::Assumptions;
use crate::audiences::Audiences;
use crate::batches::Batches;
use crate::collections::Collection;
use crate::durations::Durations;
use crate::prices::Prices;

pub use crate::recording::Recording;

/// The document with the limits and the simulation.
const SCALING: &str = "docs/scaling.md";

/// The document with the partitions of each function.
const PARTITIONS: &str = "docs/results/partitions.md";

/// The same for the page of the local stack.
const PARTITIONS_OF_PAGE: &str = "docs/results/partitions.json";

/// The document with the rules of units.
const ARCHITECTURE: &str = "docs/architecture.md";

/// The document with the table of who sees what.
const API: &str = "docs/api.md";

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
    let root = Template::find()?;
    let mut patterns = local::costs::read(root.parent().context("template.yaml has no parent directory")?)?;
    let mut functions = vec![];
    for function in &runner.template().functions {
        let event = runner.event(function)?;
        let Run { operations: requests, body: answer } = runner.run(function, &event).await?;
        let loads = partitions::loads(&runner.harness, function, &event, &requests)
            .with_context(|| format!("the partitions of {}", function.name))?;
        let pattern = patterns.remove(&function.name).with_context(|| {
            format!(
                "costs.toml has no entry for {}: `cargo test --workspace --test system contract` prints it",
                function.name
            )
        })?;
        functions.push(Recording { function: function.clone(), pattern, loads, answer });
    }
    runner.harness.restore()?;
    Ok(Recordings { functions, collections: collections::measure(&runner.harness)? })
}

/// Returns the documents that are generated in whole or in part, as paths relative to the root of the repository and
/// texts.
pub fn documents(root: &Path, recordings: &Recordings) -> Result<Vec<(String, String)>> {
    let (assumptions, prices) = (Assumptions::read()?, Prices::read()?);
    let durations = Durations::read(&root.join(durations::FILE))?;
    let batches = Batches::read(&root.join(batches::FILE))?;
    let functions = &recordings.functions;
    let read = |document: &str| {
        std::fs::read_to_string(root.join(document)).with_context(|| format!("cannot read {document}"))
    };

    let dollars = |recording: &Recording| {
        let usage = costs::usage(recording, &durations, &assumptions);
        Ok(format!("{:.2}", prices.marginal(&usage)? * 1e6))
    };
    let mut documents = vec![];
    for noun in functions.iter().map(|recording| &recording.pattern.noun).collect::<BTreeSet<_>>() {
        let document = format!("functions/{noun}/README.md");
        let part = nouns::part(noun, functions, dollars)?;
        let text = text::replace_part(&read(&document)?, "costs", &part).with_context(|| document.clone())?;
        documents.push((document, text));
    }

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
    let rules = text::replace_part(&read(ARCHITECTURE)?, "rules", &tables::rules()?)?;
    let api = text::replace_part(&read(API)?, "audiences", &Audiences::read(root)?.table())?;
    let templates: Vec<Function> = functions.iter().map(|recording| recording.function.clone()).collect();
    let limits = limits::text(&read(limits::DOCUMENT)?, root, &templates)?;
    let others = [
        (ARCHITECTURE, rules),
        (limits::DOCUMENT, limits),
        (API, api),
        (SCALING, scaling),
        (PARTITIONS, partitions),
        (PARTITIONS_OF_PAGE, tables::partitions_of_page(functions)),
        (answers::DOCUMENT, answers),
    ];
    documents.extend(others.map(|(document, text)| (document.to_owned(), text)));
    Ok(documents)
}
