//! The home feeds that a deleted user is in.

use std::collections::{BTreeMap, BTreeSet};

use shared::entities::{BACKFILL, Delivery, FollowedHashtags, Key, Latest, Position, entry_item};
use shared::values::{PhotoId, Timestamp, Username};

use super::*;

async fn put_in_feed(fixture: &Fixture, item: Item) {
    let feed = fixture.unrecorded_table(FEED);
    feed.client.put_item().table_name(&feed.name).set_item(Some(item)).send().await.unwrap();
}

/// Puts the newest photos of ada.
async fn put_latest(fixture: &Fixture, photos: BTreeSet<PhotoId>, delivery: Delivery) {
    let latest = Latest { author: "ada".parse().unwrap(), photos, delivery, converted: None };
    put_in_feed(fixture, entity::to_item(Key::latest(&latest.author), &latest).unwrap()).await;
}

/// Returns the items of the table without those of the directory and of hashtags, from which
/// process-changes deletes the user.
async fn items_of_feeds(fixture: &Fixture) -> BTreeMap<String, Value> {
    let mut items = fixture.all_items_of(FEED).await;
    items.retain(|key, _| !key.starts_with("People#") && !key.starts_with("Hashtag"));
    items
}

fn parsed(id: &str) -> PhotoId {
    id.parse().unwrap()
}

/// Puts a feed of ada with photos of ben, and a pull and an exception of each. The seed data has a
/// feed of ben with the photos of ada.
async fn seed_feeds(fixture: &Fixture, delivery: Delivery) {
    let (ada, ben): (Username, Username) = ("ada".parse().unwrap(), "ben".parse().unwrap());
    for (reader, author) in [(&ada, &ben), (&"cara".parse().unwrap(), &ben)] {
        for id in ["2024-06-26T03:59:33", "2024-07-14T10:21:01"] {
            let position = Position { id: parsed(id), author: author.clone() };
            put_in_feed(fixture, entry_item(reader, &position)).await;
        }
    }
    put_in_feed(fixture, Key::pull(&ada, &ben).into()).await;
    put_in_feed(fixture, Key::pull_count(&ada).into()).await;
    put_in_feed(fixture, Key::exception(&ada, &ben).into()).await;
    for user in ["ada", "cara"] {
        put_in_feed(fixture, testing::devices(user, &[("phone", testing::phone("token"))])).await;
    }
    put_latest(fixture, ["2024-05-30T15:42:38", "2024-06-09T13:49:13"].map(parsed).into(), delivery).await;
}

#[tokio::test]
async fn deletes_the_user_from_all_feeds() {
    for delivery in [Delivery::Push, Delivery::Converting, Delivery::Pull, Delivery::PushAgain] {
        let fixture = Fixture::with_s3("finish-deletion").await;
        let deletion = seed_ada(&fixture).await;
        seed_feeds(&fixture, delivery).await;
        let (with_ada, others): (Vec<_>, Vec<_>) =
            items_of_feeds(&fixture).await.into_iter().partition(|(key, _)| match key.strip_prefix("Inbox#") {
                Some(inbox) => inbox.starts_with("ada "),
                None => key.contains("#ada") || key.contains(" ada#"),
            });
        assert_eq!(with_ada.len(), 2 + 2 + 2 + 2 + 1 + 4 + 1 + 2, "{with_ada:?}");
        handle(&fixture, deletion_record(&deletion)).await;
        assert_eq!(items_of_feeds(&fixture).await.into_iter().collect::<Vec<_>>(), others, "{delivery:?}");
    }
}

/// Entries expire after 30 days, so that those of old photos are gone, unless a follower got them
/// when the friendship began.
#[tokio::test]
async fn sends_no_deletes_for_photos_without_entries() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = seed_ada(&fixture).await;
    let old = |second| parsed(&format!("2024-05-30T15:42:{second:02}"));
    let (expired, backfilled): (Vec<_>, Vec<_>) = (0..30).map(old).partition(|photo| *photo < old(30 - BACKFILL));
    let photos: BTreeSet<_> =
        expired.iter().cloned().chain(backfilled).chain([PhotoId::from(Timestamp::now())]).collect();
    for id in &photos {
        let position = Position { id: id.clone(), author: "ada".parse().unwrap() };
        put_in_feed(&fixture, entry_item(&"ben".parse().unwrap(), &position)).await;
    }
    put_latest(&fixture, photos.clone(), Delivery::Push).await;
    handle(&fixture, deletion_record(&deletion)).await;
    let left = items_of_feeds(&fixture).await;
    let of_ada = left.values().filter_map(|item| item["sk"].as_str()?.strip_suffix("#ada")).map(parsed);
    assert_eq!(of_ada.filter(|photo| photos.contains(photo)).collect::<Vec<_>>(), expired);
}

/// The original goes first, so that process-changes cannot copy it again.
#[tokio::test]
async fn deletes_the_hashtags_that_the_user_follows_before_their_copy() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    for user in ["ada", "ben"] {
        let (username, hashtags): (Username, _) = (user.parse().unwrap(), ["dawn".parse().unwrap()].into());
        let followed = FollowedHashtags { hashtags };
        fixture.put(entity::to_item(Key::followed_hashtags(&username), &followed).unwrap()).await;
        put_in_feed(&fixture, entity::to_item(Key::pulled_hashtags(&username), &followed).unwrap()).await;
    }
    let deletion = seed_ada(&fixture).await;
    handle(&fixture, deletion_record(&deletion)).await;
    let items = fixture.all_items().await;
    let of = |user: &str| items.contains_key(&format!("USER#{user} #FOLLOWS#{user}"));
    assert_eq!((of("ada"), of("ben")), (false, true));
    let copies = items_of_feeds(&fixture).await;
    assert_eq!(copies.keys().filter(|key| key.ends_with(" TAGS")).collect::<Vec<_>>(), ["Feed#ben TAGS"]);
}
