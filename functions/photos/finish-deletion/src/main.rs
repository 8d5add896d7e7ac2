//! Stream of the table `quick-photos`: deletes the items that `delete-photo` and `delete-user` leave behind.
//!
//! - After a photo is deleted, `photo.rs` finds the reactions to it with a `Query`, deletes them with `BatchWriteItem`,
//!   and removes the photo from its owner's `pinnedImage` with an `UpdateItem`.
//! - After a `Deletion` replaces a user, `user.rs` makes a pass over the user's photos, friendships in both directions,
//!   reactions, favorites and tags. A pass begins with a consistent `GetItem`, which checks that the table still holds
//!   the `Deletion`. It finds each kind of item with a `Query`, and deletes an item with `DeleteItem`, or with
//!   `TransactWriteItems` if another item counts it. A pass that finds items or runs out of time updates the
//!   `Deletion`, and the record of that update starts the next pass. A pass that finds nothing deletes the `Deletion`,
//!   which frees the username.
//!
//! An invocation may be interrupted anywhere: every step can be repeated, and every pass queries what is left. The
//! stream delivers the records of one partition in order, so the reactions to the photos that a pass deletes are
//! deleted before the next pass.

use shared::model::entity;
use shared::model::photos::is_photo;
use shared::runtime::stream::{Change, Record};
use shared::{Error, Table};

mod favorites;
mod friendships;
mod items;
mod photo;
mod reactions;
#[cfg(test)]
mod tests;
mod user;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    let favorites = std::env::var("FAVORITE_TABLE_NAME").map_err(|_| "FAVORITE_TABLE_NAME is not set")?;
    shared::runtime::stream::run(|table: Table, record| {
        let favorites = Table { client: table.client.clone(), name: favorites.clone() };
        finish_deletion(table, favorites, record)
    })
    .await
}

async fn finish_deletion(table: Table, favorites: Table, record: Record) -> Result<(), Error> {
    record.wait_for_indexes().await;
    match record.change {
        Change::Remove if is_photo(&record.keys) => photo::finish(&table, &entity::from_item(record.old_image)?).await,
        Change::Modify if record.new_image.contains_key("erasing") => {
            let deletion = entity::from_item(record.new_image)?;
            user::run_pass(&table, &favorites, &deletion, record.deadline).await
        }
        _ => Ok(()),
    }
}
