//! The copies of the hashtags that users follow.

use shared::entities::{FollowedHashtags, MAX_FOLLOWED_HASHTAGS};

use super::*;

fn followed(key: Key, hashtags: &[&str]) -> Item {
    let hashtags = hashtags.iter().map(|hashtag| hashtag.parse().unwrap()).collect();
    entity::to_item(key, &FollowedHashtags { hashtags }).unwrap()
}

#[tokio::test]
async fn makes_each_copy_as_the_original_is() {
    let feeds = Feeds::seed();
    for (user, hashtags) in [("ada", &["dawn", "dusk"][..]), ("ben", &["dawn"])] {
        feeds.table.put([followed(Key::followed_hashtags(&name(user)), hashtags)]).await;
    }
    feeds.put(followed(Key::pulled_hashtags(&name("ada")), &["dawn", "dusk"])).await;
    let mut expected = feeds.all_items().await;
    feeds.put(followed(Key::pulled_hashtags(&name("ben")), &["dawn"])).await;
    expected.extend(feeds.all_items().await);
    feeds.delete(Key::pulled_hashtags(&name("ben"))).await;
    feeds.put(followed(Key::pulled_hashtags(&name("ada")), &["dawn", "noon"])).await;
    feeds.put(followed(Key::pulled_hashtags(&name("cara")), &["noon"])).await;
    let lines = [
        "feed of ada: the hashtags are dawn, noon, but should be dawn, dusk",
        "feed of ben: the hashtags are none, but should be dawn",
        "feed of cara: the hashtags are noon, but should be none",
    ];
    feeds.assert_repairs(&lines, &expected).await;
}

#[tokio::test]
async fn reports_an_item_above_the_maximum() {
    let feeds = Feeds::seed();
    let hashtags: Vec<String> = (0..=MAX_FOLLOWED_HASHTAGS).map(|number| format!("t{number}")).collect();
    let hashtags: Vec<&str> = hashtags.iter().map(String::as_str).collect();
    feeds.table.put([followed(Key::followed_hashtags(&name("ada")), &hashtags)]).await;
    let findings = feeds.findings().await;
    assert!(findings.iter().any(|line| line.contains("it has 21 hashtags, but the maximum is 20")), "{findings:?}");
}
