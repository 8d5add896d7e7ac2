//! Inspects and repairs the lists of hashtags.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{Put, TransactWriteItem};
use shared::dynamodb::{Item, batch};
use shared::entities::{
    HashtagCondition, HashtagEntry, HashtagListing, HashtagSummary, IMPORTED, Key, Listed, MAX_HASHTAG_RANK, Position,
    hashtag_entries_pk, photo_of_hashtag_entry,
};
use shared::values::Hashtag;

use super::entity::Entity as FeedEntity;
use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::{FeedsFinding, HashtagSummaries};
use crate::audit::layout::{Keys, keys};
use crate::audit::photos::entity::{Entity, parse_entity};
use crate::audit::read;
use crate::audit::write::{check, check_part, delete, delete_part, write};

/// The attributes of a photo on which its entries depend.
const CAPTIONED: [&str; 4] = ["audience", "caption", "picture", "username"];

/// A photo as a consistent read finds it.
struct Read {
    /// The item.
    item: Item,
    /// The entries in the lists of hashtags.
    entries: BTreeSet<HashtagEntry>,
}

impl FeedsCheck {
    /// Returns a photo, or `None` if the item is malformed. Somebody can repair it.
    async fn read_captioned(&self, photo: &Position) -> Result<Option<Read>, Error> {
        let item = read::get(&self.table, Key::photo(&photo.author, &photo.id)).await?.unwrap_or_default();
        Ok(match (item.is_empty(), parse_entity(item.clone())) {
            (true, _) | (_, Ok(Entity::PhotoDeletion { .. })) => Some(Read { item, entries: BTreeSet::new() }),
            (_, Ok(Entity::Photo { photo, .. })) => Some(Read { item, entries: photo.hashtag_entries() }),
            _ => None,
        })
    }

    pub(super) async fn hashtag_entry(&self, entry: &HashtagEntry) -> Result<Option<FeedsFinding>, Error> {
        let exists = read::get(&self.feed, entry.key()).await?.is_some();
        let Some(photo) = self.read_captioned(&entry.photo).await? else { return Ok(None) };
        Ok(match (exists, photo.entries.contains(entry)) {
            (false, true) => Some(FeedsFinding::NoHashtagEntry(entry.clone())),
            (true, false) => Some(FeedsFinding::StaleHashtagEntry(entry.clone())),
            _ => None,
        })
    }

    /// Puts or deletes an entry, if the photo still has the hashtag, or still does not.
    pub(super) async fn correct_hashtag_entry(&self, entry: &HashtagEntry, is_missing: bool) -> Result<bool, Error> {
        let photo = self.read_captioned(&entry.photo).await?;
        let Some(photo) = photo.filter(|photo| photo.entries.contains(entry) == is_missing) else { return Ok(false) };
        let part = if is_missing {
            let put = Put::builder()
                .table_name(&self.feed.name)
                .set_item(Some(entry.item(photo.item.contains_key(IMPORTED))));
            TransactWriteItem::builder().put(put.build()?).build()
        } else {
            delete_part(delete(&self.feed, entry.key()).condition_expression("attribute_exists(pk)"))?
        };
        write(&self.feed, vec![self.photo_is(&entry.photo, &photo.item, &CAPTIONED)?, part]).await
    }

    /// Returns the check that these attributes of a photo have not changed since the read.
    pub(super) fn photo_is(
        &self,
        photo: &Position,
        item: &Item,
        attributes: &[&str],
    ) -> Result<TransactWriteItem, BuildError> {
        let mut check = check(&self.table, Key::photo(&photo.author, &photo.id));
        let mut parts = vec![];
        for &name in attributes {
            check = check.expression_attribute_names(format!("#{name}"), name);
            parts.push(match item.get(name) {
                Some(value) => {
                    check = check.expression_attribute_values(format!(":{name}"), value.clone());
                    format!("#{name} = :{name}")
                }
                None => format!("attribute_not_exists(#{name})"),
            });
        }
        check_part(check.condition_expression(parts.join(" AND ")))
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
            let Some(photo) = self.read_captioned(&entry.photo).await? else { return Ok(None) };
            if photo.entries.contains(entry) {
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
            let put = Put::builder()
                .table_name(&self.feed.name)
                .set_item(Some(right.item(hashtag)?))
                .condition_expression(expression)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values);
            TransactWriteItem::builder().put(put.build()?).build()
        };
        write(&self.feed, vec![part]).await
    }
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
