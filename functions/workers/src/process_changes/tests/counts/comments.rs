//! Comments that the count of their photo does not include yet. That of their author does.

use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use testing::comment;

/// Returns an uncounted comment on the photo of ada.
fn uncounted_comment(author: &str, minute: u32) -> Item {
    mark_uncounted(comment(author, &format!("2026-01-01T10:{minute:02}:00.000Z"), "ada", ADAS_PHOTO))
}

/// Returns a user who has written this number of comments.
fn author(username: &str, written: u32) -> Item {
    let mut author = user(username);
    author.insert("commentsWritten".to_owned(), N(written.to_string()));
    author
}

async fn comments(fixture: &Fixture) -> Value {
    fixture.item(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await["comments"].take()
}

#[tokio::test]
async fn counts_comments_and_reactions_to_a_photo_in_one_transaction() {
    let items = [
        uncounted_comment("ben", 1),
        uncounted("ben", "heart"),
        uncounted_comment("ben", 2),
        uncounted_comment("cara", 1),
    ];
    let fixture = fixture_with(&items.each_ref()).await;
    fixture.put(author("ben", 2)).await;
    let before = fixture.all_items().await.len();
    let records = items.each_ref().map(insert);
    for _ in 0..2 {
        assert!(deliver(&fixture, &records).await.is_empty());
        assert_eq!((comments(&fixture).await, &reactions(&fixture).await["heart"]), (json!(3), &json!(1)));
        assert_eq!(user_count(&fixture, "ben", "commentsWritten").await, 2);
        let after = fixture.all_items().await;
        assert_eq!((marked(&after), after.len()), (vec![], before));
    }
    assert_eq!(fixture.operations()[0], "TransactWriteItems");
}

#[tokio::test]
async fn counts_a_comment_once_that_was_edited_before() {
    let mut edited = uncounted_comment("ben", 1);
    let first = edited.clone();
    edited.insert("text".to_owned(), aws_sdk_dynamodb::types::AttributeValue::S("Edited".to_owned()));
    let fixture = fixture_with(&[&edited]).await;
    assert!(deliver(&fixture, &[insert(&first), record(first.clone(), edited.clone())]).await.is_empty());
    assert_eq!(comments(&fixture).await, 1);
    assert!(deliver(&fixture, &[record(first, edited)]).await.is_empty());
    assert_eq!(comments(&fixture).await, 1);
}

#[tokio::test]
async fn deletes_comments_whose_photo_is_gone_and_corrects_the_counts_of_their_authors() {
    for is_replaced in [true, false] {
        let items = [
            uncounted_comment("ben", 1),
            uncounted_comment("ben", 2),
            uncounted_comment("cara", 3),
            uncounted_comment("dora", 4),
        ];
        let fixture = fixture_with(&items.each_ref()).await;
        let mut of_cara = deletion("cara");
        of_cara.insert("commentsWritten".to_owned(), N("3".to_owned()));
        for author in [author("ben", 5), of_cara] {
            fixture.put(author).await;
        }
        if is_replaced {
            fixture.put(photo_deletion("ada", ADAS_PHOTO, 1)).await;
        } else {
            fixture.delete(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await;
        }
        let records = items.each_ref().map(insert);
        for _ in 0..2 {
            assert!(deliver(&fixture, &records).await.is_empty());
            assert_eq!(marked(&fixture.all_items().await), [""; 0]);
            assert_eq!(user_count(&fixture, "ben", "commentsWritten").await, 3);
            assert_eq!(user_count(&fixture, "cara", "commentsWritten").await, 2, "cara is being deleted");
        }
    }
}

#[tokio::test]
async fn deletes_a_comment_with_its_reply_and_leaves_its_likes_to_its_tombstone() {
    for likes in [0, 1] {
        let first = uncounted_comment("ben", 1);
        let first = testing::with_count(testing::with_count(first, "replies", 1), "likes", likes);
        let answered = "2026-01-01T10:01:00.000Z~ben";
        let second = mark_uncounted(testing::reply("cara", "2026-01-01T10:02:00.000Z", answered, "ada", ADAS_PHOTO));
        let fixture = fixture_with(&[&first, &second]).await;
        fixture.put_all(vec![author("ben", 1), author("cara", 1), photo_deletion("ada", ADAS_PHOTO, 0)]);
        for _ in 0..2 {
            assert!(deliver(&fixture, &[insert(&first), insert(&second)]).await.is_empty());
            for name in ["ben", "cara"] {
                assert_eq!(user_count(&fixture, name, "commentsWritten").await, 0, "{name}");
            }
            let items = fixture.all_items().await;
            let left: Vec<_> = items.iter().filter(|(key, _)| key.starts_with("COMMENT#2026")).collect();
            assert_eq!(left.len() as u64, likes);
            assert!(left.iter().all(|(_, item)| item["erasing"] == "ben" && item["likes"] == 1));
        }
    }
}

#[tokio::test]
async fn leaves_out_a_comment_that_was_deleted_meanwhile() {
    let items = [uncounted_comment("ben", 1), uncounted_comment("ben", 2)];
    let fixture = fixture_with(&items.each_ref()).await;
    fixture.write_concurrently(0, vec![], vec![items[0].clone()]);
    assert!(deliver(&fixture, &items.each_ref().map(insert)).await.is_empty());
    assert_eq!(comments(&fixture).await, 1);
}

#[tokio::test]
async fn a_comment_that_cannot_be_parsed_fails_only_its_own_record() {
    let (mut malformed, item) = (uncounted_comment("ben", 1), uncounted_comment("ben", 2));
    malformed.insert("PK".to_owned(), S("COMMENT#ben".to_owned()));
    let fixture = fixture_with(&[&item]).await;
    assert_eq!(deliver(&fixture, &[insert(&malformed), insert(&item)]).await, ["1"]);
    assert_eq!(comments(&fixture).await, 1);
}
