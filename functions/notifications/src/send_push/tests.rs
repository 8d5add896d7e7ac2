use super::*;
use crate::changes;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Value, json};
use shared::changes::Context;
use shared::entities::{Alert, Position, notices};
use shared::runtime::stream::Record;
use shared::values::{Level, PhotoId};
use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex};
use testing::{FEED, Fault, Fixture, block, comment, friendship, phone, photo, reaction, record, user, with};
use tokio::net::TcpListener;
use tokio::time::Instant;
use web_push_native::decrypt;
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;

const PHOTO: &str = "2024-05-30T15:42:38";
const AUTH: [u8; 16] = *b"for tests only!!";

/// The private key of every browser.
fn browser_key() -> SecretKey {
    SecretKey::from_slice(&[7; 32]).unwrap()
}

/// The answer of a push service.
#[derive(Clone, Copy)]
enum Reply {
    Status(u16),
    Hang,
}

/// The messages that the push services have got, and their answers at a path or to a token.
#[derive(Default)]
struct Services {
    got: Vec<(String, HeaderMap, Value)>,
    replies: HashMap<String, Reply>,
}

type Shared = Arc<Mutex<Services>>;

impl Services {
    fn reply(services: &Shared, name: &str) -> Reply {
        services.lock().unwrap().replies.get(name).copied().unwrap_or(Reply::Status(201))
    }

    async fn of_browser(
        State(services): State<Shared>,
        Path(name): Path<String>,
        headers: HeaderMap,
        body: Bytes,
    ) -> StatusCode {
        let text = decrypt(body.to_vec(), &browser_key(), &AUTH.into()).unwrap();
        services.lock().unwrap().got.push((name.clone(), headers, serde_json::from_slice(&text).unwrap()));
        match Self::reply(&services, &name) {
            Reply::Status(status) => StatusCode::from_u16(status).unwrap(),
            Reply::Hang => pending().await,
        }
    }

    async fn of_phones(State(services): State<Shared>, Json(body): Json<Value>) -> impl IntoResponse {
        let token = body["Addresses"].as_object().unwrap().keys().next().unwrap().clone();
        services.lock().unwrap().got.push((token.clone(), HeaderMap::new(), body["MessageConfiguration"].clone()));
        let (status, code) = match Self::reply(&services, &token) {
            Reply::Status(201) => ("SUCCESSFUL", 200),
            Reply::Status(410) => ("PERMANENT_FAILURE", 410),
            Reply::Status(429) => ("THROTTLED", 429),
            Reply::Status(other) => ("TEMPORARY_FAILURE", other),
            Reply::Hang => pending().await,
        };
        Json(json!({"ApplicationId": "1", "Result": {token: {"DeliveryStatus": status, "StatusCode": code}}}))
    }
}

/// A table with ada, ben and cara, a photo of ada, and push services.
struct Pushes {
    fixture: Fixture,
    services: Shared,
    address: String,
}

