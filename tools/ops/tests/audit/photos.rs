//! The findings in `quick-photos`: each test damages the table, audits it, and checks that a repair
//! restores it exactly.

mod alerts;
mod blocks;
mod comments;
mod concurrent;
mod feeds;
mod links;
mod names;
mod objects;
mod reports;
mod requests;
mod several;
mod states;
mod uncounted;

use ::testing;
use local::sample::World;
use ops::audit::Resolution;
use shared::dynamodb::Item;

use crate::audited_table::{AuditedTable, item, number, photo, text, user};

/// The id of a photo of ada's in the test data.
const ADAS_PHOTO: &str = "2024-05-30T15:42:38";
/// The sort key of this photo.
const ADAS_PHOTO_SK: &str = "PHOTO#ada#2024-05-30T15:42:38";
/// The id of a photo that is not in the test data.
const OTHER_PHOTO: &str = "2020-01-01T00:00:00";
/// The end of a report without a bucket and a table of feeds.
const NOT_COMPARED: &str = "objects are not compared without a bucket; feeds are not compared without a feed table";

async fn test_data() -> AuditedTable {
    AuditedTable::photos(World::seed().items())
}

#[tokio::test]
async fn finds_nothing_in_an_empty_table() {
    let table = AuditedTable::photos(vec![]);
    assert_eq!(table.audit(true).await.to_string(), format!("0 items, 0 findings; {NOT_COMPARED}"));
}

#[tokio::test]
async fn keeps_the_welcome_of_an_account_that_has_no_user() {
    let table = test_data().await;
    let attributes =
        [("subject", text("42")), ("welcomed", text("2025-01-01T00:00:00.000Z")), ("ttl", number(4_000_000_000))];
    table.put([item("SUBJECT#42", "#WELCOME#42", attributes)]).await;
    let expected = table.all_items().await;
    assert_eq!(table.repair().await, [""; 0]);
    assert_eq!(table.all_items().await, expected);
}

#[tokio::test]
async fn treats_a_missing_count_as_0() {
    let table = test_data().await;
    table.set(user("cara"), "followers", None).await;
    table.set(photo("ada", ADAS_PHOTO), "reactions.smiley", None).await;
    assert_eq!(table.findings().await, [""; 0]);
}

