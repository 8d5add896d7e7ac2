//! The favorites and tags of a deleted user.

use super::*;
use ::favorites::erasure::delete_of_user;

#[tokio::test]
async fn deletes_only_the_favorites_and_tags_of_the_user() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = seed_ada(&fixture).await;
    let others = async || {
        let items = fixture.all_items_of(FAVORITE).await;
        items.into_iter().filter(|(key, _)| !key.contains("#ada")).collect::<BTreeMap<_, _>>()
    };
    let before = others().await;
    handle(&fixture, deletion_record(&deletion)).await;
    let left = fixture.all_items_of(FAVORITE).await;
    let of_ada: Vec<&String> = left.keys().filter(|key| key.contains("#ada")).collect();
    assert!(!before.is_empty() && of_ada.iter().all(|key| key.starts_with("FavoriteDataTerm#")), "{of_ada:?}");
    assert_eq!(others().await, before);
}

/// A later pass finds the tags of a favorite only through the favorite.
#[tokio::test]
async fn keeps_a_favorite_when_no_time_is_left_for_its_tags() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let favorites_and_tags = async || {
        let mut items = fixture.all_items_of(FAVORITE).await;
        items.retain(|key, _| ["FavoriteData#", "FavoriteDataTag#"].iter().any(|prefix| key.starts_with(prefix)));
        items
    };
    let before = favorites_and_tags().await;
    // Two attempts of the first Query time out, each after one second. So the page of favorites
    // arrives after the deadline.
    fixture.inject([Fault::NoAnswer, Fault::NoAnswer]);
    let page_deadline = Instant::now() + Duration::from_millis(1900);
    let is_complete = delete_of_user(&favorites_table(&fixture), &"ada".parse().unwrap(), page_deadline).await;
    assert!(!is_complete.unwrap());
    assert_eq!(fixture.operations(), ["Query"; 3]);
    assert_eq!(favorites_and_tags().await, before);
}
