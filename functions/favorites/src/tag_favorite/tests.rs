use super::*;
use aws_sdk_dynamodb::types::Delete;
use serde_json::json;
use shared::dynamodb::counter::{self, Decrement};
use shared::runtime::route::Service;
use shared::values::DataType;
use testing::{Collection, Fault, Fixture, TestRequest, request};

fn tag(data_id: &str, tag_id: &str) -> TestRequest {
    request("PUT", format!("/users/ben/favorites/{data_id}/tags/{tag_id}")).by("ben")
}

fn favorite(data_id: &str) -> Key {
    Key::favorite(&"ben".parse().unwrap(), &data_id.parse().unwrap())
}

fn entry(data_id: &str, tag_id: &str) -> Key {
    Key::favorite_tag(&"ben".parse().unwrap(), &data_id.parse().unwrap(), &tag_id.parse().unwrap())
}

/// Ben's note "n" with the tags `t0`, `t1` and so on, and the tags `new` and `newer`, which are not
/// on the note.
fn note(clip_time: u64, tags: usize) -> Collection {
    let mut ben = Collection::new("ben");
    ben.tag("new", "New", 1_700_000_000_000, 1_700_000_000_000);
    ben.tag("newer", "Newer", 1_700_000_000_000, 1_700_000_000_000);
    let ids: Vec<String> = (0..tags).map(|tag| format!("t{tag}")).collect();
    for id in &ids {
        ben.tag(id, id, 1_700_000_000_000, 1_700_000_000_000);
    }
    ben.clip("n", DataType::Note, "Note", clip_time, &ids.iter().map(String::as_str).collect::<Vec<_>>());
    ben
}

/// Returns the item at this key, if it is among `items`.
fn item_at(items: Vec<Item>, key: Key) -> Vec<Item> {
    let key = Item::from(key);
    items.into_iter().filter(|item| key.iter().all(|(name, value)| item.get(name) == Some(value))).collect()
}

#[tokio::test]
async fn puts_the_tag_on_the_favorite_and_counts_it() {
    let fixture = Fixture::new("tag-favorite").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(TagFavorite::start).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert!(!answer.headers.contains_key("location"), "no GET returns it");
    assert_eq!(
        answer.body,
        json!({"dataId": "dinner", "tagId": "family", "dataType": "chat", "clipTime": "2024-06-01T10:00:00.000Z"})
    );
    let favorite = expected.get_mut("FavoriteData#ada dinner").unwrap();
    (favorite["tagCount"], favorite["tagVersion"]) = (json!(1), json!(1));
    favorite["tagIds"] = json!(["family"]);
    expected.insert(
        "FavoriteDataTag#ada#dinner family".to_owned(),
        json!({
            "pk": "FavoriteDataTag#ada#dinner", "sk": "family",
            "gsiOnePk": "FavoriteDataTag#ada#family", "gsiOneSk": "1717236000000#dinner",
            "gsiTwoPk": "FavoriteDataTag#ada#family#chat", "gsiTwoSk": "1717236000000#dinner",
            "dataType": "CHAT", "clipTime": "1717236000000",
        }),
    );
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let fixture = Fixture::new("tag-favorite").await;
    let first = fixture.call(TagFavorite::start, tag("heron", "later")).await;
    let before = fixture.all_items().await;
    let second = fixture.call(TagFavorite::start, tag("heron", "later")).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body, second.body);
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.item(favorite("heron")).await["tagCount"], 2);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_counts_once() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.inject([Fault::None, Fault::AnswerLost]);
    let answer = fixture.call(TagFavorite::start, tag("heron", "later")).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "TransactWriteItems"]);
    assert_eq!(fixture.item(favorite("heron")).await["tagCount"], 2);
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.inject([
        Fault::None,
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("TransactionConflict"),
    ]);
    assert_eq!(fixture.call(TagFavorite::start, tag("heron", "later")).await.status, 201);
    assert_eq!(fixture.operations()[1..], ["TransactWriteItems"; 3]);
    assert_eq!(fixture.item(favorite("heron")).await["tagCount"], 2);
}

