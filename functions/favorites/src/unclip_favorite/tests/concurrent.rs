//! Retries, and other requests at the same time.

use super::*;

#[tokio::test]
async fn a_retry_after_a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("unclip-favorite").await;
    fixture.inject([Fault::None, Fault::None, Fault::AnswerLost]);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "viewpoint")).await.status, 204);
    assert_eq!(fixture.operations()[2..], ["TransactWriteItems"; 2]);
    assert_eq!(history(&fixture, "viewpoint").await["tagIds"], json!(["family", "travel"]));
    assert_eq!(fixture.item(key("viewpoint")).await, Value::Null);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("unclip-favorite").await;
    fixture.inject([
        Fault::None,
        Fault::None,
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("ThrottlingError"),
    ]);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "viewpoint")).await.status, 204);
    assert_eq!(fixture.operations()[2..], ["TransactWriteItems"; 3]);
    assert_eq!(fixture.item(key("viewpoint")).await, Value::Null);
}

#[tokio::test]
async fn deletes_a_tag_entry_that_is_added_concurrently() {
    for (before, after) in [(&[][..], &["new"][..]), (&["a", "b"], &["a", "b", "new"])] {
        let fixture = Fixture::new("unclip-favorite").await;
        fixture.put_all(items_of_favorite_x(before));
        fixture.write_concurrently(2, items_of_favorite_x(after), vec![]);
        assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
        assert_eq!(fixture.operations().len(), 6, "{before:?}: two attempts");
        assert_only_history_is_left(&fixture, after).await;
    }
}

#[tokio::test]
async fn deletes_a_tag_entry_that_is_added_concurrently_to_a_favorite_without_a_count() {
    let fixture = Fixture::new("unclip-favorite").await;
    let mut foreign = items_of_favorite_x(&["a"]);
    for item in &mut foreign {
        item.remove("tagCount");
    }
    fixture.put_all(foreign);
    fixture.write_concurrently(2, items_of_favorite_x(&["a", "new"]), vec![]);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
    assert_eq!(fixture.operations().len(), 6);
    assert_only_history_is_left(&fixture, &["a", "new"]).await;
}

#[tokio::test]
async fn deletes_a_tag_entry_that_concurrently_replaces_another() {
    let fixture = Fixture::new("unclip-favorite").await;
    fixture.put_all(items_of_favorite_x(&["a", "b"]));
    fixture.write_concurrently(
        2,
        items_of_favorite_x(&["b", "c"]),
        items_of_favorite_x(&["a"]).into_iter().filter(|item| pk(item).contains("Tag#")).collect(),
    );
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
    assert_eq!(fixture.operations().len(), 6, "two attempts: the count is the same, and an entry is absent");
    assert_only_history_is_left(&fixture, &["b", "c"]).await;
}

#[tokio::test]
async fn leaves_out_a_tag_that_is_removed_concurrently() {
    let fixture = Fixture::new("unclip-favorite").await;
    fixture.put_all(items_of_favorite_x(&["a", "b"]));
    fixture.write_concurrently(
        2,
        items_of_favorite_x(&["b"]),
        items_of_favorite_x(&["a"]).into_iter().filter(|item| pk(item).contains("Tag#")).collect(),
    );
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
    assert_eq!(fixture.operations().len(), 6);
    assert_only_history_is_left(&fixture, &["b"]).await;
}

#[tokio::test]
async fn reads_again_if_the_tags_change_between_the_two_reads() {
    let fixture = Fixture::new("unclip-favorite").await;
    // The Query sees the entries before a tag is added, and the GetItem sees the favorite after it.
    let (entries, favorite): (Vec<Item>, _) =
        items_of_favorite_x(&["a", "b"]).into_iter().partition(|item| pk(item).contains("Tag#"));
    fixture.put_all([favorite, entries[..1].to_vec()].concat());
    fixture.write_concurrently(2, entries, vec![]);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "Query", "Query", "TransactWriteItems"]);
    assert_only_history_is_left(&fixture, &["a", "b"]).await;
}

