//! Audits `quick-photos` or `<stage>.Favorite`: compares every count with the items that it counts,
//! and checks that the items that every item refers to exist. With a bucket, it also compares the
//! photos with the objects of their pictures, and with the table of feeds, it compares the home
//! feeds with the photos and the friendships.
//!
//! The table's key shows which table it is. The modules `photos` and `favorites` document what they
//! check, what they keep in memory, and how they repair. This page documents what both have in
//! common.
//!
//! # Candidates
//!
//! One Scan in parallel segments reads the table once and collects candidates: possible defects. It
//! consumes half a [read
//! unit](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html#read-operation-consumption)
//! for each 4 KB of the table. Candidates and findings are kept in memory too.
//!
//! # Inspections
//!
//! [A Scan is not a
//! snapshot](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ReadConsistency):
//! it reads a count and the items that it counts at different times, and a write between the two
//! makes them differ. So the audit inspects each candidate again, twice, two seconds apart. A
//! candidate is a finding only if both inspections see the same defect in the same state: the same
//! count, and the same number of items that it counts. A candidate that keeps changing is inspected
//! six times; the report says how many candidates the audit could not confirm.
//!
//! On a table without concurrent writes the audit finds every defect. With concurrent writes it can
//! miss a defect that came into being after the Scan, and it reports work that a stream function is
//! seconds late with.
//!
//! # Repairs
//!
//! A repair begins when all candidates are inspected. Before, the audit refuses to repair anything
//! if what it was given does not [belong together](Error::Refused), or if the [`Plan`] deletes too
//! much. [`Progress::Planned`] shows the plan, and whoever watches can still decline it.
//!
//! Each finding of the plan is inspected once more, and repaired if it is still the same. The
//! conditions of every write check that nothing has changed since the inspection. If a condition
//! fails, nothing is written and the audit inspects the candidate again. A finding that has become
//! one of another kind is left to the next audit. A repair that is killed leaves nothing half done,
//! and the next one continues.

mod agreement;
mod check;
mod error;
mod favorites;
mod finding;
mod layout;
mod options;
mod photos;
mod plan;
mod progress;
mod read;
mod report;
mod write;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::types::{IndexStatus, KeyType, TableDescription};
use shared::{Bucket, Table};

use check::{Audit, Watch};
pub use error::Error;
use favorites::Entity as FavoritesEntity;
pub use finding::{Finding, Resolution};
use layout::Layout;
pub use options::Options;
use photos::{Entity as PhotosEntity, FeedEntity};

use crate::explain::explain;
pub use plan::Plan;
pub use progress::Progress;
pub use report::{Comparison, Report};

/// Audits the table with the name `table`.
pub async fn run(
    client: &Client,
    table: &str,
    options: Options,
    watch: impl FnMut(Progress<'_>),
) -> Result<Report, Error> {
    run_with(client, table, RelatedData::default(), options, watch).await
}

/// The data that an audit compares the items of `quick-photos` with. It compares nothing with data
/// that is `None`.
#[derive(Debug, Clone, Copy, Default)]
pub struct RelatedData<'a> {
    /// The bucket of the pictures.
    pub bucket: Option<&'a Bucket>,
    /// The name of the table `<stage>.Feed`.
    pub feed_table: Option<&'a str>,
    /// The name of the table `<stage>.Favorite`, in which the audit looks for items of deleted
    /// users.
    pub favorite_table: Option<&'a str>,
}

