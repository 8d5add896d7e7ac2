//! Inspects and repairs the directory.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::TransactWriteItem;
use shared::dynamodb::{Item, batch};
use shared::entities::{DirectoryEntry, Key, Listing};
use shared::values::Username;

use super::entity::Entity as FeedEntity;
use super::expected::listing_of;
use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::layout::keys;
use crate::audit::photos::entity::{Entity, parse_entity};
use crate::audit::read;
use crate::audit::write::{check, check_part, delete, delete_part, put, put_part, write};

/// A user as a consistent read finds them.
struct Read {
    /// The item.
    item: Item,
    /// The listing, if there is a user.
    listing: Option<Listing>,
}

impl FeedsCheck {
    /// Returns a user, or `None` if the item is malformed. Somebody can repair it.
    async fn read_user(&self, username: &Username) -> Result<Option<Read>, Error> {
        let item = read::get(&self.table, Key::user(username)).await?.unwrap_or_default();
        Ok(match (item.is_empty(), parse_entity(item.clone())) {
            (true, _) | (_, Ok(Entity::Deletion { .. })) => Some(Read { item, listing: None }),
            (_, Ok(Entity::User { user, counts })) => Some(Read { item, listing: Some(listing_of(&user, &counts)) }),
            _ => None,
        })
    }

    pub(super) async fn unlisted(&self, username: &Username) -> Result<Option<FeedsFinding>, Error> {
        let Some(Read { listing: Some(listing), .. }) = self.read_user(username).await? else { return Ok(None) };
        let entries = listing.entries();
        let to_read = entries.iter().map(DirectoryEntry::key).collect();
        let found = batch::get(&self.feed, to_read, true).await?;
        let found: HashSet<_> = found.iter().map(keys::<FeedEntity>).collect();
        let is_missing = |entry: &DirectoryEntry| !found.contains(&keys::<FeedEntity>(&entry.key().into()));
        let missing: Vec<DirectoryEntry> = entries.into_iter().filter(is_missing).collect();
        Ok((!missing.is_empty()).then(|| FeedsFinding::Unlisted { username: username.clone(), missing }))
    }

    pub(super) async fn stale_entry(&self, entry: &DirectoryEntry) -> Result<Option<FeedsFinding>, Error> {
        let exists = read::get(&self.feed, entry.key()).await?.is_some();
        let user = self.read_user(&entry.listing.username).await?;
        let is_stale = exists && user.is_some_and(|user| !user.has(entry));
        Ok(is_stale.then(|| FeedsFinding::StaleEntry(entry.clone())))
    }

    /// Puts missing entries, if they are still those of the user.
    pub(super) async fn list(&self, username: &Username, missing: &[DirectoryEntry]) -> Result<bool, Error> {
        let user = self.read_user(username).await?.filter(|user| missing.iter().all(|entry| user.has(entry)));
        let Some(user) = user else { return Ok(false) };
        let mut parts = vec![self.is_same(username, &user)?];
        for entry in missing {
            parts.push(put_part(put(&self.feed, entry.item()?))?);
        }
        write(&self.feed, parts).await
    }

    /// Deletes an entry, if it is still not one of the user.
    pub(super) async fn delete_entry(&self, entry: &DirectoryEntry) -> Result<bool, Error> {
        let username = &entry.listing.username;
        let Some(user) = self.read_user(username).await?.filter(|user| !user.has(entry)) else { return Ok(false) };
        let delete = delete(&self.feed, entry.key()).condition_expression("attribute_exists(pk)");
        write(&self.feed, vec![self.is_same(username, &user)?, delete_part(delete)?]).await
    }

    /// Returns the check that the listing of a user has not changed since the read.
    fn is_same(&self, username: &Username, user: &Read) -> Result<TransactWriteItem, Error> {
        let check = check(&self.table, Key::user(username));
        let (Some(name), Some(_)) = (user.item.get("name"), &user.listing) else {
            return Ok(check_part(check.condition_expression("attribute_not_exists(username)"))?);
        };
        let check =
            check.expression_attribute_names("#name", "name").expression_attribute_values(":name", name.clone());
        Ok(check_part(match user.item.get("followers") {
            Some(followers) => check
                .condition_expression("#name = :name AND followers = :followers")
                .expression_attribute_values(":followers", followers.clone()),
            None => check.condition_expression("#name = :name AND attribute_not_exists(followers)"),
        })?)
    }
}

impl Read {
    /// Returns whether an entry is one of the user.
    fn has(&self, entry: &DirectoryEntry) -> bool {
        self.listing.as_ref().is_some_and(|listing| listing.entries().contains(entry))
    }
}
