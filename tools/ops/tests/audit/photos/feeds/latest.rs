//! The newest photos of the authors.

use super::*;
use shared::entities::{MAX_LATEST, Picture};

use crate::audited_table::photo;

/// Returns the id of a photo about 100 days ago, a minute after that of the number before.
fn minute(number: u64) -> PhotoId {
    uploaded(Duration::from_mins(100 * 24 * 60 - number))
}

#[tokio::test]
async fn corrects_the_newest_photos_of_an_author() {
    let feeds = Feeds::seed();
    let expected = feeds.all_items().await;
    let photos = |photos: [&str; 2]| Some(AttributeValue::Ss(photos.map(ToOwned::to_owned).to_vec()));
    feeds.set(Key::latest(&name("ada")), "photos", photos([ADAS_NEWEST, "2020-01-01T00:00:00"])).await;
    let lines = ["Latest of ada: 1 photos are missing, 1 photos are hidden or gone"];
    feeds.assert_repairs(&lines, &expected).await;
}

#[tokio::test]
async fn removes_a_photo_that_is_being_deleted_or_was_rejected() {
    let feeds = Feeds::seed();
    let times = ["2025-01-01T00:00:00", "2025-01-02T00:00:00"];
    let rejected = testing::rejected();
    feeds.add_photos(&[times[0].parse().unwrap()]).await;
    feeds.table.put([testing::photo_with("ada", times[1], rejected)]).await;
    feeds.table.set(user("ada"), "rejectedPhotos", Some(number(1))).await;
    feeds.table.set_photos("ada", 3, 4).await;
    let mut deletion = testing::photo_deletion("ada", times[0], 0);
    // The trace of an expired photo.
    deletion.insert("ttl".to_owned(), number(4_000_000_000));
    feeds.table.put([deletion]).await;
    feeds.table.set_photos("ada", 2, 3).await;
    let expected = feeds.all_items().await;
    feeds.put_latest(&times.map(|time| time.parse().unwrap()), Delivery::Push).await;
    feeds.assert_repairs(&["Latest of ada: 0 photos are missing, 2 photos are hidden or gone"], &expected).await;
}

/// It has come in place of an earlier photo with its time, which was published.
#[tokio::test]
async fn removes_a_photo_that_is_imported() {
    let feeds = Feeds::seed();
    let expected = feeds.all_items().await;
    let imported: PhotoId = "2025-01-01T00:00:00".parse().unwrap();
    feeds.add_photos(from_ref(&imported)).await;
    feeds.table.set(photo("ada", imported.as_ref()), "imported", Some(AttributeValue::Bool(true))).await;
    let vector = testing::vector("ada", imported.as_ref(), 1);
    feeds.put(vector.clone()).await;
    feeds.put_latest(&[imported], Delivery::Push).await;
    let findings = ["Latest of ada: 0 photos are missing, 1 photos are hidden or gone"];
    assert_eq!(feeds.findings().await, findings);
    feeds.audit(true).await;
    assert_eq!(feeds.findings().await, [""; 0]);
    assert_eq!(feeds.all_items().await.len(), expected.len() + 1);
}

/// Ada has chosen these audiences since the photos were published.
#[tokio::test]
async fn removes_a_photo_that_is_for_its_owner_alone() {
    let feeds = Feeds::seed();
    // The photo that becomes restricted first was her pinned image.
    feeds.table.set(user("ada"), "pinnedPicture", None).await;
    let restrict = async |id, audience| {
        feeds.table.set(photo("ada", id), "audience", Some(text(audience))).await;
        feeds.put(testing::hidden_vector("ada", id, 1)).await;
    };
    restrict(ADAS_NEWEST, "followers").await;
    // Only the lists of its hashtag must not have it any more.
    let mut expected = feeds.all_items().await;
    expected.retain(|(pk, _), _| !pk.starts_with("Hashtag"));
    let of_hashtag = [
        format!("hashtag selfie: the entry of photo {ADAS_NEWEST} of ada is not one of the photo"),
        "hashtag selfie: the summary or the listings are wrong, the count is 1, but should be 0".to_owned(),
    ];
    feeds.assert_repairs(&of_hashtag, &expected).await;
    restrict(ADAS_PHOTO, "me").await;
    let mut expected = feeds.all_items().await;
    let latest = expected.get_mut(&("Latest#ada".to_owned(), "Latest".to_owned())).unwrap();
    latest["photos"] = vec![ADAS_NEWEST].into();
    feeds.assert_repairs(&["Latest of ada: 0 photos are missing, 1 photos are hidden or gone"], &expected).await;
    // Nobody lacks an entry of the hidden photo.
    feeds.delete(entry_key("ben", "ada", ADAS_PHOTO)).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}

