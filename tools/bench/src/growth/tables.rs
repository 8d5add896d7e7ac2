//! Tables with a given number of items.

use std::path::Path;

use anyhow::{Context, Result};
use local::sample::{FAVORITE, QUICK_PHOTOS};
use local::services::dynamodb;
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
    /// Generates the items and writes them into the tables. The harness keeps a snapshot of them.
    pub(super) fn generate(items: usize, binaries: &Path) -> Result<Self> {
        let harness = Harness::empty(binaries.to_owned())?;
        for (logical_id, items) in data_set::generate(items).flatten() {
            dynamodb::import(harness.database(), &harness.template().table(logical_id)?.name, items)?;
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
async fn the_audit_finds_nothing_in_the_generated_items() {
    let Tables { harness } = Tables::generate(3_000, Path::new("")).expect("every item is written");
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
