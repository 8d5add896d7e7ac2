//! A repair writes nothing if the table has changed since the inspection.

#![allow(clippy::unwrap_used)]

use std::str::FromStr;

use shared::dynamodb::{Item, entity};
use shared::entities::{Link, Picture, Rest};
use shared::values::{CommentId, Level, ReactionType, Timestamp};

use super::*;
use crate::audit::finding::{DecisionFault, LinkFault, PhotoCount, TtlFault, UserCount};
use ::testing;
use local::sample;
use testing::Fixture;

/// The id of a photo of ada's in the test data.
const ADAS_PHOTO: &str = "2024-05-30T15:42:38";
/// The id of a photo that is not in the test data.
const OTHER_PHOTO: &str = "2020-01-01T00:00:00";

fn parsed<T: FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn adas_photo(id: &str) -> Position {
    Position { id: parsed(id), author: parsed("ada") }
}

/// Repairs outdated findings in a table with the test data and `items`, and asserts that nothing is
/// written.
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
    let of_photo = |photo: &str, stored| PhotosFinding::PhotoCount {
        photo: adas_photo(photo),
        count: PhotoCount::Reaction(ReactionType::Heart),
        stored,
        actual: 7,
    };
    let comments = |photo: &str, stored| PhotosFinding::PhotoCount {
        photo: adas_photo(photo),
        count: PhotoCount::Comments,
        stored,
        actual: 7,
    };
    let findings = vec![
        comments(ADAS_PHOTO, Some(1)),
        comments(ADAS_PHOTO, None),
        comments(OTHER_PHOTO, None),
        of_user("ada", UserCount::Followers, Some(2)),
        of_user("ada", UserCount::Followers, None),
        // A deleted user has no count and gets none. One whose deletion is in progress has only the
        // count `following`.
        of_user("gone", UserCount::Following, None),
        of_user("dora", UserCount::Followers, None),
        of_user("dora", UserCount::Following, Some(2)),
        of_user("gone", UserCount::Comments, None),
        of_user("dora", UserCount::Comments, Some(2)),
        of_photo(ADAS_PHOTO, Some(2)),
        of_photo(ADAS_PHOTO, None),
        of_photo(OTHER_PHOTO, None),
    ];
    assert_nothing_is_written(vec![testing::deletion("dora")], findings).await;
}

#[tokio::test]
async fn does_not_change_a_report_a_decision_or_a_complaint_that_has_changed() {
    let id = "ada~2024-05-30T15:42:38";
    let count = |id: &str, stored| {
        let fault = crate::audit::finding::ReportFault::Count { stored, actual: 7 };
        PhotosFinding::Report { id: parsed(id), fault }
    };
    let complaint =
        |reporter: &str, about: &str| PhotosFinding::Complaint { reporter: parsed(reporter), about: parsed(about) };
    let items = vec![
        testing::report(id, OTHER_PHOTO, &[("spam", 1)]),
        testing::complaint("ben", id, "spam"),
        testing::decision(id, "dismiss", "mona", "2024-06-01T00:00:00.000Z"),
    ];
    let time = "2024-06-01T00:00:00.000Z";
    let decision =
        |about: &str, fault| PhotosFinding::Decision { about: parsed(about), timestamp: parsed(time), fault };
    let findings = vec![
        count(id, 2),
        count("ben", 1),
        complaint("ben", id),
        complaint("cara", "ben"),
        decision(id, DecisionFault::NoReport),
        decision(id, DecisionFault::Overdue(7)),
        decision("ben", DecisionFault::NoReport),
    ];
    assert_nothing_is_written(items, findings).await;
}

