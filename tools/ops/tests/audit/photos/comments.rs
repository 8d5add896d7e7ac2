//! Comments, and the counts of the photos and the authors.

use ::testing;
use shared::dynamodb::Item;
use shared::entities::{Key, mark_uncounted};

use super::{ADAS_PHOTO, OTHER_PHOTO, test_data};
use crate::audited_table::{item, number, photo, text, user};

/// The time of a comment that is not in the test data. It was written long ago.
pub(super) const LONG_AGO: &str = "2020-06-01T00:00:00.000Z";

fn comment(author: &str, photo: &str) -> Item {
    testing::comment(author, LONG_AGO, "ada", photo)
}

#[tokio::test]
async fn repairs_the_counts_of_photos_and_authors() {
    let table = test_data().await;
    // The seed data has a comment of ada and one of ben on the photo.
    let expected = table.all_items().await;
    for (of_photo, of_ben, of_cara) in [(Some(3), Some(0), Some(2)), (None, None, Some(-1)), (Some(-1), Some(7), None)]
    {
        table.set(photo("ada", ADAS_PHOTO), "comments", of_photo.map(number)).await;
        table.set(user("ben"), "commentsWritten", of_ben.map(number)).await;
        table.set(user("cara"), "commentsWritten", of_cara.map(number)).await;
        let is = |count: Option<i64>| count.map_or("missing".to_owned(), |count| count.to_string());
        let mut lines = vec![
            format!("photo 2024-05-30T15:42:38 of ada: comments is {}, but should be 2", is(of_photo)),
            format!("user ben: commentsWritten is {}, but should be 1", is(of_ben)),
        ];
        lines.extend(of_cara.map(|count| format!("user cara: commentsWritten is {count}, but should be 0")));
        assert_eq!(table.repair().await, lines);
        table.set(user("cara"), "commentsWritten", None).await;
        assert_eq!(table.all_items().await, expected);
    }
}

#[tokio::test]
async fn deletes_comments_without_a_photo_and_counts_them_for_their_author() {
    let table = test_data().await;
    table.set(user("cara"), "commentsWritten", Some(number(0))).await;
    let expected = table.all_items().await;
    let line = |author: &str, owner: &str| {
        format!("comment {LONG_AGO}~{author} on photo {OTHER_PHOTO} of {owner}: the photo does not exist")
    };
    table
        .put([
            comment("ben", OTHER_PHOTO),
            mark_uncounted(comment("cara", OTHER_PHOTO)),
            testing::comment("ben", LONG_AGO, "gone", OTHER_PHOTO),
        ])
        .await;
    table.set(user("ben"), "commentsWritten", Some(number(3))).await;
    table.set(user("cara"), "commentsWritten", Some(number(1))).await;
    let mut lines = [line("ben", "ada"), line("cara", "ada"), line("ben", "gone")];
    lines.sort();
    table.assert_repaired(&lines.each_ref().map(String::as_str), &expected).await;
}

#[tokio::test]
async fn counts_a_comment_that_was_not_counted_for_long() {
    let table = test_data().await;
    table.put([comment("cara", ADAS_PHOTO)]).await;
    table.set(photo("ada", ADAS_PHOTO), "comments", Some(number(3))).await;
    table.set(user("cara"), "commentsWritten", Some(number(1))).await;
    let expected = table.all_items().await;
    table.put([mark_uncounted(comment("cara", ADAS_PHOTO))]).await;
    table.set(photo("ada", ADAS_PHOTO), "comments", Some(number(2))).await;
    let line = format!("comment {LONG_AGO}~cara on photo {ADAS_PHOTO} of ada: not counted since {LONG_AGO}");
    table.assert_repaired(&[&line], &expected).await;
}

#[tokio::test]
async fn a_count_must_not_include_what_is_uncounted() {
    let table = test_data().await;
    let now = shared::values::Timestamp::now();
    table.put([mark_uncounted(testing::comment("cara", now.as_ref(), "ada", ADAS_PHOTO))]).await;
    table.set(user("cara"), "commentsWritten", Some(number(1))).await;
    assert_eq!(table.findings().await, [""; 0], "process-changes may be about to count it");
    let expected = table.all_items().await;
    table.set(photo("ada", ADAS_PHOTO), "comments", Some(number(3))).await;
    table.assert_repaired(&["photo 2024-05-30T15:42:38 of ada: comments is 3, but should be 2"], &expected).await;
}

