use super::*;
use serde_json::{Value, json};
use shared::entities::{Key, mark_uncounted};
use shared::values::{ReportReason, Timestamp};
use std::sync::LazyLock;
use testing::{Fault, deletion, friendship, photo, reaction, user, with};

const PHOTO: &str = "2024-05-30T15:42:38";
/// The time of comments. Those of an older one would have expired.
static NOW: LazyLock<String> = LazyLock::new(|| Timestamp::now().to_string());

/// Ada has a photo. The inboxes are empty.
struct Inboxes(Fixture);

impl Inboxes {
    async fn new() -> Self {
        let fixture = Fixture::new("process-changes").await;
        let feed = fixture.unrecorded_table(FEED);
        for item in feed.client.scan().table_name(&feed.name).send().await.unwrap().items.unwrap() {
            let key = item.into_iter().filter(|(name, _)| ["pk", "sk"].contains(&name.as_str())).collect();
            feed.client.delete_item().table_name(&feed.name).set_key(Some(key)).send().await.unwrap();
        }
        fixture.put_all(vec![user("ada"), user("ben"), user("cara"), photo("ada", PHOTO)]);
        Self(fixture)
    }

    async fn deliver(&self, records: &[Record]) -> Vec<String> {
        deliver_to(Job::Notifications, &self.0, records).await
    }

    /// Puts an item, and delivers its record.
    async fn put(&self, item: &Item) {
        self.0.put(item.clone()).await;
        assert!(self.deliver(&[insert(item)]).await.is_empty());
    }

    /// Deletes an item, and delivers the record.
    async fn delete(&self, item: &Item) {
        self.0.delete(key(item)).await;
        assert!(self.deliver(&[record(item.clone(), Item::new())]).await.is_empty());
    }

    /// Returns when the notification of a kind in the inbox of a user changed.
    async fn changed(&self, user: &str, kind: &str) -> Option<String> {
        let key = format!("Inbox#{user} {}#{kind}#ada#{PHOTO}", &NOW[..10]);
        self.0.all_items_of(FEED).await[&key]["changed"].as_str().map(ToOwned::to_owned)
    }

    /// Returns the inbox of a user: the topics with their events.
    async fn inbox(&self, user: &str) -> Vec<(String, Value)> {
        let items = self.0.all_items_of(FEED).await.into_iter();
        let own = items.filter_map(|(key, mut item)| {
            let topic = key.strip_prefix(&format!("Inbox#{user} "))?.to_owned();
            (!item["events"].is_null()).then(|| (topic, item["events"].take()))
        });
        own.collect()
    }
}

fn key(item: &Item) -> Item {
    item.clone().into_iter().filter(|(name, _)| ["PK", "SK"].contains(&name.as_str())).collect()
}

fn comment(author: &str, text: &str) -> Item {
    with(testing::comment(author, NOW.as_str(), "ada", PHOTO), "text", text)
}

fn told(topic: &str, events: &[&str]) -> (String, Value) {
    (topic.to_owned(), json!(events))
}

#[tokio::test]
async fn tells_of_everything_that_concerns_somebody_else() {
    let inboxes = Inboxes::new().await;
    let heart = reaction("ben", "heart", "ada", PHOTO);
    let time = heart["timestamp"].as_s().unwrap().clone();
    let day = &time[..10];
    inboxes.put(&heart).await;
    let requests = ["BatchGetItem", "PutItem", "BatchGetItem", "BatchGetItem", "UpdateItem", "BatchGetItem"];
    assert_eq!(inboxes.0.operations(), requests);
    let event = format!("{time}#ben#heart");
    assert_eq!(inboxes.inbox("ada").await, [told(&format!("{day}#reaction#ada#{PHOTO}"), &[&event])]);
    inboxes.put(&reaction("ada", "heart", "ada", PHOTO)).await;
    assert_eq!(inboxes.inbox("ada").await.len(), 1, "nobody is told of their own reaction");

    for (item, user, kind, person) in [
        (friendship("ben", "cara"), "ben", "follower", "cara"),
        (with(friendship("ada", "cara"), "accepted", "true"), "cara", "accepted", "ada"),
        (testing::follow_request("cara", "ada"), "cara", "request", "ada"),
    ] {
        inboxes.put(&item).await;
        let inbox = inboxes.inbox(user).await;
        let of_kind = |(topic, _): &&(String, Value)| topic.ends_with(&format!("#{kind}"));
        let events = inbox.iter().find(of_kind).unwrap_or_else(|| panic!("{kind}: {inbox:?}")).1.clone();
        assert!(events[0].as_str().unwrap().ends_with(&format!("#{person}#")), "{events}");
    }
}

