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
use local::template::Template;
use testing::runner::{Run, Runner};

use crate::audiences::Audiences;
use crate::inputs::Inputs;
use crate::kinds::Kinds;
use crate::partitions::Images;
use crate::recording::Recording;
use crate::screens::Screen;
use crate::text::Part;

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

/// Returns the documents that are generated in whole or in part: their texts by their paths, relative to
/// the root of the repository.
pub fn documents(root: &Path, recordings: &Recordings) -> Result<BTreeMap<String, String>> {
    let Recordings { functions, kinds, .. } = recordings;
    let read = |document: &str| {
        std::fs::read_to_string(root.join(document)).with_context(|| format!("cannot read {document}"))
    };
    let mut documents = BTreeMap::new();
    for (document, name, part) in parts(root, recordings)? {
        let text = documents.remove(&document).map_or_else(|| read(&document), Ok)?;
        let text = text::replace_part(&text, name, &part).with_context(|| document.clone())?;
        documents.insert(document, text);
    }
    let wholes = [
        (PARTITIONS, tables::partitions(functions)),
        (kinds::FILE, kinds::text(kinds)),
        (answers::DOCUMENT, answers::text(&read(answers::DOCUMENT)?, functions)?),
    ];
    documents.extend(wholes.map(|(document, text)| (document.to_owned(), text)));
    Ok(documents)
}

/// Returns the generated parts of documents.
fn parts(root: &Path, Recordings { functions, screens, .. }: &Recordings) -> Result<Vec<Part>> {
    let inputs = Inputs::read(root, functions)?;
    let dollars = |recording: &Recording| {
        let usage = costs::usage(recording, &inputs);
        Ok(format!("{:.2}", inputs.prices.marginal(&usage)? * 1e6))
    };
    let mut parts = vec![];
    for noun in functions.iter().map(|recording| &recording.pattern.noun).collect::<BTreeSet<_>>() {
        let document = format!("functions/{noun}/README.md");
        parts.push((document.clone(), "costs", nouns::part(noun, functions, dollars)?));
        parts.push((document, "tests", nouns::tests(noun, functions)));
    }

    let simulated =
        |users: &[f64]| -> Result<Vec<_>> { users.iter().map(|users| simulation::run(*users, &inputs)).collect() };
    let months = simulated(&USERS)?;
    let all_months = [simulated(&FEW_USERS)?, months.clone()].concat();
    let others = [
        (NUMBERS, "rates", tables::rates(&inputs)),
        (NUMBERS, "streams", tables::streams(&inputs)?),
        (NUMBERS, "months", tables::months(&months)),
        (NUMBERS, "dollars", tables::dollars(&all_months, &inputs.prices)?),
        (NUMBERS, "links", links::viral(&inputs)?),
        (ARCHITECTURE, "rules", tables::rules()?),
        (API, "audiences", Audiences::read(root)?.table()),
        (API, "screens", screens::table(screens)),
    ];
    parts.extend(others.map(|(document, name, part)| (document.to_owned(), name, part)));
    parts.extend(limits::parts(root, functions)?);
    parts.extend(problems::parts());
    parts.extend(operations::parts(root)?);
    Ok(parts)
}
