//! The limits and the costs of the system, computed from the recorded requests of every function.
//!
//! - [`record`] runs every function with its sample event, and finds the partitions that its requests
//!   touch.
//! - The prices of `prices.toml` and the [`durations`] turn a recording into dollars.
//! - The simulation of a month takes the costs of the recordings and the assumptions of
//!   `assumptions.toml`.
//! - [`documents`] writes the results into the generated parts of the documents, and the answers into
//!   docs/answers.json.

mod answers;
pub mod assumptions;
pub mod audiences;
pub mod batches;
mod costs;
pub mod csv_file;
pub mod durations;
mod inputs;
mod kinds;
mod limits;
mod links;
mod model;
mod names;
mod nouns;
pub mod operations;
mod partitions;
mod prices;
mod problems;
mod recording;
mod screens;
mod simulation;
mod tables;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use local::template::{Function, Template};
use testing::runner::{Run, Runner};

use crate::audiences::Audiences;
use crate::inputs::Inputs;
use crate::kinds::Kinds;
use crate::partitions::Images;
use crate::recording::Recording;
use crate::screens::Screen;

/// The document with the highest rates, the streams and the simulation.
const NUMBERS: &str = "docs/numbers.md";

/// The partitions of each function.
const PARTITIONS: &str = "docs/results/partitions.json";

/// The document with the rules of units.
const ARCHITECTURE: &str = "docs/architecture.md";

/// The document with the tables of the screens and of who sees what.
const API: &str = "docs/api.md";

/// The numbers of users that are simulated.
const USERS: [f64; 3] = [1e6, 1e7, 1e8];

/// The smaller numbers of users whose bill is shown too.
const FEW_USERS: [f64; 3] = [100.0, 1e3, 1e5];

/// The recordings of the functions at their sample events, and at the screens of a client.
#[derive(Clone, Debug)]
pub struct Recordings {
    functions: Vec<Recording>,
    kinds: BTreeMap<String, Kinds>,
    screens: Vec<Screen>,
}

/// Runs every function with its sample event, and requests the screens.
pub async fn record(runner: &Runner) -> Result<Recordings> {
    let root = Template::find()?;
    let mut patterns = local::costs::read(root.parent().context("template.yaml has no parent directory")?)?;
    let kinds = kinds::record(runner, &patterns).await?;
    let mut functions = vec![];
    for function in &runner.template().functions {
        let event = runner.event(function)?;
        let Run { operations: requests, body: answer, .. } = runner.run(function, &event).await?;
        let images = Images::take(&runner.harness, function, &event, &requests)?;
        let loads = partitions::loads(&runner.template().tables, &event, &requests, &images)
            .with_context(|| format!("the partitions of {}", function.name))?;
        let pattern = patterns.remove(&function.name).with_context(|| {
            format!(
                "costs.toml has no entry for {}: `cargo test --workspace --test system contract` prints it",
                function.name
            )
        })?;
        functions.push(Recording { function: function.clone(), pattern, loads, answer });
    }
    Ok(Recordings { functions, kinds, screens: screens::record().await? })
}

/// Returns the documents that are generated in whole or in part, as paths relative to the root of the repository and
/// texts.
pub fn documents(root: &Path, Recordings { functions, kinds, screens }: &Recordings) -> Result<Vec<(String, String)>> {
    let inputs = Inputs::read(root, functions)?;
    let read = |document: &str| {
        std::fs::read_to_string(root.join(document)).with_context(|| format!("cannot read {document}"))
    };

    let dollars = |recording: &Recording| {
        let usage = costs::usage(recording, &inputs);
        Ok(format!("{:.2}", inputs.prices.marginal(&usage)? * 1e6))
    };
    let mut documents = vec![];
    for noun in functions.iter().map(|recording| &recording.pattern.noun).collect::<BTreeSet<_>>() {
        let document = format!("functions/{noun}/README.md");
        let part = nouns::part(noun, functions, dollars)?;
        let text = text::replace_part(&read(&document)?, "costs", &part).with_context(|| document.clone())?;
        let text = text::replace_part(&text, "tests", &nouns::tests(noun, functions))?;
        documents.push((document, text));
    }

    let simulated =
        |users: &[f64]| -> Result<Vec<_>> { users.iter().map(|users| simulation::run(*users, &inputs)).collect() };
    let months = simulated(&USERS)?;
    let all_months = [simulated(&FEW_USERS)?, months.clone()].concat();
    let mut numbers = read(NUMBERS)?;
    let parts = [
        ("rates", tables::rates(&inputs)),
        ("streams", tables::streams(&inputs)?),
        ("months", tables::months(&months)),
        ("dollars", tables::dollars(&all_months, &inputs.prices)?),
        ("links", links::viral(&inputs)?),
    ];
    for (name, part) in parts {
        numbers = text::replace_part(&numbers, name, &part).with_context(|| NUMBERS.to_owned())?;
    }
    let answers = answers::text(&read(answers::DOCUMENT)?, functions)?;
    let rules = text::replace_part(&read(ARCHITECTURE)?, "rules", &tables::rules()?)?;
    let api = text::replace_part(&read(API)?, "audiences", &Audiences::read(root)?.table())?;
    let api = text::replace_part(&api, "screens", &screens::table(screens))?;
    let templates: Vec<Function> = functions.iter().map(|recording| recording.function.clone()).collect();
    let limits = limits::text(&read(limits::DOCUMENT)?, root, &templates)?;
    let others = [
        (ARCHITECTURE, rules),
        (limits::DOCUMENT, limits),
        (problems::DOCUMENT, problems::text(&read(problems::DOCUMENT)?)?),
        (API, api),
        (NUMBERS, numbers),
        (PARTITIONS, tables::partitions(functions)),
        (kinds::FILE, kinds::text(kinds)),
        (answers::DOCUMENT, answers),
    ];
    documents.extend(operations::documents(root)?);
    documents.extend(others.map(|(document, text)| (document.to_owned(), text)));
    Ok(documents)
}
