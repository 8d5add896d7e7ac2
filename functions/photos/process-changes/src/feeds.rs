//! Updates the home feeds after a change of a photo or a friendship.
//!
//! - A photo that is ready now is added to the [`Latest`] of its author. Then it is pushed to the feed of each follower. If
//!   the author has more followers than photos are pushed to, every follower gets a pull instead ([`pulls`]).
//! - A photo that is deleted is taken out of the `Latest`. The entries stay, and expire: whoever reads them finds no photo.
//! - A new follower gets a pull, or the newest photos of the author.
//! - A user who follows no more loses the pull. The entries stay here too, because the reader finds no friendship.
//!
//! **No step relies on the order of records**, because Lambda keeps only the order of those of one item. A photo is in the
//! `Latest` before the followers are read, and a friendship exists before the `Latest` is read, both consistently. So of a
//! photo and a new follower, at least one step sees the other.
//!
//! Each step may be repeated: an entry that is written twice is the same entry.

mod connection;
mod delivery;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{S, Ss};
use aws_sdk_dynamodb::types::ReturnValue;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::dynamodb::entity;
use shared::dynamodb::{Item, batch, unless_condition_failed};
use shared::feed::{Delivery, Key as FeedKey, Latest, MAX_LATEST, Position, entry_item, exceptions_pk, reader_of};
use shared::photos::{FRIEND_PREFIX, Key, Photo, is_friendship, is_photo, photo_from_item, user_from_item, user_pk};
use shared::runtime::stream::{Change, Record};
use shared::values::Username;
use shared::{Error, Table};

/// The maximum number of requests that one photo has at the same time.
const MAX_CONCURRENT_REQUESTS: usize = 16;

/// The tables, and the maximum number of followers to whom the photos of an author are pushed.
pub(crate) struct Feeds {
    pub(crate) table: Table,
    pub(crate) feed: Table,
    pub(crate) max_pushed: u64,
}

impl Feeds {
    /// Updates the feeds after the change of one item.
    pub(crate) async fn update(&self, record: &Record) -> Result<(), Error> {
        let Record { change, keys, old_image, new_image, .. } = record;
        if is_photo(keys) {
            return match (ready_photo(old_image)?, ready_photo(new_image)?) {
                (None, Some(photo)) => self.publish(&position(&photo)).await,
                (Some(photo), None) => self.forget(&position(&photo)).await,
                _ => Ok(()),
            };
        }
        match change {
            Change::Insert if is_friendship(keys) => self.connect(&entity::from_item(new_image.clone())?).await,
            Change::Remove if is_friendship(keys) => self.disconnect(&entity::from_item(old_image.clone())?).await,
            _ => Ok(()),
        }
    }

    /// Makes a photo known to the followers of its author.
    async fn publish(&self, position: &Position) -> Result<(), Error> {
        let Some(followers) = self.followers_of_published(position).await? else { return Ok(()) };
        let latest = self.add_to_latest(position).await?;
        let delivery = self.next_delivery(&position.author, latest.delivery, followers).await?;
        if delivery == Delivery::Converting {
            self.convert(&position.author).await?;
        }
        let readers = match delivery {
            Delivery::Push | Delivery::PushAgain => self.followers(&position.author),
            Delivery::Converting | Delivery::Pull => self.exceptions(&position.author),
        };
        let mut pages = readers.into_paginator().send();
        while let Some(page) = pages.try_next().await? {
            let readers = page.items.unwrap_or_default().into_iter().map(reader_of).collect::<Result<_, _>>()?;
            self.push(position, readers).await?;
        }
        Ok(())
    }

    /// Returns the number of followers of the author, or `None` if the photo or its author has been deleted since. One
    /// consistent `BatchGetItem` reads both.
    async fn followers_of_published(&self, position: &Position) -> Result<Option<u64>, Error> {
        let Position { timestamp, author } = position;
        let keys = vec![Key::photo(author, timestamp).into(), Key::user(author).into()];
        let (mut exists, mut followers) = (false, None);
        for item in batch::get(&self.table, keys, true).await? {
            if is_photo(&item) {
                exists = photo_from_item(item)?.is_some_and(|photo| photo.is_ready());
            } else {
                followers = user_from_item(item)?.map(|user| user.followers);
            }
        }
        Ok(followers.filter(|_| exists))
    }