#[tokio::test]
async fn returns_404_for_an_unknown_favorite_or_tag() {
    let fixture = Fixture::new("tag-favorite").await;
    let before = fixture.all_items().await;
    for (data_id, tag_id, detail) in [
        ("nothing", "birds", "There is no favorite nothing."),
        ("heron", "nothing", "There is no tag nothing."),
        ("nothing", "nothing", "There is no favorite nothing."),
        // These belong to ada.
        ("sunset", "birds", "There is no favorite sunset."),
        ("heron", "travel", "There is no tag travel."),
    ] {
        let answer = fixture.call(TagFavorite::start, tag(data_id, tag_id)).await;
        assert_eq!((answer.status, answer.body["hint"].as_str()), (404, Some(detail)));
    }
    // Only the history of this favorite exists.
    let old_map = request("PUT", "/users/ada/favorites/old-map/tags/family").by("ada");
    assert_eq!(fixture.call(TagFavorite::start, old_map).await.status, 404);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn returns_404_for_a_deleted_tag_whose_entry_remains() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.delete(Key::tag(&"ben".parse().unwrap(), &"birds".parse().unwrap())).await;
    let before = fixture.all_items().await;
    let answer = fixture.call(TagFavorite::start, tag("heron", "birds")).await;
    assert_eq!((answer.status, answer.body["hint"].as_str()), (404, Some("There is no tag birds.")));
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn initialises_the_count_of_a_favorite_of_another_program_once() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.put_all(note(1_600_000_000_000, 3).into_foreign_items());
    let again = fixture.call(TagFavorite::start, tag("n", "t1")).await;
    assert_eq!(
        (again.status, again.body),
        (200, json!({"dataId": "n", "tagId": "t1", "dataType": "note", "clipTime": "2020-09-13T12:26:40.000Z"}))
    );
    assert_eq!(fixture.item(favorite("n")).await["tagCount"], json!(null));

    let _ = fixture.operations();
    assert_eq!(fixture.call(TagFavorite::start, tag("n", "new")).await.status, 201);
    assert_eq!(fixture.operations(), ["GetItem", "Query", "TransactWriteItems"]);
    let counted = fixture.item(favorite("n")).await;
    assert_eq!((&counted["tagCount"], &counted["tagIds"]), (&json!(4), &json!(["new", "t0", "t1", "t2"])));
    assert_eq!(fixture.item(entry("n", "new")).await["gsiOneSk"], "1600000000000#n");

    assert_eq!(fixture.call(TagFavorite::start, tag("n", "newer")).await.status, 201);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
    let favorite = fixture.item(favorite("n")).await;
    assert_eq!((&favorite["tagCount"], &favorite["tagVersion"]), (&json!(5), &json!(2)));
    assert_eq!(favorite["tagIds"], json!(["new", "newer", "t0", "t1", "t2"]));
}

#[tokio::test]
async fn counts_every_page_of_the_entries_of_another_program() {
    let fixture = Fixture::new("tag-favorite").await;
    let mut items = note(1_600_000_000_000, 20).into_foreign_items();
    for item in items.iter_mut().filter(|item| item["pk"].as_s().unwrap().starts_with("FavoriteDataTag#")) {
        item.insert("note".to_owned(), S("x".repeat(100_000)));
    }
    fixture.put_all(items);
    assert_eq!(fixture.call(TagFavorite::start, tag("n", "new")).await.status, 201);
    assert_eq!(fixture.operations(), ["GetItem", "Query", "Query", "TransactWriteItems"]);
    assert_eq!(fixture.item(favorite("n")).await["tagCount"], 21);
}

