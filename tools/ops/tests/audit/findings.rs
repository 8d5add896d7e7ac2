//! Each kind of finding: planted, found, mended, and nothing else changed.

use ::testing;
use local::sample::{self, World};
use ops::audit::Outcome;
use shared::dynamodb::Item;

use crate::bed::{Bed, item, number, photo, text, user};

const ADAS: &str = "2024-05-30T15:42:38";
const ADAS_SK: &str = "PHOTO#ada#2024-05-30T15:42:38";
const LOST: &str = "2020-01-01T00:00:00";

async fn cast() -> Bed {
    Bed::with(World::cast().items()).await
}

#[tokio::test]
async fn the_sample_is_clean() {
    let bed = Bed::with(sample::items(sample::QUICK_PHOTOS)).await;
    assert_eq!(bed.found().await, [""; 0]);
    assert_eq!(bed.audit(true).await.items, 967);
    assert_eq!(bed.audit(true).await.to_string(), "967 items, 0 findings");
}

#[tokio::test]
async fn an_empty_table_is_clean() {
    let bed = Bed::with(vec![]).await;
    assert_eq!(bed.audit(true).await.to_string(), "0 items, 0 findings");
}

#[tokio::test]
async fn counts_of_users() {
    let bed = cast().await;
    let right = bed.all_items().await;
    bed.set(user("ada"), "followers", Some(number(5))).await;
    bed.set(user("ada"), "following", Some(number(-1))).await;
    bed.set(user("ben"), "following", None).await;
    let found = bed.found().await;
    assert_eq!(
        found,
        [
            "user ada: followers is 5, but there are 1",
            "user ada: following is -1, but there are 0",
            "user ben: following is missing, but there are 1",
        ]
    );
    assert_eq!(bed.repaired().await, found);
    assert_eq!(bed.all_items().await, right);
}

#[tokio::test]
async fn a_missing_count_is_0() {
    let bed = cast().await;
    bed.set(user("cara"), "followers", None).await;
    bed.set(photo("ada", ADAS), "reactions.smiley", None).await;
    assert_eq!(bed.found().await, [""; 0]);
}

#[tokio::test]
async fn counts_of_photos() {
    let bed = cast().await;
    let right = bed.all_items().await;
    bed.set(photo("ada", ADAS), "reactions.heart", None).await;
    bed.set(photo("ada", ADAS), "reactions.+1", Some(number(7))).await;
    bed.set(photo("ben", "2024-06-26T03:59:33"), "reactions.smiley", Some(number(-2))).await;
    let found = bed.found().await;
    assert_eq!(
        found,
        [
            "photo 2024-05-30T15:42:38 of ada: +1 is 7, but there are 0",
            "photo 2024-05-30T15:42:38 of ada: heart is missing, but there are 1",
            "photo 2024-06-26T03:59:33 of ben: smiley is -2, but there are 0",
        ]
    );
    assert_eq!(bed.repaired().await, found);
    assert_eq!(bed.all_items().await, right);
}

/// With their reactions, which have a photo until it is deleted.
#[tokio::test]
async fn photos_without_their_user() {
    let bed = cast().await;
    let right = bed.all_items().await;
    bed.put([testing::photo("gone", LOST), testing::reaction("ben", "heart", "gone", LOST)]).await;
    bed.set(photo("gone", LOST), "reactions.heart", Some(number(1))).await;
    assert_eq!(bed.found().await, ["photo 2020-01-01T00:00:00 of gone: gone is gone"]);
    assert_eq!(
        bed.repaired().await,
        [
            "photo 2020-01-01T00:00:00 of gone: gone is gone",
            r#"reaction heart of ben to "PHOTO#gone#2020-01-01T00:00:00": the photo is gone"#,
        ]
    );
    assert_eq!(bed.all_items().await, right);
}

