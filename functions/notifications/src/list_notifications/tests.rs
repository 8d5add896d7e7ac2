use std::collections::BTreeSet;

use super::*;
use serde_json::{Value, json};
use shared::entities::{Event, Position};
use shared::values::{Audience, Level};
use testing::{FEED, Fixture, block, friendship, photo, photo_deletion, request, user, with};

const PHOTO: &str = "2024-05-30T15:42:38";

fn time(second: usize) -> Timestamp {
    format!("2099-01-01T00:{:02}:{:02}.000Z", second / 60, second % 60).parse().unwrap()
}

fn photo_of(owner: &str) -> Position {
    Position { id: PHOTO.parse().unwrap(), author: owner.parse().unwrap() }
}

/// A table with ada, ben and cara, and inboxes that are empty.
struct Inboxes(Fixture);

impl Inboxes {
    async fn new() -> Self {
        let fixture = Fixture::new("list-notifications").await;
        let feed = fixture.unrecorded_table(FEED);
        for item in feed.client.scan().table_name(&feed.name).send().await.unwrap().items.unwrap() {
            let key = item.into_iter().filter(|(name, _)| ["pk", "sk"].contains(&name.as_str())).collect();
            feed.client.delete_item().table_name(&feed.name).set_key(Some(key)).send().await.unwrap();
        }
        fixture.put_all(vec![user("ada"), user("ben"), user("cara"), photo("ada", PHOTO)]);
        Self(fixture)
    }

    /// Puts a notification for a user, which changed at this second, of people who did something
    /// one after the other.
    async fn tell(&self, to: &str, kind: NotificationKind, photo: Option<Position>, second: usize, people: &[&str]) {
        let events = people.iter().enumerate();
        let events = events
            .map(|(number, name)| (Event::new(&time(number), &name.parse().unwrap(), ""), time(second)))
            .collect();
        let notification = Notification::default().merge(events, &BTreeSet::new()).unwrap();
        let topic = Topic::new(kind, photo, &time(second));
        let item = notification.item(Key::notification(&to.parse().unwrap(), &topic), 4_000_000_000);
        self.0.put_in(FEED, item.unwrap()).await;
    }

    async fn see(&self, user: &str, second: usize) {
        let mut item = Item::from(Key::seen(&user.parse().unwrap()));
        item.insert("seen".to_owned(), S(time(second).to_string()));
        self.0.put_in(FEED, item).await;
    }