#[tokio::test]
async fn a_comment_tells_the_owner_and_those_whom_it_mentions() {
    let inboxes = Inboxes::new().await;
    let first = comment("ben", "@cara @ada @ben @nobody, look");
    inboxes.put(&first).await;
    let (day, event) = (&NOW[..10], format!("{}#ben#", *NOW));
    let comments = told(&format!("{day}#comment#ada#{PHOTO}"), &[&event]);
    let mentions = told(&format!("{day}#mention#ada#{PHOTO}"), &[&event]);
    assert_eq!(inboxes.inbox("ada").await, std::slice::from_ref(&comments), "the comment is enough for her");
    assert_eq!(inboxes.inbox("cara").await, [mentions]);
    assert_eq!((inboxes.inbox("ben").await.len(), inboxes.inbox("nobody").await.len()), (0, 0));

    let edited = comment("ben", "Look");
    inboxes.0.put(edited.clone()).await;
    assert!(inboxes.deliver(&[record(first, edited.clone())]).await.is_empty());
    assert_eq!((inboxes.inbox("cara").await, inboxes.inbox("ada").await), (vec![], vec![comments]));
    let removed = with(edited.clone(), "removed", ReportReason::Spam.as_ref());
    inboxes.0.put(removed.clone()).await;
    assert!(inboxes.deliver(&[record(edited, removed)]).await.is_empty());
    assert_eq!(inboxes.inbox("ada").await, []);
}

/// The bell counts the notifications that changed after the user has seen them.
#[tokio::test]
async fn a_like_and_a_pin_tell_the_author_of_the_comment() {
    let inboxes = Inboxes::new().await;
    let of_ben = format!("{}~ben", NOW.as_str());
    let [of_cara, own] = ["cara", "ben"].map(|liking| testing::like(liking, &of_ben, "ada", PHOTO));
    inboxes.0.put(comment("ben", "Hello")).await;
    inboxes.put(&of_cara).await;
    inboxes.put(&own).await;
    let (day, time) = (&NOW[..10], of_cara["timestamp"].as_s().unwrap());
    let liked = told(&format!("{day}#like#ada#{PHOTO}"), &[&format!("{time}#cara#{of_ben}")]);
    assert_eq!(inboxes.inbox("ben").await, std::slice::from_ref(&liked), "nobody is told of their own like");

    let pinned = with(comment("ben", "Hello"), "pinned", NOW.as_str());
    inboxes.0.put(pinned.clone()).await;
    assert!(inboxes.deliver(&[record(comment("ben", "Hello"), pinned.clone())]).await.is_empty());
    let pin = told(&format!("{day}#pin#ada#{PHOTO}"), &[&format!("{}#ada#{of_ben}", NOW.as_str())]);
    assert_eq!(inboxes.inbox("ben").await, [liked, pin.clone()]);
    inboxes.delete(&of_cara).await;
    assert_eq!(inboxes.inbox("ben").await, [pin]);
    inboxes.0.put(comment("ben", "Hello")).await;
    assert!(inboxes.deliver(&[record(pinned, comment("ben", "Hello"))]).await.is_empty());
    assert_eq!(inboxes.inbox("ben").await, []);
    let pinned_by_ada = with(comment("ada", "Mine"), "pinned", NOW.as_str());
    inboxes.put(&pinned_by_ada).await;
    assert_eq!(inboxes.inbox("ada").await.iter().filter(|(topic, _)| topic.contains("#pin#")).count(), 0);
}