#[tokio::test]
async fn reactions_without_their_photo_or_user() {
    let bed = cast().await;
    let right = bed.all_items().await;
    bed.put([
        testing::reaction("ben", "heart", "ada", LOST),
        testing::reaction("gone", "smiley", "ada", LOST),
        testing::reaction("gone", "heart", "ada", ADAS),
        testing::reaction("gone", "sunglasses", "ada", ADAS),
    ])
    .await;
    // One of them is counted and the other isn't.
    bed.set(photo("ada", ADAS), "reactions.heart", Some(number(2))).await;
    let orphans = [
        r#"reaction heart of ben to "PHOTO#ada#2020-01-01T00:00:00": the photo is gone"#,
        r#"reaction heart of gone to "PHOTO#ada#2024-05-30T15:42:38": gone is gone"#,
        r#"reaction smiley of gone to "PHOTO#ada#2020-01-01T00:00:00": gone and the photo are gone"#,
        r#"reaction sunglasses of gone to "PHOTO#ada#2024-05-30T15:42:38": gone is gone"#,
    ];
    let uncounted = ["photo 2024-05-30T15:42:38 of ada: sunglasses is 0, but there are 1"];
    assert_eq!(bed.found().await, [&uncounted[..], &orphans[..]].concat());
    // Deleted, it need not be counted.
    assert_eq!(bed.repaired().await, orphans);
    assert_eq!(bed.all_items().await, right);
}

#[tokio::test]
async fn friendships_without_their_users() {
    let bed = cast().await;
    let right = bed.all_items().await;
    bed.put([
        testing::friendship("gone", "ben"),
        testing::friendship("ada", "gone"),
        testing::friendship("gone", "lost"),
        testing::friendship("gone", "gone"),
        testing::friendship("cara", "gone"),
    ])
    .await;
    bed.set(user("ben"), "following", Some(number(2))).await;
    bed.set(user("ada"), "followers", Some(number(2))).await;
    let orphans = [
        "friendship of ben, who follows gone: gone is gone",
        "friendship of gone, who follows ada: gone is gone",
        "friendship of gone, who follows cara: gone is gone",
        "friendship of gone, who follows gone: gone and gone are gone",
        "friendship of lost, who follows gone: gone and lost are gone",
    ];
    let uncounted = ["user cara: followers is 0, but there are 1"];
    assert_eq!(bed.found().await, [&orphans[..], &uncounted[..]].concat());
    assert_eq!(bed.repaired().await, orphans);
    assert_eq!(bed.all_items().await, right);
}

/// The count was wrong before the orphan was taken off it, and is right after both.
#[tokio::test]
async fn a_count_that_is_wrong_beside_an_orphan() {
    let bed = cast().await;
    let right = bed.all_items().await;
    bed.put([testing::friendship("ada", "gone")]).await;
    bed.set(user("ada"), "followers", Some(number(9))).await;
    assert_eq!(
        bed.repaired().await,
        ["friendship of gone, who follows ada: gone is gone", "user ada: followers is 8, but there are 1"]
    );
    assert_eq!(bed.all_items().await, right);
}

#[tokio::test]
async fn pins_without_their_photo() {
    let bed = cast().await;
    bed.set(user("cara"), "pinnedImage", Some(text(ADAS_SK))).await;
    bed.delete(photo("ben", "2024-06-26T03:59:33")).await;
    let mut right = bed.all_items().await;
    for username in ["ben", "cara"] {
        let user = right.values_mut().find(|item| item["username"] == username && !item["name"].is_null()).unwrap();
        user.as_object_mut().unwrap().remove("pinnedImage").unwrap();
    }
    let found = bed.found().await;
    assert_eq!(
        found,
        [
            r#"user ben: the pinned image "PHOTO#ben#2024-06-26T03:59:33" is gone"#,
            r#"user cara: the pinned image "PHOTO#ada#2024-05-30T15:42:38" is gone"#,
        ]
    );
    assert_eq!(bed.repaired().await, found);
    assert_eq!(bed.all_items().await, right);
}

/// What belongs to a user who is being deleted is finish-deletion's, in whatever state it is.
#[tokio::test]
async fn deletions_that_are_not_through() {
    let bed = cast().await;
    let deletion = testing::deletion("dora");
    bed.put([
        deletion.clone(),
        testing::photo("dora", LOST),
        testing::friendship("dora", "ben"),
        testing::friendship("ada", "dora"),
        testing::friendship("gone", "dora"),
        testing::reaction("dora", "heart", "ada", ADAS),
        testing::reaction("dora", "heart", "ben", LOST),
        testing::reaction("ben", "heart", "dora", LOST),
        testing::reaction("ben", "smiley", "dora", "2020-02-02T00:00:00"),
    ])
    .await;
    bed.set(user("ben"), "following", Some(number(2))).await;
    bed.set(user("ada"), "followers", Some(number(2))).await;
    bed.set(photo("ada", ADAS), "reactions.heart", Some(number(2))).await;
    bed.set(photo("dora", LOST), "reactions.heart", Some(number(3))).await;
    let since = deletion["since"].as_s().unwrap();
    let found = bed.found().await;
    assert_eq!(found, [format!("deletion of dora: not through since {since}")]);

    let mut right = bed.all_items().await;
    for passes in 1..=2 {
        let report = bed.audit(true).await;
        assert_eq!(report.to_string(), format!("{} items, 1 findings, 1 repaired", right.len()));
        right.get_mut(&("USER#dora".into(), "#METADATA#dora".into())).unwrap()["passes"] = passes.into();
        assert_eq!(bed.all_items().await, right);
    }
}

