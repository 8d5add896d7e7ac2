use super::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::model::favorites::number;
use shared::values::EpochMillis;
use testing::{Answer, Collection, Fault, Fixture, TestRequest, request};

fn patch(tag_id: &str, name: &str) -> TestRequest {
    request("PATCH", format!("/users/ben/tags/{tag_id}")).by("ben").json(&json!({ "tagName": name }))
}

fn key(tag_id: &str) -> Key {
    Key::tag(&"ben".parse().unwrap(), &tag_id.parse().unwrap())
}

fn name_key(name: &str) -> Key {
    Key::tag_name(&"ben".parse().unwrap(), &name.parse().unwrap())
}

fn name_item(name: &str, tag_id: &str) -> Item {
    tag_name_reservation(&"ben".parse().unwrap(), &name.parse().unwrap(), &tag_id.parse().unwrap())
}

/// A tag of ben's, as "work" is in the cast.
fn tag_item(tag_id: &str, name: &str) -> Item {
    let moment = EpochMillis::from(1_717_201_500_000);
    let tag =
        Tag { tag_id: tag_id.parse().unwrap(), tag_name: name.into(), create_time: moment, last_access_time: moment };
    tag.item(&"ben".parse().unwrap())
}

#[track_caller]
fn renamed(answer: &Answer, name: &str) {
    assert_eq!((answer.status, &answer.body["tagName"]), (200, &json!(name)), "{}", answer.body);
}

#[tokio::test]
async fn renames_the_tag_and_keeps_the_new_name_instead_of_the_old() {
    let fixture = Fixture::new("rename-tag").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(rename_tag).await;
    assert_eq!(answer.status, 200);
    let moment = 1_717_201_500_000_u64;
    assert_eq!(
        answer.body,
        json!({"tagId": "work", "tagName": "Field work", "createTime": moment, "lastAccessTime": moment})
    );

    let tag = json!({
        "pk": "Tag#ben", "sk": "work", "lsiOneSk": "Field work", "lsiTwoSk": moment.to_string(),
        "lsiThreeSk": moment.to_string(), "tagName": "Field work", "createTime": moment, "lastAccessTime": moment,
    });
    expected.insert("Tag#ben work".into(), tag).unwrap();
    expected.remove("TagName#ben work").unwrap();
    let name = json!({"pk": "TagName#ben", "sk": "field work", "tagId": "work"});
    expected.insert("TagName#ben field work".into(), name);
    assert_eq!(fixture.all_items().await, expected, "no favorite has changed, and nobody else's tag");
}

#[tokio::test]
async fn it_is_one_write_however_many_favorites_carry_the_tag() {
    let fixture = Fixture::new("rename-tag").await;
    let mut ben = Collection::of("ben");
    for number in 0..300 {
        let id = format!("f{number}");
        ben.clip(&id, shared::values::DataType::Image, "Owl", 1_717_201_500_000 + number, &["work"]);
    }
    fixture.put_all(ben.into_items());
    let of_favorites = |mut items: std::collections::BTreeMap<String, Value>| {
        items.retain(|key, _| key.starts_with("FavoriteData"));
        items
    };
    let before = of_favorites(fixture.all_items().await);
    renamed(&fixture.call(rename_tag, patch("work", "Owls")).await, "Owls");
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
    assert_eq!(of_favorites(fixture.all_items().await), before);
}

#[tokio::test]
async fn another_form_of_the_name_is_one_update_of_one_item() {
    let fixture = Fixture::new("rename-tag").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call(rename_tag, patch("work", "WORK")).await;
    renamed(&answer, "WORK");
    assert_eq!(answer.body["createTime"], 1_717_201_500_000_u64);
    assert_eq!(fixture.operations(), ["GetItem", "UpdateItem"]);
    let tag = expected.get_mut("Tag#ben work").unwrap();
    (tag["tagName"], tag["lsiOneSk"]) = (json!("WORK"), json!("WORK"));
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_repetition_changes_nothing() {
    let fixture = Fixture::new("rename-tag").await;
    let first = fixture.call(rename_tag, patch("work", "Owls")).await;
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    let second = fixture.call(rename_tag, patch("work", "Owls")).await;
    assert_eq!((second.status, &second.body), (200, &first.body));
    assert_eq!(fixture.operations(), ["GetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_lost_answer_and_a_conflict_are_harmless() {
    for name in ["Owls", "WORK"] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.inject([Fault::None, Fault::AnswerLost]);
        renamed(&fixture.call(rename_tag, patch("work", name)).await, name);
        assert_eq!(fixture.item(key("work")).await["tagName"], name);
        assert_eq!(fixture.item(name_key(name)).await["tagId"], "work");
    }
    let fixture = Fixture::new("rename-tag").await;
    fixture.inject([
        Fault::None,
        Fault::TransactionCanceled(&["TransactionConflict", "None", "None"]),
        Fault::TransactionCanceled(&["None", "None", "TransactionConflict"]),
    ]);
    renamed(&fixture.call(rename_tag, patch("work", "Owls")).await, "Owls");
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "TransactWriteItems", "TransactWriteItems"]);
    fixture.inject([Fault::None, Fault::Error("TransactionConflictException")]);
    renamed(&fixture.call(rename_tag, patch("work", "owls")).await, "owls");
    assert_eq!(fixture.operations(), ["GetItem", "UpdateItem", "UpdateItem"]);
}

