//! Deletes the links of deleted photos and users, and those that have ended by their time.
//!
//! Each delete has the condition that the link still has its token, which no later link gets again.
//! So a record that comes late, or again, changes nothing of a later link.
//!
//! - finish-deletion reads the link of a deleted photo with the `PhotoDeletion`. A
//!   `TransactWriteItems` deletes it with its target, and decrements the owner's count of links.
//! - A consistent `Query` finds the links of a deleted user. A `TransactWriteItems` deletes up to 50
//!   of them with their targets. Their count went with the profile.
//! - When DynamoDB has deleted a target or a pending photo, because its time was over, a consistent
//!   `GetItem` reads the link, and a `TransactWriteItems` deletes it.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ConditionCheck, TransactWriteItem};
use shared::dynamodb::counter::{Decrement, delete_and_decrement};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, entity};
use shared::entities::{Deletion, Key, LINKS, Link, LinkTarget, Photo, SHARE_PREFIX, user_pk};
use shared::erasure::{delete_in_transactions, for_each_page, key_of};
use shared::{Error, Table};
use tokio::time::Instant;

use crate::own_link;

/// The maximum number of links of one transaction, each with its target.
const MAX_TRANSACTION_LINKS: usize = 50;

/// Deletes the link of a deleted photo.
pub async fn delete_link_of_photo(table: &Table, link: Item) -> Result<(), Error> {
    let link: Link = entity::from_item(link)?;
    link.delete(table, None).await?;
    Ok(())
}

/// Deletes the link of a photo that expired because its file was not uploaded. A link that is newer
/// than the expiry stays: it is of another photo, which an import has put at the same key.
pub async fn delete_link_of_expired_photo(table: &Table, photo: &Photo) -> Result<(), Error> {
    let link = own_link::get(table, &photo.username, Some(&photo.id)).await?;
    let expired = photo.ttl.unwrap_or_default();
    if let Some(link) = link.filter(|link| link.created.seconds() < expired) {
        link.delete(table, None).await?;
    }
    Ok(())
}

/// Deletes the links of a deleted user. Returns whether it got to the end before the deadline.
pub async fn delete_of_user(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    let links = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :links)")
        .expression_attribute_values(":user", S(user_pk(&deletion.erasing)))
        .expression_attribute_values(":links", S(SHARE_PREFIX.to_owned()))
        .consistent_read(true);
    for_each_page(links, page_deadline, async |page| {
        let links: Vec<Link> = page.into_iter().map(entity::from_item).collect::<Result<_, _>>()?;
        delete_in_transactions(links, MAX_TRANSACTION_LINKS, async |links| {
            let deletes: Vec<_> = links.iter().map(|link| link.deletes(&table.name)).collect::<Result<_, _>>()?;
            let deletes = deletes.into_iter().flatten().map(|delete| (delete, vec![])).collect();
            delete_and_decrement(&table.client, deletes, None).await.map(drop)
        })
        .await
    })
    .await
}

/// Deletes the link whose target DynamoDB has deleted, because its time was over. All functions delete
/// or replace the target in one transaction with the link, so a link that still has the token of the
/// deleted `target` has ended. No clock decides this: the condition is that there still is no target.
pub async fn finish_expiry(table: &Table, target: Item) -> Result<(), Error> {
    let key = key_of(target.clone());
    let LinkTarget { owner, photo, .. } = entity::from_item(target)?;
    let link = own_link::get(table, &owner, photo.as_ref()).await?;
    let Some(link) = link.filter(|link| Item::from(Key::link_target(&link.token)) == key) else { return Ok(()) };
    let [delete, _] = link.deletes(&table.name)?;
    let no_target = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(key))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    let count = Decrement::new(&table.name, Key::user(&owner), LINKS);
    for is_counted in [true, false] {
        let mut transaction = Transaction::new();
        let is_left = [transaction.delete(delete.clone()), transaction.condition_check(no_target.clone())];
        transaction.add(if is_counted {
            TransactWriteItem::builder().update(count.update(1)?).build()
        } else {
            count.check_nothing_to_decrement()?
        });
        match transaction.write(&table.client).await? {
            Outcome::ConditionFailed(failed) if !failed.contains_any(is_left) => {}
            // If one of them failed, the owner has put or deleted the link since.
            Outcome::Committed | Outcome::ConditionFailed(_) => return Ok(()),
        }
    }
    Err(Error::Busy("the count of links changed during both attempts; the next attempt continues".into()))
}
