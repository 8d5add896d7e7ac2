//! Repairs the findings in the table of feeds.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{S, Ss};
use aws_sdk_dynamodb::types::TransactWriteItem;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, batch};
use shared::entities::{BACKFILL, Delivery, Key, MAX_PULLS, Position, entry_item, query_followers, reader_of};
use shared::values::{Audience, PhotoId, Username};

use super::feeds_check::FeedsCheck;
use crate::audit::check::MAX_CONCURRENT_INSPECTIONS;
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::write::{
    check, check_part, delete, delete_counted, delete_part, number, put, put_part, set_count, update, update_part,
    write,
};

/// The maximum number of photos that one transaction checks, besides the update of the `Latest` and
/// the check of the user: a transaction has [at most 100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html).
const MAX_CHECKED_PHOTOS: usize = 98;
/// The condition that a photo exists and that the followers of its owner can see it.
const REACHES_FOLLOWERS: &str = "attribute_exists(username) AND (attribute_not_exists(picture) OR picture.#status = :ready) \
                                 AND NOT audience = :me AND attribute_not_exists(imported)";

impl FeedsCheck {
    /// Repairs a finding. Returns false if the tables have changed since the inspection and nothing
    /// was written.
    pub(super) async fn repair(&self, finding: &FeedsFinding) -> Result<bool, Error> {
        match finding {
            FeedsFinding::Pull { reader, author } => {
                let parts = self.delete_unowned(Key::pull(reader, author), reader, author)?;
                let decrement = Decrement::new(&self.feed.name, Key::pull_count(reader), "pulls");
                delete_counted(&self.feed, parts, [decrement]).await
            }
            FeedsFinding::Exception { reader, author } => {
                write(&self.feed, self.delete_unowned(Key::exception(author, reader), reader, author)?).await
            }
            FeedsFinding::PullCount { reader, stored, actual } => {
                let set = set_count(update(&self.feed, Key::pull_count(reader)), "pulls", *stored, *actual);
                write(&self.feed, vec![update_part(set)?, self.user_exists(reader)?]).await
            }
            FeedsFinding::PulledHashtags { reader, followed, .. } => self.copy_hashtags(reader, followed).await,
            FeedsFinding::Entries { reader, author, missing } => {
                self.put_entries(reader, author, missing).await?;
                Ok(true)
            }
            FeedsFinding::NoPull { reader, author } => self.pull(reader, author).await,
            FeedsFinding::Latest { author, lacking, gone } => self.correct_latest(author, lacking, gone).await,
            FeedsFinding::Conversion { author, .. } => self.convert(author).await,
            FeedsFinding::Engagement { of, stored, actual } => self.correct_engagement(of, stored, actual).await,
            // Left for manual repair.
            FeedsFinding::TwoReactions { .. } => Ok(false),
            FeedsFinding::Bell { user, .. } => self.correct_bell(user).await,
            FeedsFinding::OrphanVector(of) => self.delete_vector(of).await,
            FeedsFinding::NoVector { of, picture, is_public } => self.make_vector(of, picture, *is_public).await,
            FeedsFinding::MisplacedVector { of, is_public } => self.move_vector(of, *is_public).await,
            FeedsFinding::Unlisted { username, missing } => self.list(username, missing).await,
            FeedsFinding::StaleEntry(entry) => self.delete_entry(entry).await,
            FeedsFinding::NoHashtagEntry(entry) => self.correct_hashtag_entry(entry, true).await,
            FeedsFinding::StaleHashtagEntry(entry) => self.correct_hashtag_entry(entry, false).await,
            FeedsFinding::NoPopularPhoto(popular) => self.correct_popular_photo(popular, true).await,
            FeedsFinding::StalePopularPhoto(popular) => self.correct_popular_photo(popular, false).await,
            FeedsFinding::Hashtag { hashtag, summaries } => self.correct_hashtag(hashtag, summaries).await,
        }
    }

    /// Deletes a pull or an exception, if there is no friendship.
    fn delete_unowned(
        &self,
        key: Key,
        reader: &Username,
        author: &Username,
    ) -> Result<Vec<TransactWriteItem>, BuildError> {
        let item = delete(&self.feed, key).condition_expression("attribute_exists(pk)");
        let friendship = check(&self.table, Key::friendship(author, reader));
        Ok(vec![delete_part(item)?, check_part(friendship.condition_expression("attribute_not_exists(PK)"))?])
    }

    pub(super) fn user_exists(&self, username: &Username) -> Result<TransactWriteItem, BuildError> {
        let user = check(&self.table, Key::user(username));
        check_part(user.condition_expression("attribute_exists(username)"))
    }

    /// Puts an item that follows from a photo or, without an `item`, deletes the one with this key, if these
    /// attributes of the photo have not changed since it was `read`.
    pub(super) async fn put_or_delete(
        &self,
        key: Key,
        item: Option<Item>,
        photo: &Position,
        read: &Item,
        attributes: &[&str],
    ) -> Result<bool, Error> {
        let mut check = check(&self.table, Key::photo(&photo.author, &photo.id));
        let mut conditions = vec![];
        for &name in attributes {
            check = check.expression_attribute_names(format!("#{name}"), name);
            conditions.push(match read.get(name) {
                Some(value) => {
                    check = check.expression_attribute_values(format!(":{name}"), value.clone());
                    format!("#{name} = :{name}")
                }
                None => format!("attribute_not_exists(#{name})"),
            });
        }
        let part = match item {
            Some(item) => put_part(put(&self.feed, item))?,
            None => delete_part(delete(&self.feed, key).condition_expression("attribute_exists(pk)"))?,
        };
        write(&self.feed, vec![check_part(check.condition_expression(conditions.join(" AND ")))?, part]).await
    }

