//! Inspects candidates by consistent reads.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::{Item, batch};
use shared::entities::{
    BACKFILL, Delivery, Key, Latest, MAX_LATEST, PULL_PREFIX, Photo, Position, feed_pk, photo_sk_prefix, user_pk,
};
use shared::values::{PhotoId, Username};

use super::candidate::Candidate;
use super::entity::Entity;
use super::feeds_check::FeedsCheck;
use super::required::{Times, required};
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::photos::entity::{Entity as PhotosEntity, parse_entity};
use crate::audit::photos::user_state::{UserState, user_state};
use crate::audit::read;

impl FeedsCheck {
    /// Returns the defect of a candidate at this moment, if it has one. What belongs to a user
    /// whose deletion is in progress has no defect, because finish-deletion deletes it.
    pub(super) async fn inspect(&self, candidate: &Candidate) -> Result<Option<FeedsFinding>, Error> {
        match candidate {
            Candidate::Pull { reader, author } => {
                let is_unowned = self.is_unowned(Key::pull(reader, author), reader, author).await?;
                Ok(is_unowned.then(|| FeedsFinding::Pull { reader: reader.clone(), author: author.clone() }))
            }
            Candidate::Exception { reader, author } => {
                let is_unowned = self.is_unowned(Key::exception(author, reader), reader, author).await?;
                Ok(is_unowned.then(|| FeedsFinding::Exception { reader: reader.clone(), author: author.clone() }))
            }
            Candidate::PullCount(reader) => self.pull_count(reader).await,
            Candidate::PulledHashtags(reader) => self.pulled_hashtags(reader).await,
            Candidate::Follower { reader, author } => self.follower(reader, author).await,
            Candidate::Latest(author) => self.latest_photos(author).await,
            Candidate::Conversion(author) => self.conversion(author).await,
            Candidate::Engagement(engaged) => self.engagement(engaged).await,
            Candidate::Bell(user) => self.bell(user).await,
            Candidate::Vector(of) => self.vector(of).await,
            Candidate::Listing(username) => self.unlisted(username).await,
            Candidate::Entry(entry) => self.stale_entry(entry).await,
            Candidate::HashtagEntry(entry) => self.hashtag_entry(entry).await,
            Candidate::PopularPhoto(popular) => self.popular_photo(popular).await,
            Candidate::Hashtag { hashtag, summaries, disputed } => self.hashtag(hashtag, summaries, disputed).await,
        }
    }

    /// Returns whether a pull or an exception exists without its friendship.
    async fn is_unowned(&self, key: Key, reader: &Username, author: &Username) -> Result<bool, Error> {
        Ok(read::get(&self.feed, key).await?.is_some()
            && read::get(&self.table, Key::friendship(author, reader)).await?.is_none()
            && user_state(&self.table, author).await? != UserState::Deletion
            && user_state(&self.table, reader).await? != UserState::Deletion)
    }

    async fn pull_count(&self, reader: &Username) -> Result<Option<FeedsFinding>, Error> {
        let stored = match read::entity(&self.feed, Key::pull_count(reader)).await? {
            Some(Ok(Entity::PullCount { pulls, .. })) => Some(pulls),
            Some(_) => return Ok(None),
            None => None,
        };
        let pulls = self.feed.client.query().table_name(&self.feed.name).consistent_read(true);
        let pulls = pulls
            .key_condition_expression("pk = :feed AND begins_with(sk, :pull)")
            .expression_attribute_values(":feed", S(feed_pk(reader)))
            .expression_attribute_values(":pull", S(PULL_PREFIX.to_owned()));
        let actual = read::count(pulls).await?;
        let is_wrong = stored.unwrap_or(0) != actual && user_state(&self.table, reader).await? == UserState::Present;
        Ok(is_wrong.then(|| FeedsFinding::PullCount { reader: reader.clone(), stored, actual }))
    }

    async fn follower(&self, reader: &Username, author: &Username) -> Result<Option<FeedsFinding>, Error> {
        let friendship = read::entity(&self.table, Key::friendship(author, reader)).await?;
        let Some(Ok(PhotosEntity::Friendship { since, .. })) = friendship else { return Ok(None) };
        let states = [user_state(&self.table, author).await?, user_state(&self.table, reader).await?];
        if states != [UserState::Present, UserState::Present] {
            return Ok(None);
        }
        let times = Times::now(self.min_age);
        let newest = self.newest_photos(author, BACKFILL).await?;
        // Whether a photo was published is read before what that has written.
        let latest = self.latest(author).await?;
        let required: Vec<&PhotoId> =
            required(newest.iter().rev(), latest.as_ref(), &since, &times).map(|(_, photo)| photo).collect();

        let (pull, exception) = (Key::pull(reader, author), Key::exception(author, reader));
        let entry = |photo: &PhotoId| {
            let position = Position { id: photo.clone(), author: author.clone() };
            Key::entry(reader, &position)
        };
        let to_read = required.iter().map(|photo| entry(photo)).chain([pull.clone(), exception.clone()]).collect();
        let found = batch::get(&self.feed, to_read, true).await?;
        let has = |key: &Key| batch::find(&found, key.clone()).is_some();

        let delivery = latest.map(|latest| latest.delivery).unwrap_or_default();
        if has(&pull) || delivery == Delivery::Converting {
            return Ok(None);
        }
        let (reader, author) = (reader.clone(), author.clone());
        if delivery == Delivery::Pull && !has(&exception) {
            return Ok((since <= times.settled).then_some(FeedsFinding::NoPull { reader, author }));
        }
        let missing: Vec<PhotoId> = required.into_iter().filter(|photo| !has(&entry(photo))).cloned().collect();
        Ok((!missing.is_empty()).then_some(FeedsFinding::Entries { reader, author, missing }))
    }

