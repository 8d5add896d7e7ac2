//! The comparison of the home feeds with the photos and the friendships.

mod bells;
mod concurrent;
mod devices;
mod directory;
mod engagements;
mod followed;
mod followers;
mod hashtags;
mod latest;
mod popular;
mod vectors;

use std::collections::BTreeSet;
use std::slice::from_ref;
use std::time::Duration;

use ::testing;
use aws_sdk_dynamodb::types::AttributeValue;
use local::sample::{self, FEED};
use local::services::dynamodb;
use ops::audit::{self, Comparison, Options, Progress, RelatedData, Report, Resolution};
use shared::dynamodb::{Item, entity};
use shared::entities::{Delivery, Export, Key, Latest, Listing, Position, entry_item};
use shared::values::{PhotoId, Timestamp, Username};

use super::ADAS_PHOTO;
use crate::audited_table::{AuditedTable, Items, TEMPLATE, all_items, number, options, set, text, user};

/// The other photo of ada in the seed data.
const ADAS_NEWEST: &str = "2024-06-09T13:49:13";

/// The table `quick-photos` and the table of the feeds.
struct Feeds {
    table: AuditedTable,
    feed: String,
}

impl Feeds {
    /// The seed data, in which ben follows ada, and the feeds of it.
    fn seed() -> Self {
        Self::new(sample::seed(sample::QUICK_PHOTOS), sample::seed(FEED))
    }

    fn new(photos: Vec<Item>, feeds: Vec<Item>) -> Self {
        let table = AuditedTable::photos(photos);
        let feed = TEMPLATE.table(FEED).unwrap().name.clone();
        dynamodb::import(table.engine.database(), &feed, feeds).unwrap();
        Self { table, feed }
    }

    async fn put(&self, item: impl Into<Item>) {
        self.table.client.put_item().table_name(&self.feed).set_item(Some(item.into())).send().await.unwrap();
    }

    async fn delete(&self, key: Key) {
        let delete = self.table.client.delete_item().table_name(&self.feed);
        delete.set_key(Some(key.into())).send().await.unwrap();
    }

    async fn set(&self, key: Key, attribute: &str, value: Option<AttributeValue>) {
        set(&self.table.client, &self.feed, key, attribute, value).await;
    }

    /// Returns the items of the table of feeds. The times at which they expire are left out.
    async fn all_items(&self) -> Items {
        let mut items = all_items(&self.table.client, &self.feed).await;
        for item in items.values_mut() {
            item.as_object_mut().unwrap().remove("ttl");
        }
        items
    }

    async fn audit(&self, repair: bool) -> Report {
        self.audit_with(options(repair), |_| {}).await
    }