#[tokio::test]
async fn a_mention_that_edits_take_out_and_put_back_does_not_become_new_again() {
    let inboxes = Inboxes::new().await;
    let edited = |text: &str| with(comment("ben", text), "edited", Timestamp::now().to_string());
    let first = comment("ben", "@cara, look");
    inboxes.put(&first).await;
    let rung = inboxes.changed("cara", "mention").await.unwrap();
    assert!(rung > *NOW, "it counts as new when it is told");
    let mut before = first;
    for round in 0..2 {
        for (text, expected) in [("Look", None), ("@cara @ada, look", Some(NOW.clone()))] {
            let after = edited(text);
            inboxes.0.put(after.clone()).await;
            assert!(inboxes.deliver(&[record(before, after.clone())]).await.is_empty());
            assert_eq!(inboxes.changed("cara", "mention").await, expected, "{round} {text}");
            before = after;
        }
    }
    // Another comment is new, and an edit of the first one does not put the notification back.
    let second = with(testing::comment("ben", Timestamp::now().as_ref(), "ada", PHOTO), "text", "@cara, look again");
    inboxes.put(&second).await;
    let changed = inboxes.changed("cara", "mention").await.unwrap();
    assert!(changed > rung);
    let after = edited("Look");
    inboxes.0.put(after.clone()).await;
    assert!(inboxes.deliver(&[record(before, after)]).await.is_empty());
    assert_eq!(inboxes.changed("cara", "mention").await, Some(changed));
}

#[tokio::test]
async fn a_comment_tells_ten_users_at_most() {
    let inboxes = Inboxes::new().await;
    let names: Vec<String> = (0..12).map(|number| format!("u{number:02}")).collect();
    for name in &names {
        inboxes.0.put(user(name)).await;
    }
    inboxes.put(&comment("ben", &format!("@{}", names.join(" @")))).await;
    let mut told = 0;
    for name in &names {
        told += inboxes.inbox(name).await.len();
    }
    assert_eq!(told, 10);
}

/// Each order of the records, with the state that DynamoDB has when the last one comes.
#[tokio::test]
async fn records_that_come_late_or_again_or_in_another_order_change_nothing() {
    let (heart, smiley) = (reaction("ben", "heart", "ada", PHOTO), reaction("ben", "smiley", "ada", PHOTO));
    let records = [insert(&heart), record(heart.clone(), Item::new()), insert(&smiley)];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let inboxes = Inboxes::new().await;
        inboxes.put(&heart).await;
        inboxes.0.delete(key(&heart)).await;
        inboxes.0.put(smiley.clone()).await;
        for index in order {
            assert!(inboxes.deliver(&[records[index].clone()]).await.is_empty());
        }
        let [(_, events)] = &inboxes.inbox("ada").await[..] else { panic!("{order:?}") };
        assert_eq!(events.as_array().unwrap().len(), 1, "{order:?}");
        let before = inboxes.0.all_items_of(FEED).await;
        assert!(inboxes.deliver(&records).await.is_empty());
        assert_eq!(inboxes.0.all_items_of(FEED).await, before);
    }
}

#[tokio::test]
async fn a_batch_writes_each_notification_once() {
    let inboxes = Inboxes::new().await;
    let names: Vec<String> = (0..150).map(|number| format!("u{number:03}")).collect();
    let hearts: Vec<Item> = names.iter().map(|name| reaction(name, "heart", "ada", PHOTO)).collect();
    inboxes.0.put_all(hearts.clone());
    let records: Vec<Record> = hearts.iter().map(insert).collect();
    assert!(inboxes.deliver(&records).await.is_empty());
    let operations = inboxes.0.operations();
    assert_eq!(operations.iter().filter(|operation| *operation == "PutItem").count(), 2, "98 items at once");
    let [(_, events)] = &inboxes.inbox("ada").await[..] else { panic!() };
    assert_eq!(events.as_array().unwrap().len(), shared::entities::MAX_EVENTS);
}

