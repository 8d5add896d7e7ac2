//! The alerts of new photos, and the inboxes and bells that follow from them.

use super::*;

use shared::entities::{Alert, Key, Picture, Position, mark_alerts};
use shared::values::{Level, PhotoId, Timestamp, Username};
use std::time::{Duration, SystemTime};
use testing::{Fault, block, friendship, photo_deletion, photo_with, ready, user, with, with_count};

fn name(username: &str) -> Username {
    username.parse().unwrap()
}

/// Returns the id of a photo of some minutes ago.
fn minutes_ago(minutes: u64) -> PhotoId {
    Timestamp::from(SystemTime::now() - Duration::from_mins(minutes)).into()
}

fn published(author: &str, id: &PhotoId) -> Item {
    photo_with(author, id.as_ref(), ready(b"file"))
}

fn pending(author: &str, id: &PhotoId) -> Item {
    photo_with(author, id.as_ref(), Picture::Pending)
}

/// Authors with followers, some of whom have alerts.
struct Alerts {
    fixture: Fixture,
    /// The maximum number of followers that the stream tells.
    max: u64,
}

impl Alerts {
    /// Cara and dora have alerts of ada, cara of ben, and emil follows both without alerts.
    async fn new() -> Self {
        let fixture = Fixture::new("process-changes").await;
        let feed = fixture.unrecorded_table(FEED);
        for item in feed.client.scan().table_name(&feed.name).send().await.unwrap().items.unwrap() {
            let key = item.into_iter().filter(|(name, _)| ["pk", "sk"].contains(&name.as_str())).collect();
            feed.client.delete_item().table_name(&feed.name).set_key(Some(key)).send().await.unwrap();
        }
        let alerting = |author: &str, follower: &str| mark_alerts(friendship(author, follower), &name(author));
        let friendships = [alerting("ada", "cara"), alerting("ada", "dora"), alerting("ben", "cara")];
        let others = [friendship("ada", "emil"), friendship("ben", "emil")];
        let users = ["ada", "ben", "cara", "dora", "emil"].map(user);
        fixture.put_all(friendships.into_iter().chain(others).chain(users).collect());
        Self { fixture, max: u64::MAX }
    }

    /// Lets the job work on records. Returns the ids of those that it does not finish.
    async fn deliver(&self, records: &[Record]) -> Vec<String> {
        let context = Context { max_pushed_at_once: self.max, ..context(&self.fixture.table) };
        let deadline = tokio::time::Instant::now() + Duration::from_mins(1);
        let unfinished = shared::changes::run(Job::Alerts.work(&context, records), deadline).await;
        unfinished.into_iter().flat_map(|one| one.ids).collect()
    }

    /// Replaces a photo, and delivers the record. An empty item is none.
    async fn replace(&self, old: &Item, new: &Item) {
        self.fixture.put(new.clone()).await;
        assert!(self.deliver(&[record(old.clone(), new.clone())]).await.is_empty());
    }

    /// Makes a photo ready, and delivers the record.
    async fn publish(&self, author: &str, id: &PhotoId) {
        self.replace(&pending(author, id), &published(author, id)).await;
    }

    /// Returns who is told of which photo of whom.
    async fn told(&self) -> Vec<(String, String, String)> {
        let items = self.fixture.all_items().await.into_iter();
        let alerts = items.filter(|(key, _)| key.contains(" #ALERT#"));
        let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
        alerts.map(|(_, item)| (text(&item, "follower"), text(&item, "owner"), text(&item, "photo"))).collect()
    }

    /// Updates the inboxes after changes of alerts, friendships, blocks and photos.
    async fn update_inboxes(&self, records: &[Record]) {
        assert!(deliver_to(Job::Notifications, &self.fixture, records).await.is_empty());
    }

    /// Returns the number in the bell of a user.
    async fn bell(&self, user: &str) -> usize {
        let item = self.fixture.all_items_of(FEED).await.remove(&format!("Inbox#{user} SEEN")).unwrap_or_default();
        item["unseen"].as_object().map_or(0, serde_json::Map::len)
    }
}

