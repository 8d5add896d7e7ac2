//! Stream of `<stage>.Favorite`: writes and deletes the terms under which search-favorites finds a
//! favorite, by `BatchWriteItem`.
//!
//! A stream function does this, and not the transaction that clips or unclips a favorite, for three
//! reasons. A transaction takes 100 items, which the tags of a favorite can use up, and its writes
//! cost twice as much. A caller who clips does not wait until dozens of terms are written. And
//! search also finds favorites that another program writes into the table. The price is that search
//! lags behind a clip by about a second. It never shows a deleted favorite, because it reads the
//! favorites that it finds.
//!
//! The terms of one title cost at most 60 write units ([`shared::search::terms`]), so no title
//! holds up the records behind it.
//!
//! The records of one favorite arrive in order, and each may arrive more than once. The writes need
//! no conditions, because the writes of the last record always come last. The audit finds the terms
//! of a record that failed after all retries.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::WriteRequest;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{FAVORITE_PK, FAVORITE_SK, Favorite, owner_of_favorite, term_items};
use shared::runtime::stream::Record;
use shared::values::Username;
use shared::{Error, Handler, Process, StartError, Table};

#[cfg(test)]
mod tests;

/// The function.
pub struct IndexFavorite {
    table: Table,
}

impl Handler for IndexFavorite {
    const NAME: &'static str = "index-favorite";

    type Event = Record;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn handle(&self, record: Record) -> Result<(), Error> {
        let Some(owner) = owner_of_favorite(&record.keys) else { return Ok(()) };
        let before = terms(&owner, record.old_image)?;
        let after = terms(&owner, record.new_image)?;

        // Only a change of the title, the type or the clip time changes terms.
        let puts = after.iter().filter(|(key, item)| before.get(*key) != Some(*item));
        let deletes = before.keys().filter(|key| !after.contains_key(*key));
        let requests: Vec<WriteRequest> = puts
            .map(|(_, item)| batch::put(item.clone()))
            .chain(deletes.map(|key| batch::delete(key_of(&before[key]))))
            .collect::<Result<_, _>>()?;
        batch::write(&self.table, requests).await
    }
}

/// Returns the items of a favorite's terms by partition key and sort key. An empty image, of no
/// favorite, has no terms.
fn terms(owner: &Username, image: Item) -> Result<HashMap<[String; 2], Item>, Error> {
    if image.is_empty() {
        return Ok(HashMap::new());
    }
    let favorite: Favorite = entity::from_item(image)?;
    let by_key =
        |item: Item| ([FAVORITE_PK, FAVORITE_SK].map(|name| item[name].as_s().cloned().unwrap_or_default()), item);
    Ok(term_items(owner, &favorite).into_iter().map(by_key).collect())
}

/// Returns the primary key of an item.
fn key_of(item: &Item) -> Item {
    [FAVORITE_PK, FAVORITE_SK].map(|name| (name.to_owned(), item[name].clone())).into()
}
