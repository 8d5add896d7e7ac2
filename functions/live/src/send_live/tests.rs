use super::claim::{Claim, claim};
use super::*;
use crate::changes;
use crate::world::{Gateway, put_screens, reference, screens};
use serde_json::{Value, json};
use shared::changes::Context;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{
    Bell, InInbox, Notice, Notification, Picture, Pictures, Position, Watcher, entry_item, mark_muted, notices,
};
use shared::runtime::stream::Change;
use shared::values::{EpochMillis, Level, PictureNumber, ReportReason, ScreenId, Timestamp};
use std::collections::BTreeSet;
use testing::{
    FEED, Fault, Fixture, block, comment, friendship, photo, photo_with, reaction, ready, record, rejected, several,
    user, with,
};
use tokio::time::{Instant, sleep};

const PHOTO: &str = "2024-05-30T15:42:38";
const OTHER: &str = "2024-05-31T09:01:02";

/// A table with ada, ben, cara and dora, photos of ada and ben, and API Gateway.
struct World {
    fixture: Fixture,
    gateway: Gateway,
}

impl World {
    async fn new() -> Self {
        let fixture = Fixture::new("send-live").await;
        let gateway = Gateway::start(&fixture).await;
        fixture.put_all(vec![
            user("ada"),
            user("ben"),
            user("cara"),
            user("dora"),
            photo("ada", PHOTO),
            photo("ada", OTHER),
            photo("ben", PHOTO),
        ]);
        // What the seed data has in the inbox of ada is not new.
        let seen = with(Item::from(Key::seen(&"ada".parse().unwrap())), "seen", "2025-01-01T00:00:00.000Z");
        fixture.put_in(FEED, seen).await;
        Self { fixture, gateway }
    }

    fn context(&self) -> Context {
        let (table, feed) = (self.fixture.unrecorded_table(testing::QUICK_PHOTOS), self.fixture.unrecorded_table(FEED));
        Context { table, feed, max_pushed: 1000, max_pushed_at_once: 1000 }
    }

    /// Changes an item. Returns the record, whose id tells it from others.
    async fn change(&self, old: Item, new: Item) -> Record {
        self.fixture.put(new.clone()).await;
        Record { id: Timestamp::now().to_string() + &format!("{:?}", new.get("caption")), ..record(old, new) }
    }

    /// Puts the events of records into inboxes and bells, as process-changes does.
    async fn update_inboxes(&self, records: &[Record]) {
        let feed = self.fixture.unrecorded_table(FEED);
        for notice in records.iter().flat_map(|record| notices(&record.new_image).unwrap()) {
            let Notice { user, topic, event } = notice;
            let keys = [Key::notification(&user, &topic), Key::seen(&user)];
            let mut found = batch::get(&feed, keys.clone().into(), true).await.unwrap();
            let [notification_key, bell_key] = keys;
            let stored = batch::take(&mut found, notification_key.clone()).map(entity::from_item).transpose().unwrap();
            let bell = batch::take(&mut found, bell_key.clone()).map(entity::from_item).transpose().unwrap();
            let (stored, bell): (Notification, Bell) = (stored.unwrap_or_default(), bell.unwrap_or_default());
            let now = Timestamp::now();
            let shown = InInbox::Shown(now.millis());
            let notification = stored.merge([(event, now)].into(), &BTreeSet::new()).unwrap();
            let bell = bell.after(&user, &[(topic.clone(), shown)]).unwrap();
            self.fixture.put_in(FEED, notification.item(notification_key, topic.expiry()).unwrap()).await;
            self.fixture.put_in(FEED, entity::to_item(bell_key, &bell).unwrap()).await;
        }
    }

    /// Returns the records that process-changes leaves to this function.
    async fn left(&self, records: &[Record]) -> Vec<Record> {
        let (context, records) = (self.context(), self.fixture.read_by_jobs(records));
        let left = run(changes::work(&context, &records), deadline()).await;
        assert!(left.iter().all(|one| one.error.is_none()), "{left:?}");
        let is_left = |record: &&Record| left.iter().any(|one| one.ids.contains(&record.id));
        records.iter().filter(is_left).cloned().collect()
    }

