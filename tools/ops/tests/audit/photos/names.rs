//! Names that belong to no user: those of users whose item is lost, and those of deleted users,
//! which rest.

use std::collections::BTreeMap;
use std::slice::from_ref;
use std::time::Duration;

use ::testing;
use local::sample::{FAVORITE, FEED, QUICK_PHOTOS};
use local::services::dynamodb;
use ops::audit::{self, Options, RelatedData, Report, Resolution};
use shared::dynamodb::{Item, entity};
use shared::entities::{Engagement, Key, PictureDeletion, Position, Rest, entry_item};
use shared::values::{DataType, EpochMillis, Level, PictureNumber, Timestamp};

use super::{ADAS_PHOTO, OTHER_PHOTO, test_data};
use crate::audited_table::{AuditedTable, TEMPLATE, item, number, options, rest, set, text, user};
use crate::favorites::fixtures::{favorite, tag_item};

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// Returns the timer of the name that this deletion reserves.
fn timer(deletion: &Item, ttl: u64) -> Item {
    let resting = deletion["erasing"].as_s().unwrap().parse().unwrap();
    let since = deletion["since"].as_s().unwrap().parse().unwrap();
    let rest = Rest { resting, since, ttl };
    entity::to_item(Key::rest(&rest.resting), &rest).unwrap()
}

/// Returns the time in seconds that is this number of days from now.
fn in_days(days: u64) -> u64 {
    EpochMillis::now().seconds() + days * SECONDS_OF_A_DAY
}

fn since(deletion: &Item) -> &str {
    deletion["since"].as_s().unwrap()
}

/// Audits `quick-photos` with the tables of the favorites and of the feeds.
async fn audit_with_related_data(table: &AuditedTable, options: Options) -> Report {
    let [favorites, feed] = [FAVORITE, FEED].map(|table| &*TEMPLATE.table(table).unwrap().name);
    let related = RelatedData { favorite_table: Some(favorites), feed_table: Some(feed), ..RelatedData::default() };
    audit::run_with(&table.client, &table.name, related, options, |_| {}).await.unwrap()
}

fn lines(report: &Report) -> Vec<String> {
    report.findings.iter().map(|(finding, _)| finding.to_string()).collect()
}

/// Ada's own item is lost, and her photos, her comment, her follower and the reactions to her
/// photos are there.
async fn without_ada() -> AuditedTable {
    let table = test_data().await;
    table
        .put([testing::reaction("ada", "heart", "ben", "2024-06-26T03:59:33"), testing::friendship("cara", "ada")])
        .await;
    table.set(super::photo("ben", "2024-06-26T03:59:33"), "reactions.heart", Some(number(1))).await;
    table.set(user("cara"), "followers", Some(number(1))).await;
    table.delete(user("ada")).await;
    table
}

const ADA_IS_LOST: &str =
    "user ada: does not exist, but there are 1 comments, 1 followed users, 1 followers, 2 photos, 1 reactions";

#[tokio::test]
async fn leaves_the_items_of_a_user_who_is_lost() {
    let table = without_ada().await;
    let before = table.all_items().await;
    assert_eq!(table.findings().await, [ADA_IS_LOST]);
    let report = table.audit(true).await;
    assert_eq!(
        (&*lines(&report), report.findings[0].1),
        (&[ADA_IS_LOST.to_owned()][..], Resolution::NeedsManualRepair)
    );
    assert_eq!(table.all_items().await, before);
}

/// The owner has created the profile again, whose counts are 0.
#[tokio::test]
async fn makes_the_counts_of_a_lost_user_who_was_created_again() {
    let table = without_ada().await;
    table.put([testing::user("ada")]).await;
    let lines = [
        "commentsWritten is missing, but should be 1",
        "followers is 0, but should be 1",
        "following is 0, but should be 1",
        "photos is 0, but should be 2",
        "uploads is 0, but should be 2",
    ];
    assert_eq!(table.repair().await, lines.map(|line| format!("user ada: {line}")));
}

