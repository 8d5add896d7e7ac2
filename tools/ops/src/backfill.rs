//! Changes the items of a table in use that a condition selects, for example to add an attribute or
//! the key of an index.
//!
//! One Scan in parallel segments, with the condition as its filter, finds the items. One UpdateItem
//! with the same condition changes each of them. So a backfill creates no item, leaves alone what
//! another writer has changed meanwhile, and may be interrupted anywhere and run again: an item
//! that it has changed does not fulfil the condition any more.
//!
//! If the update leaves the condition true, each run would change every item once more. So the
//! first item that is changed is checked, and the backfill ends if the condition still holds for
//! it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::scan::ScanOutput;
use aws_sdk_dynamodb::types::{ConditionCheck, TransactWriteItem};
use loader::explain;
use shared::Table;
use shared::dynamodb::Item;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

/// The maximum number of UpdateItem requests at the same time.
const MAX_CONCURRENT_WRITES: usize = 16;
/// A backfill ends after this number of items has failed, because the reason is probably none of
/// the items.
const MAX_FAILED: u64 = 100;
/// The placeholder of the first attribute of the key. The others have the next numbers.
const KEY: &str = "#backfillKey";

/// The items to change, and their change, by
/// [expressions](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html)
/// of DynamoDB.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The condition that an item fulfils before the change and not after it.
    pub condition: String,
    /// The update expression.
    pub update: String,
    /// The names for the placeholders (`#status`) of both expressions.
    pub names: HashMap<String, String>,
    /// The values for the placeholders (`:zero`) of both expressions.
    pub values: Item,
}

/// The options of a backfill.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether to find the items without changing them.
    pub dry_run: bool,
    /// The number of segments in which the Scan reads the table concurrently; at least 1.
    pub segments: u16,
    /// The maximum number of writes per second; 1 to 1,000.
    pub rate: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { dry_run: false, segments: 4, rate: 200 }
    }
}

/// The numbers of items of a backfill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// The items in the table.
    pub read: u64,
    /// The items that fulfilled the condition when they were read.
    pub found: u64,
    /// The items that were changed.
    pub updated: u64,
    /// The items that another writer has changed or deleted in between, so that the condition did
    /// not hold any more.
    pub changed_meanwhile: u64,
    /// The items whose write failed.
    pub failed: u64,
}

/// An event during a backfill.
#[derive(Debug)]
pub enum Event<'a> {
    /// A page of the Scan was processed.
    Progress(Totals),
    /// The write of the item with this key failed.
    Failed(&'a Item, &'a str),
}