#[tokio::test]
async fn repairs_counts_of_users_and_photos() {
    let table = test_data().await;
    let expected = table.all_items().await;
    let bens_photo = "2024-06-26T03:59:33";
    for (key, path, wrong) in [
        (user("ada"), "followers", Some(5)),
        (user("ada"), "following", Some(-1)),
        (user("ben"), "following", None),
        (user("ben"), "photos", None),
        (user("cara"), "photos", Some(1)),
        (photo("ada", ADAS_PHOTO), "reactions.heart", None),
        (photo("ada", ADAS_PHOTO), "reactions.+1", Some(7)),
        (photo("ben", bens_photo), "reactions.smiley", Some(-2)),
    ] {
        table.set(key, path, wrong.map(number)).await;
    }
    let lines = [
        "photo 2024-05-30T15:42:38 of ada: +1 is 7, but should be 0",
        "photo 2024-05-30T15:42:38 of ada: heart is missing, but should be 1",
        "photo 2024-06-26T03:59:33 of ben: smiley is -2, but should be 0",
        "user ada: followers is 5, but should be 1",
        "user ada: following is -1, but should be 0",
        "user ben: following is missing, but should be 1",
        "user ben: photos is missing, but should be 2",
        "user cara: photos is 1, but should be 0",
    ];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn deletes_reactions_without_a_photo() {
    let table = test_data().await;
    let expected = table.all_items().await;
    let mut foreign = testing::reaction("cara", "heart", "ada", OTHER_PHOTO);
    foreign.extend([("SK", text("photo of ada")), ("photo", text("photo of ada"))].map(|(k, v)| (k.to_owned(), v)));
    table
        .put([
            testing::reaction("ben", "heart", "ada", OTHER_PHOTO),
            testing::in_shard(testing::reaction("cara", "smiley", "gone", OTHER_PHOTO)),
            foreign,
        ])
        .await;
    let lines = [
        r#"reaction heart of ben to "PHOTO#ada#2020-01-01T00:00:00": the photo does not exist"#,
        r#"reaction heart of cara to "photo of ada": the photo does not exist"#,
        r#"reaction smiley of cara to "PHOTO#gone#2020-01-01T00:00:00": the photo does not exist"#,
    ];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn counts_the_reactions_in_shards() {
    let table = test_data().await;
    for name in ["ben", "cara"] {
        table.put([testing::in_shard(testing::reaction(name, "smiley", "ada", ADAS_PHOTO))]).await;
    }
    table.set(photo("ada", ADAS_PHOTO), "reactions.smiley", Some(number(2))).await;
    assert_eq!(table.findings().await, [""; 0]);
    let expected = table.all_items().await;
    table.set(photo("ada", ADAS_PHOTO), "reactions.smiley", Some(number(0))).await;
    let lines = ["photo 2024-05-30T15:42:38 of ada: smiley is 0, but should be 2"];
    table.assert_repaired(&lines, &expected).await;
}

#[tokio::test]
async fn removes_pins_without_a_photo() {
    let table = test_data().await;
    table.set(user("cara"), "pinnedImage", Some(text(ADAS_PHOTO_SK))).await;
    table.delete(photo("ben", "2024-06-26T03:59:33")).await;
    table.set_photos("ben", 1, 1).await;
    let mut expected = table.all_items().await;
    for username in ["ben", "cara"] {
        let user = expected.values_mut().find(|item| item["username"] == username && !item["name"].is_null()).unwrap();
        user.as_object_mut().unwrap().remove("pinnedImage").unwrap();
        user.as_object_mut().unwrap().remove("pinnedPicture");
    }
    let lines = [
        r#"user ben: the pinned image "PHOTO#ben#2024-06-26T03:59:33" does not exist"#,
        r#"user cara: the pinned image "PHOTO#ada#2024-05-30T15:42:38" does not exist"#,
    ];
    table.assert_repaired(&lines, &expected).await;
}

/// Everyone sees the picture of a profile.
#[tokio::test]
async fn takes_the_picture_of_a_photo_that_is_not_for_everyone_from_the_profile() {
    let pinned = photo("ada", "2024-06-09T13:49:13");
    let fault = r#"user ada: the picture of the pinned image "PHOTO#ada#2024-06-09T13:49:13" must not be shown"#;
    for (attribute, value) in
        [("audience", "followers"), ("audience", "me"), ("picture.status", "removed"), ("sensitive", "violence")]
    {
        let table = test_data().await;
        if value == "removed" {
            let report = testing::report("ada~2024-06-09T13:49:13", OTHER_PHOTO, &[]);
            table.put([testing::with(report, "reportState", "removed")]).await;
            table.set(pinned.clone(), "picture.reason", Some(text("spam"))).await;
        }
        table.set(pinned.clone(), attribute, Some(text(value))).await;
        let mut expected = table.all_items().await;
        let user = expected.values_mut().find(|item| item["username"] == "ada" && !item["name"].is_null()).unwrap();
        user.as_object_mut().unwrap().remove("pinnedPicture").unwrap();
        table.assert_repaired(&[fault], &expected).await;
    }
}

/// Ada loses the picture of her pinned photo, and then has that of another file.
#[tokio::test]
async fn gives_users_the_picture_of_their_pinned_photo() {
    let table = test_data().await;
    let expected = table.all_items().await;
    table.set(user("ada"), "pinnedPicture", None).await;
    let lines =
        [r#"user ada: the picture of the pinned image "PHOTO#ada#2024-06-09T13:49:13" is missing or another one"#];
    table.assert_repaired(&lines, &expected).await;

    let other = [("id", text("0123456789abcdef")), ("blurhash", text("LEBphYN1M|?G?vM|Rk%L0eWCayj?"))];
    let other = other.map(|(name, value)| (name.to_owned(), value)).into();
    table.set(user("ada"), "pinnedPicture", Some(aws_sdk_dynamodb::types::AttributeValue::M(other))).await;
    table.assert_repaired(&lines, &expected).await;
}

/// The items of a user or a photo whose deletion is in progress are left to finish-deletion, even
/// if they are orphans.
#[tokio::test]
async fn restarts_unfinished_deletions_and_leaves_their_items() {
    let table = test_data().await;
    let mut deletion = testing::deletion("dora");
    deletion.insert("following".into(), number(1));
    let photo_deletion = testing::photo_deletion("ada", OTHER_PHOTO, 1);
    table
        .put([
            deletion.clone(),
            testing::photo("dora", OTHER_PHOTO),
            testing::friendship("dora", "ben"),
            testing::friendship("ada", "dora"),
            testing::reaction("dora", "heart", "ada", ADAS_PHOTO),
            testing::reaction("dora", "heart", "ben", OTHER_PHOTO),
            testing::reaction("ben", "heart", "dora", OTHER_PHOTO),
            photo_deletion.clone(),
            testing::reaction("ben", "heart", "ada", OTHER_PHOTO),
        ])
        .await;
    table.set(user("ben"), "following", Some(number(2))).await;
    table.set(user("ada"), "followers", Some(number(2))).await;
    // The photo whose deletion is not finished still counts.
    table.set_photos("ada", 3, 3).await;
    table.set(user("ada"), "pinnedImage", Some(text("PHOTO#ada#2020-01-01T00:00:00"))).await;
    table.set(photo("ada", ADAS_PHOTO), "reactions.heart", Some(number(2))).await;
    table.set(photo("dora", OTHER_PHOTO), "reactions.heart", Some(number(1))).await;
    let since = |item: &Item| item["since"].as_s().unwrap().clone();
    let found = table.findings().await;
    assert_eq!(
        found,
        [
            format!("deletion of dora: unfinished since {}", since(&deletion)),
            format!("deletion of photo 2020-01-01T00:00:00 of ada: unfinished since {}", since(&photo_deletion)),
        ]
    );

    let mut expected = table.all_items().await;
    for passes in 1..=2 {
        let report = table.audit(true).await;
        assert_eq!(report.to_string(), format!("{} items, 2 findings, 2 repaired; {NOT_COMPARED}", expected.len()));
        expected.get_mut(&("USER#dora".into(), "#METADATA#dora".into())).unwrap()["passes"] = passes.into();
        expected.get_mut(&("USER#ada".into(), "PHOTO#ada#2020-01-01T00:00:00".into())).unwrap()["passes"] =
            passes.into();
        assert_eq!(table.all_items().await, expected);
    }
}

/// A count that is too high would keep finish-deletion from ending, and one that is too low would
/// let it end too early.
#[tokio::test]
async fn repairs_counts_of_deletions() {
    let table = test_data().await;
    let mut deletion = testing::deletion("dora");
    deletion.insert("following".into(), number(5));
    let photo_deletion = testing::photo_deletion("ada", OTHER_PHOTO, 0);
    table
        .put([
            deletion.clone(),
            testing::friendship("ada", "dora"),
            photo_deletion.clone(),
            testing::reaction("ben", "heart", "ada", OTHER_PHOTO),
        ])
        .await;
    table.set(user("ada"), "followers", Some(number(2))).await;
    table.set_photos("ada", 3, 3).await;
    let since = |item: &Item| item["since"].as_s().unwrap().clone();
    let report = table.audit(true).await;
    assert!(report.findings.iter().all(|(_, resolution)| *resolution == Resolution::Repaired));
    let mut found: Vec<String> = report.findings.iter().map(|(finding, _)| finding.to_string()).collect();
    found.sort();
    assert_eq!(
        found,
        [
            format!("deletion of dora: unfinished since {}", since(&deletion)),
            format!("deletion of photo 2020-01-01T00:00:00 of ada: unfinished since {}", since(&photo_deletion)),
            "photo 2020-01-01T00:00:00 of ada: heart is 0, but should be 1".to_owned(),
            "user dora: following is 5, but should be 1".to_owned(),
        ]
    );
    let items = table.all_items().await;
    assert_eq!(items[&("USER#dora".into(), "#METADATA#dora".into())]["following"], 1);
    assert_eq!(items[&("USER#ada".into(), "PHOTO#ada#2020-01-01T00:00:00".into())]["reactions"]["heart"], 1);
}

#[tokio::test]
async fn reports_malformed_items_but_does_not_change_them() {
    let table = test_data().await;
    let malformed: Vec<Item> = vec![
        item("anything", "at all", []),
        // A user without a name is malformed, but still exists: the photo is not an orphan.
        item("USER#zoe", "#METADATA#zoe", [("username", text("zoe"))]),
        testing::photo("zoe", OTHER_PHOTO),
        // The same for a photo without a location and a reaction to it.
        item("USER#ada", "PHOTO#ada#2021-01-01T00:00:00", [("username", text("ada")), ("reactions", text("many"))]),
        testing::reaction("ben", "heart", "ada", "2021-01-01T00:00:00"),
        // These items have the keys of other items.
        testing::user("yan").into_iter().chain(item("USER#yam", "#METADATA#yam", [])).collect(),
        testing::friendship("ada", "cara").into_iter().chain(item("USER#ada", "#FRIEND#can", [])).collect(),
        testing::reaction("ben", "+1", "ada", ADAS_PHOTO)
            .into_iter()
            .chain(item("REACTION#ben#1", ADAS_PHOTO_SK, []))
            .collect(),
        testing::deletion("wes").into_iter().chain(item("USER#wen", "#METADATA#wen", [])).collect(),
        item(
            "SUBJECT#42",
            "#WELCOME#43",
            [("subject", text("42")), ("welcomed", text("2025-01-01T00:00:00.000Z")), ("ttl", number(4_000_000_000))],
        ),
        item("A \n line", "-", [("followers", text("1"))]),
    ];
    table.put(malformed).await;
    let mut tim = testing::user("tim");
    tim.insert("followers".into(), text("many"));
    let mut uma = testing::user("uma");
    uma.insert("pinnedImage".into(), text(""));
    table.put([tim, uma]).await;

    let found = table.findings().await;
    let starts = [
        r#"item "A \n line" "-": its key matches no entity"#,
        r#"item "REACTION#ben#1" "PHOTO#ada#2024-05-30T15:42:38": its attributes are those of a reaction, but its key is not"#,
        r##"item "SUBJECT#42" "#WELCOME#43": its attributes are those of a welcome, but its key is not"##,
        r##"item "USER#ada" "#FRIEND#can": its attributes are those of a friendship, but its key is not"##,
        r#"item "USER#ada" "PHOTO#ada#2021-01-01T00:00:00": reactions: "#,
        r##"item "USER#tim" "#METADATA#tim": followers: "##,
        r##"item "USER#uma" "#METADATA#uma": pinnedImage is not a valid sort key"##,
        r##"item "USER#wen" "#METADATA#wen": its attributes are those of a deletion, but its key is not"##,
        r##"item "USER#yam" "#METADATA#yam": its attributes are those of a user, but its key is not"##,
        r##"item "USER#zoe" "#METADATA#zoe": missing field `name`"##,
        r#"item "anything" "at all": its key matches no entity"#,
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (line, start) in found.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }

    let before = table.all_items().await;
    let report = table.audit(true).await;
    assert!(report.findings.iter().all(|(_, resolution)| *resolution == Resolution::NeedsManualRepair));
    assert_eq!(
        report.to_string(),
        format!("{} items, 11 findings, 11 left for manual repair; {NOT_COMPARED}", before.len())
    );
    assert_eq!(table.all_items().await, before);
}

/// The reactions are more than fit into one page of a Scan or a Query, and more than are repaired
/// concurrently.
#[tokio::test]
async fn repairs_300_orphans() {
    let table = test_data().await;
    let padding = "x".repeat(4000);
    let users = (0..300).map(|number| testing::user(&format!("user-{number}")));
    let orphans = (0..300).map(|number| {
        let mut orphan = testing::reaction(&format!("user-{number}"), "heart", "ada", OTHER_PHOTO);
        orphan.insert("padding".into(), text(&padding));
        orphan
    });
    local::services::dynamodb::import(table.engine.database(), &table.name, users.collect()).unwrap();
    let expected = table.all_items().await;
    local::services::dynamodb::import(table.engine.database(), &table.name, orphans.collect()).unwrap();
    assert_eq!(table.repair().await.len(), 300);
    assert_eq!(table.all_items().await, expected);
}