/// The deletion counts what finish-deletion has to find by the index.
#[tokio::test]
async fn puts_a_deletion_in_place_of_a_lost_user_who_is_to_be_erased() {
    let table = without_ada().await;
    table.put([testing::friendship("lost", "ben"), testing::block("cara", "ada", Level::Block)]).await;
    table.set(user("cara"), "blocks", Some(number(1))).await;
    table.set(user("ben"), "following", Some(number(2))).await;
    let erase = ["ada", "cara"].map(|name| name.parse().unwrap()).into();
    let mut expected = table.all_items().await;
    let report = audit::run(&table.client, &table.name, Options { erase, ..options(true) }, |_| {}).await.unwrap();
    assert_eq!(
        lines(&report),
        [
            &*ADA_IS_LOST.replace("1 comments", "1 blocks by others, 1 comments"),
            "user lost: does not exist, but there are 1 followers"
        ]
    );
    let resolutions = report.findings.iter().map(|(_, resolution)| *resolution).collect::<Vec<_>>();
    assert_eq!(
        resolutions,
        [Resolution::NeedsManualRepair, Resolution::Repaired].into_iter().rev().collect::<Vec<_>>()
    );
    let mut items = table.all_items().await;
    let deletion = items.remove(&("USER#ada".to_owned(), "#METADATA#ada".to_owned())).unwrap();
    assert_eq!((&deletion["erasing"], &deletion["following"]), (&"ada".into(), &1.into()));
    assert_eq!((&deletion["commentsWritten"], &deletion["blockedBy"]), (&1.into(), &1.into()));
    // finish-deletion starts on the change of an item.
    assert_eq!(deletion["passes"], 1);
    assert!(deletion["since"].as_str().unwrap().parse::<Timestamp>().is_ok() && deletion["username"].is_null());
    expected.remove(&("USER#ada".to_owned(), "#METADATA#ada".to_owned()));
    assert_eq!(items, expected);
}

#[tokio::test]
async fn restarts_deletions_without_a_timer_after_a_day() {
    for last_sweep in [false, true] {
        let table = test_data().await;
        let mut deletion = testing::deletion("dora");
        if last_sweep {
            deletion.insert("lastSweep".to_owned(), aws_sdk_dynamodb::types::AttributeValue::Bool(true));
        }
        table.put([deletion.clone(), testing::photo_deletion("ada", OTHER_PHOTO, 0)]).await;
        table.set_photos("ada", 3, 3).await;
        let (ada, id) = ("ada".parse().unwrap(), OTHER_PHOTO.parse().unwrap());
        let picture = Key::picture_deletion(&ada, &id, PictureNumber::FIRST);
        let deletion = PictureDeletion { erasing: ada, id, number: PictureNumber::FIRST, since: Timestamp::now() };
        table.put([entity::to_item(picture.clone(), &deletion).unwrap()]).await;
        let day = Options { min_deletion_age: Options::default().min_deletion_age, ..options(true) };
        let report = audit::run(&table.client, &table.name, day.clone(), |_| {}).await.unwrap();
        assert_eq!(lines(&report), [""; 0]);
        for age in [Duration::from_hours(23), Duration::from_hours(25)] {
            let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis();
            let ago = Timestamp::from_epoch_millis(i64::try_from(now - age.as_millis()).unwrap()).unwrap().to_string();
            table.set(user("dora"), "since", Some(text(&ago))).await;
            table.set(super::photo("ada", OTHER_PHOTO), "since", Some(text(&ago))).await;
            table.set(picture.clone(), "since", Some(text(&ago))).await;
            let report = audit::run(&table.client, &table.name, day.clone(), |_| {}).await.unwrap();
            let expected = [
                format!("deletion of dora: unfinished since {ago}"),
                format!("deletion of photo {OTHER_PHOTO} of ada: unfinished since {ago}"),
                format!("deletion of picture 1 of photo {OTHER_PHOTO} of ada: unfinished since {ago}"),
            ];
            let is_old = age > Options::default().min_deletion_age;
            assert_eq!(lines(&report), if is_old { &expected[..] } else { &[] });
        }
        let items = table.all_items().await;
        assert_eq!(items[&("USER#dora".to_owned(), "#METADATA#dora".to_owned())]["passes"], 1);
    }
}

/// A name rests with a timer, and after the last sweep without one until DynamoDB deletes the
/// deletion.
#[tokio::test]
async fn finds_nothing_under_names_that_rest() {
    let table = test_data().await;
    let (dora, emil) = (testing::deletion("dora"), testing::deletion("emil"));
    table.put([timer(&dora, in_days(7)), dora, emil]).await;
    table.set(user("emil"), "lastSweep", Some(aws_sdk_dynamodb::types::AttributeValue::Bool(true))).await;
    table.set(user("emil"), "ttl", Some(number(in_days(0).try_into().unwrap()))).await;
    assert_eq!(table.findings().await, [""; 0]);
    assert_eq!(lines(&audit_with_related_data(&table, options(false)).await), feeds_of_the_seed());
}