    /// Delivers a batch. Returns the ids of the records that failed.
    async fn deliver(&self, records: &[Record]) -> Vec<String> {
        let function = SendLive::start(&self.fixture.process()).unwrap();
        let _ = self.fixture.operations();
        self.fixture.deliver_batch(async |batch| function.handle(batch).await, testing::batch(records)).await
    }

    /// Returns the connections that are told of records, as far as they are left to this function.
    async fn told_of(&self, records: &[Record]) -> Vec<String> {
        let left = self.left(records).await;
        assert!(self.deliver(&left).await.is_empty());
        self.gateway.told()
    }

    /// Forgets when screens were last told.
    async fn wait_a_second(&self) {
        let feed = self.fixture.unrecorded_table(FEED);
        for (key, item) in self.fixture.all_items_of(FEED).await {
            if item.get("told").is_some() {
                let (pk, sk) = key.split_once(' ').unwrap();
                let update = feed.client.update_item().table_name(&feed.name).key("pk", S(pk.to_owned()));
                update.key("sk", S(sk.to_owned())).update_expression("REMOVE told").send().await.unwrap();
            }
        }
    }
}

fn deadline() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

fn new_comment(person: &str, owner: &str) -> Item {
    comment(person, Timestamp::now().as_ref(), owner, PHOTO)
}

#[tokio::test]
async fn a_bell_rings_on_the_screens_of_its_user() {
    let world = World::new().await;
    put_screens(&world.fixture, "ada", &[("1", "a1", None), ("2", "a2", None)]).await;
    put_screens(&world.fixture, "ben", &[("1", "b1", None)]).await;
    let records = [world.change(Item::new(), new_comment("ben", "ada")).await];
    world.update_inboxes(&records).await;
    let left = world.left(&records).await;
    assert_eq!(left.len(), 1);
    assert!(world.deliver(&left).await.is_empty());
    assert_eq!(world.fixture.operations(), ["BatchGetItem", "UpdateItem"]);
    let hint = json!({"kind": "notifications"});
    assert_eq!(world.gateway.got(), [("a1".to_owned(), hint.clone()), ("a2".to_owned(), hint)]);
}

#[tokio::test]
async fn nothing_is_left_of_what_no_screen_waits_for() {
    let world = World::new().await;
    let both = [
        world.change(Item::new(), new_comment("ben", "ada")).await,
        world.change(photo("ada", PHOTO), with(photo("ada", PHOTO), "caption", "New")).await,
    ];
    assert!(world.left(&both).await.is_empty());
    put_screens(&world.fixture, "ben", &[("1", "b1", Some(reference("ben", PHOTO)))]).await;
    assert!(world.left(&both).await.is_empty());
    assert_eq!(both[1].change, Change::Modify);
}

#[tokio::test]
async fn of_many_records_about_the_same_the_last_one_is_left() {
    let world = World::new().await;
    put_screens(&world.fixture, "ada", &[("1", "a1", Some(reference("ada", PHOTO)))]).await;
    let mut records = vec![];
    for (number, person) in ["ben", "cara", "dora"].into_iter().enumerate() {
        records.push(world.change(Item::new(), reaction(person, "heart", "ada", PHOTO)).await);
        let caption = number.to_string();
        records.push(world.change(photo("ada", PHOTO), with(photo("ada", PHOTO), "caption", &caption)).await);
    }
    let left = world.left(&records).await;
    assert_eq!(left.iter().map(|record| &record.id).collect::<Vec<_>>(), [&records[4].id, &records[5].id]);
}

#[tokio::test]
async fn an_event_that_the_bell_does_not_have_yet_comes_again() {
    let world = World::new().await;
    put_screens(&world.fixture, "ada", &[("1", "a1", None)]).await;
    let records = [world.change(Item::new(), new_comment("ben", "ada")).await];
    let failed = world.deliver(&records);
    assert_eq!(failed.await.len(), 1);
    assert!(world.gateway.got().is_empty());
    world.update_inboxes(&records).await;
    assert!(world.deliver(&records).await.is_empty());
    assert_eq!(world.gateway.told(), ["a1"]);
}