fn alert(follower: &str, author: &str, id: &PhotoId) -> Item {
    Alert::new(name(follower), &Position { id: id.clone(), author: name(author) }).item().unwrap()
}

fn told(follower: &str, author: &str, id: &PhotoId) -> (String, String, String) {
    (follower.to_owned(), author.to_owned(), id.to_string())
}

#[tokio::test]
async fn tells_the_followers_with_alerts_of_a_new_photo_however_often_its_record_comes() {
    let alerts = Alerts::new().await;
    let [first, second] = [2, 1].map(minutes_ago);
    alerts.publish("ada", &first).await;
    assert_eq!(alerts.fixture.operations(), ["Query", "GetItem", "BatchWriteItem", "GetItem"]);
    assert_eq!(alerts.told().await, [told("cara", "ada", &first), told("dora", "ada", &first)]);
    let items = alerts.fixture.all_items().await;
    alerts.publish("ada", &first).await;
    assert_eq!(alerts.fixture.all_items().await, items, "the record comes again");

    alerts.publish("ben", &first).await;
    alerts.publish("ada", &second).await;
    let mut expected = ["cara", "dora"]
        .into_iter()
        .flat_map(|one| [&first, &second].map(|id| told(one, "ada", id)))
        .collect::<Vec<_>>();
    expected.push(told("cara", "ben", &first));
    let mut all = alerts.told().await;
    all.sort();
    expected.sort();
    assert_eq!(all, expected);
}

#[tokio::test]
async fn a_photo_of_an_author_without_alerts_costs_one_query() {
    let alerts = Alerts::new().await;
    alerts.publish("emil", &minutes_ago(1)).await;
    assert_eq!(alerts.fixture.operations(), ["Query"]);
    assert_eq!(alerts.told().await, []);
}

#[tokio::test]
async fn an_alert_expires_with_its_notification() {
    let alerts = Alerts::new().await;
    let id = minutes_ago(1);
    alerts.publish("ben", &id).await;
    let key = Key::alert(&name("cara"), &Position { id: id.clone(), author: name("ben") });
    let alert = alerts.fixture.item(key).await;
    alerts.update_inboxes(&[insert(&self::alert("cara", "ben", &id))]).await;
    let inbox = alerts.fixture.all_items_of(FEED).await;
    let topic = format!("Inbox#cara {}#photo#ben#{id}", &id.as_ref()[..10]);
    assert_eq!(inbox[&topic]["ttl"], alert["ttl"]);
    assert_eq!(inbox[&topic]["events"], json!([format!("{}#ben#", id.time())]));
}

#[tokio::test]
async fn nobody_is_told_of_an_old_photo_an_import_and_a_photo_for_its_owner() {
    let alerts = Alerts::new().await;
    let id = minutes_ago(1);
    alerts.publish("ada", &minutes_ago(61)).await;
    let mut imported = published("ada", &id);
    imported.insert("imported".to_owned(), aws_sdk_dynamodb::types::AttributeValue::Bool(true));
    alerts.replace(&pending("ada", &id), &imported).await;
    let mine = with(published("ada", &id), "audience", "me");
    alerts.replace(&pending("ada", &id), &mine).await;
    assert_eq!((alerts.fixture.operations(), alerts.told().await), (vec![], vec![]));
    alerts.replace(&mine, &with(published("ada", &id), "audience", "followers")).await;
    assert_eq!(alerts.told().await.len(), 2, "it is for followers now");
}

#[tokio::test]
async fn a_late_record_tells_nobody_of_a_photo_that_is_hidden_or_gone() {
    let alerts = Alerts::new().await;
    let id = minutes_ago(1);
    let late = record(pending("ada", &id), published("ada", &id));
    for now in [with(published("ada", &id), "audience", "me"), photo_deletion("ada", id.as_ref(), 0)] {
        alerts.fixture.put(now).await;
        assert!(alerts.deliver(std::slice::from_ref(&late)).await.is_empty());
        assert_eq!(
            (alerts.fixture.operations(), alerts.told().await),
            (vec!["Query".into(), "GetItem".into()], vec![])
        );
    }
}

