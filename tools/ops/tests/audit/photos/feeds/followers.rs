//! The entries, the pulls and the exceptions of followers.

use super::*;
use shared::entities::MAX_PULLS;

#[tokio::test]
async fn puts_the_entries_that_a_follower_lacks() {
    let feeds = Feeds::seed();
    feeds.follow_ada("pia").await;
    // Older photos than those of the last 30 days: their entries have expired.
    let photos = [40, 20, 10].map(|days| uploaded(days * DAY));
    feeds.add_photos(&photos).await;
    feeds.put_latest(&photos, Delivery::Push).await;
    for reader in ["ben", "pia"] {
        for photo in &photos[1..] {
            feeds.put(entry(reader, "ada", photo.as_ref())).await;
        }
    }
    let expected = feeds.all_items().await;
    assert_eq!(feeds.findings().await, [""; 0]);
    feeds.delete(entry_key("ben", "ada", photos[1].as_ref())).await;
    for photo in &photos[1..] {
        feeds.delete(entry_key("pia", "ada", photo.as_ref())).await;
    }
    let lines =
        ["feed of ben: 1 entries of photos of ada are missing", "feed of pia: 2 entries of photos of ada are missing"];
    feeds.assert_repairs(&lines, &expected).await;
    // The entries expire 30 days from now.
    let item = all_items(&feeds.table.client, &feeds.feed).await;
    let (_, entry) = item.iter().find(|((pk, sk), _)| pk == "Feed#pia" && sk.ends_with("#ada")).unwrap();
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    assert!((now + 29 * DAY.as_secs()..now + 31 * DAY.as_secs()).contains(&entry["ttl"].as_u64().unwrap()));
}

/// The feed of a follower has older photos only if they were among the newest ones then.
#[tokio::test]
async fn leaves_photos_that_are_older_than_the_friendship() {
    let feeds = Feeds::seed();
    feeds.follow_ada("pia").await;
    let photo = uploaded(10 * DAY);
    feeds.add_photos(from_ref(&photo)).await;
    feeds.put_latest(from_ref(&photo), Delivery::Push).await;
    feeds.put(entry("pia", "ada", photo.as_ref())).await;
    let mut friendship = testing::friendship("ada", "ben");
    friendship.insert("timestamp".to_owned(), text(ago(9 * DAY).as_ref()));
    feeds.table.put([friendship]).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}

/// No follower has the entries of a photo that was never published, however old the photo and the
/// friendship are.
#[tokio::test]
async fn puts_the_entries_of_photos_that_were_never_published() {
    let feeds = Feeds::seed();
    feeds.follow_ada("pia").await;
    for photo in [ADAS_PHOTO, ADAS_NEWEST] {
        feeds.put(entry("pia", "ada", photo)).await;
    }
    let expected = feeds.all_items().await;
    for reader in ["ben", "pia"] {
        for photo in [ADAS_PHOTO, ADAS_NEWEST] {
            feeds.delete(entry_key(reader, "ada", photo)).await;
        }
    }
    assert_eq!(feeds.findings().await, [""; 0]);
    feeds.delete(Key::latest(&name("ada"))).await;
    let lines = [
        "Latest of ada: 2 photos are missing, 0 photos are hidden or gone",
        "feed of ben: 2 entries of photos of ada are missing",
        "feed of pia: 2 entries of photos of ada are missing",
    ];
    feeds.assert_repairs(&lines, &expected).await;
}