#[tokio::test]
async fn nobody_is_told_of_what_the_inbox_hides_or_the_user_has_seen() {
    let world = World::new().await;
    put_screens(&world.fixture, "ada", &[("1", "a1", None)]).await;
    let records = [world.change(Item::new(), new_comment("ben", "ada")).await];
    world.update_inboxes(&records).await;
    for (blocking, blocked, level, count) in [
        ("ada", "ben", Level::Block, "blocks"),
        ("ben", "ada", Level::Block, "blockedBy"),
        ("ada", "ben", Level::Mute, "mutes"),
    ] {
        world.fixture.put_all(vec![block(blocking, blocked, level), testing::with_count(user("ada"), count, 1)]);
        assert!(world.told_of(&records).await.is_empty(), "{blocking} {blocked} {level:?}");
        world.fixture.delete(Key::block(&blocking.parse().unwrap(), &blocked.parse().unwrap())).await;
        world.fixture.put(user("ada")).await;
    }
    world.fixture.delete(records[0].keys.clone()).await;
    assert!(world.told_of(&records).await.is_empty(), "the comment is deleted");
    world.fixture.put(records[0].new_image.clone()).await;
    let seen = with(Item::from(Key::seen(&"ada".parse().unwrap())), "seen", "2999-01-01T00:00:00.000Z");
    world.fixture.put_in(FEED, seen).await;
    assert!(world.told_of(&records).await.is_empty());
    world.fixture.put(testing::deletion("ada")).await;
    assert!(world.told_of(&records).await.is_empty());
}

#[tokio::test]
async fn a_changed_photo_is_told_to_the_screens_that_show_it() {
    let world = World::new().await;
    put_screens(&world.fixture, "ada", &[("1", "a1", Some(reference("ada", OTHER)))]).await;
    put_screens(
        &world.fixture,
        "ben",
        &[("1", "b1", Some(reference("ada", PHOTO))), ("2", "b2", Some(reference("ben", PHOTO))), ("3", "b3", None)],
    )
    .await;
    put_screens(&world.fixture, "cara", &[("1", "c1", Some(reference("ada", PHOTO)))]).await;
    let records = [world.change(photo("ada", PHOTO), with(photo("ada", PHOTO), "caption", "New")).await];
    let left = world.left(&records).await;
    assert!(world.deliver(&left).await.is_empty());
    assert_eq!(world.fixture.operations(), ["Query", "UpdateItem", "BatchGetItem"]);
    let hint = json!({"kind": "photo", "photo": {"username": "ada", "id": PHOTO}});
    assert_eq!(world.gateway.got(), [("b1".to_owned(), hint.clone()), ("c1".to_owned(), hint)]);
}

#[tokio::test]
async fn only_who_may_see_a_photo_is_told_of_it() {
    let world = World::new().await;
    put_screens(&world.fixture, "dora", &[("1", "d1", Some(reference("ada", PHOTO)))]).await;
    put_screens(&world.fixture, "cara", &[("1", "c1", Some(reference("ada", PHOTO)))]).await;
    put_screens(&world.fixture, "ada", &[("1", "a1", Some(reference("ada", PHOTO)))]).await;
    let changed = async |new: Item| {
        world.wait_a_second().await;
        let records = [world.change(photo("ada", PHOTO), new).await];
        world.told_of(&records).await
    };
    world.fixture.put(friendship("ada", "cara")).await;
    assert_eq!(changed(with(photo("ada", PHOTO), "audience", "followers")).await, ["a1", "c1"]);
    assert_eq!(changed(with(photo("ada", PHOTO), "audience", "me")).await, ["a1"]);
    world.fixture.put_all(vec![block("ada", "dora", Level::Block), testing::with_count(user("ada"), "blocks", 1)]);
    assert_eq!(changed(with(photo("ada", PHOTO), "caption", "1")).await, ["a1", "c1"]);
    world.fixture.put(testing::deletion("cara")).await;
    assert_eq!(changed(with(photo("ada", PHOTO), "caption", "2")).await, ["a1"], "the users are deleted or blocked");
    let records = [record(photo("ada", PHOTO), with(photo("ada", PHOTO), "caption", "3"))];
    world.fixture.delete(records[0].keys.clone()).await;
    world.wait_a_second().await;
    assert!(world.told_of(&records).await.is_empty(), "the photo is deleted");
}