#[tokio::test]
async fn a_deleted_photo_takes_its_alerts_and_a_hidden_one_keeps_them() {
    let alerts = Alerts::new().await;
    let [first, second] = [2, 1].map(minutes_ago);
    for id in [&first, &second] {
        alerts.publish("ada", id).await;
    }
    let _ = alerts.fixture.operations();
    let hidden = with(published("ada", &first), "audience", "me");
    alerts.replace(&published("ada", &first), &hidden).await;
    assert_eq!(alerts.fixture.operations(), [""; 0]);
    alerts.replace(&hidden, &photo_deletion("ada", first.as_ref(), 0)).await;
    assert_eq!(alerts.fixture.operations(), ["Query", "BatchWriteItem"]);
    assert_eq!(alerts.told().await, [told("cara", "ada", &second), told("dora", "ada", &second)]);
    // A photo whose alerts have expired.
    let old: PhotoId = "2024-05-30T15:42:38".parse().unwrap();
    alerts.replace(&published("ada", &old), &photo_deletion("ada", old.as_ref(), 0)).await;
    assert_eq!(alerts.fixture.operations(), [""; 0]);
}

/// The photo is deleted, or the follower is, before each request; or an answer is lost.
#[tokio::test]
async fn leaves_what_is_right_after_interruptions() {
    let id = minutes_ago(1);
    let (old, new, gone) = (pending("ada", &id), published("ada", &id), photo_deletion("ada", id.as_ref(), 0));
    for requests in 0..=4 {
        let alerts = Alerts::new().await;
        alerts.fixture.put(new.clone()).await;
        alerts.fixture.write_concurrently(requests, vec![gone.clone()], vec![]);
        assert!(alerts.deliver(&[record(old.clone(), new.clone())]).await.is_empty());
        alerts.fixture.put(gone.clone()).await;
        if requests == 4 {
            assert_eq!(alerts.told().await.len(), 2, "it was deleted after the last request");
        } else {
            assert_eq!(alerts.told().await, [], "{requests}");
        }
        assert!(alerts.deliver(&[record(new.clone(), gone.clone())]).await.is_empty());
        assert_eq!(alerts.told().await, []);
    }
    for requests in 1..=4 {
        for fault in [Fault::AnswerLost, Fault::ConnectionLost, Fault::Error("ThrottlingException")] {
            let alerts = Alerts::new().await;
            alerts.fixture.put(new.clone()).await;
            alerts.fixture.inject((1..requests).map(|_| Fault::None).chain([fault; 5]));
            let _ = alerts.deliver(&[record(old.clone(), new.clone())]).await;
            alerts.fixture.clear_faults();
            assert!(alerts.deliver(&[record(old.clone(), new.clone())]).await.is_empty());
            assert_eq!(alerts.told().await.len(), 2, "{requests} {fault:?}");
        }
    }
}

#[tokio::test]
async fn more_followers_than_the_stream_tells_wait_in_the_queue() {
    let alerts = Alerts { max: 1, ..Alerts::new().await };
    let id = minutes_ago(1);
    alerts.publish("ben", &id).await;
    alerts.fixture.put(published("ada", &id)).await;
    let _ = alerts.fixture.operations();
    let photo = record(pending("ada", &id), published("ada", &id));
    assert_eq!(alerts.deliver(std::slice::from_ref(&photo)).await, ["1"]);
    assert_eq!(alerts.fixture.operations(), ["Query"]);
    assert_eq!(alerts.told().await, [told("cara", "ben", &id)]);
    assert!(deliver_to(Job::Alerts, &alerts.fixture, &[photo]).await.is_empty());
    assert_eq!(alerts.told().await.len(), 3);
}

