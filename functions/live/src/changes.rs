//! Finds the changes that live screens are told of.
//!
//! A consistent `GetItem` reads the screens of each user whose inbox has something new. A consistent
//! `Query` looks for a watcher of each photo that has changed. Where there is one, a record is left to
//! send-live. So is each photo that has become ready, of which a picture was rejected, or that comes into
//! the feeds.
//!
//! The reads are consistent: a screen that was connected before the change hears of it, and one that is
//! connected later reads it.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::Error;
use shared::changes::{Context, Progress, Work, new_notices};
use shared::dynamodb::entity;
use shared::entities::{
    Kind, Notice, Photo, Picture, Pictures, Topic, WATCHER_PREFIX, owner_of_pictures, photo_from_item, watchers_pk,
};
use shared::runtime::stream::Record;
use shared::values::{PhotoReference, Username};

use crate::screens;

/// The consequences of a change of a photo for others than those who look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transition {
    /// Whether the picture of an upload is no longer pending.
    pub(crate) is_settled: bool,
    /// Whether the photo comes into the feeds of the followers.
    pub(crate) reaches_followers: bool,
}

/// A change of several pictures of which somebody hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PicturesChange {
    /// Another one is rejected.
    Rejected,
    /// Those of a ready photo are others, or in another order. The photo's copy of the first one may stay as it is.
    Shown,
}

/// Returns the work that follows from records. Of the records about the same photo, or about the same
/// notification of a user, it is the last one that is left to send-live.
#[must_use]
pub fn work<'a>(context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
    let (mut work, mut photos, mut inboxes) = (vec![], BTreeMap::new(), BTreeMap::new());
    for record in records {
        if let Err(error) = sort(record, &mut work, &mut photos, &mut inboxes) {
            work.push(Work::failed(vec![record.id.clone()], error));
        }
    }
    work.extend(photos.into_iter().map(|(photo, record)| in_case(record, has_watcher(context, photo))));
    work.extend(inboxes.into_iter().map(|((user, _), record)| in_case(record, has_screen(context, user))));
    work
}

/// Adds a record to what it is about.
fn sort<'a>(
    record: &'a Record,
    work: &mut Vec<Work<'a>>,
    photos: &mut BTreeMap<PhotoReference, &'a Record>,
    inboxes: &mut BTreeMap<(Username, Topic), &'a Record>,
) -> Result<(), Error> {
    if Kind::Photo.is_of(&record.keys) {
        if let Some((photo, transition)) = changed_photo(record)? {
            if transition.is_settled || transition.reaches_followers {
                work.push(Work::later(record));
            } else {
                photos.insert(PhotoReference { username: photo.username, id: photo.id }, record);
            }
        }
    } else if Kind::Pictures.is_of(&record.keys) {
        match changed_pictures(record)? {
            Some((_, PicturesChange::Rejected)) => work.push(Work::later(record)),
            Some((photo, PicturesChange::Shown)) => {
                photos.insert(photo, record);
            }
            None => {}
        }
    } else {
        for Notice { user, topic, .. } in new_notices(record)? {
            inboxes.insert((user, topic), record);
        }
    }
    Ok(())
}

/// Returns the photo that there is after the change of a record, and what the change means.
pub(crate) fn changed_photo(record: &Record) -> Result<Option<(Photo, Transition)>, Error> {
    let (old, new) = (photo_from_item(record.old_image.clone())?, photo_from_item(record.new_image.clone())?);
    let Some(new) = new else { return Ok(None) };
    let was_pending = old.as_ref().is_some_and(|old| old.picture == Some(Picture::Pending));
    let transition = Transition {
        is_settled: was_pending && new.picture != Some(Picture::Pending) && !new.imported,
        reaches_followers: !old.is_some_and(|old| old.reaches_followers()) && new.reaches_followers(),
    };
    Ok(Some((new, transition)))
}

/// Returns the photo whose several pictures the change of a record concerns, and how, if somebody hears of it.
pub(crate) fn changed_pictures(record: &Record) -> Result<Option<(PhotoReference, PicturesChange)>, Error> {
    if record.old_image.is_empty() || record.new_image.is_empty() {
        return Ok(None);
    }
    let old: Pictures = entity::from_item(record.old_image.clone())?;
    let new: Pictures = entity::from_item(record.new_image.clone())?;
    let change = if new.rejected() > old.rejected() {
        PicturesChange::Rejected
    } else if old.are_ready() && new.are_ready() && old.entries != new.entries {
        PicturesChange::Shown
    } else {
        return Ok(None);
    };
    Ok(Some((PhotoReference { username: owner_of_pictures(&record.keys)?, id: new.id }, change)))
}

/// Returns the work that leaves a record to send-live if `somebody` hears of it.
fn in_case<'a>(record: &Record, somebody: impl Future<Output = Result<bool, Error>> + 'a) -> Work<'a> {
    let progress = async { Ok(if somebody.await? { Progress::Later } else { Progress::Done }) };
    Work::in_steps(vec![record.id.clone()], progress)
}

/// Returns whether a screen shows a photo, by a consistent `Query`.
async fn has_watcher(Context { feed, .. }: &Context, photo: PhotoReference) -> Result<bool, Error> {
    let query = feed
        .client
        .query()
        .table_name(&feed.name)
        .key_condition_expression("pk = :photo AND begins_with(sk, :watchers)")
        .expression_attribute_values(":photo", S(watchers_pk(&photo)))
        .expression_attribute_values(":watchers", S(WATCHER_PREFIX.to_owned()))
        .consistent_read(true)
        .limit(1);
    Ok(query.send().await?.count > 0)
}

/// Returns whether a user has a screen that is connected, by a consistent `GetItem`.
async fn has_screen(Context { feed, .. }: &Context, user: Username) -> Result<bool, Error> {
    Ok(screens::get(feed, &user).await?.connections().next().is_some())
}