impl Pushes {
    async fn new() -> Self {
        let fixture =
            Fixture::with_parameters("send-push", &[("PushApplication", "0123456789abcdef0123456789abcdef")]).await;
        let services = Shared::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/push/{name}", post(Services::of_browser))
            .route("/v1/apps/{application}/messages", post(Services::of_phones))
            .with_state(services.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fixture.connect("PINPOINT", &address);
        fixture.put_all(vec![user("ada"), user("ben"), user("cara"), photo("ada", PHOTO), photo("ben", PHOTO)]);
        // What the seed data has in the inbox of ada is not new.
        let seen = with(Item::from(Key::seen(&"ada".parse().unwrap())), "seen", "2025-01-01T00:00:00.000Z");
        fixture.put_in(FEED, seen).await;
        Self { fixture, services, address }
    }

    /// Registers browsers with these names.
    async fn browsers(&self, user: &str, names: &[&str]) {
        let devices: Vec<_> = names.iter().map(|name| (*name, self.browser(name))).collect();
        self.fixture.put_in(FEED, testing::devices(user, &devices)).await;
    }

    fn browser(&self, name: &str) -> Device {
        let endpoint = format!("{}/push/{name}", self.address).parse().unwrap();
        let point = browser_key().public_key().to_encoded_point(false);
        let keys = json!({"p256dh": BASE64.encode(point), "auth": BASE64.encode(AUTH)});
        Device { address: Address::Web { endpoint, keys: serde_json::from_value(keys).unwrap() }, ..phone("none") }
    }

    fn off_curve(&self) -> Device {
        let endpoint = format!("{}/push/off-curve", self.address).parse().unwrap();
        let keys = json!({"p256dh": format!("B{}", "A".repeat(86)), "auth": BASE64.encode(AUTH)});
        Device { address: Address::Web { endpoint, keys: serde_json::from_value(keys).unwrap() }, ..phone("none") }
    }

    fn answer_with(&self, name: &str, reply: Reply) {
        self.services.lock().unwrap().replies.insert(name.to_owned(), reply);
    }

    /// Puts new items, and updates the inboxes as process-changes does. Returns their records.
    async fn put(&self, items: Vec<Item>) -> Vec<Record> {
        let mut records = vec![];
        for item in items {
            self.fixture.put(item.clone()).await;
            records.push(record(Item::new(), item));
        }
        self.update_inboxes(&records).await;
        records
    }

    async fn update_inboxes(&self, records: &[Record]) {
        let (table, feed) = (self.fixture.unrecorded_table(testing::QUICK_PHOTOS), self.fixture.unrecorded_table(FEED));
        let context = Context { table, feed, max_pushed: 0, max_pushed_at_once: 0 };
        let unfinished = run(changes::work(&context, records), Instant::now() + Duration::from_mins(1)).await;
        assert!(unfinished.is_empty(), "{unfinished:?}");
    }

    /// Delivers a batch. Returns the ids of the records that failed.
    async fn deliver(&self, records: &[Record]) -> Vec<String> {
        let function = SendPush::start(&self.fixture.process()).unwrap();
        let batch = testing::batch(&self.fixture.read_by_jobs(records));
        self.fixture.deliver_batch(async |batch| function.handle(batch).await, batch).await
    }

    /// Returns the devices that have got a message since the last call.
    fn got(&self) -> Vec<(String, HeaderMap, Value)> {
        let mut got = std::mem::take(&mut self.services.lock().unwrap().got);
        got.sort_by(|(name, ..), (other, ..)| name.cmp(other));
        got
    }

    /// Returns the names of the devices that have got a message since the last call.
    fn told(&self) -> Vec<String> {
        self.got().into_iter().map(|(name, ..)| name).collect()
    }

    async fn devices_of(&self, user: &str) -> Vec<String> {
        let items = self.fixture.all_items_of(FEED).await;
        let ids = items.get(&format!("Inbox#{user} DEVICES")).map(|item| item["ids"].clone()).unwrap_or_default();
        ids.as_array().into_iter().flatten().map(|id| id.as_str().unwrap().to_owned()).collect()
    }
}

fn heart(person: &str) -> Item {
    reaction(person, "heart", "ada", PHOTO)
}

fn new_comment(person: &str, owner: &str) -> Item {
    comment(person, Timestamp::now().as_ref(), owner, PHOTO)
}

#[tokio::test]
async fn a_browser_decrypts_who_commented_and_what() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["laptop", "phone"]).await;
    pushes.browsers("cara", &["other"]).await;
    let records = pushes.put(vec![with(new_comment("ben", "ada"), "text", "On the pier")]).await;
    let _ = pushes.fixture.operations();
    assert!(pushes.deliver(&records).await.is_empty());
    assert_eq!(pushes.fixture.operations(), ["BatchGetItem", "UpdateItem", "UpdateItem"]);
    let got = pushes.got();
    assert_eq!(got.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), ["laptop", "phone"]);
    let (_, headers, text) = &got[0];
    assert_eq!(
        *text,
        json!({
            "user": "ada", "kind": "comment", "photo": {"username": "ada", "id": PHOTO}, "usernames": ["ben"], "number": 1,
            "title": "ben commented on your photo", "body": "On the pier", "badge": 1,
            "tag": format!("comment#ada#{PHOTO}"), "path": format!("/users/ada/photos/{PHOTO}"),
        })
    );
    let header = |name: &str| headers[name].to_str().unwrap();
    assert_eq!((header("content-encoding"), header("ttl"), header("topic").len()), ("aes128gcm", "86400", 32));
    assert!(header("authorization").starts_with("vapid t="));
}