/// The tag "new" is put on a favorite without a count, by three requests, and one of its tags is
/// taken off, by two requests or more. There are ten orders of these five requests.
#[tokio::test]
async fn counts_the_entries_that_are_left_if_another_tag_is_taken_off_concurrently() {
    for (first, second) in (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second))) {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(note(1_600_000_000_000, 3).into_foreign_items());
        let (process, mut gate) = fixture.gated_process();
        // A gate knows by the end of its process that there is no further request.
        let tags = async {
            let process = process;
            let service = Service::<TagFavorite>::start(&process).unwrap();
            fixture.send(&service, tag("n", "new")).await
        };
        let (process, mut gate_of_untag) = fixture.gated_process();
        let table = process.table("TABLE_NAME").unwrap();
        drop(process);
        let untags = async {
            let delete = Delete::builder().table_name(&table.name).set_key(Some(entry("n", "t1").into()));
            let delete = delete.condition_expression("attribute_exists(pk)").build().unwrap();
            let (ben, note) = ("ben".parse().unwrap(), "n".parse().unwrap());
            let decrement =
                Decrement::new(&table.name, Key::favorite(&ben, &note), "tagCount").with_member("tagIds", "t1");
            // This is what untag-favorite does.
            let Table { client, .. } = table;
            counter::delete_and_decrement(&client, vec![(delete, vec![decrement])], None).await
        };
        let order = async {
            for turn in 0..5 {
                if [first, second].contains(&turn) { gate_of_untag.serve().await } else { gate.serve().await }
            }
            gate.open();
            gate_of_untag.open();
        };
        let (answer, outcome, ()) = tokio::join!(tags, untags, order);
        assert_eq!((answer.status, outcome.is_ok()), (201, true), "untag-favorite has turns {first} and {second}");
        let note = fixture.item(favorite("n")).await;
        assert_eq!(note["tagCount"], 3, "untag-favorite has turns {first} and {second}");
        assert_eq!(note["tagIds"], json!(["new", "t0", "t2"]), "untag-favorite has turns {first} and {second}");
        for (tag_id, is_left) in [("t0", true), ("t1", false), ("t2", true), ("new", true)] {
            assert_eq!(fixture.item(entry("n", tag_id)).await.is_object(), is_left, "{tag_id}");
        }
    }
}

#[tokio::test]
async fn counts_its_own_entry_once_if_that_is_taken_off_a_favorite_without_a_count_concurrently() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.put_all(note(1_600_000_000_000, 3).into_foreign_items());
    fixture.write_concurrently(2, vec![], vec![entry("n", "t1").into()]);
    assert_eq!(fixture.call(TagFavorite::start, tag("n", "t1")).await.status, 201);
    let note = fixture.item(favorite("n")).await;
    assert_eq!((&note["tagCount"], &note["tagIds"]), (&json!(3), &json!(["t0", "t1", "t2"])));
}

#[tokio::test]
async fn accepts_the_forms_of_time_that_another_program_wrote() {
    let fixture = Fixture::new("tag-favorite").await;
    for time in [N("1600000000000".to_owned()), S("99".to_owned())] {
        let mut items = note(1_600_000_000_000, 0).into_foreign_items();
        for item in &mut items {
            item.entry("clipTime".to_owned()).and_modify(|clip_time| *clip_time = time.clone());
        }
        fixture.put_all(items);
        fixture.delete(entry("n", "new")).await;
        assert_eq!(fixture.call(TagFavorite::start, tag("n", "new")).await.status, 201, "{time:?}");
    }
    assert_eq!(fixture.item(entry("n", "new")).await["gsiOneSk"], "0000000000099#n");
}

#[tokio::test]
async fn a_favorite_can_have_50_tags_and_no_more() {
    for into_items in [Collection::into_items, Collection::into_foreign_items] {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(into_items(note(1_600_000_000_000, 49)));
        assert_eq!(fixture.call(TagFavorite::start, tag("n", "new")).await.status, 201);
        assert_eq!(fixture.item(favorite("n")).await["tagCount"], 50);

        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(into_items(note(1_600_000_000_000, 50)));
        let before = fixture.all_items().await;
        let answer = fixture.call(TagFavorite::start, tag("n", "new")).await;
        assert_eq!(
            (answer.problem(), answer.body["detail"].as_str()),
            ("too-many-tags-on-favorite", Some("This favorite has the maximum of 50 tags. Remove a tag first."))
        );
        // The answers about a tag that it has, and about an unknown tag, stay the same.
        assert_eq!(fixture.call(TagFavorite::start, tag("n", "t7")).await.status, 200);
        assert_eq!(fixture.call(TagFavorite::start, tag("n", "nothing")).await.status, 404);
        assert_eq!(fixture.all_items().await, before);
    }
}

#[tokio::test]
async fn returns_404_for_a_favorite_that_is_deleted_concurrently() {
    for into_items in [Collection::into_items, Collection::into_foreign_items] {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(into_items(note(1_600_000_000_000, 0)));
        fixture.write_concurrently(1, vec![], vec![favorite("n").into()]);
        let answer = fixture.call(TagFavorite::start, tag("n", "new")).await;
        assert_eq!((answer.status, answer.body["hint"].as_str()), (404, Some("There is no favorite n.")));
        assert_eq!(fixture.item(entry("n", "new")).await, json!(null));
        assert_eq!(fixture.item(favorite("n")).await, json!(null));
    }
}

