use super::*;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::attributes::number;
use shared::values::EpochMillis;
use testing::{Answer, Collection, Fault, Fixture, TestRequest, request};

fn patch(tag_id: &str, name: &str) -> TestRequest {
    request("PATCH", format!("/users/ben/tags/{tag_id}")).by("ben").json(&json!({ "tagName": name }))
}

fn key(tag_id: &str) -> Key {
    Key::tag(&"ben".parse().unwrap(), &tag_id.parse().unwrap())
}

fn reservation_key(name: &str) -> Key {
    Key::tag_name_reservation(&"ben".parse().unwrap(), &name.parse().unwrap())
}

fn reservation(name: &str, tag_id: &str) -> Item {
    tag_name_reservation(&"ben".parse().unwrap(), &name.parse().unwrap(), &tag_id.parse().unwrap())
}

/// One of ben's tags, with the times that the tag "work" has in the seed data.
fn tag_item(tag_id: &str, name: &str) -> Item {
    let moment = EpochMillis::from(1_717_201_500_000);
    let tag =
        Tag { tag_id: tag_id.parse().unwrap(), tag_name: name.into(), create_time: moment, last_access_time: moment };
    tag.item(&"ben".parse().unwrap())
}

#[track_caller]
fn assert_renamed(answer: &Answer, name: &str) {
    assert_eq!((answer.status, &answer.body["tagName"]), (200, &json!(name)), "{}", answer.body);
}

#[tokio::test]
async fn renames_the_tag_and_moves_its_reservation() {
    let fixture = Fixture::new("rename-tag").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(RenameTag::start).await;
    assert_eq!(answer.status, 200);
    let time = "2024-06-01T00:25:00.000Z";
    assert_eq!(
        answer.body,
        json!({"tagId": "work", "tagName": "Field work", "createTime": time, "lastAccessTime": time})
    );
    let moment = 1_717_201_500_000_u64;

    let tag = json!({
        "pk": "Tag#ben", "sk": "work", "lsiOneSk": "Field work", "lsiTwoSk": moment.to_string(),
        "lsiThreeSk": moment.to_string(), "tagName": "Field work", "createTime": moment, "lastAccessTime": moment,
    });
    expected.insert("Tag#ben work".into(), tag).unwrap();
    expected.remove("TagName#ben work").unwrap();
    let reservation = json!({"pk": "TagName#ben", "sk": "field work", "tagId": "work"});
    expected.insert("TagName#ben field work".into(), reservation);
    assert_eq!(fixture.all_items().await, expected, "no favorite and no other user's tag changes");
}

#[tokio::test]
async fn writes_once_for_a_tag_on_300_favorites() {
    let fixture = Fixture::new("rename-tag").await;
    let mut ben = Collection::new("ben");
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
    assert_renamed(&fixture.call(RenameTag::start, patch("work", "Owls")).await, "Owls");
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
    assert_eq!(of_favorites(fixture.all_items().await), before);
}

#[tokio::test]
async fn changes_the_form_of_a_name_without_a_new_reservation() {
    let fixture = Fixture::new("rename-tag").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call(RenameTag::start, patch("work", "WORK")).await;
    assert_renamed(&answer, "WORK");
    assert_eq!(answer.body["createTime"], "2024-06-01T00:25:00.000Z");
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
    let tag = expected.get_mut("Tag#ben work").unwrap();
    (tag["tagName"], tag["lsiOneSk"]) = (json!("WORK"), json!("WORK"));
    assert_eq!(fixture.all_items().await, expected);
}