#[tokio::test]
async fn the_author_of_a_comment_is_told_of_a_like_and_a_pin_and_nobody_of_an_edit() {
    let pushes = Pushes::new().await;
    pushes.browsers("ben", &["laptop"]).await;
    let comment = with(new_comment("ben", "ada"), "text", "On the pier");
    let time = comment["timestamp"].as_s().unwrap().clone();
    pushes.fixture.put(comment.clone()).await;
    let title = |got: Vec<(String, HeaderMap, Value)>| got.first().map(|(_, _, text)| text["title"].clone());

    let like = pushes.put(vec![testing::like("cara", &format!("{time}~ben"), "ada", PHOTO)]).await;
    assert!(pushes.deliver(&like).await.is_empty());
    assert_eq!(title(pushes.got()), Some(json!("cara likes your comment")));

    let pinned = with(comment.clone(), "pinned", Timestamp::now().to_string());
    pushes.fixture.put(pinned.clone()).await;
    let pin = [record(comment, pinned.clone())];
    pushes.update_inboxes(&pin).await;
    assert_eq!(changes::push_work(&pin).len(), 1);
    for expected in [Some(json!("ada pinned your comment")), None] {
        assert!(pushes.deliver(&pin).await.is_empty());
        assert_eq!(title(pushes.got()), expected);
    }
    for edited in [with(pinned.clone(), "text", "On the pier, @cara"), testing::with_count(pinned.clone(), "likes", 1)]
    {
        assert!(changes::push_work(&[record(pinned.clone(), edited)]).is_empty());
    }
}

#[tokio::test]
async fn phones_get_the_same_by_aws_in_their_languages() {
    let pushes = Pushes::new().await;
    let german = Device { locale: Some("de-AT".parse().unwrap()), ..phone("android") };
    let apple = Device { address: Address::Apns { token: "iphone".parse().unwrap() }, ..phone("none") };
    pushes.fixture.put_in(FEED, testing::devices("ada", &[("1", german), ("2", apple)])).await;
    let records = pushes.put(vec![friendship("ada", "ben")]).await;
    assert!(pushes.deliver(&records).await.is_empty());
    let got = pushes.got();
    let [(android, _, firebase), (iphone, _, apns)] = &got[..] else { panic!("{got:?}") };
    assert_eq!((android.as_str(), iphone.as_str()), ("android", "iphone"));
    let content = |message: &Value| -> Value { serde_json::from_str(message["RawContent"].as_str().unwrap()).unwrap() };
    let firebase = content(&firebase["GCMMessage"])["fcmV1Message"]["message"].take();
    assert_eq!(firebase["notification"]["title"], "ben folgt dir");
    assert_eq!(
        firebase["data"],
        json!({"kind": "follower", "number": "1", "path": "/users/ben", "tag": "follower", "user": "ada", "usernames": r#"["ben"]"#})
    );
    let shown = content(&apns["APNSMessage"])["aps"].take();
    assert_eq!((&shown["alert"]["title"], &shown["badge"]), (&json!("ben followed you"), &json!(1)));
    assert_eq!(apns["APNSMessage"]["CollapseId"], firebase["android"]["collapse_key"]);
}

/// The 500 reactions come in five batches, and each batch as soon as the inbox has its reactions.
#[tokio::test]
async fn five_hundred_reactions_are_one_message() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["laptop"]).await;
    for batch in 0..5 {
        let reactions = (0..100).map(|number| heart(&format!("user-{batch}-{number}")));
        let records = pushes.put(reactions.collect()).await;
        assert!(pushes.deliver(&records).await.is_empty());
    }
    let got = pushes.got();
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].2["title"], "user-0-99 and 49+ others reacted to your photo");
}

#[tokio::test]
async fn a_repeated_message_and_a_lost_answer_send_nothing_twice() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["laptop"]).await;
    let records = pushes.put(vec![heart("ben")]).await;
    // The answer of the claim is lost.
    pushes.fixture.inject([Fault::None, Fault::AnswerLost]);
    for _ in 0..2 {
        assert!(pushes.deliver(&records).await.is_empty());
    }
    assert_eq!(pushes.told(), ["laptop"]);
}

