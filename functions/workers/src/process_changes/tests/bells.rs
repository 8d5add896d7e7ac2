//! The bells: after each change, they count what list-notifications shows as unseen.

use std::time::{Duration, SystemTime};

use super::*;
use shared::dynamodb::entity;
use shared::entities::{Bell, Key, MAX_UNSEEN, Picture, mark_uncounted};
use shared::values::{Level, Timestamp, Username};
use testing::{Fault, block, comment, deletion, friendship, like, photo, photo_with, reaction, user, with, with_count};

const PHOTO: &str = "2024-05-30T15:42:38";

/// Ada and ben have a photo each. The inboxes are empty.
struct Bells(Fixture);

impl Bells {
    async fn new() -> Self {
        let fixture = Fixture::new("process-changes").await;
        let feed = fixture.unrecorded_table(FEED);
        for item in feed.client.scan().table_name(&feed.name).send().await.unwrap().items.unwrap() {
            let key = item.into_iter().filter(|(name, _)| ["pk", "sk"].contains(&name.as_str())).collect();
            feed.client.delete_item().table_name(&feed.name).set_key(Some(key)).send().await.unwrap();
        }
        fixture.put_all(vec![user("ada"), user("ben"), user("cara"), photo("ada", PHOTO), photo("ben", PHOTO)]);
        Self(fixture)
    }

    async fn deliver(&self, records: &[Record]) {
        assert_eq!(deliver_to(Job::Notifications, &self.0, records).await, [""; 0]);
    }

    /// Puts an item, and delivers its record twice.
    async fn put(&self, item: &Item) {
        self.0.put(item.clone()).await;
        for _ in 0..2 {
            self.deliver(&[insert(item)]).await;
        }
    }

    /// Replaces an item, and delivers its record twice.
    async fn replace(&self, before: &Item, after: &Item) {
        if after.is_empty() {
            self.0.delete(key(before)).await;
        } else {
            self.0.put(after.clone()).await;
        }
        for _ in 0..2 {
            self.deliver(&[record(before.clone(), after.clone())]).await;
        }
    }

    async fn bell(&self, user: &str) -> Option<Bell> {
        let feed = self.0.unrecorded_table(FEED);
        let key = Key::seen(&user.parse().unwrap());
        let get = feed.client.get_item().table_name(&feed.name).set_key(Some(key.into())).send().await.unwrap();
        get.item.map(|item| entity::from_item(item).unwrap())
    }

    /// Returns the number of unseen notifications, as JSON.
    async fn count(&self, user: &str) -> Value {
        json!(self.bell(user).await.unwrap_or_default().count())
    }

    async fn see(&self, user: &str) {
        let bell = Bell { seen: Some(Timestamp::now()), ..self.bell(user).await.unwrap_or_default() };
        let user: Username = user.parse().unwrap();
        self.0.put_in(FEED, entity::to_item(Key::seen(&user), &bell).unwrap()).await;
    }
}

fn key(item: &Item) -> Item {
    item.clone().into_iter().filter(|(name, _)| ["PK", "SK"].contains(&name.as_str())).collect()
}

/// A comment of this second by `author` on the photo of `owner`.
fn says(author: &str, owner: &str, text: &str) -> Item {
    with(comment(author, Timestamp::now().as_ref(), owner, PHOTO), "text", text)
}

#[tokio::test]
async fn counts_notifications_and_not_events() {
    let bells = Bells::new().await;
    for (item, number) in [
        (reaction("ben", "heart", "ada", PHOTO), 1),
        (reaction("cara", "heart", "ada", PHOTO), 1),
        (friendship("ada", "cara"), 2),
        (says("ben", "ada", "Wow"), 3),
        (reaction("ada", "heart", "ada", PHOTO), 3),
    ] {
        bells.put(&item).await;
        assert_eq!(bells.count("ada").await, number, "{item:?}");
    }
    assert_eq!((bells.count("ben").await, bells.count("cara").await), (json!(0), json!(0)));
    bells.see("ada").await;
    assert_eq!(bells.count("ada").await, 0);
    bells.put(&reaction("dora", "heart", "ada", PHOTO)).await;
    let bell = bells.bell("ada").await.unwrap();
    assert_eq!((bell.unseen.len(), bell.seen.is_some()), (1, true), "what was seen is forgotten, and the time is not");
}