#[tokio::test]
async fn a_repeated_request_changes_nothing() {
    let fixture = Fixture::new("rename-tag").await;
    let first = fixture.call(RenameTag::start, patch("work", "Owls")).await;
    let before = fixture.all_items().await;
    let _ = fixture.operations();
    let second = fixture.call(RenameTag::start, patch("work", "Owls")).await;
    assert_eq!((second.status, &second.body), (200, &first.body));
    assert_eq!(fixture.operations(), ["GetItem"]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn retries_after_a_lost_answer_and_after_a_conflict() {
    for name in ["Owls", "WORK"] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.inject([Fault::None, Fault::AnswerLost]);
        assert_renamed(&fixture.call(RenameTag::start, patch("work", name)).await, name);
        assert_eq!(fixture.item(key("work")).await["tagName"], name);
        assert_eq!(fixture.item(reservation_key(name)).await["tagId"], "work");
    }
    let fixture = Fixture::new("rename-tag").await;
    fixture.inject([
        Fault::None,
        Fault::TransactionCanceled("TransactionConflict"),
        Fault::TransactionCanceled("TransactionConflict"),
    ]);
    assert_renamed(&fixture.call(RenameTag::start, patch("work", "Owls")).await, "Owls");
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "TransactWriteItems", "TransactWriteItems"]);
    fixture.inject([Fault::None, Fault::TransactionCanceled("TransactionConflict")]);
    assert_renamed(&fixture.call(RenameTag::start, patch("work", "owls")).await, "owls");
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "TransactWriteItems"]);
}

#[tokio::test]
async fn returns_409_for_any_form_of_the_name_of_another_tag() {
    let fixture = Fixture::new("rename-tag").await;
    let before = fixture.all_items().await;
    for name in ["Birds", "bIRDS", "Ｂirds"] {
        let answer = fixture.call(RenameTag::start, patch("work", name)).await;
        let detail = "Your tag Birds has this name already. Choose another name.";
        assert_eq!((answer.problem(), &answer.body["detail"]), ("tag-name-taken", &json!(detail)));
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem"]);
    }
    assert_eq!(fixture.all_items().await, before);
    assert_renamed(&fixture.call(RenameTag::start, patch("work", "Travel")).await, "Travel");
}

#[tokio::test]
async fn returns_404_for_an_unknown_tag() {
    let fixture = Fixture::new("rename-tag").await;
    let before = fixture.all_items().await;
    for tag_id in ["travel", "nothing"] {
        let answer = fixture.call(RenameTag::start, patch(tag_id, "Owls")).await;
        let detail = format!("There is no tag {tag_id}.");
        assert_eq!((answer.status, &answer.body["hint"]), (404, &json!(detail)));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn renames_a_tag_of_another_program_and_reserves_its_name() {
    let fixture = Fixture::new("rename-tag").await;
    fixture.put_all(vec![tag_item("old", "Waders"), tag_item("odd", " a name\nthat is invalid here ")]);
    for (tag_id, name) in [("old", "Owls"), ("odd", "Hawks")] {
        assert_renamed(&fixture.call(RenameTag::start, patch(tag_id, name)).await, name);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
        let item = fixture.item(key(tag_id)).await;
        assert_eq!((&item["tagName"], &item["lsiOneSk"]), (&json!(name), &json!(name)));
        assert_eq!(fixture.item(reservation_key(name)).await["tagId"], tag_id);
    }
}

#[tokio::test]
async fn keeps_an_old_name_that_is_reserved_for_another_tag() {
    // Only another program can give the name "Waders" to two tags.
    for (name, other) in [("Owls", "other"), ("Herons", "deleted")] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.put_all(vec![tag_item("old", "waders"), tag_item("other", "Waders"), reservation("Waders", other)]);
        assert_renamed(&fixture.call(RenameTag::start, patch("old", name)).await, name);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
        assert_eq!(fixture.item(reservation_key("Waders")).await["tagId"], other);
        assert_eq!(fixture.item(reservation_key(name)).await["tagId"], "old");
    }
}

#[tokio::test]
async fn replaces_a_reservation_that_no_tag_holds() {
    // The tag is deleted here concurrently, was deleted by another program, was renamed by another
    // program, or is renamed by another program concurrently.
    let owls = || tag_item("o", "Owls");
    let reserved = || reservation("owls", "o");
    for (initial, puts, deletes) in [
        (vec![owls(), reserved()], vec![], vec![owls(), reserved()]),
        (vec![reserved()], vec![], vec![]),
        (vec![reserved(), tag_item("o", "Hawks")], vec![], vec![]),
        (vec![reserved(), owls()], vec![tag_item("o", " ")], vec![]),
    ] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.put_all(initial);
        fixture.write_concurrently(2, puts, deletes);
        assert_renamed(&fixture.call(RenameTag::start, patch("work", "OWLS")).await, "OWLS");
        let operations = ["GetItem", "TransactWriteItems", "GetItem", "GetItem", "TransactWriteItems"];
        assert_eq!(fixture.operations(), operations);
        assert_eq!(fixture.item(reservation_key("Owls")).await["tagId"], "work");
        assert!(fixture.item(reservation_key("work")).await.is_null());
    }
}