#[tokio::test]
async fn a_crash_after_the_message_repeats_it_once() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["laptop"]).await;
    let records = pushes.put(vec![heart("ben")]).await;
    let topic = notices(&records[0].new_image).unwrap().first().unwrap().topic.clone();
    let key = Key::notification(&"ada".parse().unwrap(), &topic);
    for (attempt, expected) in [(1, 1), (2, 1), (3, 0)] {
        // The write after the message fails, as if the process had ended.
        pushes.fixture.inject([Fault::None, Fault::None, Fault::Error("ValidationException")]);
        pushes.deliver(&records).await;
        pushes.fixture.clear_faults();
        assert_eq!(pushes.told().len(), expected, "{attempt}");
        let items = pushes.fixture.all_items_of(FEED).await;
        assert_eq!(items[&format!("Inbox#ada {topic}")]["pushed"]["attempts"], attempt.min(2));
        expire_claim(&pushes.fixture, &key).await;
    }
}

/// Lets the time of a claim pass.
async fn expire_claim(fixture: &Fixture, key: &Key) {
    let feed = fixture.unrecorded_table(FEED);
    let update = feed.client.update_item().table_name(&feed.name).set_key(Some(key.clone().into()));
    let update = update.update_expression("SET pushed.#until = :past").expression_attribute_names("#until", "until");
    update.expression_attribute_values(":past", N("1".to_owned())).send().await.unwrap();
}

#[tokio::test]
async fn what_one_has_seen_or_does_not_want_or_may_not_see_is_not_sent() {
    for case in ["seen", "off", "quiet", "blocked", "muted", "removed", "deleted", "old", "expired", "hidden"] {
        let pushes = Pushes::new().await;
        pushes.browsers("ada", &["laptop"]).await;
        let mut items = vec![heart("ben")];
        match case {
            "off" => {
                let mut ada = user("ada");
                ada.insert("pushOff".to_owned(), serde_dynamo::to_attribute_value(["reaction"]).unwrap());
                pushes.fixture.put(ada).await;
            }
            "quiet" => pushes.fixture.put(quiet_now(user("ada"))).await,
            "blocked" => {
                pushes.fixture.put(testing::with_count(user("ada"), "blockedBy", 1)).await;
                pushes.fixture.put(block("ben", "ada", Level::Block)).await;
            }
            "muted" => {
                pushes.fixture.put(testing::with_count(user("ada"), "mutes", 1)).await;
                pushes.fixture.put(block("ada", "ben", Level::Mute)).await;
            }
            "expired" => {
                let unused = Device { used: "2024-06-02T09:30:00.000Z".parse().unwrap(), ..pushes.browser("laptop") };
                pushes.fixture.put_in(FEED, testing::devices("ada", &[("laptop", unused)])).await;
            }
            "hidden" => {
                pushes.fixture.put(with(photo("ben", PHOTO), "audience", "followers")).await;
                items = vec![with(new_comment("cara", "ben"), "text", "Look, @ada")];
            }
            "old" => items = vec![with(heart("ben"), "timestamp", "2024-06-02T09:30:00.000Z")],
            _ => {}
        }
        let records = pushes.put(items).await;
        match case {
            "seen" => {
                let seen = with(Item::from(Key::seen(&"ada".parse().unwrap())), "seen", "2999-01-01T00:00:00.000Z");
                pushes.fixture.put_in(FEED, seen).await;
            }
            "removed" => {
                pushes.fixture.delete(records[0].keys.clone()).await;
                pushes.update_inboxes(&[record(records[0].new_image.clone(), Item::new())]).await;
            }
            "deleted" => pushes.fixture.put(testing::deletion("ada")).await,
            _ => {}
        }
        assert!(pushes.deliver(&records).await.is_empty(), "{case}");
        assert_eq!(pushes.told(), [""; 0], "{case}");
    }
}

