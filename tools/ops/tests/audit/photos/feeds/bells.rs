//! The bells, which name the new notifications of inboxes.

use super::*;
use shared::entities::Bell;

/// Returns the bell of a user.
async fn bell(feeds: &Feeds, username: &str) -> Bell {
    let get = feeds.table.client.get_item().table_name(&feeds.feed);
    let item = get.set_key(Some(Key::seen(&name(username)).into())).send().await.unwrap().item.unwrap();
    entity::from_item(item).unwrap()
}

#[tokio::test]
async fn names_the_notifications_that_the_user_has_not_seen() {
    let feeds = Feeds::seed();
    let right = bell(&feeds, "ada").await;
    let number_of_new = right.unseen.len();
    assert!(number_of_new > 0 && right.hidden.is_empty());
    let map = |names: &[String]| {
        let named = names.iter().map(|name| (name.clone(), number(1_717_206_000_000)));
        Some(AttributeValue::M(named.collect()))
    };
    let names: Vec<String> = right.unseen.keys().cloned().collect();
    let needless: Vec<String> = names.iter().cloned().chain(["2096-06-02#accepted".to_owned()]).collect();
    for (attribute, value, stored) in [
        ("unseen", map(&names[1..]), (number_of_new - 1, 0)),
        ("unseen", map(&needless), (number_of_new + 1, 0)),
        ("unseen", map(&[]), (0, 0)),
    ] {
        feeds.set(Key::seen(&name("ada")), attribute, value).await;
        let (is, hidden) = stored;
        let line = format!(
            "bell of ada: it names {is} notifications and {hidden} hidden ones, but should name {number_of_new} and 0"
        );
        assert_eq!(feeds.findings().await, [line]);
        feeds.audit(true).await;
        assert_eq!(feeds.findings().await, [""; 0]);
        let repaired = bell(&feeds, "ada").await;
        assert_eq!((repaired.unseen, repaired.seen), (right.unseen.clone(), right.seen.clone()));
    }
}

/// A bell that is lost is made again, and one without anything new is no defect.
#[tokio::test]
async fn makes_a_bell_of_the_inbox() {
    let feeds = Feeds::seed();
    let right = bell(&feeds, "ada").await;
    feeds.delete(Key::seen(&name("ada"))).await;
    assert_eq!(feeds.audit(true).await.findings.len(), 1);
    let made = bell(&feeds, "ada").await;
    assert!(made.unseen.len() >= right.unseen.len(), "nothing is known to be seen");
    // Without it, the count would outlast the notifications.
    assert!(made.ttl.is_some());
    let mut seen = Item::from(Key::seen(&name("ada")));
    seen.insert("seen".to_owned(), text(Timestamp::now().as_ref()));
    feeds.put(seen).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}