/// The findings in the table of feeds, which is empty.
fn feeds_of_the_seed() -> Vec<String> {
    [
        "hashtag selfie: the entry of photo 2024-06-09T13:49:13 of ada is missing",
        "feed of ben: 2 entries of photos of ada are missing",
        "Latest of ada: 2 photos are missing, 0 photos are hidden or gone",
        "Latest of ben: 2 photos are missing, 0 photos are hidden or gone",
        "engagement of cara with photo 2024-05-30T15:42:38 of ada: the reactions are none, but should be heart",
        "directory: 9 entries of ada are missing",
        "directory: 8 entries of ben are missing",
        "directory: 9 entries of cara are missing",
        "hashtag selfie: the summary or the listings are wrong, the count is 0, but should be 1",
    ]
    .map(ToOwned::to_owned)
    .to_vec()
}

/// Returns items that can be left under a name: the logical id of their table, the items, and how
/// the audit counts them.
fn left_under(name: &str) -> [(&'static str, Vec<Item>, &'static str); 12] {
    let username = name.parse().unwrap();
    let position = Position { id: ADAS_PHOTO.parse().unwrap(), author: "ada".parse().unwrap() };
    let mut pulls = Item::from(Key::pull_count(&username));
    pulls.insert("pulls".to_owned(), number(-1));
    let mut latest = Item::from(Key::latest(&username));
    latest.insert("delivery".to_owned(), text("pull"));
    let favorite = favorite("late", DataType::Note, "Late", 1).item(&username);
    [
        (QUICK_PHOTOS, vec![testing::photo(name, OTHER_PHOTO)], "1 photos"),
        (QUICK_PHOTOS, vec![testing::photo_deletion(name, OTHER_PHOTO, 0)], "1 photos"),
        (QUICK_PHOTOS, vec![testing::friendship(name, "ben")], "1 followers"),
        (QUICK_PHOTOS, vec![testing::friendship("ben", name)], "1 followed users"),
        (QUICK_PHOTOS, vec![testing::reaction(name, "heart", "ada", ADAS_PHOTO)], "1 reactions"),
        (FAVORITE, vec![favorite, tag_item(name, "late", "Late")], "1 favorites, 1 tags"),
        (FEED, vec![entry_item(&username, &position)], "1 items of the feed"),
        (FEED, vec![pulls], "1 items of the feed"),
        (FEED, vec![latest], "1 lists of the newest photos"),
        (FEED, vec![testing::vector(name, OTHER_PHOTO, 1)], "1 vectors"),
        (FEED, vec![testing::engagement(name, "ada", ADAS_PHOTO, &["heart"])], "1 engagements"),
        (FEED, vec![saved(name)], "1 engagements without reactions"),
    ]
}

