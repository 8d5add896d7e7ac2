//! Authors whose followers pull their photos.

use super::*;

#[tokio::test]
async fn the_followers_of_an_author_with_too_many_pull() {
    let feed = Feed::new(2).await;
    feed.follow(&["cara", "zoe"], "ada").await;
    feed.publish("ada", &minute(1)).await;
    feed.set_followers("ada", 3).await;
    feed.publish("ada", &minute(2)).await;
    let mut expected: Vec<String> = ["ben", "cara", "zoe"].map(|reader| entry(reader, &minute(1), "ada")).to_vec();
    expected.extend(["ben", "cara", "zoe"].map(|reader| format!("Feed#{reader} PULL#ada")));
    expected.extend(["ben", "cara", "zoe"].map(|reader| format!("Feed#{reader} #PULLS")));
    expected.sort();
    assert_eq!(feed.keys().await, expected);
    assert_eq!(feed.all_items().await["Feed#ben #PULLS"]["pulls"], 1);
    let latest = feed.latest("ada").await;
    assert_eq!((&latest["delivery"], latest["photos"].as_array().unwrap().len()), (&json!("pull"), 2));
    assert_eq!(latest.get("converted"), None);
    // From now on, a photo costs no write for a follower.
    feed.fixture.clear_faults();
    let items = feed.all_items().await.len();
    feed.publish("ada", &minute(3)).await;
    assert_eq!(feed.all_items().await.len(), items);
    assert_eq!(feed.latest("ada").await["photos"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_pull_begins_and_ends_with_the_friendship() {
    let feed = Feed::new(10).await;
    feed.put_latest("ada", 3, Delivery::Pull).await;
    feed.put_latest("zoe", 3, Delivery::Pull).await;
    for _ in 0..2 {
        feed.connect("cara", "ada").await;
    }
    feed.connect("cara", "zoe").await;
    assert_eq!(feed.keys().await, ["Feed#cara #PULLS", "Feed#cara PULL#ada", "Feed#cara PULL#zoe"]);
    assert_eq!(feed.all_items().await["Feed#cara #PULLS"]["pulls"], 2);
    // A record of a friendship that has ended and begun again.
    assert!(feed.deliver(record(friendship("ada", "cara"), Item::new())).await.is_empty());
    assert_eq!(feed.all_items().await["Feed#cara #PULLS"]["pulls"], 2);
    for _ in 0..2 {
        feed.disconnect("cara", "ada").await;
        assert_eq!(feed.keys().await, ["Feed#cara #PULLS", "Feed#cara PULL#zoe"]);
        assert_eq!(feed.all_items().await["Feed#cara #PULLS"]["pulls"], 1);
    }
}

/// finish-deletion deletes the count of a reader before the pulls, which are later in the
/// partition.
#[tokio::test]
async fn the_end_of_a_friendship_does_not_bring_back_the_count_of_a_deleted_reader() {
    for pulls in [None, Some("0"), Some("-1")] {
        let feed = Feed::new(10).await;
        feed.put_latest("ada", 3, Delivery::Pull).await;
        for reader in ["ben", "cara"] {
            feed.connect(reader, "ada").await;
        }
        let table = feed.table();
        let key = Item::from(Key::pull_count(&name("cara")));
        table.client.delete_item().table_name(&table.name).set_key(Some(key.clone())).send().await.unwrap();
        if let Some(pulls) = pulls {
            feed.put(key.into_iter().chain([("pulls".to_owned(), N(pulls.to_owned()))]).collect()).await;
        }
        for _ in 0..2 {
            feed.disconnect("cara", "ada").await;
            let items = feed.all_items().await;
            assert_eq!(items.get("Feed#cara #PULLS").map(|count| count["pulls"].to_string()).as_deref(), pulls);
            assert_eq!(items["Feed#ben #PULLS"]["pulls"], 1);
        }
    }
}

#[tokio::test]
async fn photos_are_pushed_to_a_reader_who_pulls_too_many() {
    let feed = Feed::new(2).await;
    feed.put_latest("ada", BACKFILL + 1, Delivery::Pull).await;
    feed.set_followers("ada", 3).await;
    let mut count = Item::from(Key::pull_count(&name("cara")));
    count.insert("pulls".to_owned(), N(MAX_PULLS.to_string()));
    feed.put(count).await;
    feed.connect("cara", "ada").await;
    let mut expected: Vec<String> = (1..=BACKFILL).map(|number| entry("cara", &minute(number), "ada")).collect();
    expected.extend(["Feed#cara #PULLS".to_owned(), "Push#ada cara".to_owned()]);
    expected.sort();
    assert_eq!(feed.keys().await, expected);
    feed.publish("ada", &minute(BACKFILL + 1)).await;
    expected.push(entry("cara", &minute(BACKFILL + 1), "ada"));
    expected.sort();
    assert_eq!(feed.keys().await, expected, "ben pulls, or has no pull yet, and gets no entry");
    feed.disconnect("cara", "ada").await;
    expected.retain(|key| !key.starts_with("Push#"));
    assert_eq!(feed.keys().await, expected);
    assert_eq!(feed.all_items().await["Feed#cara #PULLS"]["pulls"], MAX_PULLS);
}

#[tokio::test]
async fn photos_are_pushed_again_at_half_of_the_maximum() {
    let feed = Feed::new(4).await;
    feed.set_followers("ada", 5).await;
    feed.publish("ada", &minute(1)).await;
    feed.set_followers("ada", 3).await;
    feed.publish("ada", &minute(2)).await;
    assert_eq!(feed.keys().await, ["Feed#ben #PULLS", "Feed#ben PULL#ada"]);
    feed.set_followers("ada", 2).await;
    feed.publish("ada", &minute(3)).await;
    assert_eq!(feed.latest("ada").await["delivery"], "pushAgain");
    let pushed = entry("ben", &minute(3), "ada");
    assert_eq!(feed.keys().await, ["Feed#ben #PULLS", &pushed, "Feed#ben PULL#ada"]);
    // A new follower needs no pull, and who pulled before loses it with the friendship.
    feed.connect("cara", "ada").await;
    assert_eq!(feed.keys().await.iter().filter(|key| key.starts_with("Feed#cara 2")).count(), 3);
    feed.disconnect("ben", "ada").await;
    assert!(!feed.keys().await.contains(&"Feed#ben PULL#ada".to_owned()));
    feed.set_followers("ada", 5).await;
    feed.publish("ada", &minute(4)).await;
    assert_eq!(feed.latest("ada").await["delivery"], "pull");
}

#[tokio::test]
async fn a_conversion_goes_on_where_it_was_interrupted() {
    let feed = Feed::new(2).await;
    feed.follow(&["cara", "zoe"], "ada").await;
    feed.set_followers("ada", 3).await;
    let latest = Latest {
        author: name("ada"),
        photos: [minute(1)].into(),
        delivery: Delivery::Converting,
        converted: Some(name("cara")),
    };
    feed.put(entity::to_item(Key::latest(&latest.author), &latest).unwrap()).await;
    feed.publish("ada", &minute(2)).await;
    assert_eq!(feed.keys().await, ["Feed#zoe #PULLS", "Feed#zoe PULL#ada"]);
    assert_eq!(feed.latest("ada").await["delivery"], "pull");
}