#[tokio::test]
async fn what_is_gone_leaves_the_inbox() {
    let inboxes = Inboxes::new().await;
    let request = testing::follow_request("ada", "ben");
    inboxes.put(&request).await;
    assert_eq!(inboxes.inbox("ada").await.len(), 1);
    inboxes.delete(&request).await;
    assert_eq!(inboxes.inbox("ada").await, []);
    let items = inboxes.0.all_items_of(FEED).await;
    let (_, left) = items.iter().find(|(key, _)| key.starts_with("Inbox#ada 2")).unwrap();
    assert!(
        left.get("changed").is_none() && left["revision"] == 2,
        "it is in no index, and a late attempt fails: {left}"
    );
}

#[tokio::test]
async fn a_change_that_tells_nothing_new_costs_nothing() {
    let inboxes = Inboxes::new().await;
    let heart = reaction("ben", "heart", "ada", PHOTO);
    let counted = record(mark_uncounted(heart.clone()), heart);
    let friendship = friendship("ada", "ben");
    let muted = record(friendship.clone(), with(friendship, "muted", "true"));
    assert!(inboxes.deliver(&[counted, muted, insert(&user("ada")), insert(&deletion("ben"))]).await.is_empty());
    assert_eq!(inboxes.0.operations(), [""; 0]);
}

#[tokio::test]
async fn somebody_else_changes_the_notification_or_the_reaction_meanwhile() {
    let (heart, other) = (reaction("ben", "heart", "ada", PHOTO), reaction("cara", "heart", "ada", PHOTO));
    let inboxes = Inboxes::new().await;
    inboxes.0.put_all(vec![heart.clone(), other.clone()]);
    // The reaction is taken back after it was read.
    inboxes.0.write_concurrently(1, vec![], vec![key(&heart)]);
    assert!(inboxes.deliver(&[insert(&heart)]).await.is_empty());
    let requests = ["BatchGetItem", "PutItem", "BatchGetItem", "PutItem", "BatchGetItem", "BatchGetItem"];
    assert_eq!(inboxes.0.operations(), requests, "the bell has nothing to say");
    assert_eq!(inboxes.inbox("ada").await, []);

    inboxes.0.put(heart.clone()).await;
    inboxes.0.inject([Fault::None, Fault::AnswerLost]);
    assert!(inboxes.deliver(&[insert(&heart)]).await.is_empty());
    assert!(inboxes.deliver(&[insert(&other)]).await.is_empty());
    let [(_, events)] = &inboxes.inbox("ada").await[..] else { panic!() };
    assert_eq!(events.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_malformed_item_fails_its_own_record() {
    let inboxes = Inboxes::new().await;
    let mut malformed = friendship("ada", "cara");
    malformed.remove("followingUser");
    let heart = reaction("ben", "heart", "ada", PHOTO);
    inboxes.0.put(heart.clone()).await;
    assert_eq!(inboxes.deliver(&[insert(&malformed), insert(&heart)]).await, ["1"]);
    assert_eq!(inboxes.inbox("ada").await.len(), 1);
    let user = Key::user(&"ada".parse().unwrap());
    assert!(!inboxes.0.item(user).await.is_null());
}

#[tokio::test]
async fn what_is_older_than_an_inbox_costs_nothing() {
    let inboxes = Inboxes::new().await;
    let old = with(friendship("ada", "cara"), "timestamp", "2024-06-01T08:00:00");
    inboxes.put(&old).await;
    inboxes.delete(&old).await;
    assert_eq!(inboxes.inbox("ada").await, []);
    assert_eq!(inboxes.0.operations(), ["BatchGetItem"; 2], "the bell of the follower is read");
}