    async fn latest_photos(&self, author: &Username) -> Result<Option<FeedsFinding>, Error> {
        if user_state(&self.table, author).await? != UserState::Present {
            return Ok(None);
        }
        let times = Times::now(self.min_age);
        let newest = self.newest_photos(author, MAX_LATEST).await?;
        let latest = match read::entity(&self.feed, Key::latest(author)).await? {
            Some(Ok(Entity::Latest(latest))) => latest.photos,
            // It is malformed.
            Some(_) => return Ok(None),
            None => BTreeSet::new(),
        };
        let lacking: Vec<PhotoId> =
            newest.difference(&latest).filter(|photo| photo.time() <= times.settled).cloned().collect();
        let mut gone = vec![];
        for photo in latest.difference(&newest) {
            // Somebody can repair a malformed photo. It is not gone.
            let photo_now = read::entity(&self.table, Key::photo(author, photo)).await?;
            if photo_now.is_none_or(|found| found.is_ok_and(|entity| delivered_photo(&entity).is_none())) {
                gone.push(photo.clone());
            }
        }
        let is_right = lacking.is_empty() && gone.is_empty();
        Ok((!is_right).then(|| FeedsFinding::Latest { author: author.clone(), lacking, gone }))
    }

    async fn conversion(&self, author: &Username) -> Result<Option<FeedsFinding>, Error> {
        let times = Times::now(self.min_age);
        let Some(Latest { delivery: Delivery::Converting, converted, .. }) = self.latest(author).await? else {
            return Ok(None);
        };
        let newest = self.newest_photos(author, 1).await?;
        let is_old = newest.last().is_none_or(|photo| photo.time() <= times.settled)
            && user_state(&self.table, author).await? == UserState::Present;
        Ok(is_old.then(|| FeedsFinding::Conversion { author: author.clone(), converted }))
    }

    /// Returns the newest photos of an author that followers can see, at most `limit`.
    async fn newest_photos(&self, author: &Username, limit: usize) -> Result<BTreeSet<PhotoId>, Error> {
        let photos = self.table.client.query().table_name(&self.table.name).consistent_read(true);
        let photos = photos
            .key_condition_expression("PK = :author AND begins_with(SK, :photos)")
            .expression_attribute_values(":author", S(user_pk(author)))
            .expression_attribute_values(":photos", S(photo_sk_prefix(author)))
            .scan_index_forward(false)
            // Followers can see nearly all photos, so one page is mostly enough.
            .limit(i32::try_from(limit).unwrap_or(i32::MAX));
        let mut photos = photos.into_paginator().items().send();
        let mut newest = BTreeSet::new();
        while newest.len() < limit
            && let Some(item) = photos.try_next().await?
        {
            newest.extend(parse_entity(item).ok().as_ref().and_then(delivered_photo).cloned());
        }
        Ok(newest)
    }

    /// Returns the item of a photo, with the photo if there is one, or `None` if the item is malformed.
    /// Somebody can repair it.
    pub(super) async fn read_photo(&self, photo: &Position) -> Result<Option<(Item, Option<Box<Photo>>)>, Error> {
        let item = read::get(&self.table, Key::photo(&photo.author, &photo.id)).await?.unwrap_or_default();
        Ok(match (item.is_empty(), parse_entity(item.clone())) {
            (true, _) | (_, Ok(PhotosEntity::PhotoDeletion { .. })) => Some((item, None)),
            (_, Ok(PhotosEntity::Photo { photo, .. })) => Some((item, Some(photo))),
            _ => None,
        })
    }

    /// Returns the [`Latest`] of an author, or `None` if there is none or if it is malformed.
    pub(super) async fn latest(&self, author: &Username) -> Result<Option<Latest>, Error> {
        Ok(match read::entity(&self.feed, Key::latest(author)).await? {
            Some(Ok(Entity::Latest(latest))) => Some(latest),
            _ => None,
        })
    }
}

/// Returns the id of a photo that followers can see.
fn delivered_photo(entity: &PhotosEntity) -> Option<&PhotoId> {
    match entity {
        PhotosEntity::Photo { photo, .. } if photo.reaches_followers() => Some(&photo.id),
        _ => None,
    }
}