#[tokio::test]
async fn a_push_names_nobody_whose_block_or_mute_was_not_read() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["laptop"]).await;
    pushes.fixture.put(testing::with_count(user("ada"), "mutes", 5)).await;
    let muted: Vec<String> = (0..5).map(|number| format!("spam{number}")).collect();
    pushes.fixture.put_all(muted.iter().map(|name| block("ada", name, Level::Mute)).collect());
    for name in &muted {
        pushes.put(vec![heart(name)]).await;
    }
    let records = pushes.put(vec![heart("ben")]).await;
    assert!(pushes.deliver(&records).await.is_empty());
    let text = pushes.got().remove(0).2;
    assert_eq!((&text["usernames"], &text["number"]), (&json!(["ben"]), &json!(2)));
}

/// A reply shows that there is a comment of somebody whom ada blocks.
#[tokio::test]
async fn a_mention_in_a_thread_of_a_blocked_author_has_no_text() {
    for blocks in [false, true] {
        let pushes = Pushes::new().await;
        pushes.browsers("ada", &["laptop"]).await;
        if blocks {
            pushes.fixture.put(testing::with_count(user("ada"), "blocks", 1)).await;
            pushes.fixture.put(block("ada", "dan", Level::Block)).await;
        }
        let answered = format!("{PHOTO}~dan");
        let reply = testing::reply("cara", Timestamp::now().as_ref(), &answered, "ben", PHOTO);
        let records = pushes.put(vec![with(reply, "text", "Look, @ada")]).await;
        assert!(pushes.deliver(&records).await.is_empty());
        let text = pushes.got().remove(0).2;
        assert_eq!((&text["kind"], text["body"].is_string()), (&json!("mention"), !blocks), "{blocks}");
    }
}

/// Gives a user quiet hours around now.
fn quiet_now(mut item: Item) -> Item {
    let now = jiff::Timestamp::now();
    let text = |time: jiff::Timestamp| jiff::tz::TimeZone::UTC.to_datetime(time).strftime("%H:%M").to_string();
    let hours = json!({
        "from": text(now - jiff::SignedDuration::from_hours(1)), "to": text(now + jiff::SignedDuration::from_hours(1)),
        "timeZone": "UTC",
    });
    item.insert("quietHours".to_owned(), serde_dynamo::to_attribute_value(hours).unwrap());
    item
}

#[tokio::test]
async fn a_lock_screen_shows_what_its_user_allows() {
    for (setting, title, has_body, has_path) in [
        ("everything", "ben commented on your photo", true, true),
        ("people", "ben commented on your photo", false, true),
        ("nothing", "You have a new notification", false, false),
    ] {
        let pushes = Pushes::new().await;
        pushes.browsers("ada", &["laptop"]).await;
        pushes.fixture.put(with(user("ada"), "lockScreen", setting)).await;
        let records = pushes.put(vec![new_comment("ben", "ada")]).await;
        assert!(pushes.deliver(&records).await.is_empty());
        let text = pushes.got().remove(0).2;
        assert_eq!((&text["title"], text["body"].is_string()), (&json!(title), has_body), "{setting}");
        assert_eq!((text["path"].is_string(), text.to_string().contains("ben")), (has_path, has_path), "{setting}");
    }
}

#[tokio::test]
async fn an_event_that_the_inbox_does_not_have_yet_comes_again() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["laptop"]).await;
    pushes.fixture.put(heart("ben")).await;
    let records = [record(Item::new(), heart("ben"))];
    let records = [Record { new_image: stored(&pushes.fixture, &records[0]).await, ..records[0].clone() }];
    assert_eq!(pushes.deliver(&records).await, ["1"]);
    pushes.update_inboxes(&records).await;
    assert!(pushes.deliver(&records).await.is_empty());
    assert_eq!(pushes.told(), ["laptop"]);
}

/// Returns the item of a record as it is stored.
async fn stored(fixture: &Fixture, record: &Record) -> Item {
    let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    let get = table.client.get_item().table_name(&table.name).set_key(Some(record.keys.clone()));
    get.send().await.unwrap().item.unwrap()
}