/// More photos are missing and gone than one transaction checks. Followers get the newest 25, and
/// nobody more than that.
#[tokio::test]
async fn makes_the_latest_of_an_author_with_many_photos() {
    let feeds = Feeds::seed();
    let photos: Vec<PhotoId> = (0..310).map(minute).collect();
    feeds.add_photos(&photos).await;
    let newest = &photos[photos.len() - MAX_LATEST..];
    let mut latest: Vec<PhotoId> = newest.to_vec();
    let seed = [ADAS_PHOTO, ADAS_NEWEST].map(|photo| photo.parse().unwrap());
    latest.retain(|photo| !seed.contains(photo));
    for photo in newest.iter().rev().take(25) {
        feeds.put(entry("ben", "ada", photo.as_ref())).await;
    }
    let set = latest.iter().map(ToString::to_string).collect();
    feeds.set(Key::latest(&name("ada")), "photos", Some(AttributeValue::Ss(set))).await;
    let expected = feeds.all_items().await;
    assert_eq!(feeds.findings().await, [""; 0]);

    for photo in newest.iter().rev().take(25) {
        feeds.delete(entry_key("ben", "ada", photo.as_ref())).await;
    }
    let gone = (0..150).map(|number| minute(1_000 + number).to_string()).collect();
    feeds.set(Key::latest(&name("ada")), "photos", Some(AttributeValue::Ss(gone))).await;
    let lines = [
        "Latest of ada: 300 photos are missing, 150 photos are hidden or gone",
        "feed of ben: 25 entries of photos of ada are missing",
    ];
    feeds.assert_repairs(&lines, &expected).await;
}

/// process-changes keeps about as many photos as the maximum, and does not know which photos it has
/// removed.
#[tokio::test]
async fn a_latest_may_have_more_photos_than_the_maximum() {
    let feeds = Feeds::seed();
    let photos: Vec<PhotoId> = (0..302).map(minute).collect();
    feeds.add_photos(&photos).await;
    for photo in photos.iter().rev().take(25) {
        feeds.put(entry("ben", "ada", photo.as_ref())).await;
    }
    feeds.put_latest(&photos, Delivery::Push).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}

/// process-changes may still be on its way.
#[tokio::test]
async fn leaves_a_new_photo_that_is_not_published_yet() {
    let feeds = Feeds::seed();
    feeds.add_photos(&[Timestamp::now().into(), uploaded(Duration::from_mins(4))]).await;
    assert_eq!(feeds.findings().await, [""; 0]);
    feeds.add_photos(&[uploaded(Duration::from_mins(6))]).await;
    assert_eq!(feeds.findings().await.len(), 2);
}

/// A photo is pending until process-photo has processed it.
#[tokio::test]
async fn leaves_a_photo_that_is_not_ready() {
    let feeds = Feeds::seed();
    let pending = uploaded(Duration::from_hours(2));
    feeds.table.put([testing::photo_with("ada", pending.as_ref(), Picture::Pending)]).await;
    feeds.table.set_photos("ada", 2, 3).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}

/// Somebody can repair the photo, and it is then still one of the newest.
#[tokio::test]
async fn keeps_a_malformed_photo() {
    let feeds = Feeds::seed();
    feeds.table.set(photo("ada", ADAS_NEWEST), "picture", Some(text("large"))).await;
    let found = feeds.findings().await;
    let of_latest: Vec<&String> = found.iter().filter(|line| line.starts_with("Latest")).collect();
    assert!(of_latest.is_empty(), "{found:?}");
}

#[tokio::test]
async fn finishes_a_conversion_that_has_stopped() {
    let feeds = Feeds::seed();
    for reader in ["noor", "olga", "pia"] {
        feeds.follow_ada(reader).await;
        feeds.put_pull(reader).await;
    }
    feeds.put_pull("ben").await;
    feeds.put_latest(&[], Delivery::Pull).await;
    let expected = feeds.all_items().await;

    feeds.put_latest(&[], Delivery::Converting).await;
    let ada = Key::latest(&name("ada"));
    feeds.delete(Key::pull(&name("pia"), &name("ada"))).await;
    feeds.delete(Key::pull_count(&name("pia"))).await;
    assert_eq!(feeds.findings().await, ["Latest of ada: the conversion has not begun"]);
    feeds.set(ada, "converted", Some(text("noor"))).await;
    feeds.assert_repairs(&["Latest of ada: the conversion has stopped after noor"], &expected).await;
}

/// process-changes converts an author when a photo is published.
#[tokio::test]
async fn leaves_a_conversion_that_has_begun_now() {
    let feeds = Feeds::seed();
    let now = PhotoId::from(Timestamp::now());
    feeds.add_photos(from_ref(&now)).await;
    feeds.put_latest(&[now], Delivery::Converting).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}
