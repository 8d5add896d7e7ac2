//! Updates the home feeds after a change of a photo or a friendship.
//!
//! - A photo that the followers can see now, because it is ready and not for its owner alone, is
//!   added to the [`Latest`](shared::entities::Latest) of its author, by a transaction that checks the
//!   photo. Then an entry is written into the feed of each follower (fan-out on write). If the
//!   author has too many followers for this, each of them gets a pull instead (fan-out on read). A
//!   photo of an author with many followers waits for its turn in the queue of the feeds.
//! - A photo that is deleted or removed, or is for its owner alone from now on, is removed from the
//!   `Latest`, by a transaction that checks the photo. Its entries stay until they expire. A reader
//!   of such an entry finds no photo that they may see.
//! - A new follower gets a pull, or entries of the author's newest photos.
//! - A user who unfollows loses the pull. The entries stay in this case too. A reader of such an
//!   entry finds no friendship.
//!
//! **No step relies on the order of records**, because Lambda keeps only the order of the records
//! of one item. A photo is in the `Latest` before the followers are read, and a friendship exists
//! before the `Latest` is read, both consistently. So if somebody follows an author while a photo
//! is published, the step of the photo or the step of the follower finds the other.
//!
//! Each step may be repeated: an entry that is written twice is the same entry.

mod connection;
mod latest;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Error;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{
    Delivery, Key, Kind, Photo, Position, entry_item, exceptions_pk, photo_from_item, query_followers, reader_of,
    user_from_item,
};
use shared::runtime::stream::{Change, Record};
use shared::values::Username;

use crate::process_changes::work::{Context, Progress, Work};

/// The maximum number of requests that one photo has at the same time.
const MAX_CONCURRENT_REQUESTS: usize = 16;

/// Returns the work that follows from the changes of photos and friendships.
pub(crate) fn work<'a>(context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
    let of_feeds =
        records.iter().filter(|record| matches!(Kind::of(&record.keys), Some(Kind::Photo | Kind::Friendship)));
    of_feeds.map(|record| Work::in_steps(vec![record.id.clone()], context.update_feeds(record))).collect()
}

impl Context {
    /// Updates the feeds after the change of one item.
    async fn update_feeds(&self, record: &Record) -> Result<Progress, Error> {
        let Record { change, keys, old_image, new_image, .. } = record;
        let done = Ok(Progress::Done);
        if Kind::Photo.is_of(keys) {
            return match (delivered_photo(old_image)?, delivered_photo(new_image)?) {
                (None, Some(photo)) => self.publish(&position(&photo)).await,
                (Some(photo), None) => {
                    latest::hide_photo(&self.table, &self.feed, &position(&photo)).await?;
                    done
                }
                _ => done,
            };
        }
        match change {
            Change::Insert => self.connect(&entity::from_item(new_image.clone())?).await?,
            Change::Remove => self.disconnect(&entity::from_item(old_image.clone())?).await?,
            Change::Modify => {}
        }
        done
    }

    /// Adds a photo to the feeds of the followers of its author.
    async fn publish(&self, position: &Position) -> Result<Progress, Error> {
        let Some(followers) = self.followers(&position.author).await? else { return Ok(Progress::Done) };
        if followers > self.max_pushed_at_once {
            return Ok(Progress::Later);
        }
        let Some(latest) = latest::add_photo(&self.table, &self.feed, position).await? else {
            return Ok(Progress::Done);
        };
        let delivery = latest::next_delivery(&self.feed, &latest, followers, self.max_pushed).await?;
        if delivery == Delivery::Converting {
            self.convert(&position.author).await?;
        }
        let readers = match delivery {
            Delivery::Push | Delivery::PushAgain => query_followers(&self.table, &position.author),
            Delivery::Converting | Delivery::Pull => self.exceptions(&position.author),
        };
        let mut pages = readers.into_paginator().send();
        while let Some(page) = pages.try_next().await? {
            let readers = page.items.unwrap_or_default().into_iter().map(reader_of).collect::<Result<_, _>>()?;
            self.push(position, readers).await?;
        }
        Ok(Progress::Done)
    }

    /// Returns the number of followers of an author, or `None` if the author has been deleted
    /// since, by a consistent `GetItem`.
    async fn followers(&self, author: &Username) -> Result<Option<u64>, Error> {
        let get = self.table.client.get_item().table_name(&self.table.name).consistent_read(true);
        let output = get.set_key(Some(Key::user(author).into())).send().await?;
        let user = output.item.map(user_from_item).transpose()?.flatten();
        Ok(user.map(|user| user.followers))
    }

    /// Writes the entry of a photo into the feeds of these readers.
    async fn push(&self, position: &Position, readers: Vec<Username>) -> Result<(), Error> {
        let puts: Vec<_> =
            readers.iter().map(|reader| batch::put(entry_item(reader, position))).collect::<Result<_, _>>()?;
        let batches = puts.chunks(batch::MAX_WRITE_ITEMS).map(|batch| batch::write(&self.feed, batch.to_vec()));
        stream::iter(batches).buffer_unordered(MAX_CONCURRENT_REQUESTS).try_collect().await
    }

    /// Returns the consistent `Query` of the exceptions of an author.
    fn exceptions(&self, author: &Username) -> QueryFluentBuilder {
        let query = self.feed.client.query().table_name(&self.feed.name).consistent_read(true);
        query.key_condition_expression("pk = :author").expression_attribute_values(":author", S(exceptions_pk(author)))
    }
}

/// Returns the photo of an image if the followers of its owner can see it.
fn delivered_photo(image: &Item) -> Result<Option<Photo>, Error> {
    if image.is_empty() {
        return Ok(None);
    }
    Ok(photo_from_item(image.clone())?.filter(Photo::reaches_followers))
}

fn position(photo: &Photo) -> Position {
    Position { timestamp: photo.timestamp.clone(), author: photo.username.clone() }
}
