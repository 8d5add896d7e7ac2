//! Updates the home feeds after a change of a photo, a friendship or the hashtags that a user follows.
//!
//! **A photo that the followers can see from now on**, because it is ready and not for its owner
//! alone, is written into the feed of each follower (fan-out on write):
//!
//! - A consistent `GetItem` reads the author, who has the number of followers. With more than 1,000
//!   of them, the photo waits for its turn in the queue of the feeds.
//! - A `TransactWriteItems` checks the photo, and adds it to the
//!   [`Latest`](shared::entities::Latest) of the author.
//! - A consistent `GetItem` reads the `Latest`. If it has too many photos, an `UpdateItem` removes
//!   the oldest ones.
//! - A consistent `Query` finds the followers, and `BatchWriteItem` writes an entry for each of
//!   them.
//!
//! If the author has too many followers for this, an `UpdateItem` changes the delivery, and a
//! `TransactWriteItems` gives each follower a pull instead (fan-out on read).
//!
//! **A photo that the followers cannot see any more**, because it is deleted, removed or for its
//! owner alone, is removed from the `Latest`, by a `TransactWriteItems` that checks the photo. Its
//! entries stay until they expire. A reader of such an entry finds no photo that they may see.
//!
//! **A new follower** gets a pull, or entries of the author's newest photos, in the same way.
//!
//! **A user who unfollows** loses the pull, by a `TransactWriteItems`. The entries stay in this case
//! too. A reader of such an entry finds no friendship.
//!
//! **The hashtags that a user follows** are copied into the user's feed. A consistent `GetItem` reads
//! them, and a `TransactWriteItems` writes the copy and checks that they have not changed since.
//!
//! **No step relies on the order of records**, because Lambda keeps only the order of the records
//! of one item. A photo is in the `Latest` before the followers are read, and a friendship exists
//! before the `Latest` is read, both consistently. So if somebody follows an author while a photo
//! is published, the step of the photo or the step of the follower finds the other.
//!
//! Each step may be repeated: an entry that is written twice is the same entry.

mod connection;
mod hashtags;
mod latest;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Error;
use shared::changes::{Context, Progress, Work};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{
    Delivery, Key, Kind, Photo, Position, entry_item, exceptions_pk, photo_from_item, query_followers, reader_of,
    user_from_item,
};
use shared::runtime::stream::{Change, Record};
use shared::values::Username;

/// The maximum number of requests that write the entries of one photo at the same time.
const MAX_CONCURRENT_REQUESTS: usize = 16;

/// Returns the work that follows from the changes of photos, friendships and followed hashtags.
#[must_use]
pub fn work<'a>(context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
    let decides = |kind: Option<Kind>| matches!(kind, Some(Kind::Photo | Kind::Friendship | Kind::FollowedHashtags));
    let changed = records.iter().filter(|record| decides(Kind::of(&record.keys)));
    changed.map(|record| Work::in_steps(vec![record.id.clone()], update(context, record))).collect()
}

/// Updates the feeds after the change of one item.
async fn update(context: &Context, record: &Record) -> Result<Progress, Error> {
    let Record { change, keys, old_image, new_image, .. } = record;
    let done = Ok(Progress::Done);
    if Kind::Photo.is_of(keys) {
        return match (delivered_photo(old_image)?, delivered_photo(new_image)?) {
            (None, Some(photo)) => publish(context, &position(&photo)).await,
            (Some(photo), None) => {
                latest::hide_photo(&context.table, &context.feed, &position(&photo)).await?;
                done
            }
            _ => done,
        };
    }
    if Kind::FollowedHashtags.is_of(keys) {
        hashtags::copy(context, record).await?;
        return done;
    }
    match change {
        Change::Insert => connection::connect(context, &entity::from_item(new_image.clone())?).await?,
        Change::Remove => connection::disconnect(context, &entity::from_item(old_image.clone())?).await?,
        Change::Modify => {}
    }
    done
}

/// Adds a photo to the feeds of the followers of its author.
async fn publish(context: &Context, position: &Position) -> Result<Progress, Error> {
    let Some(followers) = followers(context, &position.author).await? else { return Ok(Progress::Done) };
    if followers > context.max_pushed_at_once {
        return Ok(Progress::Later);
    }
    let Some(latest) = latest::add_photo(&context.table, &context.feed, position).await? else {
        return Ok(Progress::Done);
    };
    let delivery = latest::next_delivery(&context.feed, &latest, followers, context.max_pushed).await?;
    if delivery == Delivery::Converting {
        connection::convert(context, &position.author).await?;
    }
    let readers = match delivery {
        Delivery::Push | Delivery::PushAgain => query_followers(&context.table, &position.author),
        Delivery::Converting | Delivery::Pull => exceptions(context, &position.author),
    };
    let mut pages = readers.into_paginator().send();
    while let Some(page) = pages.try_next().await? {
        let readers = page.items.unwrap_or_default().into_iter().map(reader_of).collect::<Result<_, _>>()?;
        push(context, position, readers).await?;
    }
    Ok(Progress::Done)
}

/// Returns the number of followers of an author, or `None` if the author has been deleted
/// since, by a consistent `GetItem`.
async fn followers(context: &Context, author: &Username) -> Result<Option<u64>, Error> {
    let get = context.table.client.get_item().table_name(&context.table.name).consistent_read(true);
    let output = get.set_key(Some(Key::user(author).into())).send().await?;
    let user = output.item.map(user_from_item).transpose()?.flatten();
    Ok(user.map(|user| user.followers))
}

/// Writes the entry of a photo into the feeds of these readers.
async fn push(context: &Context, position: &Position, readers: Vec<Username>) -> Result<(), Error> {
    let puts: Vec<_> =
        readers.iter().map(|reader| batch::put(entry_item(reader, position))).collect::<Result<_, _>>()?;
    let batches = puts.chunks(batch::MAX_WRITE_ITEMS).map(|batch| batch::write(&context.feed, batch.to_vec()));
    stream::iter(batches).buffer_unordered(MAX_CONCURRENT_REQUESTS).try_collect().await
}

/// Returns the consistent `Query` of the exceptions of an author.
fn exceptions(context: &Context, author: &Username) -> QueryFluentBuilder {
    let query = context.feed.client.query().table_name(&context.feed.name).consistent_read(true);
    query.key_condition_expression("pk = :author").expression_attribute_values(":author", S(exceptions_pk(author)))
}

/// Returns the photo of an image if the followers of its owner can see it.
fn delivered_photo(image: &Item) -> Result<Option<Photo>, Error> {
    if image.is_empty() {
        return Ok(None);
    }
    Ok(photo_from_item(image.clone())?.filter(Photo::reaches_followers))
}

fn position(photo: &Photo) -> Position {
    Position { id: photo.id.clone(), author: photo.username.clone() }
}