#[tokio::test]
async fn does_not_change_a_link_that_has_changed() {
    let [kept, new] = ["dG9rZW4tb2YtYS1saW5rLQ", "bmV3LXRva2VuLW9mLWxpbg"];
    let link = |photo: Option<&str>, token: &str, until: Option<&str>| -> Link {
        let until = until.map(|until| until.parse().unwrap());
        entity::from_item(testing::link_until("ada", photo, token, until).remove(0)).unwrap()
    };
    let finding = |link: Link, fault| PhotosFinding::Link { link, fault };
    let target = |photo, token: &str| PhotosFinding::LinkTarget {
        token: parsed(token),
        target: link(photo, token, None).target(),
    };
    let items =
        [testing::link("ada", Some(ADAS_PHOTO), kept), testing::link("ada", None, new), vec![testing::user("ada")]];
    let findings = vec![
        // The link has got another token, or another end.
        finding(link(None, kept, None), LinkFault::Target),
        finding(link(Some(ADAS_PHOTO), kept, Some("2027-01-01T00:00:00.000Z")), LinkFault::Target),
        finding(link(None, kept, Some("2024-01-01T00:00:00.000Z")), LinkFault::Ended(0)),
        finding(link(None, new, Some("2024-01-01T00:00:00.000Z")), LinkFault::Ended(0)),
        finding(link(None, new, None), LinkFault::Overdue(1)),
        // The photo exists.
        finding(link(Some(ADAS_PHOTO), kept, None), LinkFault::NoPhoto),
        // There is no such target, or a link has it.
        target(None, "bm8tc3VjaC10b2tlbi1vZg"),
        target(None, new),
    ];
    assert_nothing_is_written(items.concat(), findings).await;
}

#[tokio::test]
async fn does_not_delete_a_reaction_whose_photo_exists_or_that_does_not_exist() {
    let photo = |id: &str| format!("PHOTO#ada#{id}");
    let reaction = |reacting: &str, photo| PhotosFinding::Reaction {
        is_sharded: false,
        reacting: parsed(reacting),
        reaction: ReactionType::Heart,
        photo,
        is_uncounted: false,
    };
    let items = vec![
        testing::reaction("ben", "heart", "ada", OTHER_PHOTO),
        testing::photo_deletion("ada", OTHER_PHOTO, 1),
        testing::reaction("dora", "heart", "ada", ADAS_PHOTO),
    ];
    let findings = vec![
        reaction("ben", photo(OTHER_PHOTO)),
        reaction("dora", photo(ADAS_PHOTO)),
        reaction("cara", photo("2020-02-02T00:00:00")),
    ];
    assert_nothing_is_written(items, findings).await;
}

#[tokio::test]
async fn does_not_delete_a_comment_whose_photo_exists_or_that_does_not_exist() {
    let comment = |author: &str, photo: &str| PhotosFinding::Comment {
        id: CommentId::new(parsed(OTHER_PHOTO), parsed(author)),
        photo: adas_photo(photo),
    };
    let uncounted = |author: &str| PhotosFinding::UncountedComment {
        id: CommentId::new(parsed(OTHER_PHOTO), parsed(author)),
        photo: adas_photo(ADAS_PHOTO),
    };
    let items = vec![
        testing::comment("ben", OTHER_PHOTO, "ada", OTHER_PHOTO),
        testing::photo_deletion("ada", OTHER_PHOTO, 1),
        testing::comment("ben", OTHER_PHOTO, "ada", ADAS_PHOTO),
    ];
    let findings = vec![
        comment("ben", OTHER_PHOTO),
        comment("ben", ADAS_PHOTO),
        comment("ben", "2020-02-02T00:00:00"),
        uncounted("ben"),
        uncounted("cara"),
    ];
    assert_nothing_is_written(items, findings).await;
}

/// Ben follows ada, and cara has asked ben.
#[tokio::test]
async fn does_not_delete_or_mark_what_is_beside_a_block_or_a_mute_that_has_changed() {
    let friendship = |followed: &str, blocking: &str, is_uncounted| PhotosFinding::BlockedFriendship {
        followed: parsed(followed),
        following: parsed("ben"),
        blocking: parsed(blocking),
        is_uncounted,
    };
    let muted = |followed: &str, is_muted| PhotosFinding::MutedFriendship {
        followed: parsed(followed),
        following: parsed("ben"),
        is_muted,
    };
    let request = |blocking| PhotosFinding::FollowRequest { asked: parsed("ben"), asking: parsed("cara"), blocking };
    let items = vec![
        testing::block("ada", "ben", Level::Mute),
        testing::block("ben", "cara", Level::Mute),
        testing::follow_request("ben", "cara"),
    ];
    let findings = vec![
        friendship("ada", "ada", false),
        friendship("ada", "ben", false),
        friendship("cara", "ben", false),
        muted("ada", true),
        muted("cara", true),
        muted("cara", false),
        request(None),
        request(Some(parsed("ben"))),
        request(Some(parsed("cara"))),
    ];
    assert_nothing_is_written(items, findings).await;
    // It was counted in between.
    let items = vec![testing::block("ada", "ben", Level::Block)];
    assert_nothing_is_written(items, vec![friendship("ada", "ada", true)]).await;
    // Ben mutes ada in between.
    assert_nothing_is_written(vec![testing::block("ben", "ada", Level::Mute)], vec![muted("ada", false)]).await;
}

