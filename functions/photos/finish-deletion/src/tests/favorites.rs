//! The favorites and tags of a deleted user.

use super::*;
use crate::favorites::delete_all;
use shared::model::favorites::{favorites_pk, histories_pk, idempotency_keys_pk};

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
    // After a history and the tags are deleted, two attempts of the next Query time out, each after one second. So the
    // page of favorites arrives after the deadline.
    fixture.inject([Fault::None, Fault::None, Fault::None, Fault::None, Fault::NoAnswer, Fault::NoAnswer]);
    let page_deadline = Instant::now() + Duration::from_millis(1900);
    let is_complete = delete_all(&favorites_table(&fixture), &"ada".parse().unwrap(), page_deadline).await;
    assert!(!is_complete.unwrap());
    assert_eq!(fixture.operations(), ["Query", "DeleteItem", "Query", "TransactWriteItems", "Query", "Query", "Query"]);
    assert_eq!(favorites_and_tags().await, before);
}

#[tokio::test]
async fn deletes_the_history_of_a_favorite_that_is_unclipped_concurrently() {
    let mut fixture = Fixture::with_s3("finish-deletion").await;
    fixture.table = favorites_table(&fixture);
    let ada = "ada".parse().unwrap();
    let item = |pk: String, sk: &str| Item::from([("pk".to_owned(), S(pk)), ("sk".to_owned(), S(sk.to_owned()))]);
    let favorite = item(favorites_pk(&ada), "moved");
    fixture.put(favorite.clone()).await;
    fixture.put(item(idempotency_keys_pk(&ada), "photos#1")).await;
    // The histories are deleted, and then the favorite becomes one.
    fixture.write_concurrently(1, vec![item(histories_pk(&ada), "moved")], vec![favorite]);
    let page_deadline = Instant::now() + Duration::from_mins(1);
    assert!(delete_all(&fixture.table, &ada, page_deadline).await.unwrap());
    let left = fixture.all_items().await;
    let of_ada: Vec<&String> = left.keys().filter(|key| key.contains("#ada")).collect();
    assert!(of_ada.iter().all(|key| key.starts_with("FavoriteDataTerm#")), "{of_ada:?}");
}