#[tokio::test]
async fn what_is_gone_does_not_count() {
    let bells = Bells::new().await;
    let [heart, other] = ["ben", "cara"].map(|name| reaction(name, "heart", "ada", PHOTO));
    for item in [&heart, &other] {
        bells.put(item).await;
    }
    bells.replace(&heart, &Item::new()).await;
    assert_eq!(bells.count("ada").await, 1);
    bells.replace(&other, &Item::new()).await;
    assert_eq!(bells.count("ada").await, 0);
}

/// A block or a mute, and its end. Both users' bells change with a block.
#[tokio::test]
async fn whom_the_user_keeps_away_does_not_count() {
    for (blocking, blocked, level, count, seen) in [
        ("ada", "ben", Level::Block, "blocks", 1),
        ("ada", "ben", Level::Mute, "mutes", 1),
        ("ben", "ada", Level::Block, "blockedBy", 1),
        ("ben", "ada", Level::Mute, "blockedBy", 2),
    ] {
        let bells = Bells::new().await;
        bells.put(&reaction("ben", "heart", "ada", PHOTO)).await;
        bells.put(&friendship("ada", "ben")).await;
        bells.put(&friendship("ada", "cara")).await;
        assert_eq!(bells.count("ada").await, 2);
        bells.0.put(with_count(user("ada"), count, 1)).await;
        let block = block(blocking, blocked, level);
        bells.put(&block).await;
        assert_eq!(bells.count("ada").await, seen, "{blocking} {level}");
        // A late record, and news of the same user.
        bells.put(&says("ben", "ada", "Wow")).await;
        assert_eq!(bells.count("ada").await, if seen == 1 { 1 } else { 3 }, "{blocking} {level}");
        bells.0.put(user("ada")).await;
        bells.replace(&block, &Item::new()).await;
        assert_eq!(bells.count("ada").await, 3, "{blocking} {level}");
    }
}

#[tokio::test]
async fn a_mention_counts_while_the_user_may_see_the_photo() {
    let mention = says("ben", "ben", "@ada @cara");
    for (comments, mention) in [(1, mention.clone()), (0, mark_uncounted(mention))] {
        let bells = Bells::new().await;
        bells.put(&mention).await;
        assert_eq!((bells.count("ada").await, bells.count("cara").await), (json!(1), json!(1)));
        let commented = |audience: &str| {
            let photo = with_count(photo("ben", PHOTO), "comments", comments);
            if audience == "everyone" { photo } else { with(photo, "audience", audience) }
        };
        let follows = friendship("ben", "ada");
        bells.replace(&commented("everyone"), &commented("followers")).await;
        assert_eq!((bells.count("ada").await, bells.count("cara").await), (json!(0), json!(0)), "{comments}");
        bells.put(&follows).await;
        assert_eq!((bells.count("ada").await, bells.count("cara").await), (json!(1), json!(0)));
        bells.replace(&follows, &Item::new()).await;
        assert_eq!(bells.count("ada").await, 0);
        bells.replace(&commented("followers"), &commented("everyone")).await;
        assert_eq!((bells.count("ada").await, bells.count("cara").await), (json!(1), json!(1)), "{comments}");
    }
}

#[tokio::test]
async fn a_like_and_a_pin_of_an_old_comment_count_while_the_user_may_see_the_photo() {
    let old = Timestamp::from(SystemTime::now() - Duration::from_hours(24 * 100));
    let comment = comment("ben", old.as_ref(), "ada", PHOTO);
    let liked = with_count(comment.clone(), "likes", 1);
    let pinned = with(comment.clone(), "pinned", Timestamp::now().to_string());
    let id = format!("{old}~ben");
    for (comment, event, photo) in [
        (liked.clone(), insert(&like("cara", &id, "ada", PHOTO)), photo("ada", PHOTO)),
        (pinned.clone(), record(comment, pinned), with(photo("ada", PHOTO), "pinnedComment", id.as_str())),
    ] {
        let bells = Bells::new().await;
        bells.put(&comment).await;
        bells.0.put(event.new_image.clone()).await;
        bells.deliver(&[event]).await;
        assert_eq!(bells.count("ben").await, 1);
        let photo = with_count(photo, "comments", 1);
        bells.replace(&photo, &with(photo.clone(), "audience", "me")).await;
        assert_eq!(bells.count("ben").await, 0);
    }
}

