//! The pull, the exception or the entries of a reader, which a friendship brings and its end takes away.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::builders::{DeleteBuilder, PutBuilder, UpdateBuilder};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem, Update};
use shared::Error;
use shared::dynamodb::transaction::{self, Outcome};
use shared::dynamodb::{Item, batch};
use shared::feed::{BACKFILL, Delivery, Key as FeedKey, Latest, MAX_PULLS, Position, entry_item};
use shared::photos::{Friendship, Key};
use shared::values::Username;

use super::Feeds;

/// The positions of the items of the transactions, by which their failed conditions are known.
const FRIENDSHIP: usize = 0;
const PULL: usize = 1;

impl Feeds {
    /// Gives a new follower a pull, or the newest photos of the author.
    pub(super) async fn connect(&self, friendship: &Friendship) -> Result<(), Error> {
        let Friendship { followed_user: author, following_user: reader, .. } = friendship;
        match self.latest(author).await? {
            Some(Latest { delivery: Delivery::Converting | Delivery::Pull, .. }) => self.pull(reader, author).await,
            Some(latest) if self.follows(reader, author).await? => self.backfill(reader, latest).await,
            _ => Ok(()),
        }
    }

    /// Returns whether a reader follows an author at this moment, by a consistent `GetItem`.
    async fn follows(&self, reader: &Username, author: &Username) -> Result<bool, Error> {
        let get = self.table.client.get_item().table_name(&self.table.name).consistent_read(true);
        let output = get.set_key(Some(Key::friendship(author, reader).into())).send().await?;
        Ok(output.item.is_some())
    }

    /// Takes the pull or the exception of a reader away. Only the conditions of the transactions tell which of them there is.
    ///
    /// A reader who follows again meanwhile keeps what they have, because a transaction checks that there is no friendship.
    pub(super) async fn disconnect(&self, friendship: &Friendship) -> Result<(), Error> {
        let Friendship { followed_user: author, following_user: reader, .. } = friendship;
        if let Some(Latest { delivery: Delivery::Push, .. }) = self.latest(author).await? {
            return Ok(());
        }
        let is_gone = self.check_friendship(reader, author, "attribute_not_exists(PK)")?;
        let delete_pull = self.delete(FeedKey::pull(reader, author)).condition_expression("attribute_exists(pk)");
        // finish-deletion may have deleted the count of the reader already, and is about to delete the pull.
        let decrement = self
            .count_pulls(reader, "-1")
            .condition_expression("pulls > :none")
            .expression_attribute_values(":none", N("0".to_owned()))
            .build()?;
        let transaction = self.feed.client.transact_write_items();
        let transaction = transaction
            .transact_items(is_gone.clone())
            .transact_items(TransactWriteItem::builder().delete(delete_pull.build()?).build())
            .transact_items(TransactWriteItem::builder().update(decrement).build());
        if let Outcome::ConditionFailed(failed) = transaction::write(transaction).await?
            && failed.contains(FRIENDSHIP)
        {
            return Ok(());
        }
        let delete_exception = self.delete(FeedKey::exception(author, reader)).build()?;
        let transaction = self.feed.client.transact_write_items();
        let transaction = transaction
            .transact_items(is_gone)
            .transact_items(TransactWriteItem::builder().delete(delete_exception).build());
        transaction::write(transaction).await?;
        Ok(())
    }

    /// Lets a reader pull an author, as long as the friendship exists. A reader who pulls as many as a page reads becomes an
    /// exception, and gets the newest photos.
    pub(super) async fn pull(&self, reader: &Username, author: &Username) -> Result<(), Error> {
        let exists = self.check_friendship(reader, author, "attribute_exists(PK)")?;
        let put_pull = self.put(FeedKey::pull(reader, author).into()).condition_expression("attribute_not_exists(pk)");
        let increment = self
            .count_pulls(reader, "1")
            .condition_expression("attribute_not_exists(pulls) OR pulls < :max")
            .expression_attribute_values(":max", N(MAX_PULLS.to_string()))
            .build()?;
        let transaction = self.feed.client.transact_write_items();
        let transaction = transaction
            .transact_items(exists.clone())
            .transact_items(TransactWriteItem::builder().put(put_pull.build()?).build())
            .transact_items(TransactWriteItem::builder().update(increment).build());
        match transaction::write(transaction).await? {
            // The reader pulls all whom one page can read.
            Outcome::ConditionFailed(failed) if !failed.contains(FRIENDSHIP) && !failed.contains(PULL) => {}
            Outcome::Committed | Outcome::ConditionFailed(_) => return Ok(()),
        }
        let put_exception = self.put(FeedKey::exception(author, reader).into()).build()?;
        let transaction = self.feed.client.transact_write_items();
        let transaction =
            transaction.transact_items(exists).transact_items(TransactWriteItem::builder().put(put_exception).build());
        if let Outcome::ConditionFailed(_) = transaction::write(transaction).await? {
            return Ok(());
        }
        // The read comes after the exception: of a photo that is published meanwhile, the `Latest` has it already, or
        // whoever publishes it finds the exception.
        match self.latest(author).await? {
            Some(latest) => self.backfill(reader, latest).await,
            None => Ok(()),
        }
    }

    /// Pushes the newest photos of an author to a new follower.
    async fn backfill(&self, reader: &Username, latest: Latest) -> Result<(), Error> {
        let Latest { author, photos, .. } = latest;
        let newest = photos.into_iter().rev().take(BACKFILL);
        let newest = newest.map(|timestamp| Position { timestamp, author: author.clone() });
        let puts = newest.map(|position| batch::put(entry_item(reader, &position))).collect::<Result<_, _>>()?;
        batch::write(&self.feed, puts).await
    }

    /// Returns the newest photos of an author, read consistently.
    pub(super) async fn latest(&self, author: &Username) -> Result<Option<Latest>, Error> {
        let get = self.feed.client.get_item().table_name(&self.feed.name).consistent_read(true);
        let output = get.set_key(Some(FeedKey::latest(author).into())).send().await?;
        Ok(output.item.map(Latest::from_item).transpose()?.flatten())
    }

    fn check_friendship(
        &self,
        reader: &Username,
        author: &Username,
        condition: &str,
    ) -> Result<TransactWriteItem, Error> {
        let check = ConditionCheck::builder()
            .table_name(&self.table.name)
            .set_key(Some(Key::friendship(author, reader).into()))
            .condition_expression(condition)
            .build()?;
        Ok(TransactWriteItem::builder().condition_check(check).build())
    }

    fn put(&self, item: Item) -> PutBuilder {
        Put::builder().table_name(&self.feed.name).set_item(Some(item))
    }

    fn delete(&self, key: FeedKey) -> DeleteBuilder {
        Delete::builder().table_name(&self.feed.name).set_key(Some(key.into()))
    }

    fn count_pulls(&self, reader: &Username, change: &str) -> UpdateBuilder {
        Update::builder()
            .table_name(&self.feed.name)
            .set_key(Some(FeedKey::pull_count(reader).into()))
            .update_expression("ADD pulls :change")
            .expression_attribute_values(":change", N(change.to_owned()))
    }
}