#[tokio::test]
async fn does_not_delete_a_timer_or_a_deletion_that_has_changed() {
    let (deletion, since) = (testing::deletion("dora"), parsed::<Timestamp>(OTHER_PHOTO));
    let current = parsed::<Timestamp>(deletion["since"].as_s().unwrap());
    let rest = Rest { resting: parsed("dora"), since: current.clone(), ttl: 7 };
    let timer = entity::to_item(Key::rest(&rest.resting), &rest).unwrap();
    let orphan = |username: &str, since: &Timestamp| PhotosFinding::OrphanRest {
        username: parsed(username),
        since: since.clone(),
    };
    let overdue = |is_deletion, ttl| PhotosFinding::OverdueRest { username: parsed("dora"), is_deletion, ttl };
    let findings = vec![
        // The timer of another deletion, the timer of a deletion that has come meanwhile, and none.
        orphan("dora", &since),
        orphan("dora", &current),
        orphan("ben", &since),
        overdue(false, 8),
        overdue(true, 7),
    ];
    assert_nothing_is_written(vec![deletion, timer], findings).await;
}

#[tokio::test]
async fn does_not_erase_a_user_who_exists_or_is_being_deleted_or_was_not_named() {
    let lost = |username: &str, erase| PhotosFinding::LostUser {
        username: parsed(username),
        remains: [("photos", 2)].into(),
        erase,
    };
    let findings = vec![lost("ada", true), lost("dora", true), lost("gone", false)];
    assert_nothing_is_written(vec![testing::deletion("dora")], findings).await;
}

#[tokio::test]
async fn does_not_remove_a_changed_pin_or_one_whose_photo_exists() {
    let pin = |photo: &str| PhotosFinding::Pin { username: parsed("ada"), photo: format!("PHOTO#ada#{photo}") };
    assert_nothing_is_written(vec![], vec![pin(OTHER_PHOTO), pin("2024-06-09T13:49:13")]).await;
}

#[tokio::test]
async fn does_not_touch_a_deletion_that_started_at_another_time() {
    let earlier: Timestamp = parsed(OTHER_PHOTO);
    let of = |key| PhotosFinding::Deletion { of: "something".to_owned(), key, since: earlier.clone() };
    let user = |username: &str| of(Key::user(&parsed(username)));
    let resting = |username: &str| PhotosFinding::Resting {
        username: parsed(username),
        since: earlier.clone(),
        remains: [("photos", 1)].into(),
    };
    let findings = vec![user("dora"), user("ada"), user("gone"), resting("dora"), resting("ada")];
    assert_nothing_is_written(vec![testing::deletion("dora")], findings).await;

    let photo = |photo: &str| of(Key::photo(&parsed("ada"), &parsed(photo)));
    assert_nothing_is_written(
        vec![testing::photo_deletion("ada", OTHER_PHOTO, 1)],
        vec![photo(OTHER_PHOTO), photo(ADAS_PHOTO), photo("2020-02-02T00:00:00")],
    )
    .await;
}

#[tokio::test]
async fn does_not_change_the_ttl_of_a_photo_that_has_changed() {
    let of = |photo: &str, fault| PhotosFinding::Ttl { photo: adas_photo(photo), fault };
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
        is_sharded: false,
        reacting: parsed(reacting),
        reaction: ReactionType::Heart,
        photo: adas_photo(ADAS_PHOTO),
        since: parsed(OTHER_PHOTO),
    };
    let friendship = PhotosFinding::UncountedFriendship {
        followed: parsed("ada"),
        following: parsed("ben"),
        since: parsed(OTHER_PHOTO),
    };
    let orphan = PhotosFinding::Reaction {
        is_sharded: false,
        reacting: parsed("cara"),
        reaction: ReactionType::Heart,
        photo: format!("PHOTO#ada#{ADAS_PHOTO}"),
        is_uncounted: true,
    };
    assert_nothing_is_written(vec![], vec![uncounted("cara"), uncounted("gone"), friendship, orphan]).await;
}