    async fn audit_with(&self, options: Options, watch: impl FnMut(Progress<'_>)) -> Report {
        let related = RelatedData { feed_table: Some(&self.feed), ..RelatedData::default() };
        audit::run_with(&self.table.client, &self.table.name, related, options, watch).await.unwrap()
    }

    /// Audits without repairs, asserts that nothing has changed, and returns the sorted findings.
    async fn findings(&self) -> Vec<String> {
        let before = (self.all_items().await, self.table.all_items().await);
        let report = self.audit(false).await;
        assert_eq!((self.all_items().await, self.table.all_items().await), before);
        assert_eq!(report.unconfirmed, 0);
        let mut lines: Vec<String> = report.findings.iter().map(|(finding, _)| finding.to_string()).collect();
        lines.sort();
        lines
    }

    /// Asserts that the audit finds exactly this, and that a repair makes the feeds as they are
    /// expected, in one audit.
    async fn assert_repairs<T: AsRef<str>>(&self, findings: &[T], expected: &Items) {
        let findings: Vec<&str> = findings.iter().map(AsRef::as_ref).collect();
        assert_eq!(self.findings().await, findings);
        let photos = self.table.all_items().await;
        let report = self.audit(true).await;
        assert!(report.findings.iter().all(|(_, resolution)| *resolution == Resolution::Repaired), "{report:?}");
        assert_eq!(report.findings.len(), findings.len(), "{report:?}");
        assert_eq!(self.all_items().await, *expected);
        assert_eq!(self.table.all_items().await, photos);
        assert_eq!(self.findings().await, [""; 0]);
    }

    /// Lets a new user follow ada for a year, and counts that.
    async fn follow_ada(&self, reader: &str) {
        let mut friendship = testing::friendship("ada", reader);
        friendship.insert("timestamp".to_owned(), text(ago(365 * DAY).as_ref()));
        let mut follower = testing::user(reader);
        follower.insert("following".to_owned(), number(1));
        self.table.put([friendship, follower]).await;
        self.list(reader, reader, 0).await;
        let followers = self.table.all_items().await.into_values().filter(|item| item["followedUser"] == "ada").count();
        self.table.set(user("ada"), "followers", Some(number(i64::try_from(followers).unwrap()))).await;
    }

    /// Puts the entries of a user into the directory.
    async fn list(&self, username: &str, display_name: &str, followers: u64) {
        for entry in Listing::new(&name(username), display_name, followers).entries() {
            self.put(entry.item().unwrap()).await;
        }
    }

    /// Puts more photos of ada, and counts them. The feeds do not have them.
    async fn add_photos(&self, ids: &[PhotoId]) {
        for id in ids {
            self.table.put([testing::photo_with("ada", id.as_ref(), testing::ready(b"file"))]).await;
        }
        let keys = self.table.all_items().await.into_keys();
        let photos = keys.filter(|(pk, sk)| pk == "USER#ada" && sk.starts_with("PHOTO#")).count();
        self.table.set_photos("ada", i64::try_from(photos).unwrap(), i64::try_from(photos).unwrap()).await;
    }

    /// Replaces the `Latest` of ada by one with the photos of the seed data and these ones.
    async fn put_latest(&self, photos: &[PhotoId], delivery: Delivery) {
        let seed = [ADAS_PHOTO, ADAS_NEWEST].map(|photo| photo.parse().unwrap());
        let photos: BTreeSet<PhotoId> = seed.into_iter().chain(photos.iter().cloned()).collect();
        let latest = Latest { author: name("ada"), photos, delivery, converted: None };
        self.put(entity::to_item(Key::latest(&latest.author), &latest).unwrap()).await;
    }

    /// Puts a pull of ada, and counts it.
    async fn put_pull(&self, reader: &str) {
        self.put(Key::pull(&name(reader), &name("ada"))).await;
        self.set(Key::pull_count(&name(reader)), "pulls", Some(number(1))).await;
    }
}

const DAY: Duration = Duration::from_hours(24);

fn name(username: &str) -> Username {
    username.parse().unwrap()
}

/// Returns the time that is this long ago.
fn ago(time: Duration) -> Timestamp {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    Timestamp::from_epoch_millis(i64::try_from(now.as_millis() - time.as_millis()).unwrap()).unwrap()
}

/// Returns the id of a photo that was uploaded so long ago.
fn uploaded(time: Duration) -> PhotoId {
    ago(time).into()
}

fn position(author: &str, id: &str) -> Position {
    Position { id: id.parse().unwrap(), author: name(author) }
}

fn entry(reader: &str, author: &str, photo: &str) -> Item {
    entry_item(&name(reader), &position(author, photo))
}

fn entry_key(reader: &str, author: &str, photo: &str) -> Key {
    Key::entry(&name(reader), &position(author, photo))
}

#[tokio::test]
async fn finds_nothing_in_the_sample_data() {
    let items = sample::items(sample::QUICK_PHOTOS, sample::TEST_START);
    let number_of_items = items.len();
    let feeds = Feeds::new(items, sample::items(FEED, sample::TEST_START));
    assert_eq!(feeds.findings().await, [""; 0]);
    let before = feeds.all_items().await;
    let report = feeds.audit(true).await;
    assert_eq!(report.feeds, Comparison::Compared(before.len() as u64));
    let totals = format!("{number_of_items} items, {} items of feeds, 0 findings", before.len());
    assert_eq!(report.to_string(), format!("{totals}; objects are not compared without a bucket"));
    assert_eq!(feeds.all_items().await, before);
}

#[tokio::test]
async fn leaves_the_feeds_of_users_who_do_not_exist() {
    let feeds = Feeds::seed();
    let gone = name("gone");
    let latest = Latest { author: gone.clone(), photos: BTreeSet::new(), delivery: Delivery::Push, converted: None };
    feeds.put(entity::to_item(Key::latest(&gone), &latest).unwrap()).await;
    feeds.put(entry("gone", "ada", ADAS_PHOTO)).await;
    feeds.set(Key::pull_count(&name("lost")), "pulls", Some(number(-1))).await;
    feeds.put(Key::exception(&gone, &name("ben"))).await;
    feeds.put(testing::devices("gone", &[("phone", testing::phone("token"))])).await;
    let lines = [
        "user gone: does not exist, but there are 1 devices, 1 exceptions, 1 items of the feed, 1 lists of the newest photos",
        "user lost: does not exist, but there are 1 items of the feed",
    ];
    let before = feeds.all_items().await;
    assert_eq!(feeds.findings().await, lines);
    let report = feeds.audit(true).await;
    assert!(report.findings.iter().all(|(_, resolution)| *resolution == Resolution::NeedsManualRepair), "{report:?}");
    assert_eq!(feeds.all_items().await, before);
}

/// They expire, and no page shows them.
#[tokio::test]
async fn leaves_entries_without_a_photo_a_friendship_or_an_author() {
    let feeds = Feeds::seed();
    feeds.put(entry("ben", "gone", ADAS_PHOTO)).await;
    feeds.put(entry("ben", "ada", "2020-01-01T00:00:00")).await;
    feeds.put(entry("cara", "ada", ADAS_PHOTO)).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}

/// finish-deletion deletes it.
#[tokio::test]
async fn leaves_the_feed_of_a_user_who_is_being_deleted() {
    let feeds = Feeds::seed();
    feeds.table.put([testing::deletion("dora")]).await;
    let dora = name("dora");
    feeds.put(entry("dora", "ada", ADAS_PHOTO)).await;
    feeds.put(entry("ben", "dora", ADAS_PHOTO)).await;
    feeds.put(Key::pull(&dora, &name("ada"))).await;
    feeds.put(Key::exception(&dora, &name("ben"))).await;
    let findings = feeds.findings().await;
    assert!(findings.len() == 1 && findings[0].starts_with("deletion of dora: "), "{findings:?}");
}

#[tokio::test]
async fn reports_malformed_items_but_does_not_change_them() {
    let feeds = Feeds::seed();
    let malformed = [
        ("Export#ada", "Export", "missing field `id`"),
        ("Export#ben", "other", "its attributes are those of a user's export, but its key is not"),
        ("Feed#Ada Marsh", "2024-05-30T15:42:38#ada", "\"Ada Marsh\" is not a username"),
        ("Feed#ben", "#PULLS", "pulls is missing"),
        ("Feed#ben", "2024-05-30T15:42:38#ada", "it never expires, because ttl is missing"),
        ("Feed#ben", "yesterday", "it is neither an entry nor a pull nor the hashtags of a feed"),
        ("Inbox#ada", "DEVICES#1", "its attributes are those of a user's devices, but its key is not"),
        ("Inbox#ben", "DEVICES", "it never expires, because ttl is missing"),
        ("Latest#ben", "Newest", "its attributes are those of a Latest, but its key is not"),
        ("People#ad", "9#ada#ada", "missing field `rank`"),
        ("Push#ada", "!", "\"!\" is not a username"),
    ];
    for (pk, sk, _) in &malformed {
        let item = [("pk", *pk), ("sk", *sk)].map(|(name, value)| (name.to_owned(), text(value)));
        feeds.put(Item::from(item)).await;
    }
    let lines = malformed.map(|(pk, sk, reason)| format!("item {pk:?} {sk:?}: {reason}"));
    assert_eq!(feeds.findings().await, lines);
    let before = feeds.all_items().await;
    let report = feeds.audit(true).await;
    assert!(report.findings.iter().all(|(_, resolution)| *resolution == Resolution::NeedsManualRepair));
    assert_eq!(feeds.all_items().await, before);
}

#[tokio::test]
async fn an_error_names_the_table() {
    let feeds = Feeds::seed();
    let favorites = &TEMPLATE.table(sample::FAVORITE).unwrap().name;
    let audit = async |table: &str, feed_table: &str| {
        let related = RelatedData { feed_table: Some(feed_table), ..RelatedData::default() };
        let audit = audit::run_with(&feeds.table.client, table, related, Options::default(), |_| {});
        audit.await.unwrap_err().to_string()
    };
    let photos = &feeds.table.name;
    let error = audit(photos, "nowhere").await;
    assert!(error.starts_with("table nowhere: Requested resource not found"), "{error}");
    assert_eq!(audit(photos, photos).await, format!("table {photos}: it is not a table of feeds"));
    assert_eq!(audit(photos, favorites).await, format!("table {favorites}: it is not a table of feeds"));
    let error = audit(favorites, &feeds.feed).await;
    assert_eq!(error, format!("table {favorites}: it is audited alone; leave the other tables out"));
}

/// The account of an export may have no profile, and the export expires.
#[tokio::test]
async fn accepts_exports() {
    let feeds = Feeds::seed();
    for user in ["ada", "nobody"] {
        feeds.put(entity::to_item(Key::export(&name(user)), &Export::new(user.parse().unwrap())).unwrap()).await;
    }
    assert!(feeds.findings().await.is_empty());
}

/// Without the table, nothing of the feeds is read.
#[tokio::test]
async fn compares_nothing_without_the_table() {
    let feeds = Feeds::seed();
    feeds.delete(entry_key("ben", "ada", ADAS_PHOTO)).await;
    feeds.delete(Key::latest(&name("ada"))).await;
    assert_eq!(feeds.table.audit(false).await.feeds, Comparison::NotCompared);
    assert_eq!(feeds.findings().await.len(), 2);
}