/// Returns the engagement of somebody who has only saved the photo of ada.
fn saved(name: &str) -> Item {
    let engagement = Engagement { saved: true, ..Engagement::default() };
    engagement.item(&name.parse().unwrap(), &"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())
}

/// Saving a photo needs no profile. Giving a reaction does.
#[tokio::test]
async fn a_user_is_lost_only_if_something_that_needs_a_profile_is_left() {
    let table = test_data().await;
    let favorite = favorite("late", DataType::Note, "Late", 1).item(&"zoe".parse().unwrap());
    for (logical_id, items) in [(FAVORITE, vec![favorite, tag_item("zoe", "late", "Late")]), (FEED, vec![saved("zoe")])]
    {
        dynamodb::import(table.engine.database(), &TEMPLATE.table(logical_id).unwrap().name, items).unwrap();
    }
    assert_eq!(lines(&audit_with_related_data(&table, options(false)).await), feeds_of_the_seed());
    let reacted = testing::engagement("zoe", "ada", OTHER_PHOTO, &["heart"]);
    dynamodb::import(table.engine.database(), &TEMPLATE.table(FEED).unwrap().name, vec![reacted]).unwrap();
    let found = lines(&audit_with_related_data(&table, options(false)).await);
    let remains = "1 engagements, 1 engagements without reactions, 1 favorites, 1 tags";
    assert!(found.contains(&format!("user zoe: does not exist, but there are {remains}")), "{found:?}");
}

/// Half of the names have a timer, and half the `ttl` that follows the last sweep.
#[tokio::test]
async fn restarts_the_deletion_of_a_name_under_which_something_is_left() {
    let table = test_data().await;
    let dora = testing::deletion("dora");
    table.put([timer(&dora, in_days(7)), dora]).await;
    let mut expected = BTreeMap::new();
    for case in 0..12 {
        for is_swept in [false, true] {
            let name = format!("{}-{case}", if is_swept { "swept" } else { "resting" });
            let (logical_id, items, remains) = left_under(&name)[case].clone();
            let deletion = testing::deletion(&name);
            table.put([deletion.clone()]).await;
            if is_swept {
                table.set(user(&name), "ttl", Some(number(in_days(0).try_into().unwrap()))).await;
            } else {
                table.put([timer(&deletion, in_days(7))]).await;
            }
            let table_name = &TEMPLATE.table(logical_id).unwrap().name;
            dynamodb::import(table.engine.database(), table_name, items).unwrap();
            let line = format!("deletion of {name}: finished since {}, but there are {remains}", since(&deletion));
            expected.insert(line, Resolution::Repaired);
        }
    }
    let report = audit_with_related_data(&table, options(true)).await;
    let found = report.findings.iter().map(|(finding, resolution)| (finding.to_string(), *resolution));
    // The findings of what the leftovers refer to, such as counts of ben, are not the subject here.
    let found: BTreeMap<_, _> = found.filter(|(line, _)| line.contains(": finished since ")).collect();
    assert_eq!(found, expected);
    for ((_, sk), item) in table.all_items().await {
        if sk.starts_with("#METADATA#") && !item["erasing"].is_null() {
            let passes = if sk.ends_with("#dora") { serde_json::Value::Null } else { 1.into() };
            assert_eq!(item["passes"], passes, "{sk}");
        }
    }
}

/// Nothing but the deletion with the same time belongs to a timer.
#[tokio::test]
async fn deletes_a_timer_without_its_deletion() {
    let table = test_data().await;
    let (dora, emil) = (testing::deletion("dora"), testing::deletion("emil"));
    table.put([timer(&dora, in_days(7)), dora.clone(), emil.clone()]).await;
    let expected = table.all_items().await;
    let (mut of_ada, mut of_emil, mut of_nobody) = (dora.clone(), emil, dora.clone());
    for (deletion, name) in [(&mut of_ada, "ada"), (&mut of_emil, "emil"), (&mut of_nobody, "nobody")] {
        deletion.insert("erasing".to_owned(), text(name));
        deletion.insert("since".to_owned(), text(OTHER_PHOTO));
    }
    table.put([&of_ada, &of_emil, &of_nobody].map(|deletion| timer(deletion, in_days(7)))).await;
    let found = ["ada", "emil", "nobody"].map(|name| format!("rest of {name}: there is no deletion of {OTHER_PHOTO}"));
    assert_eq!(table.findings().await, found);
    let report = table.audit(true).await;
    assert_eq!(lines(&report), found);
    assert!(report.findings.iter().all(|(_, resolution)| *resolution == Resolution::Repaired));
    // The deletion of emil has no timer any more.
    assert_eq!(table.all_items().await, expected);
}

/// DynamoDB deletes nothing if the time to live of the table is off, and then no name is ever free
/// again.
#[tokio::test]
async fn deletes_a_timer_or_a_deletion_that_dynamodb_has_not_deleted_for_a_week() {
    let table = test_data().await;
    let expected = table.all_items().await;
    let (dora, emil) = (testing::deletion("dora"), testing::deletion("emil"));
    table.put([timer(&dora, in_days(0)), dora.clone(), emil]).await;
    for (days, is_found) in [(6, false), (8, true)] {
        let ttl = number((in_days(0) - days * SECONDS_OF_A_DAY).try_into().unwrap());
        table.set(rest("dora"), "ttl", Some(ttl.clone())).await;
        table.set(user("emil"), "ttl", Some(ttl)).await;
        let found = table.findings().await;
        assert_eq!(found.len(), if is_found { 2 } else { 0 }, "{found:?}");
    }
    let found = table.findings().await;
    assert!(found[0].starts_with("deletion of emil: expired at 2"), "{found:?}");
    assert!(found[1].starts_with("rest of dora: expired at 2"), "{found:?}");
    table.audit(true).await;
    let mut items = table.all_items().await;
    assert!(items.remove(&("USER#dora".to_owned(), "#METADATA#dora".to_owned())).is_some());
    assert_eq!(items, expected);
}

#[tokio::test]
async fn reports_a_malformed_timer() {
    let table = test_data().await;
    table.put([item("REST#ada", "#REST#ben", [("resting", text("ada"))])]).await;
    let found = table.findings().await;
    assert_eq!(from_ref(&found[0]), [r##"item "REST#ada" "#REST#ben": missing field `since`"##]);
    let set =
        async |name, value| set(&table.client, &table.name, item("REST#ada", "#REST#ben", []), name, Some(value)).await;
    set("since", text(OTHER_PHOTO)).await;
    set("ttl", number(1)).await;
    let found = table.findings().await;
    assert_eq!(found, [r##"item "REST#ada" "#REST#ben": its attributes are those of a rest, but its key is not"##]);
}