#[tokio::test]
async fn a_device_that_is_gone_is_deleted_and_one_that_is_busy_is_tried_again_alone() {
    let pushes = Pushes::new().await;
    let devices = [
        ("gone", pushes.browser("gone")),
        ("off-curve", pushes.off_curve()),
        ("busy", pushes.browser("busy")),
        ("refused", pushes.browser("refused")),
        ("good", pushes.browser("good")),
        ("gone-phone", phone("gone-phone")),
        ("busy-phone", phone("busy-phone")),
    ];
    pushes.fixture.put_in(FEED, testing::devices("ada", &devices)).await;
    for (name, status) in [("gone", 404), ("busy", 503), ("refused", 403), ("gone-phone", 410), ("busy-phone", 429)] {
        pushes.answer_with(name, Reply::Status(status));
    }
    let records = pushes.put(vec![heart("ben")]).await;
    assert_eq!(pushes.deliver(&records).await, ["1"]);
    assert_eq!(pushes.told().len(), devices.len() - 1, "nothing can be encrypted for a point off the curve");
    assert_eq!(pushes.devices_of("ada").await, ["busy", "busy-phone", "good", "refused"]);

    pushes.answer_with("busy", Reply::Status(410));
    assert_eq!(pushes.deliver(&records).await, ["1"]);
    assert_eq!(pushes.told(), ["busy", "busy-phone"]);
    pushes.answer_with("busy-phone", Reply::Status(201));
    assert!(pushes.deliver(&records).await.is_empty());
    assert_eq!(pushes.told(), ["busy-phone"]);
    assert!(pushes.deliver(&records).await.is_empty());
    assert_eq!(
        (pushes.told(), pushes.devices_of("ada").await),
        (vec![], ["busy-phone", "good", "refused"].map(str::to_owned).to_vec())
    );
}

/// The service of one device of ben hangs. Everybody else gets the message at once.
#[tokio::test]
async fn a_service_that_hangs_delays_nobody_else() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["of-ada"]).await;
    pushes.browsers("ben", &["hanging", "of-ben"]).await;
    pushes.answer_with("hanging", Reply::Hang);
    let records = pushes.put(vec![new_comment("cara", "ben"), new_comment("cara", "ada")]).await;
    let services = pushes.services.clone();
    let delivery = pushes.deliver(&records);
    tokio::pin!(delivery);
    // All three requests are there while the delivery waits for one of them.
    while services.lock().unwrap().got.len() < 3 {
        assert!(futures_util::poll!(&mut delivery).is_pending(), "a service hangs");
        tokio::task::yield_now().await;
    }
    assert_eq!(delivery.await.len(), 1, "the other record has not failed");
    assert_eq!(pushes.told(), ["hanging", "of-ada", "of-ben"]);
    // Nobody knows whether the device has the message, so that it gets it once more, and not a third time.
    for expected in [vec!["hanging"], vec![]] {
        pushes.deliver(&records).await;
        assert_eq!(pushes.told(), expected);
    }
}

#[tokio::test]
async fn a_poisoned_record_fails_alone() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["laptop"]).await;
    let mut records = pushes.put(vec![heart("ben"), heart("cara")]).await;
    records[0].new_image.remove("timestamp");
    assert_eq!(pushes.deliver(&records).await, ["1"]);
    assert_eq!(pushes.told(), ["laptop"]);
}

#[tokio::test]
async fn the_sample_event_is_too_old_to_be_sent() {
    let pushes = Pushes::new().await;
    pushes.browsers("ada", &["laptop"]).await;
    let event = pushes.fixture.sample_event();
    let function = SendPush::start(&pushes.fixture.process()).unwrap();
    let failed = pushes.fixture.deliver_batch(async |batch| function.handle(batch).await, event).await;
    assert!(failed.is_empty() && pushes.told().is_empty());
}

/// Ada has shared a photo just now, of which cara is told.
fn shared_photo(pushes: &Pushes) -> (Item, Item) {
    let id = PhotoId::from(Timestamp::now());
    let new = with(photo("ada", id.as_ref()), "caption", "On the pier");
    let position = Position { id, author: "ada".parse().unwrap() };
    let alert = Alert::new("cara".parse().unwrap(), &position).item().unwrap();
    pushes.fixture.put_all(vec![new.clone(), friendship("ada", "cara")]);
    (new, alert)
}