#[tokio::test]
async fn tags_a_favorite_at_the_new_position_if_it_is_clipped_again_concurrently() {
    for into_items in [Collection::into_items, Collection::into_foreign_items] {
        let fixture = Fixture::new("tag-favorite").await;
        fixture.put_all(into_items(note(1_600_000_000_000, 0)));
        let clipped_again = item_at(into_items(note(1_700_000_000_000, 0)), favorite("n"));
        fixture.write_concurrently(1, clipped_again, vec![]);
        let answer = fixture.call(TagFavorite::start, tag("n", "new")).await;
        assert_eq!((answer.status, &answer.body["clipTime"]), (201, &json!("2023-11-14T22:13:20.000Z")));
        assert_eq!(fixture.item(entry("n", "new")).await["gsiTwoSk"], "1700000000000#n");
        assert_eq!(fixture.item(favorite("n")).await["tagCount"], 1);
    }
}

#[tokio::test]
async fn returns_409_if_the_50th_tag_is_put_on_concurrently() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.put_all(note(1_600_000_000_000, 49).into_items());
    fixture.write_concurrently(1, note(1_600_000_000_000, 50).into_items(), vec![]);
    assert_eq!(fixture.call(TagFavorite::start, tag("n", "new")).await.status, 409);
    assert_eq!(fixture.item(entry("n", "new")).await, json!(null));
    assert_eq!(fixture.item(favorite("n")).await["tagCount"], 50);
}

#[tokio::test]
async fn adds_to_a_count_that_is_initialised_concurrently() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.put_all(note(1_600_000_000_000, 3).into_foreign_items());
    fixture.write_concurrently(2, note(1_600_000_000_000, 4).into_items(), vec![]);
    assert_eq!(fixture.call(TagFavorite::start, tag("n", "new")).await.status, 201);
    assert_eq!(fixture.item(favorite("n")).await["tagCount"], 5);
}

#[tokio::test]
async fn returns_200_if_the_same_tag_is_put_on_concurrently() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.put_all(note(1_600_000_000_000, 0).into_items());
    let mut ben = Collection::new("ben");
    ben.clip("n", DataType::Note, "Note", 1_600_000_000_000, &["new"]);
    fixture.write_concurrently(1, ben.into_items(), vec![]);
    assert_eq!(fixture.call(TagFavorite::start, tag("n", "new")).await.status, 200);
    assert_eq!(fixture.item(favorite("n")).await["tagCount"], 1);
}

#[tokio::test]
async fn returns_404_if_the_tag_is_deleted_concurrently() {
    let fixture = Fixture::new("tag-favorite").await;
    let birds = Key::tag(&"ben".parse().unwrap(), &"birds".parse().unwrap());
    fixture.write_concurrently(1, vec![], vec![birds.into()]);
    let answer = fixture.call(TagFavorite::start, tag("tokyo", "birds")).await;
    assert_eq!((answer.status, answer.body["hint"].as_str()), (404, Some("There is no tag birds.")));
    assert_eq!(fixture.item(favorite("tokyo")).await["tagCount"], 1);
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("tag-favorite").await;
    let condition_failed = Fault::ConditionFailed("Update FavoriteData#ben heron");
    fixture.inject([Fault::None, condition_failed].into_iter().cycle().take(100));
    let answer = fixture.call(TagFavorite::start, tag("heron", "later")).await;
    assert_eq!((answer.status, &answer.headers["retry-after"]), (503, &"1".parse().unwrap()));
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"].repeat(MAX_ATTEMPTS));
    assert_eq!(fixture.item(favorite("heron")).await["tagCount"], 1);
    assert_eq!(fixture.item(entry("heron", "later")).await, json!(null));
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture.needs_a_caller(TagFavorite::start, tag("heron", "later")).await;
    fixture.refuses_other_users(TagFavorite::start, tag("heron", "later")).await;
    fixture.refuses_other_accounts(TagFavorite::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("tag-favorite").await;
    fixture
        .refuses_bad_usernames(TagFavorite::start, "username", |name| {
            request("PUT", format!("/users/{name}/favorites/heron/tags/later"))
        })
        .await;
    fixture.refuses_bad_ids(TagFavorite::start, "dataId", |id| tag(id, "later")).await;
    fixture.refuses_bad_ids(TagFavorite::start, "tagId", |id| tag("heron", id)).await;
}
