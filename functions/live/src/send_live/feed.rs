//! Tells the followers of an author that their feeds have a new photo.
//!
//! - A consistent `GetItem` reads the author. With more followers than photos are written into feeds
//!   for, nobody is told.
//! - A consistent `Query` finds the followers, and one `BatchGetItem` reads the screens of 100.
//! - A consistent `BatchGetItem` reads the entries of those who have a screen, until all are there.

use aws_sdk_dynamodb::types::AttributeValue;
use shared::Error;
use shared::dynamodb::{batch, entity};
use shared::entities::{Key, MUTED, Photo, Position, Screens, query_followers, reader_of, user_from_item};
use shared::values::Username;
use tokio::time::sleep;

use super::{MAX_ATTEMPTS, READ_PAUSE, SendLive, connections_of};
use crate::connections::Hint;

impl SendLive {
    /// Tells the followers of the owner of a photo that it is in their feeds.
    pub(super) async fn tell_followers(&self, photo: &Photo) -> Result<(), Error> {
        let Self { table, max_pushed, .. } = self;
        let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(&photo.username).into()));
        let author = get.consistent_read(true).send().await?.item.map(user_from_item).transpose()?.flatten();
        if author.is_none_or(|author| author.followers > *max_pushed) {
            return Ok(());
        }
        let position = Position { author: photo.username.clone(), id: photo.id.clone() };
        let mut pages = query_followers(table, &photo.username).into_paginator().send();
        while let Some(page) = pages.try_next().await? {
            let mut friendships = page.items.unwrap_or_default();
            friendships.retain(|friendship| friendship.get(MUTED) != Some(&AttributeValue::Bool(true)));
            let readers: Vec<Username> = friendships.into_iter().map(reader_of).collect::<Result<_, _>>()?;
            for readers in readers.chunks(batch::MAX_GET_KEYS) {
                self.tell_readers(&position, readers).await?;
            }
        }
        Ok(())
    }

    /// Tells readers, 100 at most, as soon as their feeds have a photo. A reader whose feed does not get
    /// it, for example because they have just unfollowed the author, is not told.
    async fn tell_readers(&self, position: &Position, readers: &[Username]) -> Result<(), Error> {
        let keys = readers.iter().map(Key::screens).collect();
        let found = batch::get(&self.feed, keys, true).await?;
        let mut waiting = vec![];
        for reader in readers {
            if let Some(item) = batch::find(&found, Key::screens(reader)) {
                let screens: Screens = entity::from_item(item.clone())?;
                waiting.push((Key::entry(reader, position), connections_of(reader, &screens)));
            }
        }
        waiting.retain(|(_, connections)| !connections.is_empty());
        for attempt in 0..MAX_ATTEMPTS {
            if waiting.is_empty() {
                return Ok(());
            }
            if attempt > 0 {
                sleep(READ_PAUSE).await;
            }
            let keys = waiting.iter().map(|(entry, _)| entry.clone()).collect();
            let entries = batch::get(&self.feed, keys, true).await?;
            let (ready, rest) =
                waiting.into_iter().partition::<Vec<_>, _>(|(entry, _)| batch::find(&entries, entry.clone()).is_some());
            self.send(ready.into_iter().flat_map(|(_, connections)| connections).collect(), Hint::Feed).await?;
            waiting = rest;
        }
        Ok(())
    }
}