#[tokio::test]
async fn what_changes_nothing_for_a_bell_costs_one_read() {
    let bells = Bells::new().await;
    let follows = record(Item::new(), with(friendship("ben", "ada"), "timestamp", "2024-06-01T08:00:00"));
    bells.deliver(&[follows]).await;
    assert_eq!(bells.0.operations(), ["BatchGetItem"], "the notification would have expired");
    let reacted = record(photo("ada", PHOTO), with_count(photo("ada", PHOTO), "comments", 1));
    let pending = photo_with("ada", PHOTO, Picture::Pending);
    for change in [reacted, record(pending, photo("ada", PHOTO))] {
        bells.deliver(&[change]).await;
        assert_eq!(bells.0.operations(), [""; 0]);
    }
}

#[tokio::test]
async fn a_batch_changes_a_bell_once() {
    let bells = Bells::new().await;
    let photos: Vec<String> = (0..60).map(|second| format!("2024-05-30T15:42:{second:02}")).collect();
    let hearts: Vec<Item> = photos.iter().map(|photo| reaction("ben", "heart", "ada", photo)).collect();
    bells.0.put_all(hearts.clone());
    bells.deliver(&hearts.iter().map(insert).collect::<Vec<_>>()).await;
    let operations = bells.0.operations();
    assert_eq!(operations.iter().filter(|operation| *operation == "UpdateItem").count(), 1);
    assert_eq!(bells.count("ada").await, format!("{MAX_UNSEEN}+"));
}

/// Somebody else changes the bell, the user sees the inbox, or an answer is lost.
#[tokio::test]
async fn counts_what_is_there_after_interruptions() {
    let heart = reaction("ben", "heart", "ada", PHOTO);
    for requests in 1..=6 {
        for fault in [Fault::AnswerLost, Fault::ConnectionLost] {
            let bells = Bells::new().await;
            bells.0.put(heart.clone()).await;
            bells.0.inject((1..requests).map(|_| Fault::None).chain([fault; 5]));
            let _ = deliver_to(Job::Notifications, &bells.0, &[insert(&heart)]).await;
            bells.0.clear_faults();
            bells.deliver(&[insert(&heart)]).await;
            assert_eq!(bells.count("ada").await, 1, "{requests} {fault:?}");
        }
    }
    // The reaction is taken back before each request, and its record comes later.
    for requests in 1..=5 {
        let bells = Bells::new().await;
        bells.0.put(heart.clone()).await;
        bells.0.write_concurrently(requests, vec![], vec![key(&heart)]);
        bells.deliver(&[insert(&heart)]).await;
        bells.deliver(&[record(heart.clone(), Item::new())]).await;
        assert_eq!(bells.count("ada").await, 0, "{requests}");
    }
    // The user blocks ben before each request. The record of the block has come before.
    for requests in 3..=5 {
        let bells = Bells::new().await;
        bells.0.put(heart.clone()).await;
        let blocked = vec![block("ada", "ben", Level::Block), with_count(user("ada"), "blocks", 1)];
        bells.0.write_concurrently(requests, blocked, vec![]);
        bells.deliver(&[insert(&heart)]).await;
        assert_eq!(bells.count("ada").await, 0, "{requests}");
    }
}

#[tokio::test]
async fn a_deleted_user_has_no_bell() {
    let bells = Bells::new().await;
    bells.put(&friendship("ada", "ben")).await;
    bells.0.put(deletion("ada")).await;
    bells.put(&friendship("ada", "cara")).await;
    assert!(bells.bell("ada").await.is_none());
    // The user is deleted between the read and the write.
    let bells = Bells::new().await;
    let follows = friendship("ada", "ben");
    bells.0.put(follows.clone()).await;
    bells.0.write_concurrently(4, vec![deletion("ada")], vec![]);
    bells.deliver(&[insert(&follows)]).await;
    assert!(bells.bell("ada").await.is_none());
}
