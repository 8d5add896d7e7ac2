//! What has changed since it was found is not mended.

#![allow(clippy::unwrap_used)]

use std::str::FromStr;

use shared::dynamodb::Item;
use shared::model::photos::Deletion;
use shared::values::{ReactionType, Timestamp};

use super::*;
use crate::audit::photos::Count;
use ::testing;
use local::sample;
use testing::Fixture;

const ADAS: &str = "2024-05-30T15:42:38";
const LOST: &str = "2020-01-01T00:00:00";

fn parsed<T: FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// Mends findings that are out of date, on a table of the cast and `items`.
async fn nothing_is_written(items: Vec<Item>, findings: Vec<Finding>) {
    let fixture = Fixture::new("get-user").await;
    for item in items {
        fixture.put(item).await;
    }
    let before = fixture.all_items().await;
    for finding in findings {
        assert!(!mend(&fixture.unrecorded_table(sample::QUICK_PHOTOS), &finding).await.unwrap(), "{finding}");
        assert_eq!(fixture.all_items().await, before, "{finding}");
    }
}

#[tokio::test]
async fn counts_that_say_something_else_by_now() {
    let of_user =
        |username: &str, count, says| Finding::UserCount { username: parsed(username), count, says, there_are: 7 };
    let of_photo = |timestamp: &str, says| Finding::PhotoCount {
        username: parsed("ada"),
        timestamp: parsed(timestamp),
        reaction: ReactionType::Heart,
        says,
        there_are: 7,
    };
    let findings = vec![
        of_user("ada", Count::Followers, Some(2)),
        of_user("ada", Count::Followers, None),
        // Who has been deleted has no count, and gets none.
        of_user("gone", Count::Following, None),
        of_user("dora", Count::Following, None),
        of_photo(ADAS, Some(2)),
        of_photo(ADAS, None),
        of_photo(LOST, None),
    ];
    nothing_is_written(vec![testing::deletion("dora")], findings).await;
}

#[tokio::test]
async fn owners_who_are_there_or_being_deleted() {
    let items = vec![
        testing::deletion("dora"),
        testing::photo("dora", LOST),
        testing::reaction("dora", "heart", "ada", ADAS),
        testing::reaction("ben", "smiley", "ada", ADAS),
        testing::friendship("ada", "dora"),
        testing::friendship("dora", "ben"),
    ];
    let photo = |username: &str| Finding::Photo { username: parsed(username), timestamp: parsed(LOST) };
    let reaction = |reacting: &str, reaction| Finding::Reaction {
        reacting: parsed(reacting),
        reaction,
        photo: format!("PHOTO#ada#{ADAS}"),
        user_is_gone: true,
        photo_is: PhotoIs::There(parsed("ada"), parsed(ADAS)),
    };
    let friendship = |followed: &str, following: &str, followed_is_gone, following_is_gone| Finding::Friendship {
        followed: parsed(followed),
        following: parsed(following),
        followed_is_gone,
        following_is_gone,
    };
    let findings = vec![
        photo("dora"),
        photo("ada"),
        reaction("dora", ReactionType::Heart),
        reaction("ben", ReactionType::Smiley),
        friendship("ada", "dora", false, true),
        friendship("dora", "ben", true, false),
        friendship("ada", "ben", true, true),
        // These are gone themselves.
        reaction("cara", ReactionType::Sunglasses),
        friendship("cara", "gone", false, true),
    ];
    nothing_is_written(items, findings).await;
}

#[tokio::test]
async fn pins_that_are_others_or_have_their_photo() {
    let pin = |timestamp: &str| Finding::Pin { username: parsed("ada"), photo: format!("PHOTO#ada#{timestamp}") };
    nothing_is_written(vec![], vec![pin(LOST), pin("2024-06-09T13:49:13")]).await;
}

#[tokio::test]
async fn deletions_of_another_time() {
    let earlier: Timestamp = parsed(LOST);
    let of = |username: &str| Finding::Deletion(Deletion { erasing: parsed(username), since: earlier.clone() });
    nothing_is_written(vec![testing::deletion("dora")], vec![of("dora"), of("ada"), of("gone")]).await;
}