#[tokio::test]
async fn a_follower_with_alerts_is_told_of_a_photo_once() {
    let pushes = Pushes::new().await;
    for user in ["ben", "cara"] {
        pushes.browsers(user, &[&format!("laptop-of-{user}")]).await;
    }
    let (new, alert) = shared_photo(&pushes);
    let records = pushes.put(vec![alert]).await;
    assert_eq!(pushes.deliver(&records).await, [""; 0]);
    let got = pushes.got();
    let [(name, _, text)] = &got[..] else { panic!("{got:?}") };
    let id = new["timestamp"].as_s().unwrap();
    assert_eq!(name, "laptop-of-cara");
    assert_eq!(
        *text,
        json!({
            "user": "cara", "kind": "photo", "photo": {"username": "ada", "id": id}, "usernames": ["ada"], "number": 1,
            "title": "ada shared a photo", "body": "On the pier", "badge": 1,
            "tag": format!("photo#ada#{id}"), "path": format!("/users/ada/photos/{id}"),
        })
    );
    assert_eq!((pushes.deliver(&records).await, pushes.told()), (vec![], vec![]), "the record comes again");
}

#[tokio::test]
async fn a_follower_is_not_told_of_a_photo_that_the_inbox_does_not_show() {
    let off = with_list(user("cara"), "pushOff", "photo");
    let mute = vec![block("cara", "ada", Level::Mute), testing::with_count(user("cara"), "mutes", 1)];
    for (what, changes) in [("nothing", vec![]), ("the kind is off", vec![off]), ("a mute", mute)] {
        let pushes = Pushes::new().await;
        pushes.browsers("cara", &["laptop"]).await;
        let (_, alert) = shared_photo(&pushes);
        let records = pushes.put(vec![alert]).await;
        pushes.fixture.put_all(changes.clone());
        assert_eq!(pushes.deliver(&records).await, [""; 0], "{what}");
        assert_eq!(pushes.told().len(), usize::from(changes.is_empty()), "{what}");
    }
    for (what, audience) in [("it is for ada alone", "me"), ("cara has unfollowed", "everyone")] {
        let pushes = Pushes::new().await;
        pushes.browsers("cara", &["laptop"]).await;
        let (new, alert) = shared_photo(&pushes);
        let records = pushes.put(vec![alert]).await;
        pushes.fixture.put(with(new, "audience", audience)).await;
        if audience == "everyone" {
            pushes.fixture.delete(Key::friendship(&"ada".parse().unwrap(), &"cara".parse().unwrap())).await;
        }
        assert_eq!((pushes.deliver(&records).await, pushes.told()), (vec![], vec![]), "{what}");
    }
}

/// Returns an item with a list of one text.
fn with_list(mut item: Item, attribute: &str, text: &str) -> Item {
    let list = vec![aws_sdk_dynamodb::types::AttributeValue::S(text.to_owned())];
    item.insert(attribute.to_owned(), aws_sdk_dynamodb::types::AttributeValue::L(list));
    item
}

/// Measures the pushes of a photo of which 1,000 followers are told, in batches of the queue.
#[tokio::test]
#[ignore = "it takes longer than the others"]
async fn a_thousand_followers_get_a_push_with_four_requests_each() {
    const FOLLOWERS: usize = 1000;
    let pushes = Pushes::new().await;
    let (new, _) = shared_photo(&pushes);
    let id: PhotoId = new["timestamp"].as_s().unwrap().parse().unwrap();
    let position = Position { id, author: "ada".parse().unwrap() };
    let names: Vec<String> = (0..FOLLOWERS).map(|number| format!("f{number:04}")).collect();
    let (mut told, mut requests) = (0, 0);
    for names in names.chunks(100) {
        let mut alerts = vec![];
        for name in names {
            pushes.fixture.put_all(vec![user(name), friendship("ada", name)]);
            pushes.browsers(name, &[name]).await;
            alerts.push(Alert::new(name.parse().unwrap(), &position).item().unwrap());
        }
        let records = pushes.put(alerts).await;
        for batch in records.chunks(10) {
            let _ = pushes.fixture.operations();
            assert_eq!(pushes.deliver(batch).await, [""; 0]);
            requests += pushes.fixture.operations().len();
        }
        told += pushes.told().len();
    }
    println!("{told} pushes with {requests} requests to DynamoDB");
    assert_eq!((told, requests), (FOLLOWERS, 4 * FOLLOWERS));
}