#[tokio::test]
async fn deletes_a_tag_entry_that_is_added_concurrently_while_the_count_stays_the_same() {
    // The favorite has two tags when it is read. One is taken off before the entries are read, and
    // another one is put on after that, so the count is 2 again and every entry that was read still
    // exists.
    let fixture = Fixture::new("unclip-favorite").await;
    let (entries, favorite) = split(items_of_favorite_x(&["a", "c"]));
    fixture.put_all(vec![entries[0].clone(), favorite.clone()]);
    let mut tagged = favorite;
    tagged.insert("tagVersion".to_owned(), N("1".to_owned()));
    fixture.write_concurrently(3, vec![entries[1].clone(), tagged], vec![]);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
    let attempt = ["GetItem", "Query", "Query", "TransactWriteItems"];
    assert_eq!(fixture.operations(), [&attempt[..], &["GetItem", "Query", "TransactWriteItems"]].concat());
    assert_only_history_is_left(&fixture, &["a", "c"]).await;
}

#[tokio::test]
async fn does_not_take_a_restored_favorite_for_unchanged() {
    // The entry is missing when the entries are read, because another request has unclipped the
    // favorite by then. The favorite is restored before the transaction.
    for version in [None, Some("3")] {
        let fixture = Fixture::new("unclip-favorite").await;
        let (entries, mut favorite) = split(items_of_favorite_x(&["a"]));
        favorite.extend(version.map(|version| ("tagVersion".to_owned(), N(version.to_owned()))));
        fixture.put(favorite.clone()).await;
        let parsed: Favorite = entity::from_item(favorite.clone()).unwrap();
        let history = history_item(&"ada".parse().unwrap(), &parsed, favorite, &["a".parse().unwrap()].into(), 1);
        let restored = restored_item(&"ada".parse().unwrap(), &parsed, history, &["a".parse().unwrap()].into());
        fixture.write_concurrently(3, vec![entries[0].clone(), restored], vec![]);
        assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
        assert_only_history_is_left(&fixture, &["a"]).await;
    }
}

/// Splits the items of a favorite into its entries and the favorite.
fn split(mut items: Vec<Item>) -> (Vec<Item>, Item) {
    let favorite = items.pop().unwrap();
    (items, favorite)
}

#[tokio::test]
async fn keeps_the_history_of_a_favorite_that_is_clipped_again_concurrently() {
    let mut clipped_again = Collection::new("ada");
    clipped_again.clip("x", DataType::Note, "Clipped again", 1_700_000_000_001, &[]);
    let foreign = |mut items: Vec<Item>| {
        items.last_mut().unwrap().remove("tagCount");
        items
    };
    let clipped_again = clipped_again.into_items();
    for (first, second) in
        [(items_of_favorite_x(&[]), clipped_again.clone()), (foreign(items_of_favorite_x(&[])), foreign(clipped_again))]
    {
        let fixture = Fixture::new("unclip-favorite").await;
        fixture.put_all(first);
        fixture.write_concurrently(2, second, vec![]);
        assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
        let history = history(&fixture, "x").await;
        assert_eq!((&history["title"], &history["clipTime"]), (&json!("Clipped again"), &json!("1700000000001")));
    }
}

#[tokio::test]
async fn returns_204_if_the_favorite_is_deleted_concurrently() {
    let fixture = Fixture::new("unclip-favorite").await;
    fixture.put_all(items_of_favorite_x(&["a"]));
    fixture.write_concurrently(2, vec![], items_of_favorite_x(&["a"]));
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "x")).await.status, 204);
    assert_eq!(history(&fixture, "x").await, Value::Null, "the function writes no history");
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("unclip-favorite").await;
    let before = fixture.all_items().await;
    let refused = Fault::ConditionFailed("Delete FavoriteData#ada viewpoint");
    fixture.inject([Fault::None, Fault::None, refused].repeat(MAX_ATTEMPTS));
    let answer = fixture.call(UnclipFavorite::start, delete("ada", "viewpoint")).await;
    assert_eq!((answer.status, &answer.headers["retry-after"]), (503, &"1".parse().unwrap()));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn decrements_a_count_that_appears_between_two_attempts() {
    let fixture = Fixture::new("unclip-favorite").await;
    let mut count = Item::from(Key::favorite_count(&"ada".parse().unwrap()));
    fixture.delete(count.clone()).await;
    count.insert("favorites".to_owned(), N("9".to_owned()));
    fixture.write_concurrently(5, vec![count], vec![]);
    assert_eq!(fixture.call(UnclipFavorite::start, delete("ada", "dinner")).await.status, 204);
    assert_eq!(fixture.item(Key::favorite_count(&"ada".parse().unwrap())).await["favorites"], 8);
}
