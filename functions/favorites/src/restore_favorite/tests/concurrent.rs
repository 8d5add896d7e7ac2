//! Changes that meet the restoration, lost answers and conflicts.

use super::*;

#[tokio::test]
async fn does_not_restore_a_tag_that_is_deleted_concurrently() {
    for requests in [1, 2] {
        let fixture = Fixture::new("restore-favorite").await;
        fixture.put(history_of_x(&["songs", "travel"])).await;
        let (puts, deletes) = deletion_of_travel();
        fixture.write_concurrently(requests, puts, deletes);
        assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
        assert_eq!(fixture.operations().len(), 3 * requests, "the check fails if the tag was read before it");
        assert_eq!(tags(&fixture, "x").await, ["songs"]);
        assert_eq!(favorite(&fixture, "x").await["tagCount"], 1);
    }
}

#[tokio::test]
async fn does_not_restore_a_concurrently_deleted_tag_without_a_tag_count() {
    let fixture = Fixture::new("restore-favorite").await;
    fixture.put(history_of_x(&["songs", "travel"])).await;
    fixture.delete(Key::tag_count(&"ada".parse().unwrap())).await;
    let (puts, deletes) = deletion_of_travel();
    fixture.write_concurrently(2, puts, deletes);
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
    assert_eq!(tags(&fixture, "x").await, ["songs"]);
}

#[tokio::test]
async fn returns_a_favorite_that_is_restored_concurrently() {
    for requests in [1, 2] {
        let fixture = Fixture::new("restore-favorite").await;
        let mut ada = Collection::new("ada");
        ada.clip("x", DataType::Link, "X", 1_700_000_000_000, &["songs", "family"]);
        fixture.put(history_of_x(&["songs"])).await;
        fixture.write_concurrently(requests, ada.into_items(), vec![history_of_x(&[])]);
        let answer = fixture.call(RestoreFavorite::start, post("ada", "x")).await;
        assert_eq!((answer.status, &answer.body["dataId"]), (200, &json!("x")));
        assert_eq!(answer.headers.get("location"), None);
        assert_eq!(tags(&fixture, "x").await, ["family", "songs"]);
        assert_eq!(favorite(&fixture, "x").await["tagCount"], 2);
    }
}

#[tokio::test]
async fn returns_a_favorite_that_is_clipped_concurrently() {
    let fixture = Fixture::new("restore-favorite").await;
    let mut ada = Collection::new("ada");
    ada.clip("x", DataType::Note, "Clipped again", 1_800_000_000_000, &[]);
    fixture.put(history_of_x(&["songs"])).await;
    fixture.write_concurrently(2, ada.into_items(), vec![]);
    let answer = fixture.call(RestoreFavorite::start, post("ada", "x")).await;
    assert_eq!((answer.status, &answer.body["title"]), (200, &json!("Clipped again")));
    assert_eq!(favorite(&fixture, "x").await["clipTime"], "1800000000000");
    assert_eq!(tags(&fixture, "x").await, [""; 0]);
    assert_eq!(history(&fixture, "x").await["tagIds"], json!(["songs"]));
}

#[tokio::test]
async fn restores_the_latest_history_if_it_changes_concurrently() {
    let mut clipped_again = Collection::new("ada");
    clipped_again.unclip("x", DataType::Note, "Clipped again", 1_700_000_000_001, &["songs"]);
    let clipped_again = clipped_again.into_items().pop().unwrap();
    let without_tags = |mut item: Item| {
        item.remove("tagIds");
        item
    };
    let with_version = |mut item: Item| {
        item.insert("tagVersion".to_owned(), N("4".to_owned()));
        item
    };
    for (first, requests, last, tags_of_last) in [
        (history_of_x(&["songs"]), 2, history_of_x(&["family", "songs"]), &["family", "songs"][..]),
        (history_of_x(&["songs"]), 2, clipped_again.clone(), &["songs"]),
        (history_of_x(&["songs"]), 2, without_tags(history_of_x(&[])), &[]),
        (history_of_x(&["songs"]), 2, with_version(history_of_x(&["songs"])), &["songs"]),
        // A history without tags needs no second BatchGetItem.
        (without_tags(history_of_x(&[])), 1, history_of_x(&["songs"]), &["songs"]),
        (without_tags(history_of_x(&[])), 1, without_tags(clipped_again), &[]),
    ] {
        let fixture = Fixture::new("restore-favorite").await;
        fixture.put(first).await;
        fixture.write_concurrently(requests, vec![last.clone()], vec![]);
        assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
        assert_eq!(tags(&fixture, "x").await, tags_of_last);
        let restored = favorite(&fixture, "x").await;
        assert_eq!(restored["title"], last["title"].as_s().unwrap().as_str());
        assert_eq!(restored["tagVersion"], if last.contains_key("tagVersion") { 5 } else { 1 });
        assert_eq!(history(&fixture, "x").await, Value::Null);
    }
}