#[tokio::test]
async fn a_follower_with_a_pull_needs_no_entries() {
    for delivery in [Delivery::Pull, Delivery::PushAgain, Delivery::Converting] {
        let feeds = Feeds::seed();
        let photo = [uploaded(DAY)];
        feeds.add_photos(&photo).await;
        feeds.put_latest(&photo, delivery).await;
        feeds.put_pull("ben").await;
        let found = feeds.findings().await;
        let expected: &[&str] =
            if delivery == Delivery::Converting { &["Latest of ada: the conversion has not begun"] } else { &[] };
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn photos_are_pushed_to_a_follower_with_an_exception() {
    let feeds = Feeds::seed();
    let photo = [uploaded(DAY)];
    feeds.add_photos(&photo).await;
    feeds.put_latest(&photo, Delivery::Pull).await;
    feeds.put(Key::exception(&name("ada"), &name("ben"))).await;
    feeds.put(entry("ben", "ada", photo[0].as_ref())).await;
    let expected = feeds.all_items().await;
    assert_eq!(feeds.findings().await, [""; 0]);
    feeds.delete(entry_key("ben", "ada", photo[0].as_ref())).await;
    feeds.assert_repairs(&["feed of ben: 1 entries of photos of ada are missing"], &expected).await;
}

#[tokio::test]
async fn lets_a_follower_pull_an_author_who_is_pulled() {
    let feeds = Feeds::seed();
    feeds.follow_ada("pia").await;
    feeds.put_latest(&[], Delivery::Pull).await;
    feeds.put_pull("ben").await;
    feeds.put_pull("pia").await;
    let expected = feeds.all_items().await;
    for reader in ["ben", "pia"] {
        feeds.delete(Key::pull(&name(reader), &name("ada"))).await;
        feeds.delete(Key::pull_count(&name(reader))).await;
    }
    let lines = ["ben", "pia"]
        .map(|reader| format!("feed of {reader}: neither a pull nor an exception for ada, who is pulled"));
    feeds.assert_repairs(&lines, &expected).await;
}

#[tokio::test]
async fn leaves_a_new_friendship_without_a_pull() {
    let feeds = Feeds::seed();
    feeds.put_latest(&[], Delivery::Pull).await;
    feeds.table.put([testing::friendship("ada", "ben")]).await;
    assert_eq!(feeds.findings().await, [""; 0]);
}

/// The reader pulls as many authors as one page reads.
#[tokio::test]
async fn makes_a_reader_with_all_pulls_an_exception() {
    let feeds = Feeds::seed();
    let (ben, authors) = (name("ben"), (0..MAX_PULLS).map(|number| format!("author-{number}")).collect::<Vec<_>>());
    for author in &authors {
        let mut user = testing::user(author);
        user.insert("followers".to_owned(), number(1));
        feeds.table.put([user, testing::friendship(author, "ben")]).await;
        feeds.put(Key::pull(&ben, &name(author))).await;
        feeds.list(author, author, 1).await;
    }
    let pulls = i64::from(MAX_PULLS);
    feeds.table.set(user("ben"), "following", Some(number(pulls + 1))).await;
    feeds.set(Key::pull_count(&ben), "pulls", Some(number(pulls))).await;
    feeds.put_latest(&[], Delivery::Pull).await;
    feeds.put(Key::exception(&name("ada"), &ben)).await;
    let expected = feeds.all_items().await;
    assert_eq!(feeds.findings().await, [""; 0]);
    feeds.delete(Key::exception(&name("ada"), &ben)).await;
    for photo in [ADAS_PHOTO, ADAS_NEWEST] {
        feeds.delete(entry_key("ben", "ada", photo)).await;
    }
    let lines = ["feed of ben: neither a pull nor an exception for ada, who is pulled"];
    feeds.assert_repairs(&lines, &expected).await;
}

#[tokio::test]
async fn deletes_pulls_and_exceptions_without_a_friendship() {
    let feeds = Feeds::seed();
    feeds.put_latest(&[], Delivery::Pull).await;
    feeds.put_pull("ben").await;
    feeds.set(Key::pull_count(&name("cara")), "pulls", Some(number(0))).await;
    let expected = feeds.all_items().await;
    feeds.put(Key::pull(&name("ben"), &name("cara"))).await;
    feeds.set(Key::pull_count(&name("ben")), "pulls", Some(number(2))).await;
    // The author may be gone.
    feeds.put(Key::pull(&name("cara"), &name("gone"))).await;
    feeds.set(Key::pull_count(&name("cara")), "pulls", Some(number(1))).await;
    feeds.put(Key::exception(&name("ada"), &name("cara"))).await;
    feeds.put(Key::exception(&name("ada"), &name("gone"))).await;
    let lines = [
        "exception of cara for ada: the friendship does not exist",
        "exception of gone for ada: the friendship does not exist",
        "pull of cara by ben: the friendship does not exist",
        "pull of gone by cara: the friendship does not exist",
    ];
    feeds.assert_repairs(&lines, &expected).await;
}

#[tokio::test]
async fn corrects_pull_counts() {
    let feeds = Feeds::seed();
    feeds.follow_ada("pia").await;
    feeds.put_latest(&[], Delivery::Pull).await;
    for reader in ["ben", "pia"] {
        feeds.put_pull(reader).await;
    }
    feeds.set(Key::pull_count(&name("cara")), "pulls", Some(number(0))).await;
    let expected = feeds.all_items().await;
    feeds.set(Key::pull_count(&name("ben")), "pulls", Some(number(50))).await;
    feeds.set(Key::pull_count(&name("cara")), "pulls", Some(number(-3))).await;
    feeds.delete(Key::pull_count(&name("pia"))).await;
    let lines = [
        "feed of ben: pulls is 50, but should be 1",
        "feed of cara: pulls is -3, but should be 0",
        "feed of pia: pulls is missing, but should be 1",
    ];
    feeds.assert_repairs(&lines, &expected).await;
}
