//! Tables with a given number of items.

use std::path::Path;
use std::time::{Duration, Instant};

use ::loader;
use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use local::template::Function;
use serde_json::Value;
use testing::harness::Harness;
use testing::recorder::{Recorder, Request};

use super::data_set;
use super::rollback::Rollback;
use crate::subject::{Subject, WarmProcess};

/// A DynamoDB engine whose tables together have a given number of items.
pub(super) struct Tables {
    pub(super) items: usize,
    pub(super) harness: Harness,
    pub(super) rollback: Rollback,
    /// The time that the loader took to fill the tables.
    pub(super) loading: Duration,
}

impl Tables {
    /// Generates the items and loads them with the loader of the project.
    pub(super) async fn load(items: usize, binaries: &Path) -> Result<Self> {
        let harness = Harness::empty(binaries.to_owned())?;
        let directory = tempfile::tempdir().context("cannot create a temporary directory")?;
        let files = data_set::write(items, directory.path())?;
        let progress = ProgressBar::new(items as u64);
        let begin = Instant::now();
        let mut loaded = 0;
        for (logical_id, file) in files {
            let table = &harness.template().table(logical_id)?.name;
            let mut bad_lines = vec![];
            let watch = |event: loader::Event| match event {
                loader::Event::Progress { loaded: of_table, .. } => progress.set_position(loaded + of_table),
                loader::Event::BadLine { line, reason } => bad_lines.push(format!("line {line}: {reason}")),
            };
            let report = loader::load_file(&harness.client(), table, &file, watch).await;
            let report = report.with_context(|| format!("cannot load the table {table}"))?;
            ensure!(bad_lines.is_empty(), "the loader rejected items of the table {table}: {}", bad_lines.join("; "));
            loaded += report.loaded;
        }
        let loading = begin.elapsed();
        progress.finish_and_clear();
        let rollback = Rollback::start(&harness)?;
        Ok(Self { items, harness, rollback, loading })
    }

    /// Invokes a function once and returns its DynamoDB requests.
    pub(super) async fn requests(&mut self, function: &Function, event: &Value) -> Result<Vec<Request>> {
        let recorder = Recorder::start(self.harness.dynamodb()).context("cannot start the recorder")?;
        let subject = Subject::new(&self.harness, function, event.to_string().into(), recorder.url());
        self.rollback.reset_tables(&self.harness, function, event)?;
        WarmProcess::start(&self.harness, &subject, None).await?.stop().await;
        Ok(recorder.take())
    }
}

#[cfg(test)]
mod tests {
    use local::sample::{FAVORITE, QUICK_PHOTOS};
    use ops::audit;
    use ops::audit::Options;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn loads_every_generated_item_and_the_audit_finds_nothing() {
        let Tables { harness, .. } = Tables::load(3_000, Path::new("")).await.expect("every item is loaded");
        let mut items = 0;
        for table in [QUICK_PHOTOS, FAVORITE] {
            let name = &harness.template().table(table).expect("a table").name;
            let report = audit::run(&harness.client(), name, Options::default(), |_| {}).await.expect("an audit");
            assert_eq!(report.findings, []);
            items += report.items;
        }
        assert!(items > 2_500, "{items}");
    }
}
