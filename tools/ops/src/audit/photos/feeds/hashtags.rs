//! Inspects and repairs the lists of hashtags.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::batch;
use shared::entities::{
    HashtagCondition, HashtagEntry, HashtagListing, HashtagSummary, IMPORTED, Key, Listed, MAX_HASHTAG_RANK, Photo,
    hashtag_entries_pk, photo_of_hashtag_entry,
};
use shared::values::Hashtag;

use super::entity::Entity as FeedEntity;
use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::{FeedsFinding, HashtagSummaries};
use crate::audit::layout::{Keys, keys};
use crate::audit::read;
use crate::audit::write::{delete, delete_part, put, put_part, write};

/// The attributes of a photo on which its entries depend.
const CAPTIONED: [&str; 4] = ["audience", "caption", "picture", "username"];

impl FeedsCheck {
    pub(super) async fn hashtag_entry(&self, entry: &HashtagEntry) -> Result<Option<FeedsFinding>, Error> {
        let exists = read::get(&self.feed, entry.key()).await?.is_some();
        let Some((_, photo)) = self.read_photo(&entry.photo).await? else { return Ok(None) };
        Ok(match (exists, has_entry(photo.as_deref(), entry)) {
            (false, true) => Some(FeedsFinding::NoHashtagEntry(entry.clone())),
            (true, false) => Some(FeedsFinding::StaleHashtagEntry(entry.clone())),
            _ => None,
        })
    }

    /// Puts or deletes an entry, if the photo still has the hashtag, or still does not.
    pub(super) async fn correct_hashtag_entry(&self, entry: &HashtagEntry, is_missing: bool) -> Result<bool, Error> {
        let Some((item, photo)) = self.read_photo(&entry.photo).await? else { return Ok(false) };
        if has_entry(photo.as_deref(), entry) != is_missing {
            return Ok(false);
        }
        let missing = is_missing.then(|| entry.item(item.contains_key(IMPORTED)));
        self.put_or_delete(entry.key(), missing, &entry.photo, &item, &CAPTIONED).await
    }

    /// Returns the defect of the summary and the listings of a hashtag, if the summary is still as the
    /// Scan has found it. A summary that has changed since follows from photos that have, too.
    ///
    /// A photo can have been published between the Scans, so what the photos say is derived from the entries of
    /// this moment. Those that are wrong are findings of their own.
    pub(super) async fn hashtag(
        &self,
        hashtag: &Hashtag,
        HashtagSummaries { stored, derived: scanned }: &HashtagSummaries,
        disputed: &[HashtagEntry],
    ) -> Result<Option<FeedsFinding>, Error> {
        let found = HashtagSummary::from_item(read::get(&self.feed, Key::hashtag_summary(hashtag)).await?);
        if found.ok().as_ref() != Some(stored) {
            return Ok(None);
        }
        let mut entries = BTreeSet::new();
        for month in &stored.months | &scanned.months {
            entries.append(&mut self.hashtag_entries(hashtag, &month).await?);
        }
        for entry in disputed {
            let Some((_, photo)) = self.read_photo(&entry.photo).await? else { return Ok(None) };
            if has_entry(photo.as_deref(), entry) {
                entries.insert(entry.clone());
            } else {
                entries.remove(entry);
            }
        }
        let current = entries.iter().filter(|entry| !entry.has_expired());
        let derived = current.fold(HashtagSummary::default(), |summary, entry| summary.with(entry, true));
        let is_right = stored.agrees_with(&derived) && self.listings(hashtag).await? == listings(hashtag, stored);
        let summaries = Box::new(HashtagSummaries { stored: stored.clone(), derived });
        Ok((!is_right).then(|| FeedsFinding::Hashtag { hashtag: hashtag.clone(), summaries }))
    }

    /// Returns the entries of a hashtag in a month, without those that are malformed.
    async fn hashtag_entries(&self, hashtag: &Hashtag, month: &str) -> Result<BTreeSet<HashtagEntry>, Error> {
        let query = self.feed.client.query().table_name(&self.feed.name).consistent_read(true);
        let query = query
            .key_condition_expression("pk = :month")
            .expression_attribute_values(":month", S(hashtag_entries_pk(hashtag, month)));
        let mut items = query.into_paginator().items().send();
        let mut entries = BTreeSet::new();
        while let Some(item) = items.try_next().await? {
            let photo = photo_of_hashtag_entry(&item).ok();
            entries.extend(photo.map(|photo| HashtagEntry { hashtag: hashtag.clone(), photo }));
        }
        Ok(entries)
    }

    /// Returns the keys of the listings of a hashtag.
    async fn listings(&self, hashtag: &Hashtag) -> Result<BTreeSet<Keys>, Error> {
        let to_read = all_listings(hashtag).collect();
        let found = batch::get(&self.feed, to_read, true).await?;
        Ok(found.iter().map(keys::<FeedEntity>).collect())
    }

    /// Writes the listings of a hashtag and its summary, as process-changes does.
    pub(super) async fn correct_hashtag(
        &self,
        hashtag: &Hashtag,
        HashtagSummaries { stored, derived }: &HashtagSummaries,
    ) -> Result<bool, Error> {
        let right = if stored.agrees_with(derived) { stored } else { derived };
        let (found, expected) = (self.listings(hashtag).await?, listings(hashtag, right));
        let mut requests = vec![];
        for key in all_listings(hashtag) {
            let keys = keys::<FeedEntity>(&key.clone().into());
            if found.contains(&keys) && !expected.contains(&keys) {
                requests.push(batch::delete(key)?);
            }
        }
        if let Some(Listed { rank, month }) = &right.listed {
            let listing = HashtagListing { rank: *rank, hashtag: hashtag.clone() };
            for item in listing.items(month)? {
                requests.push(batch::put(item)?);
            }
        }
        batch::write(&self.feed, requests).await?;
        if right == stored {
            return Ok(true);
        }
        let HashtagCondition { expression, names, values } = stored.condition()?;
        let part = if right.is_empty() {
            let delete = delete(&self.feed, Key::hashtag_summary(hashtag)).condition_expression(expression);
            delete_part(delete.set_expression_attribute_names(names).set_expression_attribute_values(values))?
        } else {
            let put = put(&self.feed, right.item(hashtag)?).condition_expression(expression);
            put_part(put.set_expression_attribute_names(names).set_expression_attribute_values(values))?
        };
        write(&self.feed, vec![part]).await
    }
}

/// Returns whether an entry is one of a photo.
fn has_entry(photo: Option<&Photo>, entry: &HashtagEntry) -> bool {
    photo.is_some_and(|photo| photo.hashtag_entries().contains(entry))
}

/// Returns the keys that listings of a hashtag can have.
fn all_listings(hashtag: &Hashtag) -> impl Iterator<Item = Key> {
    let of_rank = |rank| HashtagListing { rank, hashtag: hashtag.clone() }.keys();
    (0..MAX_HASHTAG_RANK).flat_map(of_rank)
}

/// Returns the keys of the listings that a summary says there are.
pub(super) fn listings(hashtag: &Hashtag, summary: &HashtagSummary) -> BTreeSet<Keys> {
    let listing = |listed: &Listed| HashtagListing { rank: listed.rank, hashtag: hashtag.clone() };
    let all = summary.listed.iter().flat_map(|listed| listing(listed).keys());
    all.map(|key| keys::<FeedEntity>(&key.into())).collect()
}