    /// Adds a photo to the newest photos of its author, and returns them.
    async fn add_to_latest(&self, position: &Position) -> Result<Latest, Error> {
        let add = self
            .update_latest(&position.author)
            .update_expression("SET author = :author ADD photos :photo")
            .expression_attribute_values(":author", S(position.author.to_string()))
            .expression_attribute_values(":photo", Ss(vec![position.timestamp.to_string()]))
            .return_values(ReturnValue::AllNew);
        let latest: Latest = entity::from_item(add.send().await?.attributes.unwrap_or_default())?;
        let oldest = latest.photos.len().saturating_sub(MAX_LATEST);
        if oldest > 0 {
            let oldest = latest.photos.iter().take(oldest).map(ToString::to_string).collect();
            let trim = self.update_latest(&position.author).update_expression("DELETE photos :oldest");
            let trim = trim.condition_expression("attribute_exists(author)");
            unless_condition_failed(trim.expression_attribute_values(":oldest", Ss(oldest)).send().await)?;
        }
        Ok(latest)
    }

    /// Takes a photo out of the newest photos of its author.
    async fn forget(&self, position: &Position) -> Result<(), Error> {
        let delete = self
            .update_latest(&position.author)
            .condition_expression("attribute_exists(pk)")
            .update_expression("DELETE photos :photo")
            .expression_attribute_values(":photo", Ss(vec![position.timestamp.to_string()]));
        unless_condition_failed(delete.send().await)?;
        Ok(())
    }

    /// Pushes a photo to the feeds of these readers.
    async fn push(&self, position: &Position, readers: Vec<Username>) -> Result<(), Error> {
        let puts: Vec<_> =
            readers.iter().map(|reader| batch::put(entry_item(reader, position))).collect::<Result<_, _>>()?;
        let batches = puts.chunks(batch::MAX_WRITE_ITEMS).map(|batch| batch::write(&self.feed, batch.to_vec()));
        stream::iter(batches).buffer_unordered(MAX_CONCURRENT_REQUESTS).try_collect().await
    }

    /// Returns the update of the newest photos of an author.
    fn update_latest(&self, author: &Username) -> UpdateItemFluentBuilder {
        let update = self.feed.client.update_item().table_name(&self.feed.name);
        update.set_key(Some(FeedKey::latest(author).into()))
    }

    /// Returns the `Query` of the friendships in which others follow an author. It is consistent, because a follower who is
    /// missing would miss the photo.
    fn followers(&self, author: &Username) -> QueryFluentBuilder {
        let query = self.table.client.query().table_name(&self.table.name).consistent_read(true);
        query
            .key_condition_expression("PK = :author AND begins_with(SK, :friends)")
            .expression_attribute_values(":author", S(user_pk(author)))
            .expression_attribute_values(":friends", S(FRIEND_PREFIX.to_owned()))
    }

    /// Returns the consistent `Query` of the readers to whom the photos of a pulled author are pushed.
    fn exceptions(&self, author: &Username) -> QueryFluentBuilder {
        let query = self.feed.client.query().table_name(&self.feed.name).consistent_read(true);
        query.key_condition_expression("pk = :author").expression_attribute_values(":author", S(exceptions_pk(author)))
    }
}

/// Returns the photo of an image if others than its owner can see it.
fn ready_photo(image: &Item) -> Result<Option<Photo>, Error> {
    if image.is_empty() {
        return Ok(None);
    }
    Ok(photo_from_item(image.clone())?.filter(Photo::is_ready))
}

fn position(photo: &Photo) -> Position {
    Position { timestamp: photo.timestamp.clone(), author: photo.username.clone() }
}