/// Cara stops to follow ada, mutes her, or is kept away, and ada hides and deletes the photo.
#[tokio::test]
async fn the_bell_counts_a_photo_while_the_inbox_shows_it() {
    let alerts = Alerts::new().await;
    let id = minutes_ago(1);
    alerts.publish("ada", &id).await;
    let inserts = ["cara", "dora"].map(|follower| insert(&alert(follower, "ada", &id)));
    alerts.update_inboxes(&inserts).await;
    assert_eq!((alerts.bell("cara").await, alerts.bell("dora").await, alerts.bell("emil").await), (1, 1, 0));

    let follows = mark_alerts(friendship("ada", "cara"), &name("ada"));
    alerts.fixture.delete(Key::friendship(&name("ada"), &name("cara"))).await;
    alerts.update_inboxes(&[record(follows.clone(), Item::new())]).await;
    assert_eq!(
        (alerts.bell("cara").await, alerts.bell("dora").await),
        (0, 1),
        "everyone may see it, but cara unfollowed"
    );
    alerts.fixture.put(follows.clone()).await;
    alerts.update_inboxes(&[insert(&follows)]).await;
    assert_eq!(alerts.bell("cara").await, 1);

    let mute = block("cara", "ada", Level::Mute);
    alerts.fixture.put_all(vec![mute.clone(), with_count(user("cara"), "mutes", 1)]);
    alerts.update_inboxes(&[insert(&mute)]).await;
    assert_eq!((alerts.bell("cara").await, alerts.bell("dora").await), (0, 1));
    alerts.fixture.delete(Key::block(&name("cara"), &name("ada"))).await;
    alerts.fixture.put(user("cara")).await;
    alerts.update_inboxes(&[record(mute, Item::new())]).await;
    assert_eq!(alerts.bell("cara").await, 1);

    let (shown, hidden) = (published("ada", &id), with(published("ada", &id), "audience", "me"));
    for (old, new, count) in [(&shown, &hidden, 0), (&hidden, &shown, 1)] {
        alerts.fixture.put(new.clone()).await;
        alerts.update_inboxes(&[record(old.clone(), new.clone())]).await;
        assert_eq!((alerts.bell("cara").await, alerts.bell("dora").await), (count, count));
    }
    alerts.replace(&shown, &photo_deletion("ada", id.as_ref(), 0)).await;
    let removals = ["cara", "dora"].map(|follower| record(alert(follower, "ada", &id), Item::new()));
    alerts.update_inboxes(&removals).await;
    assert_eq!((alerts.bell("cara").await, alerts.bell("dora").await), (0, 0));
}

#[tokio::test]
async fn an_alert_of_a_follower_who_was_deleted_makes_no_inbox() {
    let alerts = Alerts::new().await;
    let id = minutes_ago(1);
    alerts.fixture.put(testing::deletion("cara")).await;
    alerts.publish("ada", &id).await;
    alerts.update_inboxes(&["cara", "dora"].map(|follower| insert(&alert(follower, "ada", &id)))).await;
    let inboxes: Vec<String> = alerts.fixture.all_items_of(FEED).await.into_keys().collect();
    assert!(inboxes.iter().all(|key| key.starts_with("Inbox#dora ")), "{inboxes:?}");
}

/// Measures a photo of which 10,000 followers are told. The numbers are in the page of follows. On a busy
/// machine, a request that takes a second is sent again, and the numbers are higher.
#[tokio::test]
#[ignore = "it takes longer than the others"]
async fn ten_thousand_followers_are_told_with_four_hundred_writes() {
    const FOLLOWERS: usize = 10_000;
    let alerts = Alerts::new().await;
    let with_alerts = |number| mark_alerts(friendship("emil", &format!("f{number:05}")), &name("emil"));
    let followers: Vec<Item> = (0..FOLLOWERS).map(with_alerts).collect();
    for page in followers.chunks(1000) {
        alerts.fixture.put_all(page.to_vec());
    }
    let begin = std::time::Instant::now();
    alerts.publish("emil", &minutes_ago(1)).await;
    let took = begin.elapsed();
    let mut requests = std::collections::BTreeMap::new();
    for operation in alerts.fixture.operations() {
        *requests.entry(operation).or_insert(0) += 1;
    }
    println!("{requests:?} in {took:?}");
    assert_eq!((requests["GetItem"], requests["BatchWriteItem"]), (2, FOLLOWERS / 25));
    assert!(requests["Query"] <= 3 && requests.len() == 3, "{requests:?}");
    assert_eq!(alerts.told().await.len(), FOLLOWERS);
}
