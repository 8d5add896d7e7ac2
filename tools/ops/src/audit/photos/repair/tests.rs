//! A repair writes nothing if the table has changed since the inspection.

#![allow(clippy::unwrap_used)]

use std::str::FromStr;

use shared::dynamodb::Item;
use shared::model::photos::{Deletion, PhotoDeletion, Picture};
use shared::values::{ReactionType, Timestamp};

use super::*;
use crate::audit::finding::{TtlFault, UserCount};
use ::testing;
use local::sample;
use testing::Fixture;

/// The timestamp of a photo of ada's in the test data.
const ADAS_PHOTO: &str = "2024-05-30T15:42:38";
/// The timestamp of a photo that is not in the test data.
const OTHER_PHOTO: &str = "2020-01-01T00:00:00";

fn parsed<T: FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// Repairs outdated findings in a table with the test data and `items`, and asserts that nothing is written.
async fn assert_nothing_is_written(items: Vec<Item>, findings: Vec<PhotosFinding>) {
    let fixture = Fixture::new("get-user").await;
    for item in items {
        fixture.put(item).await;
    }
    let before = fixture.all_items().await;
    for finding in findings {
        assert!(!repair(&fixture.unrecorded_table(sample::QUICK_PHOTOS), &finding).await.unwrap(), "{finding}");
        assert_eq!(fixture.all_items().await, before, "{finding}");
    }
}

#[tokio::test]
async fn does_not_set_a_count_that_has_changed() {
    let of_user = |username: &str, count, stored| PhotosFinding::UserCount {
        username: parsed(username),
        count,
        stored,
        actual: 7,
    };
    let of_photo = |timestamp: &str, stored| PhotosFinding::PhotoCount {
        username: parsed("ada"),
        timestamp: parsed(timestamp),
        reaction: ReactionType::Heart,
        stored,
        actual: 7,
    };
    let findings = vec![
        of_user("ada", UserCount::Followers, Some(2)),
        of_user("ada", UserCount::Followers, None),
        // A deleted user has no count and gets none. One whose deletion is in progress has only the count `following`.
        of_user("gone", UserCount::Following, None),
        of_user("dora", UserCount::Followers, None),
        of_user("dora", UserCount::Following, Some(2)),
        of_photo(ADAS_PHOTO, Some(2)),
        of_photo(ADAS_PHOTO, None),
        of_photo(OTHER_PHOTO, None),
    ];
    assert_nothing_is_written(vec![testing::deletion("dora")], findings).await;
}

#[tokio::test]
async fn does_not_delete_items_whose_owner_exists_or_is_being_deleted() {
    let items = vec![
        testing::deletion("dora"),
        testing::photo("dora", OTHER_PHOTO),
        testing::reaction("dora", "heart", "ada", ADAS_PHOTO),
        testing::reaction("ben", "smiley", "ada", ADAS_PHOTO),
        testing::friendship("ada", "dora"),
        testing::friendship("dora", "ben"),
    ];
    let photo = |username: &str| PhotosFinding::Photo { username: parsed(username), timestamp: parsed(OTHER_PHOTO) };
    let reaction = |reacting: &str, reaction| PhotosFinding::Reaction {
        reacting: parsed(reacting),
        reaction,
        photo: format!("PHOTO#ada#{ADAS_PHOTO}"),
        user_absent: true,
        photo_state: PhotoState::Present(parsed("ada"), parsed(ADAS_PHOTO)),
        is_uncounted: false,
    };
    let friendship = |followed: &str, following: &str, followed_absent, following_absent| PhotosFinding::Friendship {
        followed: parsed(followed),
        following: parsed(following),
        followed_absent,
        following_absent,
        is_uncounted: false,
    };
    let findings = vec![
        photo("dora"),
        photo("ada"),
        reaction("dora", ReactionType::Heart),
        reaction("ben", ReactionType::Smiley),
        friendship("ada", "dora", false, true),
        friendship("dora", "ben", true, false),
        friendship("ada", "ben", true, true),
        // These items do not exist.
        reaction("cara", ReactionType::Sunglasses),
        friendship("cara", "gone", false, true),
    ];
    assert_nothing_is_written(items, findings).await;
}