#[tokio::test]
async fn returns_404_if_the_history_is_deleted_concurrently() {
    let fixture = Fixture::new("restore-favorite").await;
    fixture.put(history_of_x(&["songs"])).await;
    fixture.write_concurrently(2, vec![], vec![history_of_x(&[])]);
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 404);
    assert_eq!(favorite(&fixture, "x").await, Value::Null);
    assert_eq!(tags(&fixture, "x").await, [""; 0]);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("restore-favorite").await;
    fixture.inject([Fault::None, Fault::None, Fault::AnswerLost]);
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "old-map")).await.status, 201);
    assert_eq!(fixture.operations()[2..], ["TransactWriteItems"; 2]);
    assert_eq!(favorite(&fixture, "old-map").await["tagCount"], 1);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("restore-favorite").await;
    fixture.inject([
        Fault::None,
        Fault::None,
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("ThrottlingError"),
    ]);
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "old-map")).await.status, 201);
    assert_eq!(fixture.operations()[2..], ["TransactWriteItems"; 3]);
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("restore-favorite").await;
    let before = fixture.all_items().await;
    let refused = Fault::ConditionFailed("TagCount#ada");
    fixture.inject([Fault::None, Fault::None, refused].repeat(MAX_ATTEMPTS));
    let answer = fixture.call(RestoreFavorite::start, post("ada", "old-map")).await;
    assert_eq!((answer.status, &answer.headers["retry-after"]), (503, &"1".parse().unwrap()));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn restores_a_favorite_whose_unclipping_the_first_read_shows_half_done() {
    // The embedded engine has no such state, so the first read comes before the history instead. It
    // finds nothing, or a history that the unclipping replaces and that has expired.
    let mut expired = history_of_x(&[]);
    expired.insert("ttl".to_owned(), N("1".to_owned()));
    for before in [vec![], vec![expired]] {
        let fixture = Fixture::new("restore-favorite").await;
        fixture.put_all(before);
        fixture.write_concurrently(1, vec![history_of_x(&["songs"])], vec![]);
        assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "x")).await.status, 201);
        assert_eq!(
            fixture.operations(),
            ["BatchGetItem", "TransactGetItems", "TransactGetItems", "TransactWriteItems"]
        );
        assert_eq!(tags(&fixture, "x").await, ["songs"]);
    }
}

#[tokio::test]
async fn reads_again_after_a_conflict_with_a_transaction() {
    let fixture = Fixture::new("restore-favorite").await;
    let conflict = Fault::TransactionCanceled("TransactionConflict");
    fixture.inject([Fault::None, conflict, conflict]);
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "nothing")).await.status, 404);
    assert_eq!(fixture.operations()[1..], ["TransactGetItems"; 3]);

    fixture.inject([Fault::None, conflict]);
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "old-map")).await.status, 201);
    assert_eq!(tags(&fixture, "old-map").await, ["travel"]);

    let _ = fixture.operations();
    fixture.inject([&[Fault::None][..], &[conflict; 20]].concat());
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "nothing")).await.status, 503);
    assert_eq!(fixture.operations()[1..], ["TransactGetItems"; transact_get::MAX_ATTEMPTS as usize]);
    fixture.clear_faults();

    fixture.inject([Fault::None, Fault::TransactionCanceled("ValidationError")]);
    assert_eq!(fixture.call(RestoreFavorite::start, post("ada", "nothing")).await.status, 500);
}
