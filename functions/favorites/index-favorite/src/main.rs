//! The stream of `<stage>.Favorite`: keeps the terms by which search-favorites finds a favorite in step with it, by
//! `BatchWriteItem`.
//!
//! By the stream and not in the transaction that clips or unclips: a transaction takes 100 items, which the tags of a
//! favorite use up already, and its writes cost twice as much; nobody who clips waits for some dozens of terms to be
//! written; and what another program writes into the table is found as well. The price is that a search lags behind a
//! clip, by a second or so. It never shows what is gone, because it reads the favorites that it finds.
//!
//! Records of one favorite come in their order, each perhaps more than once. So the writes need no conditions: whatever is
//! repeated, the last record's come last. What is given up after all retries, the audit finds.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::WriteRequest;
use shared::dynamodb::Item;
use shared::dynamodb::batch;
use shared::model::entity;
use shared::model::favorites::{Favorite, PK, SK, owner_of_favorite, term_items};
use shared::runtime::stream;
use shared::runtime::stream::Record;
use shared::values::Username;
use shared::{Error, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    stream::run(index_favorite).await
}

async fn index_favorite(table: Table, record: Record) -> Result<(), Error> {
    let Some(owner) = owner_of_favorite(&record.keys) else { return Ok(()) };
    let before = terms(&owner, record.old_image)?;
    let after = terms(&owner, record.new_image)?;

    // A change of anything but title, type and time of clipping leaves all terms as they are.
    let puts = after.iter().filter(|(key, item)| before.get(*key) != Some(*item));
    let deletes = before.keys().filter(|key| !after.contains_key(*key));
    let requests: Vec<WriteRequest> = puts
        .map(|(_, item)| batch::put(item.clone()))
        .chain(deletes.map(|key| batch::delete(key_of(&before[key]))))
        .collect::<Result<_, _>>()?;
    batch::write(&table, requests).await
}

/// The items of a favorite's terms, by their partition keys and sort keys. None of a favorite that is not there.
fn terms(owner: &Username, image: Item) -> Result<HashMap<[String; 2], Item>, Error> {
    if image.is_empty() {
        return Ok(HashMap::new());
    }
    let favorite: Favorite = entity::from_item(image)?;
    let by_key = |item: Item| ([PK, SK].map(|name| item[name].as_s().cloned().unwrap_or_default()), item);
    Ok(term_items(owner, &favorite).into_iter().map(by_key).collect())
}

fn key_of(item: &Item) -> Item {
    [PK, SK].map(|name| (name.to_owned(), item[name].clone())).into()
}