#[tokio::test]
async fn does_not_remove_a_changed_pin_or_one_whose_photo_exists() {
    let pin = |timestamp: &str| PhotosFinding::Pin { username: parsed("ada"), photo: format!("PHOTO#ada#{timestamp}") };
    assert_nothing_is_written(vec![], vec![pin(OTHER_PHOTO), pin("2024-06-09T13:49:13")]).await;
}

#[tokio::test]
async fn does_not_touch_a_deletion_that_started_at_another_time() {
    let earlier: Timestamp = parsed(OTHER_PHOTO);
    let of = |username: &str| {
        PhotosFinding::Deletion(Deletion {
            erasing: parsed(username),
            since: earlier.clone(),
            until: None,
            last_sweep: false,
            ttl: None,
        })
    };
    assert_nothing_is_written(vec![testing::deletion("dora")], vec![of("dora"), of("ada"), of("gone")]).await;

    let of = |timestamp: &str| {
        let (erasing, timestamp) = (parsed("ada"), parsed(timestamp));
        PhotosFinding::PhotoDeletion(PhotoDeletion { erasing, timestamp, since: earlier.clone(), ttl: None })
    };
    assert_nothing_is_written(
        vec![testing::photo_deletion("ada", OTHER_PHOTO, 1)],
        vec![of(OTHER_PHOTO), of(ADAS_PHOTO), of("2020-02-02T00:00:00")],
    )
    .await;
}

#[tokio::test]
async fn does_not_change_the_ttl_of_a_photo_that_has_changed() {
    let of =
        |timestamp: &str, fault| PhotosFinding::Ttl { username: parsed("ada"), timestamp: parsed(timestamp), fault };
    let pending = testing::photo_with("ada", OTHER_PHOTO, Picture::Pending);
    let ttl: u64 = pending["ttl"].as_n().unwrap().parse().unwrap();
    let findings = vec![
        of(OTHER_PHOTO, TtlFault::Missing),
        of(OTHER_PHOTO, TtlFault::Unwanted(ttl)),
        of(OTHER_PHOTO, TtlFault::Overdue(ttl - 1)),
        // This photo is ready, and has no ttl.
        of(ADAS_PHOTO, TtlFault::Missing),
        of(ADAS_PHOTO, TtlFault::Unwanted(ttl)),
        of(ADAS_PHOTO, TtlFault::Overdue(ttl)),
        // This one does not exist.
        of("2020-02-02T00:00:00", TtlFault::Missing),
    ];
    assert_nothing_is_written(vec![pending], findings).await;
}

#[tokio::test]
async fn does_not_count_what_is_counted_or_deleted_or_delete_what_was_counted_meanwhile() {
    let uncounted = |reacting: &str| PhotosFinding::UncountedReaction {
        reacting: parsed(reacting),
        reaction: ReactionType::Heart,
        username: parsed("ada"),
        timestamp: parsed(ADAS_PHOTO),
        since: parsed(OTHER_PHOTO),
    };
    let friendship = PhotosFinding::UncountedFriendship {
        followed: parsed("ada"),
        following: parsed("ben"),
        since: parsed(OTHER_PHOTO),
    };
    let orphan = PhotosFinding::Reaction {
        reacting: parsed("cara"),
        reaction: ReactionType::Heart,
        photo: format!("PHOTO#ada#{ADAS_PHOTO}"),
        user_absent: false,
        photo_state: PhotoState::Absent,
        is_uncounted: true,
    };
    assert_nothing_is_written(vec![], vec![uncounted("cara"), uncounted("gone"), friendship, orphan]).await;
}