#[tokio::test]
async fn a_name_that_another_tag_has_in_any_form_is_a_conflict() {
    let fixture = Fixture::new("rename-tag").await;
    let before = fixture.all_items().await;
    for name in ["Birds", "bIRDS", "Ｂirds"] {
        let answer = fixture.call(rename_tag, patch("work", name)).await;
        assert_eq!((answer.status, &answer.body["detail"]), (409, &json!("There is a tag Birds already.")));
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem"]);
    }
    assert_eq!(fixture.all_items().await, before);
    renamed(&fixture.call(rename_tag, patch("work", "Travel")).await, "Travel");
}

#[tokio::test]
async fn there_is_no_such_tag() {
    let fixture = Fixture::new("rename-tag").await;
    let before = fixture.all_items().await;
    for tag_id in ["travel", "nothing"] {
        let answer = fixture.call(rename_tag, patch(tag_id, "Owls")).await;
        let detail = format!("There is no tag {tag_id}.");
        assert_eq!((answer.status, &answer.body["detail"]), (404, &json!(detail)));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_tag_of_another_program_gets_an_item_for_its_name() {
    let fixture = Fixture::new("rename-tag").await;
    fixture.put_all(vec![tag_item("old", "Waders"), tag_item("odd", " a name\nthat can't be given here ")]);
    for (tag_id, name) in [("old", "Owls"), ("odd", "Hawks")] {
        renamed(&fixture.call(rename_tag, patch(tag_id, name)).await, name);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
        let item = fixture.item(key(tag_id)).await;
        assert_eq!((&item["tagName"], &item["lsiOneSk"]), (&json!(name), &json!(name)));
        assert_eq!(fixture.item(name_key(name)).await["tagId"], tag_id);
    }
}

#[tokio::test]
async fn a_name_that_is_kept_for_another_tag_stays_kept() {
    // Two tags called "Waders", which only another program can bring about.
    for (name, other) in [("Owls", "other"), ("Herons", "gone")] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.put_all(vec![tag_item("old", "waders"), tag_item("other", "Waders"), name_item("Waders", other)]);
        renamed(&fixture.call(rename_tag, patch("old", name)).await, name);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
        assert_eq!(fixture.item(name_key("Waders")).await["tagId"], other);
        assert_eq!(fixture.item(name_key(name)).await["tagId"], "old");
    }
}

#[tokio::test]
async fn a_name_that_no_tag_has_any_more_is_free() {
    // Deleted here just before the answer, deleted by another program, renamed by another program.
    let owls = || tag_item("o", "Owls");
    let kept = || name_item("owls", "o");
    for (left, puts, deletes) in [
        (vec![owls(), kept()], vec![], vec![owls(), kept()]),
        (vec![kept()], vec![], vec![]),
        (vec![kept(), tag_item("o", "Hawks")], vec![], vec![]),
        (vec![kept(), owls()], vec![tag_item("o", " ")], vec![]),
    ] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.put_all(left);
        fixture.write_concurrently(2, puts, deletes);
        renamed(&fixture.call(rename_tag, patch("work", "OWLS")).await, "OWLS");
        let asked = ["GetItem", "TransactWriteItems", "GetItem", "GetItem", "TransactWriteItems"];
        assert_eq!(fixture.operations(), asked);
        assert_eq!(fixture.item(name_key("Owls")).await["tagId"], "work");
        assert!(fixture.item(name_key("work")).await.is_null());
    }
}

#[tokio::test]
async fn a_name_that_another_tag_takes_meanwhile_is_taken() {
    // After the tag is read; and after the one that the item named is found gone.
    for (kept, requests) in [(vec![], 1), (vec![name_item("Owls", "gone")], 4)] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.put_all(kept);
        fixture.write_concurrently(requests, vec![tag_item("o", "owls"), name_item("owls", "o")], vec![]);
        let answer = fixture.call(rename_tag, patch("work", "Owls")).await;
        assert_eq!((answer.status, &answer.body["detail"]), (409, &json!("There is a tag owls already.")));
        assert_eq!(fixture.item(key("work")).await["tagName"], "work");
        assert_eq!(fixture.item(name_key("work")).await["tagId"], "work");
        assert_eq!(fixture.item(name_key("Owls")).await["tagId"], "o");
    }
}