#[tokio::test]
async fn screens_are_told_once_in_a_second_and_of_the_last_change() {
    let world = World::new().await;
    put_screens(&world.fixture, "ben", &[("1", "b1", Some(reference("ada", PHOTO)))]).await;
    let mut records = vec![];
    for caption in ["1", "2", "3"] {
        records.push(world.change(photo("ada", PHOTO), with(photo("ada", PHOTO), "caption", caption)).await);
    }
    let begin = Instant::now();
    assert!(world.deliver(&records[..1]).await.is_empty());
    assert_eq!(world.gateway.told(), ["b1"]);
    assert!(world.deliver(&records[1..]).await.is_empty(), "the second one waits, and covers the third");
    assert_eq!(world.gateway.told(), ["b1"]);
    assert!(begin.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn of_two_who_read_in_the_same_millisecond_one_waits() {
    let world = World::new().await;
    let (feed, now) = (world.fixture.unrecorded_table(FEED), EpochMillis::now());
    let key = Key::told(&reference("ada", PHOTO));
    let claimed = async || claim(&feed, &key, Some(now.seconds() + 60), now, now).await.unwrap();
    assert_eq!(claimed().await, Claim::Told);
    assert!(matches!(claimed().await, Claim::Wait(_)));
}

/// Their change is covered by the message that waits, whose screens were read before they connected.
#[tokio::test]
async fn screens_that_connect_during_the_pause_are_told() {
    let world = World::new().await;
    put_screens(&world.fixture, "ben", &[("1", "b1", Some(reference("ada", PHOTO)))]).await;
    let mut records = vec![];
    for caption in ["1", "2"] {
        records.push(world.change(photo("ada", PHOTO), with(photo("ada", PHOTO), "caption", caption)).await);
    }
    assert!(world.deliver(&records[..1]).await.is_empty());
    assert_eq!(world.gateway.told(), ["b1"]);
    let connect = async {
        sleep(Duration::from_millis(300)).await;
        put_screens(&world.fixture, "cara", &[("1", "c1", Some(reference("ada", PHOTO)))]).await;
    };
    let (failed, ()) = tokio::join!(world.deliver(&records[1..]), connect);
    assert!(failed.is_empty());
    assert_eq!(world.gateway.told(), ["b1", "c1"]);

    put_screens(&world.fixture, "ada", &[("1", "a1", None)]).await;
    let records = [
        world.change(Item::new(), new_comment("ben", "ada")).await,
        world.change(Item::new(), new_comment("cara", "ada")).await,
    ];
    world.update_inboxes(&records).await;
    assert!(world.deliver(&records[..1]).await.is_empty());
    assert_eq!(world.gateway.told(), ["a1"]);
    let connect = async {
        sleep(Duration::from_millis(300)).await;
        put_screens(&world.fixture, "ada", &[("1", "a1", None), ("2", "a2", None)]).await;
    };
    let (failed, ()) = tokio::join!(world.deliver(&records[1..]), connect);
    assert!(failed.is_empty());
    assert_eq!(world.gateway.told(), ["a1", "a2"]);
}

/// For API Gateway, a connection is gone until connect-screen has answered.
#[tokio::test]
async fn a_connection_that_may_be_in_its_handshake_is_not_forgotten() {
    let world = World::new().await;
    put_screens(&world.fixture, "ada", &[("1", "a1", None)]).await;
    let records = [world.change(Item::new(), new_comment("ben", "ada")).await];
    world.update_inboxes(&records).await;
    let feed = world.fixture.unrecorded_table(FEED);
    let key = Key::screens(&"ada".parse().unwrap());
    let update = feed.client.update_item().table_name(&feed.name).set_key(Some(key.into()));
    let update = update.update_expression("SET screens.#id.used = :now").expression_attribute_names("#id", "1");
    update.expression_attribute_values(":now", S(Timestamp::now().to_string())).send().await.unwrap();
    world.gateway.lose("a1");
    assert!(world.told_of(&records).await.is_empty());
    assert_eq!(screens(&world.fixture, "ada").await["1"].connection.as_deref(), Some("a1"));
}

#[tokio::test]
async fn the_owner_is_told_that_a_photo_is_ready_or_rejected() {
    let world = World::new().await;
    put_screens(&world.fixture, "ada", &[("1", "a1", None)]).await;
    put_screens(&world.fixture, "dora", &[("1", "d1", None)]).await;
    let hint = json!({"kind": "photo", "photo": {"username": "ada", "id": PHOTO}});
    for new in [photo("ada", PHOTO), photo_with("ada", PHOTO, rejected())] {
        let records = [world.change(photo_with("ada", PHOTO, Picture::Pending), new).await];
        let left = world.left(&records).await;
        assert!(world.deliver(&left).await.is_empty());
        assert_eq!(world.gateway.got(), [("a1".to_owned(), hint.clone())]);
    }
}

#[tokio::test]
async fn the_owner_is_told_that_one_of_several_pictures_is_rejected() {
    let world = World::new().await;
    for (owner, connection) in [("ada", "a1"), ("ben", "b1")] {
        put_screens(&world.fixture, owner, &[("1", connection, None)]).await;
    }
    let pending = || [Picture::Pending, Picture::Pending];
    let [_, old] = several("ada", PHOTO, pending());
    for (pictures, told) in [([Picture::Pending, rejected()], &["a1"][..]), ([ready(b"1"), Picture::Pending], &[])] {
        let [_, new] = several("ada", PHOTO, pictures);
        let left = world.left(&[world.change(old.clone(), new).await]).await;
        assert!(world.deliver(&left).await.is_empty());
        assert_eq!(world.gateway.told(), told);
    }
}

/// A change that leaves the photo's copy of the first one as it is has no other record.
#[tokio::test]
async fn screens_that_show_a_photo_are_told_of_a_change_of_its_pictures_alone() {
    let world = World::new().await;
    put_screens(&world.fixture, "ben", &[("1", "b1", Some(reference("ada", PHOTO)))]).await;
    let [shown, item] = several("ada", PHOTO, [ready(b"1"), ready(b"2"), ready(b"3")]);
    world.fixture.put(shown.clone()).await;
    let before: Pictures = entity::from_item(item.clone()).unwrap();
    let of = |pictures: &Pictures| pictures.put_new("table", &"ada".parse().unwrap()).unwrap().item;
    let removed = |number: u32| before.decided(&[number.try_into().unwrap()], ReportReason::Spam);
    let mut reordered = before.next_version();
    reordered.entries.swap(1, 2);
    let mut other_text = before.next_version();
    other_text.entries[2].alt_text = None;
    for (old, new) in [(&before, reordered), (&before, other_text), (&removed(2), removed(3))] {
        world.wait_a_second().await;
        assert_eq!(world.told_of(&[world.change(of(old), of(&new)).await]).await, ["b1"], "{new:?}");
    }
    // Of records about the same photo, the last one is left.
    let both = [
        world.change(shown.clone(), with(shown, "caption", "New")).await,
        world.change(of(&before), of(&removed(1))).await,
    ];
    assert_eq!(world.left(&both).await.iter().map(|record| &record.id).collect::<Vec<_>>(), [&both[1].id]);
    // Nothing is another one, or the photo is pending.
    let [_, item] = several("ada", PHOTO, [Picture::Pending, ready(b"2")]);
    let pending: Pictures = entity::from_item(item).unwrap();
    let claimed = pending.claimed(PictureNumber::FIRST, "1").unwrap();
    let published = claimed.settled(PictureNumber::FIRST, ready(b"1"), None).unwrap();
    for (old, new) in [(&before, before.next_version()), (&pending, claimed.clone()), (&claimed, published)] {
        let records = [world.change(of(old), of(&new)).await];
        assert!(world.left(&records).await.is_empty(), "{new:?}");
    }
}

#[tokio::test]
async fn followers_are_told_when_their_feeds_have_the_photo() {
    let world = World::new().await;
    for person in ["ben", "cara"] {
        put_screens(&world.fixture, person, &[("1", person, None)]).await;
        world.fixture.put(friendship("ada", person)).await;
    }
    put_screens(&world.fixture, "finn", &[("1", "finn", None)]).await;
    world.fixture.put(mark_muted(friendship("ada", "emil"))).await;
    put_screens(&world.fixture, "emil", &[("1", "emil", None)]).await;
    let position = Position { author: "ada".parse().unwrap(), id: PHOTO.parse().unwrap() };
    world.fixture.put_in(FEED, entry_item(&"ben".parse().unwrap(), &position)).await;
    world.fixture.put_concurrently(8, FEED, entry_item(&"cara".parse().unwrap(), &position));
    let records = [world.change(photo_with("ada", PHOTO, Picture::Pending), photo("ada", PHOTO)).await];
    let left = world.left(&records).await;
    assert!(world.deliver(&left).await.is_empty());
    let hint = json!({"kind": "feed"});
    assert_eq!(world.gateway.got(), [("ben".to_owned(), hint.clone()), ("cara".to_owned(), hint)]);
}

#[tokio::test]
async fn followers_of_a_pulled_author_are_not_told() {
    let world = World::new().await;
    put_screens(&world.fixture, "ben", &[("1", "ben", None)]).await;
    world.fixture.put_all(vec![testing::with_count(user("ada"), "followers", 10_001), friendship("ada", "ben")]);
    let position = Position { author: "ada".parse().unwrap(), id: PHOTO.parse().unwrap() };
    world.fixture.put_in(FEED, entry_item(&"ben".parse().unwrap(), &position)).await;
    let records = [world.change(photo_with("ada", PHOTO, Picture::Pending), photo("ada", PHOTO)).await];
    assert!(world.told_of(&records).await.is_empty());
}

#[tokio::test]
async fn a_connection_that_is_gone_is_forgotten_and_a_refusal_comes_again() {
    let world = World::new().await;
    put_screens(&world.fixture, "ada", &[("1", "a1", None), ("2", "a2", None)]).await;
    let records = [world.change(Item::new(), new_comment("ben", "ada")).await];
    world.update_inboxes(&records).await;
    world.gateway.lose("a1");
    assert_eq!(world.told_of(&records).await, ["a2"]);
    let stored = screens(&world.fixture, "ada").await;
    assert_eq!((stored["1"].connection.as_deref(), stored["2"].connection.as_deref()), (None, Some("a2")));

    world.wait_a_second().await;
    world.gateway.refuse(true);
    assert_eq!(world.deliver(&records).await.len(), 1);
    world.gateway.refuse(false);
    world.wait_a_second().await;
    world.fixture.inject([Fault::None, Fault::AnswerLost]);
    assert!(world.deliver(&records).await.is_empty());
    assert_eq!(world.gateway.told(), ["a2"]);
}

#[tokio::test]
async fn of_more_screens_five_hundred_are_told() {
    let world = World::new().await;
    for number in 0..500 {
        let (gone, screen): (Username, ScreenId) = (format!("gone-{number:03}").parse().unwrap(), "1".parse().unwrap());
        let key = Key::watcher(&reference("ada", PHOTO), &gone, &screen);
        world.fixture.put_in(FEED, entity::to_item(key, &Watcher { username: gone, screen, ttl: 1 }).unwrap()).await;
    }
    let people: Vec<String> = (0..120).map(|number| format!("watcher-{number:03}")).collect();
    world.fixture.put_all(people.iter().map(|person| user(person)).collect());
    for person in &people {
        let names: Vec<String> = (0..5).map(|number| format!("{person}-{number}")).collect();
        let shown: Vec<_> = names.iter().map(|name| (&**name, &**name, Some(reference("ada", PHOTO)))).collect();
        put_screens(&world.fixture, person, &shown).await;
    }
    let records = [world.change(photo("ada", PHOTO), with(photo("ada", PHOTO), "caption", "New")).await];
    let told = world.told_of(&records).await;
    assert_eq!(told.len(), 500);
    let requests = world.fixture.operations();
    assert_eq!(requests.iter().filter(|request| *request == "BatchGetItem").count(), 3, "49 users each");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("send-live").await;
    let _ = Gateway::start(&fixture).await;
    let function = SendLive::start(&fixture.process()).unwrap();
    let event: Value = fixture.sample_event();
    assert!(fixture.deliver_batch(async |batch| function.handle(batch).await, event).await.is_empty());
    let keys = batch::get(&fixture.unrecorded_table(FEED), [Key::screens(&"ada".parse().unwrap())].into(), true).await;
    assert!(keys.unwrap().is_empty());
}
