//! The judge of the inboxes: once all follow-up work is done, they have the events of what is
//! there, and no others.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow};
use shared::Error;
use shared::dynamodb::Item;
use shared::entities::{INBOX_PREFIX, Kind, notices, username_from_item};

/// Returns what is wrong with the inboxes among the items of all tables. Events before `since`,
/// such as `2026`, may be there or not.
pub fn wrong(items: impl Iterator<Item = Item>, since: &str) -> Result<Vec<String>> {
    let (mut expected, mut found, mut users) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for item in items {
        let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
        if Kind::Notification.is_of(&item) {
            let user = text("pk").trim_start_matches(INBOX_PREFIX);
            let events = item.get("events").and_then(|events| events.as_ss().ok()).into_iter().flatten();
            let events = events.filter(|event| event.as_str() >= since);
            found.extend(events.map(|event| (user.to_owned(), format!("{} {event}", text("sk")))));
            continue;
        }
        users.extend(username_from_item(&item).map_err(malformed)?.map(|username| username.to_string()));
        for notice in notices(&item).map_err(malformed)? {
            let event = String::from(notice.event);
            if event.as_str() >= since {
                expected.insert((notice.user.to_string(), format!("{} {event}", notice.topic)));
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
