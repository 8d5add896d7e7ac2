//! Tells the screens that show a photo, and its owner.
//!
//! - A consistent `Query` reads the watchers, [`MAX_TOLD`] at most, and goes on if some have expired. Then the photo [claims](claim)
//!   the message. After a pause, the watchers are read again.
//! - For 49 of them, one consistent `BatchGetItem` reads the photo, its owner, the watching users and
//!   their screens, and one the blocks and friendships that decide who may see the photo.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::Error;
use shared::access::Relations;
use shared::dynamodb::{batch, entity, expiry};
use shared::entities::{
    Key, MAX_TOLD, SCREEN_LIFETIME, Screens, WATCHER_PREFIX, Watcher, photo_from_item, watchers_pk,
};
use shared::values::{EpochMillis, PhotoReference, ScreenId, Username};
use tokio::time::sleep;

use super::claim::{Claim, MAX_CLAIMS, claim};
use super::{SendLive, connections_of};
use crate::connections::Hint;
use crate::screens;

/// The number of users whom one `BatchGetItem` reads with their screens, beside photo and owner.
const USERS_AT_ONCE: usize = (batch::MAX_GET_KEYS - 2) / 2;
/// The maximum number of pages of watchers, most of whom may have expired.
const MAX_PAGES: usize = 10;

impl SendLive {
    /// Tells the owner that a photo is ready, or that a picture of it is rejected. Only the owner could see it
    /// before, and is the one who waits for it.
    pub(super) async fn tell_owner(&self, photo: &PhotoReference) -> Result<(), Error> {
        let screens = screens::get(&self.feed, &photo.username).await?;
        self.send(connections_of(&photo.username, &screens), Hint::Photo { photo }).await
    }

    /// Tells the screens that show a photo that it has changed.
    pub(super) async fn tell_watchers(&self, photo: &PhotoReference) -> Result<(), Error> {
        let since = EpochMillis::now();
        let ttl = since.seconds() + SCREEN_LIFETIME.as_secs();
        for _ in 0..MAX_CLAIMS {
            let read = EpochMillis::now();
            let users = self.watching(photo).await?;
            if users.is_empty() {
                return Ok(());
            }
            match claim(&self.feed, &Key::told(photo), Some(ttl), since, read).await? {
                Claim::Told => {
                    for users in users.chunks(USERS_AT_ONCE) {
                        let to = self.may_see(photo, users).await?;
                        self.send(to, Hint::Photo { photo }).await?;
                    }
                    return Ok(());
                }
                Claim::Covered => return Ok(()),
                Claim::Wait(pause) => sleep(pause).await,
            }
        }
        Err(Error::Busy("others told the screens during each attempt".into()))
    }

    /// Returns the users who have a screen that shows a photo, without those that have expired.
    async fn watching(&self, photo: &PhotoReference) -> Result<Vec<Username>, Error> {
        let query = self
            .feed
            .client
            .query()
            .table_name(&self.feed.name)
            .key_condition_expression("pk = :photo AND begins_with(sk, :watchers)")
            .expression_attribute_values(":photo", S(watchers_pk(photo)))
            .expression_attribute_values(":watchers", S(WATCHER_PREFIX.to_owned()))
            .consistent_read(true)
            .limit(i32::try_from(MAX_TOLD).map_err(Error::internal)?);
        let mut pages = query.into_paginator().send();
        let mut watchers: Vec<Watcher> = vec![];
        for _ in 0..MAX_PAGES {
            let Some(page) = pages.try_next().await? else { break };
            let mut items = page.items.unwrap_or_default();
            items.retain(|item| !expiry::has_expired(item));
            watchers.extend(entity::from_items::<Watcher>(items)?);
            if watchers.len() >= MAX_TOLD {
                break;
            }
        }
        watchers.truncate(MAX_TOLD);
        let users: BTreeSet<Username> = watchers.into_iter().map(|watcher| watcher.username).collect();
        Ok(users.into_iter().collect())
    }

    /// Returns the connections of those screens of users that show a photo, if the user may see it.
    async fn may_see(
        &self,
        photo: &PhotoReference,
        users: &[Username],
    ) -> Result<Vec<(Username, ScreenId, String)>, Error> {
        let Self { table, feed, .. } = self;
        let (owner_key, photo_key) = (Key::user(&photo.username), Key::photo(&photo.username, &photo.id));
        let keys = users.iter().map(Key::user).chain([photo_key.clone(), owner_key.clone()]).collect();
        let screens = users.iter().map(Key::screens).collect();
        let [items, screens] = batch::get_from_tables([(table, keys), (feed, screens)], true).await?;
        let found = batch::find(&items, photo_key).cloned().map(photo_from_item).transpose()?.flatten();
        let (Some(found), Some(owner)) = (found, batch::find(&items, owner_key)) else { return Ok(vec![]) };

        let deciding = |user| Relations::new(user).deciding(&photo.username, owner, std::slice::from_ref(&found));
        let decided = batch::get(table, users.iter().flat_map(deciding).collect(), true).await?;
        let mut to = vec![];
        for user in users {
            let is_there = batch::find(&items, Key::user(user)).is_some_and(|user| user.contains_key("username"));
            let Some(screens) = batch::find(&screens, Key::screens(user)).filter(|_| is_there) else { continue };
            let mut relations = Relations::new(user);
            for key in deciding(user) {
                relations.add(batch::find(&decided, key).map_or(&[], std::slice::from_ref))?;
            }
            if relations.may_see(&found) {
                let screens: Screens = entity::from_item(screens.clone())?;
                let mut connections = connections_of(user, &screens);
                connections.retain(|(_, id, _)| screens.screens[id].photo.as_ref() == Some(photo));
                to.extend(connections);
            }
        }
        Ok(to)
    }
}
