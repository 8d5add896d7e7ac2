//! The judge of the inboxes: at the end of a schedule, the inbox of every user has the events of what is
//! there, and no others.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow};
use serde_json::Value;
use shared::Error;
use shared::dynamodb::Item;
use shared::feed::{INBOX_PREFIX, notices};
use shared::photos::user_from_item;

/// The time after which schedules make events. The data with which they begin is older, and has none.
const BEGIN: &str = "2026";

/// Returns what is wrong with the inboxes among the items of all tables.
pub(crate) fn wrong<'a>(items: impl Iterator<Item = &'a Value>) -> Result<Vec<String>> {
    let (mut expected, mut found, mut users) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for value in items {
        if let Some(user) = value["pk"]["S"].as_str().and_then(|pk| pk.strip_prefix(INBOX_PREFIX)) {
            let events = value["events"]["SS"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let events = events.filter(|event| *event >= BEGIN);
            found.extend(events.map(|event| (user.to_owned(), format!("{} {event}", value["sk"]["S"]))));
            continue;
        }
        let item: Item = serde_json::from_value::<serde_dynamo::Item>(value.clone())?.into();
        users.extend(user_from_item(item.clone()).map_err(malformed)?.map(|user| user.username.to_string()));
        for notice in notices(&item).map_err(malformed)? {
            let event = String::from(notice.event);
            if *event >= *BEGIN {
                expected.insert((notice.user.to_string(), format!("\"{}\" {event}", notice.topic)));
            }
        }
    }
    expected.retain(|(user, _)| users.contains(user));
    found.retain(|(user, _)| users.contains(user));
    let missing = expected.difference(&found).map(|(user, event)| format!("the inbox of {user} lacks {event}"));
    let needless = found.difference(&expected).map(|(user, event)| format!("the inbox of {user} still has {event}"));
    Ok(missing.chain(needless).collect())
}

#[expect(clippy::needless_pass_by_value, reason = "map_err gives it")]
fn malformed(error: Error) -> anyhow::Error {
    anyhow!("an item is malformed: {}", error.causes())
}
