//! Tables with a given number of items.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use local::sample::{FAVORITE, QUICK_PHOTOS};
use local::template::Function;
use ops::audit;
use serde_json::Value;
use testing::harness::Harness;
use testing::recorder::{Recorder, Request};

use super::data_set;
use crate::subject::Subject;

/// A DynamoDB engine whose tables together have a given number of items.
pub(super) struct Tables {
    pub(super) harness: Harness,
}

impl Tables {
    /// Generates the items and loads them with the loader of the project. The harness keeps a
    /// snapshot of them.
    pub(super) async fn load(items: usize, binaries: &Path) -> Result<Self> {
        let harness = Harness::empty(binaries.to_owned())?;
        let directory = tempfile::tempdir().context("cannot create a temporary directory")?;
        for (logical_id, file) in data_set::write(items, directory.path())? {
            let table = &harness.template().table(logical_id)?.name;
            let mut bad_lines = vec![];
            let watch = |event: loader::Event| match event {
                loader::Event::BadLine { line, reason } => bad_lines.push(format!("line {line}: {reason}")),
                loader::Event::Progress { .. } => {}
            };
            let report = loader::load_file(&harness.client(), table, &file, watch).await;
            report.with_context(|| format!("cannot load the table {table}"))?;
            ensure!(bad_lines.is_empty(), "the loader rejected items of the table {table}: {}", bad_lines.join("; "));
        }
        harness.snapshot()?;
        Ok(Self { harness })
    }

    /// Invokes a function once and returns its DynamoDB requests.
    pub(super) async fn requests(&self, function: &Function, event: &Value) -> Result<Vec<Request>> {
        let recorder = Recorder::start(self.harness.dynamodb()).context("cannot start the recorder")?;
        let subject = Subject::new(&self.harness, function, event.to_string().into(), recorder.url());
        subject.invoke_once(&self.harness).await?;
        Ok(recorder.take())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn loads_every_generated_item_and_the_audit_finds_nothing() {
    let Tables { harness } = Tables::load(3_000, Path::new("")).await.expect("every item is loaded");
    let mut items = 0;
    for table in [QUICK_PHOTOS, FAVORITE] {
        let name = &harness.template().table(table).expect("a table").name;
        let report = audit::run(&harness.client(), name, audit::Options::default(), |_| {}).await.expect("an audit");
        assert_eq!(report.findings, []);
        items += report.items;
    }
    let generated = data_set::generate(3_000).flatten().filter(|(table, _)| [QUICK_PHOTOS, FAVORITE].contains(table));
    assert_eq!(items, generated.map(|(_, items)| items.len() as u64).sum::<u64>());
}