/// The counts of tombstones tell finish-deletion what is left. The items themselves are left to it.
#[tokio::test]
async fn repairs_the_counts_of_deletions_and_leaves_their_comments() {
    let table = test_data().await;
    let (mut deletion, mut photo_deletion) =
        (testing::deletion("dora"), testing::photo_deletion("ada", OTHER_PHOTO, 0));
    deletion.insert("commentsWritten".to_owned(), number(5));
    photo_deletion.insert("comments".to_owned(), number(0));
    table
        .put([
            deletion,
            photo_deletion,
            testing::comment("dora", LONG_AGO, "ada", ADAS_PHOTO),
            testing::comment("dora", LONG_AGO, "gone", OTHER_PHOTO),
            comment("ben", OTHER_PHOTO),
        ])
        .await;
    table.set(user("ben"), "commentsWritten", Some(number(2))).await;
    table.set(photo("ada", ADAS_PHOTO), "comments", Some(number(3))).await;
    table.set_photos("ada", 3, 3).await;
    let found = table.findings().await;
    let counts: Vec<&String> = found.iter().filter(|line| line.contains("should be")).collect();
    assert_eq!(
        counts,
        [
            "photo 2020-01-01T00:00:00 of ada: comments is 0, but should be 1",
            "user dora: commentsWritten is 5, but should be 2",
        ]
    );
    assert_eq!(found.len(), 4, "and two unfinished deletions: {found:?}");
    table.audit(true).await;
    let items = table.all_items().await;
    assert_eq!(items[&("USER#dora".into(), "#METADATA#dora".into())]["commentsWritten"], 2);
    assert_eq!(items[&("USER#ada".into(), format!("PHOTO#ada#{OTHER_PHOTO}"))]["comments"], 1);
    assert_eq!(items.keys().filter(|(pk, _)| pk.starts_with("COMMENT#")).count(), 5);
}