#[tokio::test]
async fn items_of_no_known_shape() {
    let bed = cast().await;
    let planted: Vec<Item> = vec![
        item("anything", "at all", []),
        // A user without a name, whose photo has a user all the same, as has the reaction to it.
        item("USER#zoe", "#METADATA#zoe", [("username", text("zoe"))]),
        testing::photo("zoe", LOST),
        // A photo without a place; and who reacted to it.
        item("USER#ada", "PHOTO#ada#2021-01-01T00:00:00", [("username", text("ada")), ("reactions", text("many"))]),
        testing::reaction("ben", "heart", "ada", "2021-01-01T00:00:00"),
        // The key of another.
        testing::user("yan").into_iter().chain(item("USER#yam", "#METADATA#yam", [])).collect(),
        testing::friendship("ada", "cara").into_iter().chain(item("USER#ada", "#FRIEND#can", [])).collect(),
        testing::reaction("ben", "+1", "ada", ADAS).into_iter().chain(item("REACTION#ben#1", ADAS_SK, [])).collect(),
        testing::deletion("wes").into_iter().chain(item("USER#wen", "#METADATA#wen", [])).collect(),
        item("A \n line", "-", [("followers", text("1"))]),
    ];
    bed.put(planted).await;
    let mut tim = testing::user("tim");
    tim.insert("followers".into(), text("many"));
    let mut uma = testing::user("uma");
    uma.insert("pinnedImage".into(), text(""));
    bed.put([tim, uma]).await;

    let found = bed.found().await;
    let starts = [
        r#"item "A \n line" "-": it has the attributes of no entity"#,
        r#"item "REACTION#ben#1" "PHOTO#ada#2024-05-30T15:42:38": it is a reaction by its attributes, but not by its key"#,
        r##"item "USER#ada" "#FRIEND#can": it is a friendship by its attributes, but not by its key"##,
        r#"item "USER#ada" "PHOTO#ada#2021-01-01T00:00:00": reactions: "#,
        r##"item "USER#tim" "#METADATA#tim": followers: "##,
        r##"item "USER#uma" "#METADATA#uma": pinnedImage can't be a sort key"##,
        r##"item "USER#wen" "#METADATA#wen": it is a deletion by its attributes, but not by its key"##,
        r##"item "USER#yam" "#METADATA#yam": it is a user by its attributes, but not by its key"##,
        r##"item "USER#zoe" "#METADATA#zoe": missing field `name`"##,
        r#"item "anything" "at all": it has the attributes of no entity"#,
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (line, start) in found.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }

    let before = bed.all_items().await;
    let report = bed.audit(true).await;
    assert!(report.findings.iter().all(|(_, outcome)| *outcome == Outcome::Left));
    assert_eq!(report.to_string(), format!("{} items, 10 findings, 10 left as they are", before.len()));
    assert_eq!(bed.all_items().await, before);
}

/// More than a page of a Scan or a Query has, and more than are mended at once.
#[tokio::test]
async fn many_at_once() {
    let bed = cast().await;
    let right = bed.all_items().await;
    let padding = "x".repeat(4000);
    let orphans = (0..300).map(|number| {
        let mut orphan = testing::friendship("ada", &format!("gone-{number}"));
        orphan.insert("padding".into(), text(&padding));
        orphan
    });
    local::services::dynamodb::import(bed.engine.database(), crate::bed::TABLE, orphans.collect()).unwrap();
    bed.set(user("ada"), "followers", Some(number(301))).await;
    assert_eq!(bed.repaired().await.len(), 300);
    assert_eq!(bed.all_items().await, right);
}