    async fn page(&self, user: &str, query: &[(&str, &str)]) -> Value {
        let mut request = request("GET", format!("/users/{user}/notifications")).by(user);
        for (name, value) in query {
            request = request.query(name, value);
        }
        let answer = self.0.call(ListNotifications::start, request).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    /// Returns the kinds and the people of the first page.
    async fn shown(&self, user: &str) -> Vec<(String, Value)> {
        let page = self.page(user, &[]).await;
        let notifications = page["notifications"].as_array().unwrap().iter();
        notifications.map(|one| (one["kind"].as_str().unwrap().to_owned(), one["usernames"].clone())).collect()
    }
}

#[tokio::test]
async fn returns_what_others_did_newest_first() {
    let inboxes = Inboxes::new().await;
    inboxes.tell("ada", NotificationKind::Follower, None, 1, &["ben"]).await;
    inboxes
        .tell("ada", NotificationKind::Reaction, Some(photo_of("ada")), 3, &["ben", "cara", "ben", "dora", "emil"])
        .await;
    inboxes.tell("ada", NotificationKind::Comment, Some(photo_of("ada")), 2, &["cara"]).await;
    inboxes.tell("ben", NotificationKind::Follower, None, 9, &["cara"]).await;
    inboxes.see("ada", 2).await;
    let page = inboxes.page("ada", &[]).await;
    assert_eq!(inboxes.0.operations().len(), 3, "Query, GetItem and BatchGetItem");
    let photo = json!({"username": "ada", "id": PHOTO});
    let expected = json!({
        "notifications": [
            {"kind": "reaction", "photo": photo, "usernames": ["emil", "dora", "ben"], "number": 4, "changed": time(3), "seen": false},
            {"kind": "comment", "photo": photo, "usernames": ["cara"], "number": 1, "changed": time(2), "seen": true},
            {"kind": "follower", "usernames": ["ben"], "number": 1, "changed": time(1), "seen": true},
        ],
        "people": {},
        "nextCursor": null,
    });
    assert_eq!(page, expected);
    let people = inboxes.page("ada", &[("include", "people")]).await["people"].take();
    assert_eq!(people.as_object().unwrap().keys().collect::<Vec<_>>(), ["ben", "cara"]);
}

#[tokio::test]
async fn an_empty_inbox_reads_no_photos() {
    let inboxes = Inboxes::new().await;
    let page = inboxes.page("cara", &[]).await;
    assert_eq!(page, json!({"notifications": [], "people": {}, "nextCursor": null}));
    assert_eq!(inboxes.0.operations().len(), 2, "no photo is read");
}

#[tokio::test]
async fn counts_people_up_to_50() {
    let inboxes = Inboxes::new().await;
    let names: Vec<String> = (0..60).map(|number| format!("u{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    inboxes.tell("ada", NotificationKind::Reaction, Some(photo_of("ada")), 1, &names).await;
    assert_eq!(inboxes.page("ada", &[]).await["notifications"][0]["number"], "50+");
}

#[tokio::test]
async fn reads_no_more_than_the_page() {
    let inboxes = Inboxes::new().await;
    inboxes.tell("ada", NotificationKind::Follower, None, 1, &["ben"]).await;
    inboxes.tell("ada", NotificationKind::Request, None, 2, &["ben"]).await;
    let page = inboxes.page("ada", &[("limit", "1")]).await;
    assert_eq!(inboxes.0.operations(), ["Query", "GetItem", "BatchGetItem"]);
    assert!(page["nextCursor"].is_string());
    let cursor = page["nextCursor"].as_str().unwrap().to_owned();
    let page = inboxes.page("ada", &[("limit", "1"), ("cursor", &cursor)]).await;
    assert_eq!(page["notifications"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn shows_the_picture_of_each_photo() {
    let inboxes = Inboxes::new().await;
    let other = "2024-05-31T15:42:38";
    inboxes.0.put(testing::photo_with("ada", PHOTO, testing::ready(b"file"))).await;
    inboxes.0.put(photo("ben", other)).await;
    inboxes.tell("ada", NotificationKind::Reaction, Some(photo_of("ada")), 3, &["ben"]).await;
    let of_ben = Position { id: other.parse().unwrap(), author: "ben".parse().unwrap() };
    inboxes.tell("ada", NotificationKind::Mention, Some(of_ben), 2, &["cara"]).await;
    inboxes.tell("ada", NotificationKind::Follower, None, 1, &["ben"]).await;
    let page = inboxes.page("ada", &[("include", "photos")]).await;
    assert_eq!(inboxes.0.operations(), ["Query", "GetItem", "BatchGetItem"], "no photo is read twice");
    let pictures: Vec<&Value> =
        page["notifications"].as_array().unwrap().iter().map(|one| &one["photo"]["picture"]).collect();
    let url = pictures[0]["small"].as_str().unwrap();
    assert!(
        url.contains("/photos/ada/") && url.contains("/small.jpg?") && pictures[0]["blurhash"].is_string(),
        "{url}"
    );
    assert_eq!(pictures[1..], [&Value::Null, &Value::Null], "a photo of another program, and no photo");
    assert!(inboxes.page("ada", &[]).await["notifications"][0]["photo"].get("picture").is_none());
}

#[tokio::test]
async fn shows_the_beginning_of_the_last_comment() {
    let inboxes = Inboxes::new().await;
    let long = "ü".repeat(101);
    let comment = |author: &str, second: usize, text: &str| {
        let item = testing::comment(author, time(second).as_ref(), "ada", PHOTO);
        with(item, "text", text)
    };
    inboxes.0.put_all(vec![comment("ben", 0, "Wow"), comment("cara", 1, &long), comment("dora", 2, "Spam")]);
    inboxes.tell("ada", NotificationKind::Comment, Some(photo_of("ada")), 3, &["ben", "cara"]).await;
    inboxes.tell("ada", NotificationKind::Reaction, Some(photo_of("ada")), 2, &["ben"]).await;
    let comments = async || {
        let page = inboxes.page("ada", &[("include", "comments")]).await;
        page["notifications"].as_array().unwrap().iter().map(|one| one["comment"].clone()).collect::<Vec<_>>()
    };
    let of_cara = json!({"id": format!("{}~cara", time(1)), "text": format!("{}…", "ü".repeat(99))});
    assert_eq!(comments().await, [of_cara, Value::Null]);
    assert_eq!(inboxes.0.operations(), ["Query", "GetItem", "BatchGetItem", "BatchGetItem"]);
    // The last comment of somebody who shows.
    inboxes.0.put_all(vec![block("ada", "cara", Level::Mute), testing::with_count(user("ada"), "mutes", 1)]);
    assert_eq!(comments().await[0], json!({"id": format!("{}~ben", time(0)), "text": "Wow"}));
    let tombstone = testing::comment_deletion("ben", time(0).as_ref(), "ada", PHOTO, 1);
    for gone in [with(comment("ben", 0, "Wow"), "removed", "spam"), tombstone, Item::new()] {
        let id = CommentId::new(time(0), "ben".parse().unwrap());
        inboxes.0.delete(Key::comment(&id, &"ada".parse().unwrap(), &PHOTO.parse().unwrap())).await;
        if !gone.is_empty() {
            inboxes.0.put(gone).await;
        }
        assert_eq!(comments().await[0], Value::Null);
    }
    let page = inboxes.page("ada", &[("include", "comments,people,photos"), ("limit", "100")]).await;
    assert_eq!(page["people"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn notifications_of_several_days_show_the_same_comment() {
    let inboxes = Inboxes::new().await;
    let item = testing::comment("ada", time(0).as_ref(), "ada", PHOTO);
    inboxes.0.put(with(item, "text", "Wow")).await;
    let comment = CommentId::new(time(0), "ada".parse().unwrap());
    for (day, kind, person) in
        [(1, NotificationKind::Like, "ben"), (2, NotificationKind::Like, "cara"), (3, NotificationKind::Pin, "ben")]
    {
        let changed: Timestamp = format!("2099-01-0{day}T00:00:00.000Z").parse().unwrap();
        let event = Event::new(&changed, &person.parse().unwrap(), &comment.to_string());
        let notification = Notification::default().merge([(event, changed.clone())].into(), &BTreeSet::new()).unwrap();
        let topic = Topic::new(kind, Some(photo_of("ada")), &changed);
        let item = notification.item(Key::notification(&"ada".parse().unwrap(), &topic), 4_000_000_000);
        inboxes.0.put_in(FEED, item.unwrap()).await;
    }
    let page = inboxes.page("ada", &[("include", "comments")]).await;
    let texts: Vec<_> = page["notifications"].as_array().unwrap().iter().map(|one| &one["comment"]["text"]).collect();
    assert_eq!(texts, ["Wow"; 3]);
}

#[tokio::test]
async fn a_page_has_no_notification_that_has_expired() {
    let inboxes = Inboxes::new().await;
    for (day, person) in [("2024-01-01", "ben"), ("2024-01-02", "cara"), ("2099-01-01", "ben")] {
        let day: Timestamp = format!("{day}T00:00:00.000Z").parse().unwrap();
        let event = (Event::new(&day, &person.parse().unwrap(), ""), day.clone());
        let notification = Notification::default().merge([event].into(), &BTreeSet::new()).unwrap();
        let topic = Topic::new(NotificationKind::Follower, None, &day);
        let item = notification.item(Key::notification(&"ada".parse().unwrap(), &topic), 4_000_000_000);
        inboxes.0.put_in(FEED, item.unwrap()).await;
    }
    assert_eq!(inboxes.shown("ada").await, [("follower".to_owned(), json!(["ben"]))]);
    let first = inboxes.page("ada", &[("limit", "1")]).await;
    assert_eq!(first["notifications"][0]["usernames"], json!(["ben"]));
    let next = inboxes.page("ada", &[("limit", "1"), ("cursor", first["nextCursor"].as_str().unwrap())]).await;
    assert_eq!((&next["notifications"], &next["nextCursor"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn one_request_reads_what_is_included() {
    let parts = |comments, people| NotificationParts { comments, people, photos: true };
    let max = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(comments, people)| max_page(parts(comments, people)));
    assert_eq!(max, [99, 99, 33, 25]);
}

#[tokio::test]
async fn leaves_out_photos_that_are_gone_or_not_for_the_caller() {
    let inboxes = Inboxes::new().await;
    inboxes.tell("ben", NotificationKind::Mention, Some(photo_of("ada")), 1, &["cara"]).await;
    inboxes.tell("ada", NotificationKind::Comment, Some(photo_of("ada")), 1, &["cara"]).await;
    let is_shown = async |user: &str| !inboxes.shown(user).await.is_empty();
    assert!(is_shown("ben").await && is_shown("ada").await);
    for (audience, follows, expected) in
        [(Audience::Followers, false, false), (Audience::Followers, true, true), (Audience::Me, true, false)]
    {
        inboxes.0.put(with(photo("ada", PHOTO), "audience", audience.as_ref())).await;
        let key = Key::friendship(&"ada".parse().unwrap(), &"ben".parse().unwrap());
        if follows {
            inboxes.0.put(friendship("ada", "ben")).await;
        } else {
            inboxes.0.delete(key).await;
        }
        assert_eq!(is_shown("ben").await, expected, "{audience} {follows}");
        assert!(is_shown("ada").await);
    }
    inboxes.0.put(photo_deletion("ada", PHOTO, 0)).await;
    assert!(!is_shown("ben").await && !is_shown("ada").await);
}

/// Also if everyone may see the photo.
#[tokio::test]
async fn only_a_follower_is_told_of_a_new_photo() {
    let inboxes = Inboxes::new().await;
    inboxes.tell("cara", NotificationKind::Photo, Some(photo_of("ada")), 1, &["ada"]).await;
    inboxes.tell("cara", NotificationKind::Mention, Some(photo_of("ada")), 2, &["ben"]).await;
    let mention = ("mention".to_owned(), json!(["ben"]));
    assert_eq!(inboxes.shown("cara").await, std::slice::from_ref(&mention));
    assert_eq!(inboxes.0.operations(), ["Query", "GetItem", "BatchGetItem"]);
    inboxes.0.put(friendship("ada", "cara")).await;
    assert_eq!(inboxes.shown("cara").await, [mention, ("photo".to_owned(), json!(["ada"]))]);
    assert_eq!(inboxes.0.operations(), ["Query", "GetItem", "BatchGetItem"], "one request reads the friendship too");
    inboxes.0.put(with(photo("ada", PHOTO), "audience", "followers")).await;
    assert_eq!(inboxes.shown("cara").await.len(), 2);
    assert_eq!(inboxes.0.operations(), ["Query", "GetItem", "BatchGetItem"], "the friendship is not read again");
}

#[tokio::test]
async fn a_full_page_of_new_photos_takes_a_second_request() {
    let inboxes = Inboxes::new().await;
    for number in 0..60 {
        let author = format!("author{number}");
        let position = Position { author: author.parse().unwrap(), id: PHOTO.parse().unwrap() };
        inboxes.0.put_all(vec![photo(&author, PHOTO), friendship(&author, "ben")]);
        inboxes.tell("ben", NotificationKind::Photo, Some(position), number, &[&author]).await;
    }
    let page = inboxes.page("ben", &[("limit", "100")]).await;
    assert_eq!(page["notifications"].as_array().unwrap().len(), 60);
    assert_eq!(inboxes.0.operations(), ["Query", "GetItem", "BatchGetItem", "BatchGetItem"]);
}

#[tokio::test]
async fn leaves_out_people_who_are_blocked_or_muted_or_block_the_caller() {
    for (blocking, blocked, level, count) in [
        ("ada", "cara", Level::Block, "blocks"),
        ("ada", "cara", Level::Mute, "mutes"),
        ("cara", "ada", Level::Block, "blockedBy"),
    ] {
        let inboxes = Inboxes::new().await;
        inboxes.tell("ada", NotificationKind::Reaction, Some(photo_of("ada")), 2, &["ben", "cara"]).await;
        inboxes.tell("ada", NotificationKind::Follower, None, 1, &["cara"]).await;
        inboxes.tell("ben", NotificationKind::Follower, None, 1, &["cara"]).await;
        inboxes.0.put(block(blocking, blocked, level)).await;
        inboxes.0.put(testing::with_count(user("ada"), count, 1)).await;
        assert_eq!(inboxes.shown("ada").await, [("reaction".to_owned(), json!(["ben"]))], "{count}");
        let page = inboxes.page("ada", &[]).await;
        assert_eq!(page["notifications"][0]["number"], 1);
        assert_eq!(inboxes.shown("ben").await.len(), 1);
    }
    let inboxes = Inboxes::new().await;
    inboxes.tell("ada", NotificationKind::Follower, None, 1, &["cara"]).await;
    inboxes.0.put(block("cara", "ada", Level::Mute)).await;
    inboxes.0.put(testing::with_count(user("ada"), "blocks", 1)).await;
    assert_eq!(inboxes.shown("ada").await.len(), 1, "somebody who mutes the caller is shown");
}

#[tokio::test]
async fn a_page_is_full_although_some_photos_are_gone() {
    let inboxes = Inboxes::new().await;
    for number in 0..120 {
        let position = Position { id: time(number).into(), author: "ada".parse().unwrap() };
        inboxes.tell("ada", NotificationKind::Comment, Some(position), number, &["ben"]).await;
    }
    for number in [0, 1, 119] {
        inboxes.0.put(photo("ada", time(number).as_ref())).await;
    }
    let page = inboxes.page("ada", &[("limit", "3")]).await;
    assert_eq!(page["notifications"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn returns_every_notification_once_during_concurrent_writes() {
    let inboxes = Inboxes::new().await;
    for number in 1..=3 {
        let position = Position { id: time(number).into(), author: "ada".parse().unwrap() };
        inboxes.0.put(photo("ada", time(number).as_ref())).await;
        inboxes.tell("ada", NotificationKind::Comment, Some(position), number, &["ben"]).await;
    }
    let (mut photos, mut cursor) = (vec![], String::new());
    loop {
        let query = [("limit", "1"), ("cursor", cursor.as_str())];
        let page = inboxes.page("ada", if cursor.is_empty() { &query[..1] } else { &query }).await;
        photos.extend(page["notifications"].as_array().unwrap().iter().map(|one| one["photo"]["id"].clone()));
        // Newer than the page, and in other inboxes.
        inboxes.tell("ada", NotificationKind::Follower, None, 100 + photos.len(), &["ben"]).await;
        inboxes.tell("ad", NotificationKind::Follower, None, 2, &["ben"]).await;
        let Some(next) = page["nextCursor"].as_str() else { break };
        next.clone_into(&mut cursor);
    }
    assert_eq!(photos, [json!(time(3)), json!(time(2)), json!(time(1))]);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("list-notifications").await;
    let answer = fixture.call_with_sample_event(ListNotifications::start).await;
    assert_eq!(answer.status, 200);
    let kinds: BTreeSet<&str> =
        answer.body["notifications"].as_array().unwrap().iter().filter_map(|one| one["kind"].as_str()).collect();
    assert!(kinds.contains("follower") && kinds.contains("reaction"), "{kinds:?}");
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("list-notifications").await;
    let list_of = |name: &str| request("GET", format!("/users/{name}/notifications")).by("ben");
    fixture.needs_a_caller(ListNotifications::start, list_of("ben")).await;
    fixture.refuses(ListNotifications::start, list_of("ada"), 403).await;
    fixture.refuses_bad_usernames(ListNotifications::start, "username", list_of).await;
    fixture.refuses_field(ListNotifications::start, list_of("ben").query("include", "viewer"), "include").await;
    fixture.refuses_field(ListNotifications::start, list_of("ben").query("limit", "0"), "limit").await;
    fixture.refuses_field(ListNotifications::start, list_of("ben").query("cursor", "x"), "cursor").await;
}

#[tokio::test]
async fn names_nobody_of_whom_it_has_not_read_whether_there_is_a_block() {
    let inboxes = Inboxes::new().await;
    let people = ["u0", "u1", "u2", "u3", "u4", "u5", "u6"];
    inboxes.tell("ada", NotificationKind::Follower, None, 1, &people).await;
    inboxes.0.put(testing::with_count(user("ada"), "blockedBy", 6)).await;
    for (blocking, shown) in [(&people[2..6], vec!["u6"]), (&people[..6], vec!["u6"])] {
        for name in blocking {
            inboxes.0.put(block(name, "ada", Level::Block)).await;
        }
        assert_eq!(inboxes.shown("ada").await, [("follower".to_owned(), json!(shown))]);
    }
    inboxes.0.put(block("u6", "ada", Level::Block)).await;
    assert!(inboxes.shown("ada").await.is_empty());
}

/// The id of a reply names the author of the comment that it answers.
#[tokio::test]
async fn shows_no_reply_to_somebody_who_is_blocked() {
    let inboxes = Inboxes::new().await;
    let answered = CommentId::new(time(0), "ben".parse().unwrap());
    inboxes.0.put(testing::reply("cara", time(1).as_ref(), &answered.to_string(), "ada", PHOTO)).await;
    let topic = Topic::new(NotificationKind::Comment, Some(photo_of("ada")), &time(1));
    let event = Event::of_comment(&answered.reply(time(1), "cara".parse().unwrap()));
    let notification = Notification::default().merge([(event, time(1))].into(), &BTreeSet::new()).unwrap();
    let item = notification.item(Key::notification(&"ada".parse().unwrap(), &topic), u64::from(u32::MAX)).unwrap();
    inboxes.0.put_in(testing::FEED, item).await;
    let comment = async || inboxes.page("ada", &[("include", "comments")]).await["notifications"][0]["comment"].clone();
    assert_eq!(comment().await["text"], "A comment by cara");
    inboxes.0.put_all(vec![block("ada", "ben", Level::Block), testing::with_count(user("ada"), "blocks", 1)]);
    assert_eq!(comment().await, Value::Null);
}

#[tokio::test]
async fn the_user_decides_whether_sensitive_photos_have_their_pictures() {
    let inboxes = Inboxes::new().await;
    let other = "2024-05-31T15:42:38";
    inboxes.0.put(testing::photo_with("ada", other, testing::ready(b"other"))).await;
    for (id, second) in [(PHOTO, 1), (other, 2)] {
        let photo = Position { id: id.parse().unwrap(), author: "ada".parse().unwrap() };
        inboxes.tell("ben", NotificationKind::Mention, Some(photo.clone()), second, &["cara"]).await;
        inboxes.tell("ada", NotificationKind::Reaction, Some(photo), second, &["cara"]).await;
    }
    let get =
        |caller: &str| request("GET", format!("/users/{caller}/notifications")).by(caller).query("include", "photos");
    inboxes.0.hides_sensitive_pictures(ListNotifications::start, ("ada", PHOTO), get).await;
}