    /// Puts entries without a condition: an entry whose photo or friendship is gone does no harm.
    async fn put_entries<'a>(
        &self,
        reader: &Username,
        author: &Username,
        photos: impl IntoIterator<Item = &'a PhotoId>,
    ) -> Result<(), Error> {
        let positions = photos.into_iter().map(|photo| Position { id: photo.clone(), author: author.clone() });
        let puts = positions.map(|position| batch::put(entry_item(reader, &position))).collect::<Result<_, _>>()?;
        Ok(batch::write(&self.feed, puts).await?)
    }

    /// Lets a follower pull an author, as process-changes does. A reader who pulls as many as a
    /// page reads becomes an exception, and gets the newest photos.
    async fn pull(&self, reader: &Username, author: &Username) -> Result<bool, Error> {
        let friendship = || {
            let friendship = check(&self.table, Key::friendship(author, reader));
            check_part(friendship.condition_expression("attribute_exists(PK)"))
        };
        let put_pull = put(&self.feed, Key::pull(reader, author)).condition_expression("attribute_not_exists(pk)");
        let increment = update(&self.feed, Key::pull_count(reader))
            .condition_expression("attribute_not_exists(pulls) OR pulls < :max")
            .update_expression("ADD pulls :one")
            .expression_attribute_values(":max", number(MAX_PULLS.into()))
            .expression_attribute_values(":one", number(1));
        let mut transaction = Transaction::new();
        let follows = transaction.add(friendship()?);
        let pull = transaction.put(put_pull.build()?);
        transaction.update(increment.build()?);
        match transaction.write(&self.feed.client).await? {
            Outcome::Committed => return Ok(true),
            Outcome::ConditionFailed(failed) if failed.contains_any([follows, pull]) => return Ok(false),
            Outcome::ConditionFailed(_) => {}
        }
        let put_exception = put_part(put(&self.feed, Key::exception(author, reader)))?;
        if !write(&self.feed, vec![friendship()?, put_exception]).await? {
            return Ok(false);
        }
        // The read comes after the exception, so that no photo is missed that is published
        // meanwhile.
        if let Some(latest) = self.latest(author).await? {
            self.put_entries(reader, author, latest.photos.iter().rev().take(BACKFILL)).await?;
        }
        Ok(true)
    }

    /// Adds the photos that a `Latest` lacks, and removes those that are gone. Each transaction
    /// checks that they still exist, or do not.
    async fn correct_latest(&self, author: &Username, lacking: &[PhotoId], gone: &[PhotoId]) -> Result<bool, Error> {
        let is_gone = format!("NOT ({REACHES_FOLLOWERS})");
        let adds = lacking
            .chunks(MAX_CHECKED_PHOTOS)
            .map(|photos| (photos, "SET author = :author ADD photos :photos", REACHES_FOLLOWERS));
        let deletes = gone
            .chunks(MAX_CHECKED_PHOTOS)
            .map(|photos| (photos, "SET author = :author DELETE photos :photos", &*is_gone));
        for (photos, change, condition) in adds.chain(deletes) {
            let set = Ss(photos.iter().map(ToString::to_string).collect());
            let change = update(&self.feed, Key::latest(author))
                .update_expression(change)
                .expression_attribute_values(":author", S(author.to_string()))
                .expression_attribute_values(":photos", set);
            let mut parts = vec![update_part(change)?, self.user_exists(author)?];
            for photo in photos {
                let photo = check(&self.table, Key::photo(author, photo))
                    .condition_expression(condition)
                    .expression_attribute_names("#status", "status")
                    .expression_attribute_values(":ready", S("ready".to_owned()))
                    .expression_attribute_values(":me", S(Audience::Me.to_string()));
                parts.push(check_part(photo)?);
            }
            if !write(&self.feed, parts).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Finishes a conversion: gives every follower a pull or an exception, and then pulls the
    /// author. It may run at the same time as process-changes, because whoever is given a pull
    /// already has it.
    async fn convert(&self, author: &Username) -> Result<bool, Error> {
        let mut pages = query_followers(&self.table, author).into_paginator().send();
        while let Some(page) = pages.try_next().await? {
            let readers =
                page.items.unwrap_or_default().into_iter().filter_map(|friendship| reader_of(friendship).ok());
            let pulls = readers.map(async |reader| self.pull(&reader, author).await.map(drop));
            stream::iter(pulls).buffer_unordered(MAX_CONCURRENT_INSPECTIONS).try_collect::<()>().await?;
        }
        let end = update(&self.feed, Key::latest(author))
            .condition_expression("delivery = :converting")
            .update_expression("SET delivery = :pull REMOVE converted")
            .expression_attribute_values(":converting", serde_dynamo::to_attribute_value(Delivery::Converting)?)
            .expression_attribute_values(":pull", serde_dynamo::to_attribute_value(Delivery::Pull)?);
        write(&self.feed, vec![update_part(end)?]).await
    }
}