#[tokio::test]
async fn does_not_replace_a_reservation_whose_tag_takes_the_name_back() {
    // The tag has another name, or does not exist, when it is read. Then it is renamed back, or
    // another program puts it back. Its reservation is the same before and after.
    for before in [vec![tag_item("o", "Hawks")], vec![]] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.put_all([&before[..], &[reservation("Owls", "o")]].concat());
        fixture.write_concurrently(4, vec![tag_item("o", "OWLS")], vec![]);
        let answer = fixture.call(RenameTag::start, patch("work", "Owls")).await;
        let detail = "Your tag OWLS has this name already. Choose another name.";
        assert_eq!((answer.problem(), &answer.body["detail"]), ("tag-name-taken", &json!(detail)));
        assert_eq!(fixture.item(key("work")).await["tagName"], "work");
        assert_eq!(fixture.item(reservation_key("Owls")).await["tagId"], "o");
    }
}

#[tokio::test]
async fn replaces_a_stale_reservation_of_its_own() {
    let fixture = Fixture::new("rename-tag").await;
    fixture.put(reservation("Owls", "work")).await;
    assert_renamed(&fixture.call(RenameTag::start, patch("work", "Owls")).await, "Owls");
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
}

#[tokio::test]
async fn releases_an_old_name_whose_reservation_passes_to_the_tag_concurrently() {
    let fixture = Fixture::new("rename-tag").await;
    fixture.put_all(vec![tag_item("old", "waders"), reservation("Waders", "other")]);
    fixture.write_concurrently(3, vec![reservation("Waders", "old")], vec![]);
    assert_renamed(&fixture.call(RenameTag::start, patch("old", "Owls")).await, "Owls");
    assert!(fixture.item(reservation_key("Waders")).await.is_null());
}

#[tokio::test]
async fn renames_a_tag_with_an_invalid_name_to_one_with_a_stale_reservation() {
    let fixture = Fixture::new("rename-tag").await;
    fixture.put_all(vec![tag_item("odd", " invalid\nhere "), tag_item("o", "Hawks"), reservation("Owls", "o")]);
    fixture.write_concurrently(4, vec![tag_item("o", "Eagles")], vec![]);
    assert_renamed(&fixture.call(RenameTag::start, patch("odd", "Owls")).await, "Owls");
    assert_eq!(fixture.item(reservation_key("Owls")).await["tagId"], "odd");
}

#[tokio::test]
async fn returns_409_for_a_name_that_is_reserved_concurrently() {
    // The name is reserved after the tag is read, or after a stale reservation is found.
    for (initial, requests) in [(vec![], 1), (vec![reservation("Owls", "deleted")], 4)] {
        let fixture = Fixture::new("rename-tag").await;
        fixture.put_all(initial);
        fixture.write_concurrently(requests, vec![tag_item("o", "owls"), reservation("owls", "o")], vec![]);
        let answer = fixture.call(RenameTag::start, patch("work", "Owls")).await;
        let detail = "Your tag owls has this name already. Choose another name.";
        assert_eq!((answer.problem(), &answer.body["detail"]), ("tag-name-taken", &json!(detail)));
        assert_eq!(fixture.item(key("work")).await["tagName"], "work");
        assert_eq!(fixture.item(reservation_key("work")).await["tagId"], "work");
        assert_eq!(fixture.item(reservation_key("Owls")).await["tagId"], "o");
    }
}

#[tokio::test]
async fn a_concurrent_rename_leaves_no_reservation_behind() {
    for name in ["Owls", "WORK"] {
        let fixture = Fixture::new("rename-tag").await;
        let concurrent = vec![tag_item("work", "Hawks"), reservation("Hawks", "work")];
        fixture.write_concurrently(1, concurrent, vec![reservation("work", "work")]);
        assert_renamed(&fixture.call(RenameTag::start, patch("work", name)).await, name);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem", "TransactWriteItems"]);
        let mut reservations = fixture.all_items().await;
        reservations.retain(|key, item| key.starts_with("TagName#ben") && item["tagId"] == "work");
        let names: Vec<&Value> = reservations.values().map(|item| &item["sk"]).collect();
        assert_eq!(names, [&name.to_lowercase()]);
    }
}