#[tokio::test]
async fn what_is_renamed_meanwhile_is_renamed_again_and_leaves_no_name_behind() {
    for (name, write) in [("Owls", "TransactWriteItems"), ("WORK", "UpdateItem")] {
        let fixture = Fixture::new("rename-tag").await;
        let theirs = vec![tag_item("work", "Hawks"), name_item("Hawks", "work")];
        fixture.write_concurrently(1, theirs, vec![name_item("work", "work")]);
        renamed(&fixture.call(rename_tag, patch("work", name)).await, name);
        assert_eq!(fixture.operations(), ["GetItem", write, "GetItem", "TransactWriteItems"]);
        let mut names = fixture.all_items().await;
        names.retain(|key, item| key.starts_with("TagName#ben") && item["tagId"] == "work");
        let names: Vec<&Value> = names.values().map(|item| &item["sk"]).collect();
        assert_eq!(names, [&name.to_lowercase()]);
    }
}

#[tokio::test]
async fn a_name_that_was_anothers_says_nothing_of_the_next() {
    // The item of the old name is another tag's; then the tag gets a name whose item is its own.
    let fixture = Fixture::new("rename-tag").await;
    fixture.put_all(vec![tag_item("old", "waders"), tag_item("other", "Waders"), name_item("Waders", "other")]);
    fixture.write_concurrently(2, vec![tag_item("old", "Hawks"), name_item("Hawks", "old")], vec![]);
    renamed(&fixture.call(rename_tag, patch("old", "Owls")).await, "Owls");
    assert!(fixture.item(name_key("Hawks")).await.is_null());
    assert_eq!(fixture.item(name_key("Waders")).await["tagId"], "other");
}

#[tokio::test]
async fn what_is_deleted_meanwhile_does_not_come_back() {
    for name in ["Owls", "WORK"] {
        let fixture = Fixture::new("rename-tag").await;
        let gone = vec![tag_item("work", "work"), name_item("work", "work")];
        fixture.write_concurrently(1, vec![], gone);
        assert_eq!(fixture.call(rename_tag, patch("work", name)).await.status, 404);
        assert!(fixture.item(key("work")).await.is_null());
        assert!(fixture.item(name_key(name)).await.is_null());
    }
}

#[tokio::test]
async fn a_use_meanwhile_is_kept() {
    for name in ["Owls", "WORK"] {
        let fixture = Fixture::new("rename-tag").await;
        let now = EpochMillis::from(1_800_000_000_000);
        let mut used = tag_item("work", "work");
        used.extend([("lastAccessTime".into(), number(now)), ("lsiThreeSk".into(), S(now.to_string()))]);
        fixture.write_concurrently(1, vec![used], vec![]);
        renamed(&fixture.call(rename_tag, patch("work", name)).await, name);
        let item = fixture.item(key("work")).await;
        assert_eq!((&item["lastAccessTime"], &item["lsiThreeSk"]), (&json!(now), &json!("1800000000000")));
    }
}

#[tokio::test]
async fn it_gives_up_where_others_never_rest() {
    let fixture = Fixture::new("rename-tag").await;
    let refused = Fault::TransactionCanceled(&["ConditionalCheckFailed", "None", "None"]);
    fixture.inject([Fault::None, refused].into_iter().cycle().take(100));
    assert_eq!(fixture.call(rename_tag, patch("work", "Owls")).await.status, 503);
    assert_eq!(fixture.operations().len(), 2 * MAX_ATTEMPTS);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("rename-tag").await;
    fixture.needs_a_caller(rename_tag, patch("work", "Owls")).await;
    fixture.refuses_other_users(rename_tag, patch("work", "Owls")).await;
    let body = json!({"tagName": "Owls"});
    fixture
        .refuses_bad_usernames(rename_tag, "username", |name| {
            request("PATCH", format!("/users/{name}/tags/work")).json(&body)
        })
        .await;
    fixture
        .refuses_bad_ids(rename_tag, "tagId", |id| request("PATCH", format!("/users/ben/tags/{id}")).json(&body))
        .await;
    let own = request("PATCH", "/users/ben/tags/work").by("ben");
    fixture.refuses_bad_bodies(rename_tag, own.clone()).await;
    fixture.refuses_field(rename_tag, own.clone(), "tagName").await;
    for bad in [
        json!(""),
        json!(" "),
        json!(" Owls"),
        json!("Owls "),
        json!("a\nb"),
        json!("a\u{0}"),
        json!("\u{ad}"),
        json!("ü".repeat(65)),
        json!("\u{fdfa}".repeat(64)),
        json!(7),
        json!(["Owls"]),
        Value::Null,
    ] {
        fixture.refuses_field(rename_tag, own.clone().json(&json!({ "tagName": bad })), "tagName").await;
    }
    let ours = own.json(&json!({"tagName": "Owls", "createTime": 0}));
    fixture.refuses_field(rename_tag, ours, "createTime").await;
}

#[tokio::test]
async fn takes_as_much_as_the_rules_allow() {
    let fixture = Fixture::new("rename-tag").await;
    let name = "😀".repeat(64);
    let body = json!({ "tagName": name }).to_string();
    let request = request("PATCH", "/users/ben/tags/work").by("ben").body("application/merge-patch+json", body);
    renamed(&fixture.call(rename_tag, request).await, &name);
}