#[tokio::test]
async fn reports_malformed_comments_but_does_not_change_them() {
    let table = test_data().await;
    let with = |name: &str, value: &str| {
        let mut item = comment("ben", ADAS_PHOTO);
        item.insert(name.to_owned(), text(value));
        item
    };
    let mut without_text = testing::comment("cara", LONG_AGO, "ada", ADAS_PHOTO);
    without_text.remove("text");
    table.put([with("SK", "elsewhere"), with("PK", "COMMENT#x#ben"), without_text]).await;
    table.put([item("COMMENT#x#cara", "y", [("author", text("A"))])]).await;
    let before = table.all_items().await;
    let found = table.findings().await;
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found.iter().all(|line| line.starts_with(r#"item "COMMENT#"#)), "{found:#?}");
    assert!(found.iter().any(|line| line.ends_with("its attributes are those of a comment, but its key is not")));
    table.audit(true).await;
    assert_eq!(table.all_items().await, before);
}

/// The comment of ben in the seed data.
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";

fn comment_of_ben() -> Key {
    Key::comment(&COMMENT_OF_BEN.parse().unwrap(), &"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())
}

#[tokio::test]
async fn repairs_the_count_of_replies() {
    let table = test_data().await;
    table.put([testing::reply("cara", LONG_AGO, COMMENT_OF_BEN, "ada", ADAS_PHOTO)]).await;
    table.set(photo("ada", ADAS_PHOTO), "comments", Some(number(3))).await;
    table.set(user("cara"), "commentsWritten", Some(number(1))).await;
    table.set(comment_of_ben(), "replies", Some(number(1))).await;
    assert_eq!(table.findings().await, [""; 0]);
    let expected = table.all_items().await;
    for stored in [None, Some(2)] {
        table.set(comment_of_ben(), "replies", stored.map(number)).await;
        let line = format!(
            "comment {COMMENT_OF_BEN} on photo {ADAS_PHOTO} of ada: it counts {} replies, but there are 1",
            stored.unwrap_or(0)
        );
        table.assert_repaired(&[&line], &expected).await;
    }
}

/// The record of the tombstone starts finish-deletion.
#[tokio::test]
async fn replies_to_a_comment_that_is_gone_get_a_tombstone() {
    let table = test_data().await;
    let gone = format!("{LONG_AGO}~ben");
    table.put([testing::reply("cara", LONG_AGO, &gone, "ada", ADAS_PHOTO)]).await;
    table.set(photo("ada", ADAS_PHOTO), "comments", Some(number(3))).await;
    table.set(user("cara"), "commentsWritten", Some(number(1))).await;
    let line = format!("comment {gone} on photo {ADAS_PHOTO} of ada: it counts missing replies, but there are 1");
    assert_eq!(table.findings().await, [line]);
    table.audit(true).await;
    let items = table.all_items().await;
    let tombstone = &items[&(format!("COMMENT#{LONG_AGO}#ben"), format!("PHOTO#ada#{ADAS_PHOTO}"))];
    assert_eq!((&tombstone["erasing"], &tombstone["replies"]), (&"ben".into(), &1.into()));
}

#[tokio::test]
async fn repairs_the_count_of_likes() {
    let table = test_data().await;
    table.put(["ada", "cara"].map(|liking| testing::like(liking, COMMENT_OF_BEN, "ada", ADAS_PHOTO))).await;
    table.set(comment_of_ben(), "likes", Some(number(2))).await;
    assert_eq!(table.findings().await, [""; 0]);
    let expected = table.all_items().await;
    for stored in [None, Some(1), Some(3)] {
        table.set(comment_of_ben(), "likes", stored.map(number)).await;
        let stored = stored.unwrap_or(0);
        let line =
            format!("comment {COMMENT_OF_BEN} on photo {ADAS_PHOTO} of ada: it counts {stored} likes, but there are 2");
        table.assert_repaired(&[&line], &expected).await;
    }
}

#[tokio::test]
async fn unpins_a_comment_that_only_itself_or_only_its_photo_says_to_be_pinned() {
    let table = test_data().await;
    let before = table.all_items().await;
    let (pinned_at, id) = (Some(text(LONG_AGO)), Some(text(COMMENT_OF_BEN)));
    let line = |says: &str| {
        format!("comment {COMMENT_OF_BEN} on photo {ADAS_PHOTO} of ada: only the {says} says that it is pinned")
    };
    table.set(comment_of_ben(), "pinned", pinned_at.clone()).await;
    table.assert_repaired(&[&line("comment")], &before).await;
    table.set(photo("ada", ADAS_PHOTO), "pinnedComment", id.clone()).await;
    table.assert_repaired(&[&line("photo")], &before).await;
    table.set(comment_of_ben(), "pinned", pinned_at).await;
    table.set(photo("ada", ADAS_PHOTO), "pinnedComment", id).await;
    assert_eq!(table.findings().await, [""; 0]);
}

/// The record of the tombstone starts finish-deletion.
#[tokio::test]
async fn likes_of_a_comment_that_is_gone_get_a_tombstone() {
    let table = test_data().await;
    let gone = format!("{LONG_AGO}~ben");
    table.put([testing::like("cara", &gone, "ada", ADAS_PHOTO)]).await;
    let line = format!("comment {gone} on photo {ADAS_PHOTO} of ada: it counts missing likes, but there are 1");
    assert_eq!(table.findings().await, [line]);
    table.audit(true).await;
    let items = table.all_items().await;
    let tombstone = &items[&(format!("COMMENT#{LONG_AGO}#ben"), format!("PHOTO#ada#{ADAS_PHOTO}"))];
    assert_eq!((&tombstone["erasing"], &tombstone["likes"]), (&"ben".into(), &1.into()));
}

/// The record of the tombstone starts finish-deletion, which deletes the likes and the replies.
#[tokio::test]
async fn a_comment_without_a_photo_that_has_likes_gets_a_tombstone() {
    let table = test_data().await;
    let liked = format!("{LONG_AGO}~ben");
    let key = |id: &str| Key::comment(&id.parse().unwrap(), &"ada".parse().unwrap(), &OTHER_PHOTO.parse().unwrap());
    table.put([comment("ben", OTHER_PHOTO), testing::like("cara", &liked, "ada", OTHER_PHOTO)]).await;
    table.set(key(&liked), "likes", Some(number(1))).await;
    table.set(user("ben"), "commentsWritten", Some(number(2))).await;
    let line = format!("comment {liked} on photo {OTHER_PHOTO} of ada: the photo does not exist");
    assert_eq!(table.findings().await, [line]);
    table.audit(true).await;
    let items = table.all_items().await;
    let tombstone = &items[&(format!("COMMENT#{LONG_AGO}#ben"), format!("PHOTO#ada#{OTHER_PHOTO}"))];
    assert_eq!((&tombstone["erasing"], &tombstone["likes"]), (&"ben".into(), &1.into()));
    assert_eq!(items[&("USER#ben".into(), "#METADATA#ben".into())]["commentsWritten"], 1);
    let findings = table.findings().await;
    assert!(findings.len() == 1 && findings[0].starts_with(&format!("deletion of comment {liked}")), "{findings:?}");

    // Its like is gone, and finish-deletion waits for it.
    let id = liked.parse().unwrap();
    table
        .delete(Key::like(&"cara".parse().unwrap(), &id, &"ada".parse().unwrap(), &OTHER_PHOTO.parse().unwrap()))
        .await;
    let line = format!("comment {liked} on photo {OTHER_PHOTO} of ada: it counts 1 likes, but there are 0");
    assert!(table.findings().await.contains(&line));
    table.audit(true).await;
    assert!(!table.findings().await.contains(&line));

    // The comment itself is gone, and its like is not.
    table.delete(key(&liked)).await;
    table.put([testing::like("cara", &liked, "ada", OTHER_PHOTO)]).await;
    let line = format!("comment {liked} on photo {OTHER_PHOTO} of ada: it counts missing likes, but there are 1");
    assert_eq!(table.findings().await, [line]);
}

/// An import has put the photo in place of the one that had the comment.
#[tokio::test]
async fn an_uncounted_comment_on_an_earlier_photo_that_has_likes_gets_a_tombstone() {
    let table = test_data().await;
    let id = format!("{LONG_AGO}~cara");
    let key = Key::comment(&id.parse().unwrap(), &"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap());
    table.put([mark_uncounted(comment("cara", ADAS_PHOTO)), testing::like("ben", &id, "ada", ADAS_PHOTO)]).await;
    table.set(key, "likes", Some(number(1))).await;
    table.set(user("cara"), "commentsWritten", Some(number(1))).await;
    table.set(photo("ada", ADAS_PHOTO), "responsesSince", Some(text("2021-01-01T00:00:00.000Z"))).await;
    let line = format!("comment {id} on photo {ADAS_PHOTO} of ada: not counted since {LONG_AGO}");
    assert_eq!(table.findings().await, [line]);
    table.audit(true).await;
    let items = table.all_items().await;
    let tombstone = &items[&(format!("COMMENT#{LONG_AGO}#cara"), format!("PHOTO#ada#{ADAS_PHOTO}"))];
    assert_eq!((&tombstone["erasing"], &tombstone["likes"]), (&"cara".into(), &1.into()));
    assert_eq!(items[&("USER#cara".into(), "#METADATA#cara".into())]["commentsWritten"], 0);
}

#[tokio::test]
async fn starts_an_unfinished_deletion_of_a_comment_again() {
    let table = test_data().await;
    let mut tombstone = testing::comment_deletion("dora", LONG_AGO, "ada", ADAS_PHOTO, 0);
    tombstone.insert("since".to_owned(), text(LONG_AGO));
    table.put([tombstone]).await;
    let line = format!("deletion of comment {LONG_AGO}~dora on photo {ADAS_PHOTO} of ada: unfinished since {LONG_AGO}");
    assert_eq!(table.findings().await, [line]);
    table.audit(true).await;
    let items = table.all_items().await;
    assert_eq!(items[&(format!("COMMENT#{LONG_AGO}#dora"), format!("PHOTO#ada#{ADAS_PHOTO}"))]["passes"], 1);
}