#[tokio::test]
async fn a_concurrent_rename_releases_the_name_that_the_tag_has_then() {
    // The first name is reserved for another tag. Then the tag gets a name that is reserved for
    // itself.
    let fixture = Fixture::new("rename-tag").await;
    fixture.put_all(vec![tag_item("old", "waders"), tag_item("other", "Waders"), reservation("Waders", "other")]);
    fixture.write_concurrently(2, vec![tag_item("old", "Hawks"), reservation("Hawks", "old")], vec![]);
    assert_renamed(&fixture.call(RenameTag::start, patch("old", "Owls")).await, "Owls");
    assert!(fixture.item(reservation_key("Hawks")).await.is_null());
    assert_eq!(fixture.item(reservation_key("Waders")).await["tagId"], "other");
}

#[tokio::test]
async fn does_not_restore_a_tag_that_is_deleted_concurrently() {
    for name in ["Owls", "WORK"] {
        let fixture = Fixture::new("rename-tag").await;
        let deleted = vec![tag_item("work", "work"), reservation("work", "work")];
        fixture.write_concurrently(1, vec![], deleted);
        assert_eq!(fixture.call(RenameTag::start, patch("work", name)).await.status, 404);
        assert!(fixture.item(key("work")).await.is_null());
        assert!(fixture.item(reservation_key(name)).await.is_null());
    }
}

#[tokio::test]
async fn keeps_the_time_of_a_concurrent_use() {
    for name in ["Owls", "WORK"] {
        let fixture = Fixture::new("rename-tag").await;
        let now = EpochMillis::from(1_800_000_000_000);
        let mut used = tag_item("work", "work");
        used.extend([("lastAccessTime".into(), number(now)), ("lsiThreeSk".into(), S(now.to_string()))]);
        fixture.write_concurrently(1, vec![used], vec![]);
        assert_renamed(&fixture.call(RenameTag::start, patch("work", name)).await, name);
        let item = fixture.item(key("work")).await;
        assert_eq!((&item["lastAccessTime"], &item["lsiThreeSk"]), (&json!(u64::from(now)), &json!("1800000000000")));
    }
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("rename-tag").await;
    let condition_failed = Fault::ConditionFailed("Update Tag#ben work");
    fixture.inject([Fault::None, condition_failed].into_iter().cycle().take(100));
    assert_eq!(fixture.call(RenameTag::start, patch("work", "Owls")).await.status, 503);
    assert_eq!(fixture.operations().len(), 2 * MAX_ATTEMPTS);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("rename-tag").await;
    fixture.needs_a_caller(RenameTag::start, patch("work", "Owls")).await;
    fixture.refuses_other_users(RenameTag::start, patch("work", "Owls")).await;
    fixture.refuses_other_accounts(RenameTag::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("rename-tag").await;
    let body = json!({"tagName": "Owls"});
    fixture
        .refuses_bad_usernames(RenameTag::start, "username", |name| {
            request("PATCH", format!("/users/{name}/tags/work")).json(&body)
        })
        .await;
    fixture
        .refuses_bad_ids(RenameTag::start, "tagId", |id| request("PATCH", format!("/users/ben/tags/{id}")).json(&body))
        .await;
    let own = request("PATCH", "/users/ben/tags/work").by("ben");
    fixture.refuses_bad_bodies(RenameTag::start, own.clone()).await;
    fixture.refuses_field(RenameTag::start, own.clone(), "tagName").await;
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
        fixture.refuses_field(RenameTag::start, own.clone().json(&json!({ "tagName": bad })), "tagName").await;
    }
    let unknown_field = own.json(&json!({"tagName": "Owls", "createTime": 0}));
    fixture.refuses_field(RenameTag::start, unknown_field, "createTime").await;
}

#[tokio::test]
async fn accepts_names_up_to_the_limits() {
    let fixture = Fixture::new("rename-tag").await;
    let name = "😀".repeat(64);
    let body = json!({ "tagName": name }).to_string();
    let request = request("PATCH", "/users/ben/tags/work").by("ben").body("application/merge-patch+json", body);
    assert_renamed(&fixture.call(RenameTag::start, request).await, &name);
}