/// Changes the items of the table with the name `table`.
pub async fn run(
    client: &Client,
    table: &str,
    change: Change,
    options: Options,
    mut watch: impl FnMut(Event<'_>),
) -> Result<Totals> {
    check_placeholders(&change)?;
    let key = key(client, table).await.with_context(|| format!("table {table}"))?;
    // A backfill can use up the table's capacity, and has to wait for more instead of failing.
    let config = client.config().to_builder().retry_config(RetryConfig::standard().with_max_attempts(10)).build();
    let table = Table { client: Client::from_conf(config), name: table.to_owned() };
    let change = Arc::new(change);
    let mut pages = scan(&table, &key, &change, options.segments);
    let mut ticks = interval(Duration::from_secs(1) / options.rate);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut writes = JoinSet::new();
    let mut totals = Totals::default();
    let mut is_checked = false;
    while let Some(page) = pages.recv().await {
        let page = page?;
        totals.read += u64::try_from(page.scanned_count)?;
        totals.found += u64::try_from(page.count)?;
        let items = if options.dry_run { vec![] } else { page.items.unwrap_or_default() };
        for item in items {
            ticks.tick().await;
            writes.spawn(update(table.clone(), change.clone(), item));
            // Until the first changed item is checked, there is one write at a time.
            while writes.len() >= if is_checked { MAX_CONCURRENT_WRITES } else { 1 } {
                let Some(write) = writes.join_next().await else { break };
                let (item, outcome) = write?;
                if matches!(outcome, Ok(true)) && !is_checked {
                    check_condition(&table, &change, &item).await?;
                    is_checked = true;
                }
                count(&mut totals, &item, outcome, &mut watch)?;
            }
        }
        watch(Event::Progress(totals));
    }
    while let Some(write) = writes.join_next().await {
        let (item, outcome) = write?;
        count(&mut totals, &item, outcome, &mut watch)?;
    }
    Ok(totals)
}

/// Adds the outcome of a write to the totals.
fn count(
    totals: &mut Totals,
    item: &Item,
    outcome: Result<bool, String>,
    watch: &mut impl FnMut(Event<'_>),
) -> Result<()> {
    match outcome {
        Ok(true) => totals.updated += 1,
        Ok(false) => totals.changed_meanwhile += 1,
        Err(reason) => {
            totals.failed += 1;
            watch(Event::Failed(item, &reason));
            if totals.failed == MAX_FAILED {
                bail!("{MAX_FAILED} items have failed; correct the expressions or the permissions, and run it again");
            }
        }
    }
    Ok(())
}

/// Returns the names of the attributes of the table's primary key.
async fn key(client: &Client, table: &str) -> Result<Vec<String>> {
    let output = client.describe_table().table_name(table).send().await;
    let output = output.map_err(|error| anyhow::anyhow!(explain(&error)))?;
    let description = output.table.context("DescribeTable returned no description")?;
    Ok(description.key_schema().iter().map(|key| key.attribute_name().to_owned()).collect())
}

/// Reads the keys of the items that fulfil the condition.
fn scan(table: &Table, key: &[String], change: &Change, segments: u16) -> mpsc::Receiver<Result<ScanOutput>> {
    let placeholders = || (0..key.len()).map(|number| format!("{KEY}{number}"));
    let mut names = change.names_in(&change.condition);
    names.extend(placeholders().zip(key.iter().cloned()));
    let (send, pages) = mpsc::channel(usize::from(segments));
    for segment in 0..segments {
        let scan = table
            .client
            .scan()
            .table_name(&table.name)
            .projection_expression(placeholders().collect::<Vec<_>>().join(", "))
            .filter_expression(&change.condition)
            .set_expression_attribute_names(Some(names.clone()))
            .set_expression_attribute_values(change.values_in(&change.condition))
            .consistent_read(true)
            .segment(segment.into())
            .total_segments(segments.into());
        let send = send.clone();
        tokio::spawn(async move {
            let mut segment = scan.into_paginator().send();
            while let Some(page) = segment.next().await {
                let page = page.map_err(|error| anyhow::anyhow!("reading failed: {}", explain(&error)));
                // The receiver is dropped when the backfill has ended early.
                if send.send(page).await.is_err() {
                    return;
                }
            }
        });
    }
    pages
}

/// Changes one item. Returns it with whether it was changed, or with the reason of a failure.
async fn update(table: Table, change: Arc<Change>, key: Item) -> (Item, Result<bool, String>) {
    let both = format!("{} {}", change.condition, change.update);
    let mut names = change.names_in(&both);
    names.extend(key.keys().take(1).map(|name| (KEY.to_owned(), name.clone())));
    let update = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(key.clone()))
        .condition_expression(format!("attribute_exists({KEY}) AND ({})", change.condition))
        .update_expression(&change.update)
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(change.values_in(&both));
    let outcome = match update.send().await {
        Ok(_) => Ok(true),
        Err(error) if error.code() == Some("ConditionalCheckFailedException") => Ok(false),
        Err(error) => Err(explain(&error)),
    };
    (key, outcome)
}

/// Checks that an item that was changed does not fulfil the condition any more.
async fn check_condition(table: &Table, change: &Change, key: &Item) -> Result<()> {
    let names = change.names_in(&change.condition);
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(key.clone()))
        .condition_expression(format!("NOT ({})", change.condition))
        .set_expression_attribute_names((!names.is_empty()).then_some(names))
        .set_expression_attribute_values(change.values_in(&change.condition))
        .build()?;
    let transaction = table.client.transact_write_items();
    let transaction = transaction.transact_items(TransactWriteItem::builder().condition_check(check).build());
    match transaction.send().await {
        Ok(_) => Ok(()),
        Err(error) if error.code() == Some("TransactionCanceledException") => {
            bail!("--where is still true for the first item that was changed; a repetition would change it again")
        }
        Err(error) => bail!("checking the first item failed: {}", explain(&error)),
    }
}

impl Change {
    /// Returns the names whose placeholders an expression has. DynamoDB refuses a name that it does
    /// not need.
    fn names_in(&self, expression: &str) -> HashMap<String, String> {
        placeholders(expression)
            .filter_map(|placeholder| Some((placeholder.to_owned(), self.names.get(placeholder)?.clone())))
            .collect()
    }

    /// Returns the values whose placeholders an expression has, or `None` if it has none.
    fn values_in(&self, expression: &str) -> Option<Item> {
        let values: Item = placeholders(expression)
            .filter_map(|placeholder| Some((placeholder.to_owned(), self.values.get(placeholder)?.clone())))
            .collect();
        (!values.is_empty()).then_some(values)
    }
}

/// Returns the placeholders of names (`#status`) and of values (`:zero`) in an expression.
fn placeholders(expression: &str) -> impl Iterator<Item = &str> {
    let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '#' | ':')));
    words.filter(|word| word.starts_with(['#', ':']))
}

/// Checks that each placeholder has a name or a value, and that each name and each value is needed.
fn check_placeholders(change: &Change) -> Result<()> {
    let both = format!("{} {}", change.condition, change.update);
    let used: Vec<_> = placeholders(&both).collect();
    for placeholder in &used {
        let (option, is_given) = if placeholder.starts_with('#') {
            ("--names", change.names.contains_key(*placeholder))
        } else {
            ("--values", change.values.contains_key(*placeholder))
        };
        if !is_given {
            bail!("{option} has no {placeholder}, which an expression uses");
        }
    }
    let given =
        change.names.keys().map(|name| ("--names", name)).chain(change.values.keys().map(|name| ("--values", name)));
    for (option, name) in given {
        if !used.contains(&name.as_str()) {
            bail!("{option} has {name}, which no expression uses; remove it");
        }
    }
    Ok(())
}
