//! Inspects and repairs bells: the new notifications of inboxes.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use shared::access::in_inbox;
use shared::dynamodb::entity;
use shared::entities::{Bell, FEED_SK, Key, MAX_UNSEEN, Number, Topic, inbox_pk};
use shared::values::{Timestamp, Username};

use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::read;
use crate::audit::write::{update, update_part, write};

impl FeedsCheck {
    /// Returns the defect of a bell: it does not name the newest notifications that the user has not
    /// seen, or says of one of them that the inbox hides it, and the inbox shows it, or the reverse.
    pub(super) async fn bell(&self, user: &Username) -> Result<Option<FeedsFinding>, Error> {
        let Some((stored, actual)) = self.read_bell(user).await? else { return Ok(None) };
        let named = |bell: &Bell| (bell.unseen.len(), bell.hidden.len());
        Ok((!is_same(&stored, &actual)).then(|| FeedsFinding::Bell {
            user: user.clone(),
            stored: named(&stored),
            actual: named(&actual),
        }))
    }

    /// Writes what a bell has to say, if nobody has changed it.
    pub(super) async fn correct_bell(&self, user: &Username) -> Result<bool, Error> {
        let Some((stored, actual)) = self.read_bell(user).await? else { return Ok(false) };
        let change = update(&self.feed, Key::seen(user))
            .expression_attribute_names("#hidden", "hidden")
            .expression_attribute_values(":next", N((stored.revision + 1).to_string()))
            .expression_attribute_values(":unseen", Bell::attribute(&actual.unseen)?)
            .expression_attribute_values(":hidden", Bell::attribute(&actual.hidden)?);
        let mut set = "SET revision = :next, unseen = :unseen, #hidden = :hidden".to_owned();
        let change = match actual.ttl {
            Some(ttl) => {
                set.push_str(", #ttl = :ttl");
                change.expression_attribute_names("#ttl", "ttl").expression_attribute_values(":ttl", N(ttl.to_string()))
            }
            None => change,
        };
        let change = match actual.evicted {
            Some(evicted) => change
                .update_expression(format!("{set}, evicted = :evicted"))
                .expression_attribute_values(":evicted", N(evicted.to_string())),
            None => change.update_expression(format!("{set} REMOVE evicted")),
        };
        let change = match stored.revision {
            0 => change.condition_expression("attribute_not_exists(revision)"),
            revision => change
                .condition_expression("revision = :revision")
                .expression_attribute_values(":revision", N(revision.to_string())),
        };
        write(&self.feed, vec![update_part(change)?, self.user_exists(user)?]).await
    }

    /// Reads a bell, and makes it of the inbox. Returns `None` for a user who does not exist, and for
    /// an inbox with a malformed item.
    async fn read_bell(&self, user: &Username) -> Result<Option<(Bell, Bell)>, Error> {
        let profile = read::get(&self.table, Key::user(user)).await?.filter(|item| item.contains_key("username"));
        let Some(profile) = profile else { return Ok(None) };
        let stored = read::get(&self.feed, Key::seen(user)).await?.map(entity::from_item::<Bell>).transpose();
        let Ok(stored) = stored else { return Ok(None) };
        let stored = stored.unwrap_or_default();
        let inbox = self.feed.client.query().table_name(&self.feed.name).consistent_read(true);
        let mut inbox = inbox
            .key_condition_expression("pk = :inbox")
            .expression_attribute_values(":inbox", S(inbox_pk(user)))
            .into_paginator()
            .items()
            .send();
        let mut newest = BTreeMap::new();
        while let Some(item) = inbox.try_next().await? {
            let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok());
            let changed = text("changed").and_then(|changed| changed.parse::<Timestamp>().ok());
            if let (Some(topic), Some(changed)) = (text(FEED_SK).and_then(|sk| Topic::parse(sk)), changed) {
                newest.insert((changed.millis(), topic), item);
                if newest.len() > MAX_UNSEEN + 1 {
                    newest.pop_first();
                }
            }
        }
        let (topics, items): (Vec<Topic>, Vec<_>) = newest.into_iter().map(|((_, topic), item)| (topic, item)).unzip();
        let states = in_inbox(&self.table, user, &profile, topics, items).await?;
        let empty = Bell { unseen: BTreeMap::new(), hidden: BTreeMap::new(), evicted: None, ..stored.clone() };
        let actual = empty.after(user, &states).unwrap_or(empty);
        Ok(Some((stored, actual)))
    }
}

/// Returns whether two bells say the same, apart from what the user has seen and what has expired.
fn is_same(stored: &Bell, actual: &Bell) -> bool {
    let [unseen, hidden] = [&stored.unseen, &stored.hidden].map(|named| stored.current(named));
    // Of a bell that has left out notifications, some that are gone since may make place.
    if matches!(stored.count(), Number::MoreThan(_)) {
        unseen.keys().all(|name| actual.unseen.contains_key(name))
    } else {
        (&unseen, &hidden) == (&actual.unseen, &actual.hidden)
    }
}