/// Audits the table with the name `table`, and compares its items with related data.
pub async fn run_with(
    client: &Client,
    table: &str,
    related: RelatedData<'_>,
    options: Options,
    mut watch: impl FnMut(Progress<'_>),
) -> Result<Report, Error> {
    audit(client, table, related, options, &mut watch).await
}

async fn audit(
    client: &Client,
    table: &str,
    related: RelatedData<'_>,
    options: Options,
    watch: &mut Watch<'_>,
) -> Result<Report, Error> {
    let description = describe(client, table).await?;
    // A Scan can use up the table's capacity, and has to wait for more instead of failing.
    let config = client.config().to_builder().retry_config(RetryConfig::standard().with_max_attempts(10)).build();
    let patient = Client::from_conf(config);
    let named = |name: &str| Table { client: patient.clone(), name: name.to_owned() };
    let feed = match related.feed_table {
        Some(name) => Some(feed_table(client, named(name)).await?),
        None => None,
    };
    let favorite_table = match related.favorite_table {
        Some(name) => Some(favorite_table(client, named(name)).await?),
        None => None,
    };
    let table = named(table);
    let mut audit = Audit { table, options, report: Report::default(), watch };
    if has_key::<PhotosEntity>(&description) {
        check_indexes::<PhotosEntity>(&description)?;
        photos::audit(&mut audit, related.bucket, feed, favorite_table).await?;
    } else if has_key::<FavoritesEntity>(&description) {
        if related.bucket.is_some() {
            return Err(unsuitable(&description, "its items refer to no objects; leave the bucket out".to_owned()));
        }
        if feed.is_some() || favorite_table.is_some() {
            return Err(unsuitable(&description, "it is audited alone; leave the other tables out".to_owned()));
        }
        check_indexes::<FavoritesEntity>(&description)?;
        favorites::audit(&mut audit).await?;
    } else {
        let keys = [PhotosEntity::KEY, FavoritesEntity::KEY].map(|key| key.join(" and "));
        return Err(unsuitable(&description, format!("its key is neither {}", keys.join(" nor "))));
    }
    Ok(audit.report)
}

/// Checks that a table can be that of the feeds: unlike `<stage>.Favorite`, which has the same key,
/// it has no local index.
async fn feed_table(client: &Client, table: Table) -> Result<Table, Error> {
    let description = describe(client, &table.name).await?;
    if !has_key::<FeedEntity>(&description) || !description.local_secondary_indexes().is_empty() {
        return Err(unsuitable(&description, "it is not a table of feeds".to_owned()));
    }
    Ok(table)
}

async fn favorite_table(client: &Client, table: Table) -> Result<Table, Error> {
    let description = describe(client, &table.name).await?;
    if !has_key::<FavoritesEntity>(&description) {
        return Err(unsuitable(&description, "it is not a table of favorites".to_owned()));
    }
    check_indexes::<FavoritesEntity>(&description)?;
    Ok(table)
}

async fn describe(client: &Client, table: &str) -> Result<TableDescription, Error> {
    let failed = |reason| Error::Table(table.to_owned(), reason);
    let answer = client.describe_table().table_name(table).send().await.map_err(|error| failed(explain(&error)))?;
    answer.table.ok_or_else(|| failed("DescribeTable returned no description".to_owned()))
}

fn has_key<E: Layout>(table: &TableDescription) -> bool {
    let key = table.key_schema().iter().map(|key| (key.attribute_name(), key.key_type().clone()));
    key.eq(E::KEY.into_iter().zip([KeyType::Hash, KeyType::Range]))
}

/// Checks that the table has its indexes, and that each is complete: an index that is being built
/// holds too few items.
fn check_indexes<E: Layout>(table: &TableDescription) -> Result<(), Error> {
    let local = table.local_secondary_indexes().iter().map(|index| (index.index_name(), None));
    let global = table.global_secondary_indexes().iter().map(|index| (index.index_name(), index.index_status()));
    let indexes: Vec<_> = local.chain(global).collect();
    for &name in E::INDEXES {
        match indexes.iter().find(|(other, _)| *other == Some(name)) {
            Some((_, None | Some(IndexStatus::Active | IndexStatus::Updating))) => {}
            Some((_, Some(status))) => return Err(unsuitable(table, format!("its index {name} is {status}"))),
            None => return Err(unsuitable(table, format!("it has no index {name}"))),
        }
    }
    Ok(())
}

fn unsuitable(table: &TableDescription, reason: String) -> Error {
    Error::Table(table.table_name().unwrap_or_default().to_owned(), reason)
}
