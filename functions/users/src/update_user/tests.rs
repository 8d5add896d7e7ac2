use super::*;
use serde_json::{Value, json};
use shared::entities::Picture;
use testing::{Fault, Fixture, TestRequest, deletion, photo, photo_deletion, photo_with, request, user};

fn patch(body: &Value) -> TestRequest {
    request("PATCH", "/users/ada").by("ada").json(body)
}

/// Returns the item of ada without the version, which each change makes anew.
async fn ada(fixture: &Fixture) -> Value {
    let mut ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    ada.as_object_mut().unwrap().remove("_version");
    ada
}

#[tokio::test]
async fn changes_only_the_fields_of_the_patch() {
    let fixture = Fixture::new("update-user").await;
    let changes = json!({
        "name": "Ada L.", "email": "ada.l@example.com", "birthdate": "1990-12-11", "address": "Here",
        "status": "Away", "interests": ["engines"],
    });
    let before = fixture.all_items().await;
    for (field, value) in changes.as_object().unwrap() {
        let mut expected = ada(&fixture).await;
        assert_ne!(expected[field], *value, "{field}");
        expected[field] = value.clone();
        let answer = fixture.call(UpdateUser::start, patch(&json!({ field: value }))).await;
        assert_eq!(answer.status, 200, "{field}: {}", answer.body);
        assert_eq!(answer.body[field], *value, "{field}");
        assert_eq!(ada(&fixture).await, expected, "{field}");
    }
    assert_eq!(fixture.operations(), vec!["UpdateItem"; 6]);
    let after = fixture.all_items().await;
    let touched: Vec<_> = after.iter().filter(|(key, item)| before.get(*key) != Some(*item)).collect();
    assert_eq!(touched.len(), 1, "{touched:?}");
}

#[tokio::test]
async fn null_removes_a_field_and_so_does_an_empty_text() {
    let texts = ["email", "birthdate", "address", "status"];
    let others = ["interests", "pinnedImage"];
    for empty in [json!(null), json!("")] {
        let fixture = Fixture::new("update-user").await;
        let removed = texts.iter().map(|field| ((*field).to_owned(), empty.clone()));
        let removed = removed.chain(others.map(|field| (field.to_owned(), Value::Null)));
        let body: Value = removed.collect();
        for _ in 0..2 {
            let answer = fixture.call(UpdateUser::start, patch(&body)).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            let item = ada(&fixture).await;
            for field in texts.iter().chain(&others) {
                assert!(item.get(field).is_none(), "{field}");
            }
            assert!(texts.iter().all(|field| answer.body.get(field).is_none()), "{}", answer.body);
            assert_eq!((&item["followers"], &item["name"]), (&json!(1), &json!("Ada Marsh")));
        }
    }
}

/// follow-user asks whether the attribute exists.
#[tokio::test]
async fn a_user_begins_and_stops_to_approve_followers() {
    let fixture = Fixture::new("update-user").await;
    let before = ada(&fixture).await;
    for off in [json!(false), json!(null)] {
        let answer = fixture.call(UpdateUser::start, patch(&json!({"approvesFollowers": true}))).await;
        assert_eq!((answer.status, &answer.body["approvesFollowers"]), (200, &json!(true)));
        assert_eq!(ada(&fixture).await["approvesFollowers"], true);
        let answer = fixture.call(UpdateUser::start, patch(&json!({"approvesFollowers": off}))).await;
        assert_eq!((answer.status, answer.body.get("approvesFollowers")), (200, None));
        assert_eq!(ada(&fixture).await, before);
    }
    for bad in [json!("true"), json!(1), json!({})] {
        fixture.refuses_field(UpdateUser::start, patch(&json!({"approvesFollowers": bad})), "approvesFollowers").await;
    }
}

#[tokio::test]
async fn accepts_repeated_and_empty_patches() {
    let fixture = Fixture::new("update-user").await;
    fixture.inject([Fault::AnswerLost]);
    let first = fixture.call_with_sample_event(UpdateUser::start).await;
    let second = fixture.call_with_sample_event(UpdateUser::start).await;
    assert_eq!((first.status, second.status), (200, 200));
    assert_eq!(first.body, second.body);

    let merge_patch =
        request("PATCH", "/users/ada").by("ada").body("application/merge-patch+json; charset=utf-8", "{}");
    let empty = fixture.call(UpdateUser::start, merge_patch).await;
    assert_eq!((empty.status, &empty.body), (200, &second.body));
}

#[tokio::test]
async fn returns_404_for_an_unknown_or_deleted_user() {
    let fixture = Fixture::new("update-user").await;
    fixture.put(deletion("ada")).await;
    let before = fixture.all_items().await;
    for (name, body) in [("nobody", json!({"name": "Nobody"})), ("nobody", json!({})), ("ada", json!({"name": "Ada"}))]
    {
        let patch = request("PATCH", format!("/users/{name}")).by(name).json(&body);
        let answer = fixture.call(UpdateUser::start, patch).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("update-user").await;
    fixture.needs_a_caller(UpdateUser::start, patch(&json!({"name": "X"}))).await;
    fixture.refuses(UpdateUser::start, patch(&json!({"name": "X"})).by("ben"), 403).await;
    fixture.refuses_other_accounts(UpdateUser::start).await;
}

/// Returns a patch of ada's document `attributes`.
fn patch_attributes(text: &str) -> TestRequest {
    request("PATCH", "/users/ada")
        .by("ada")
        .body("application/merge-patch+json", format!(r#"{{"attributes": {text}}}"#))
}

#[tokio::test]
async fn patches_nested_attributes() {
    let fixture = Fixture::new("update-user").await;
    let mut before = ada(&fixture).await;
    for (patch, after) in [
        (
            r#"{"Bag": {"Camera": {"Lens": 35}, "Film": ["HP5"]}}"#,
            json!({"Bag": {"Camera": {"Lens": 35}, "Film": ["HP5"]}}),
        ),
        (r#"{"Bag": {"Camera": {"Lens": 50}}}"#, json!({"Bag": {"Camera": {"Lens": 50}, "Film": ["HP5"]}})),
        (r#"{"Bag": {"Film": null}, "Since": 2019}"#, json!({"Bag": {"Camera": {"Lens": 50}}, "Since": 2019})),
        ("{}", json!({"Bag": {"Camera": {"Lens": 50}}, "Since": 2019})),
    ] {
        let _ = fixture.operations();
        let answer = fixture.call(UpdateUser::start, patch_attributes(patch)).await;
        assert_eq!((answer.status, &answer.body["attributes"]), (200, &after), "{patch}");
        assert_eq!(fixture.operations(), ["GetItem", "UpdateItem"]);
        before["attributes"] = after;
        assert_eq!(ada(&fixture).await, before);
    }
    let answer = fixture.call(UpdateUser::start, patch_attributes("null")).await;
    assert_eq!((answer.status, answer.body.get("attributes")), (200, None));
    assert_eq!(ada(&fixture).await.get("attributes"), None);
}

#[tokio::test]
async fn keeps_a_concurrent_patch_of_attributes() {
    let fixture = Fixture::new("update-user").await;
    fixture.call(UpdateUser::start, patch_attributes(r#"{"a": 1}"#)).await;
    let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(&"ada".parse().unwrap()).into()));
    let mut item = get.send().await.unwrap().item.unwrap();
    let both = [("a", "1"), ("b", "2")].map(|(name, number)| (name.to_owned(), AttributeValue::N(number.to_owned())));
    item.insert("attributes".to_owned(), AttributeValue::M(both.into()));
    let _ = fixture.operations();
    fixture.write_concurrently(1, vec![item], vec![]);
    let answer = fixture.call(UpdateUser::start, patch_attributes(r#"{"c": 3}"#)).await;
    assert_eq!(answer.body["attributes"], json!({"a": 1, "b": 2, "c": 3}));
    assert_eq!(fixture.operations(), ["GetItem", "UpdateItem", "GetItem", "UpdateItem"]);
}

#[tokio::test]
async fn limits_attributes_to_32_kb() {
    let fixture = Fixture::new("update-user").await;
    let text = |length: usize| format!(r#"{{"{}": "x"}}"#, "n".repeat(length));
    assert_eq!(fixture.call(UpdateUser::start, patch_attributes(&text(32 * 1024 - 1))).await.status, 200);
    let before = ada(&fixture).await;
    let answer = fixture.call(UpdateUser::start, patch_attributes(r#"{"a": ""}"#)).await;
    assert_eq!((answer.status, answer.fields()), (400, vec!["attributes"]));
    assert_eq!(ada(&fixture).await, before);
    fixture.call(UpdateUser::start, patch_attributes("null")).await;
    // The attributes are the first of the 32 levels of an attribute that DynamoDB takes.
    let nested = |levels: usize| format!(r#"{{"a": {}1{}}}"#, r#"{"m": "#.repeat(levels), "}".repeat(levels));
    for (levels, status) in [(30, 200), (31, 400)] {
        for text in [nested(levels), format!(r#"{{"a": [{}1{}]}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1))] {
            assert_eq!(fixture.call(UpdateUser::start, patch_attributes(&text)).await.status, status, "{text}");
        }
    }
    let bad = patch_attributes(r#"{"a": {"b": [{"": 1}]}}"#);
    let answer = fixture.refuses(UpdateUser::start, bad, 400).await;
    assert_eq!(answer.fields(), ["attributes.a.b[0]"]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("update-user").await;
    fixture.refuses_bad_bodies(UpdateUser::start, request("PATCH", "/users/ada").by("ada")).await;
    fixture
        .refuses_bad_usernames(UpdateUser::start, "username", |name| {
            request("PATCH", format!("/users/{name}")).json(&json!({}))
        })
        .await;
    for (field, value) in [
        ("name", Value::Null),
        ("name", json!("")),
        ("email", json!("ada")),
        ("birthdate", json!("1990-02-30")),
        ("address", json!("x".repeat(501))),
        ("status", json!(["a"])),
        ("email", json!(" ")),
        ("status", json!("\n")),
        ("interests", json!([""])),
        ("interests", json!("")),
        ("defaultAudience", json!("")),
        ("pushOff", json!("reaction")),
        ("pushOff", json!(["poke"])),
        ("pushOff", json!(["reaction", "reaction"])),
        ("quietHours", json!("22:00")),
        ("quietHours", json!({"from": "22:00", "to": "07:00"})),
        ("quietHours", json!({"from": "22:00", "to": "22:00", "timeZone": "Europe/Berlin"})),
        ("quietHours", json!({"from": "22:00", "to": "25:00", "timeZone": "Europe/Berlin"})),
        ("quietHours", json!({"from": "22:00", "to": "07:00", "timeZone": "Europe/Atlantis"})),
        ("quietHours", json!({"from": "22:00", "to": "07:00", "timeZone": "Europe/Berlin", "days": ["Sunday"]})),
        ("lockScreen", json!("names")),
        ("lockScreen", json!("")),
        ("pinnedImage", json!("")),
        ("pinnedImage", json!("2024-06-26T03:59:33")),
        ("pinnedImage", json!({"id": "2024-06-26T03:59:33"})),
        ("pinnedImage", json!({"username": "ben", "id": "PHOTO#ben#2024-06-26T03:59:33"})),
        ("username", json!("ben")),
        ("following", json!(100)),
    ] {
        fixture.refuses_field(UpdateUser::start, patch(&json!({ field: value })), field).await;
    }
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("update-user").await;
    let conflict = Fault::Error("TransactionConflictException");
    fixture.inject([conflict; 3]);
    assert_eq!(fixture.call(UpdateUser::start, patch(&json!({"status": "Away"}))).await.status, 200);
    assert_eq!(fixture.operations(), ["UpdateItem"; 4]);
    fixture.inject([conflict; 5]);
    assert_eq!(fixture.call(UpdateUser::start, patch(&json!({"status": "Back"}))).await.status, 503);
}

/// Only new users need another name.
#[tokio::test]
async fn a_user_with_a_reserved_name_keeps_it() {
    let fixture = Fixture::new("update-user").await;
    for username in ["admin", "support"] {
        fixture.put(user(username)).await;
        let patch = request("PATCH", format!("/users/{username}")).by(username).json(&json!({"status": "Still here"}));
        let answer = fixture.call(UpdateUser::start, patch).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!("Still here")), "{username}");
    }
}

fn pin(id: &str) -> TestRequest {
    patch(&json!({"pinnedImage": {"username": "ada", "id": id}}))
}

#[tokio::test]
async fn pins_an_own_photo_that_is_ready_with_its_picture() {
    let fixture = Fixture::new("update-user").await;
    let pinned = fixture.item(Key::photo(&"ada".parse().unwrap(), &"2024-05-30T15:42:38".parse().unwrap())).await;
    for _ in 0..2 {
        let answer = fixture.call(UpdateUser::start, pin("2024-05-30T15:42:38")).await;
        assert_eq!(
            (answer.status, &answer.body["pinnedImage"]),
            (200, &json!({"username": "ada", "id": "2024-05-30T15:42:38"}))
        );
        assert!(answer.body["picture"]["small"].as_str().unwrap().contains("2024-05-30"), "{}", answer.body);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems", "GetItem"]);
        assert_eq!(ada(&fixture).await["pinnedPicture"]["id"], pinned["picture"]["sizes"]["id"]);
    }
    fixture.put(photo_with("ada", "2026-01-01T00:00:00", Picture::Pending)).await;
    fixture.put(photo_deletion("ada", "2026-01-02T00:00:00", 0)).await;
    fixture.put(photo_with("ada", "2026-01-03T00:00:00", testing::rejected())).await;
    let before = fixture.all_items().await;
    for bad in [
        "2020-01-01T00:00:00",
        "2024-06-26T03:59:33",
        "2026-01-01T00:00:00",
        "2026-01-02T00:00:00",
        "2026-01-03T00:00:00",
    ] {
        let answer = fixture.call(UpdateUser::start, pin(bad)).await;
        assert_eq!((answer.status, &answer.body["errors"][0]["field"]), (400, &json!("pinnedImage")), "{bad}");
    }
    let _ = fixture.operations();
    let photo_of_ben = patch(&json!({"pinnedImage": {"username": "ben", "id": "2024-05-30T15:42:38"}}));
    fixture.refuses_field(UpdateUser::start, photo_of_ben, "pinnedImage").await;
    assert_eq!(fixture.all_items().await, before);

    // A photo of another program has no picture.
    fixture.put(photo("ada", "2018-01-01T00:00:00")).await;
    let answer = fixture.call(UpdateUser::start, pin("2018-01-01T00:00:00")).await;
    assert_eq!((answer.status, answer.body.get("picture")), (200, None));
    let answer = fixture.call(UpdateUser::start, patch(&json!({"pinnedImage": null}))).await;
    assert_eq!((answer.status, answer.body.get("pinnedImage")), (200, None));
}

#[tokio::test]
async fn pins_no_photo_that_is_deleted_meanwhile() {
    let fixture = Fixture::new("update-user").await;
    let before = ada(&fixture).await;
    fixture.write_concurrently(1, vec![photo_deletion("ada", "2024-05-30T15:42:38", 0)], vec![]);
    let answer = fixture.call(UpdateUser::start, pin("2024-05-30T15:42:38")).await;
    assert_eq!((answer.status, &answer.body["errors"][0]["field"]), (400, &json!("pinnedImage")));
    assert_eq!(ada(&fixture).await, before);
}

/// A removed photo keeps its sizes, for its owner and for a decision that shows it again.
#[tokio::test]
async fn pins_no_photo_that_a_moderator_removes_meanwhile() {
    let fixture = Fixture::new("update-user").await;
    let before = ada(&fixture).await;
    let remove = json!({
        "Key": {"PK": {"S": "USER#ada"}, "SK": {"S": "PHOTO#ada#2024-05-30T15:42:38"}},
        "UpdateExpression": "SET picture.#status = :removed, picture.reason = :reason",
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {":removed": {"S": "removed"}, ":reason": {"S": "spam"}},
    });
    let pin = pin("2024-05-30T15:42:38");
    // Between the read of the photo and the transaction, and before both.
    fixture.update_concurrently(1, remove);
    for _ in 0..2 {
        let answer = fixture.call(UpdateUser::start, pin.clone()).await;
        assert_eq!((answer.status, &answer.body["errors"][0]["field"]), (400, &json!("pinnedImage")));
    }
    assert_eq!(ada(&fixture).await, before);
}

#[tokio::test]
async fn a_pin_is_repeated_after_a_lost_answer() {
    let fixture = Fixture::new("update-user").await;
    fixture.inject([Fault::None, Fault::AnswerLost]);
    let answer = fixture.call(UpdateUser::start, pin("2024-05-30T15:42:38")).await;
    assert_eq!(
        (answer.status, &answer.body["pinnedImage"]),
        (200, &json!({"username": "ada", "id": "2024-05-30T15:42:38"}))
    );
}

/// The SDK repeats the request, and its condition fails on what the first one has written.
#[tokio::test]
async fn a_patch_with_if_match_recognizes_its_own_write_after_a_lost_answer() {
    let fixture = Fixture::new("update-user").await;
    let mut tag = "*".to_owned();
    for status in ["one", "two"] {
        let patch = patch(&json!({"status": status, "attributes": {"a": status}})).header("if-match", &tag);
        fixture.inject([Fault::None, Fault::AnswerLost]);
        let answer = fixture.call(UpdateUser::start, patch.clone()).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!(status)));
        tag = answer.headers["etag"].to_str().unwrap().to_owned();
    }
    let stale = patch(&json!({"status": "three"})).header("if-match", "\"other\"");
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(UpdateUser::start, stale).await.status, 412);
}

#[tokio::test]
async fn a_patch_with_if_match_changes_only_the_version_that_it_names() {
    let fixture = Fixture::new("update-user").await;
    let status = |tag: Option<&str>, body: Value| {
        let request = patch(&body);
        tag.map_or(request.clone(), |tag| request.header("if-match", tag))
    };
    let first = fixture.call(UpdateUser::start, status(Some("*"), json!({"status": "one"}))).await;
    let tag = first.headers["etag"].to_str().unwrap().to_owned();
    for body in [
        json!({"status": "two"}),
        json!({"pinnedImage": {"username": "ada", "id": "2024-05-30T15:42:38"}}),
        json!({"attributes": {"a": 1}}),
    ] {
        let before = ada(&fixture).await;
        for stale in ["\"other\"", "\"other.hash\"", "\"0\""] {
            assert_eq!(
                fixture.call(UpdateUser::start, status(Some(stale), body.clone())).await.status,
                412,
                "{stale} {body}"
            );
        }
        assert_eq!(ada(&fixture).await, before);
    }
    assert_eq!(fixture.call(UpdateUser::start, status(Some(&tag), json!({"status": "two"}))).await.status, 200);
    assert_eq!(fixture.call(UpdateUser::start, status(Some(&tag), json!({"status": "three"}))).await.status, 412);
    assert_eq!(fixture.call(UpdateUser::start, status(None, json!({"status": "four"}))).await.status, 200);
    let none_match = patch(&json!({"status": "five"})).header("if-none-match", "*");
    assert_eq!(fixture.call(UpdateUser::start, none_match).await.status, 412);
    assert_eq!(ada(&fixture).await["status"], "four");
}

#[tokio::test]
async fn a_patch_needs_no_precondition_and_answers_with_a_new_tag() {
    let fixture = Fixture::new("update-user").await;
    let mut tags: Vec<String> = vec![];
    for change in [patch(&json!({"status": "one"})), patch(&json!({"status": ""})), pin("2024-05-30T15:42:38")] {
        let answer = fixture.call(UpdateUser::start, change).await;
        let tag = answer.headers["etag"].to_str().unwrap().to_owned();
        assert_eq!((answer.status, tags.contains(&tag)), (200, false), "{}", answer.body);
        tags.push(tag);
    }
    // The tag of a profile that came compressed.
    let tag = format!("{}.gzip\"", tags.pop().unwrap().trim_end_matches('"'));
    let change = |tag: &str| patch(&json!({"status": "two"})).header("if-match", tag);
    assert_eq!(fixture.call(UpdateUser::start, change(&tag)).await.status, 200);
    assert_eq!(fixture.call(UpdateUser::start, change(&tag)).await.status, 412);
}

#[tokio::test]
async fn a_user_without_a_version_has_the_tag_0() {
    let fixture = Fixture::new("update-user").await;
    let answer =
        fixture.call(UpdateUser::start, patch(&json!({"status": "one"})).header("if-match", "\"0.hash\"")).await;
    assert_eq!(answer.status, 200);
    let answer =
        fixture.call(UpdateUser::start, patch(&json!({"status": "two"})).header("if-match", "\"0.hash\"")).await;
    assert_eq!(answer.status, 412);
}

#[tokio::test]
async fn only_the_user_sees_the_audience_of_new_photos() {
    let fixture = Fixture::new("update-user").await;
    for (audience, expected) in
        [(json!("followers"), json!("followers")), (json!("everyone"), Value::Null), (Value::Null, Value::Null)]
    {
        let answer = fixture.call(UpdateUser::start, patch(&json!({"defaultAudience": audience}))).await;
        assert_eq!((answer.status, &answer.body["defaultAudience"]), (200, &expected));
        assert_eq!(ada(&fixture).await["defaultAudience"], expected);
    }
    fixture.refuses_field(UpdateUser::start, patch(&json!({"defaultAudience": "friends"})), "defaultAudience").await;
}

/// send-push reads them. A user who has the default lacks the attribute.
#[tokio::test]
async fn a_user_chooses_what_is_pushed() {
    let hours = json!({"from": "22:00", "to": "07:00", "timeZone": "Europe/Berlin"});
    for (field, value, default) in [
        ("pushOff", json!(["comment", "reaction"]), json!([])),
        ("quietHours", hours, Value::Null),
        ("lockScreen", json!("nothing"), json!("everything")),
    ] {
        let fixture = Fixture::new("update-user").await;
        let before = ada(&fixture).await;
        for unset in [default, Value::Null] {
            let answer = fixture.call(UpdateUser::start, patch(&json!({field: value}))).await;
            assert_eq!((answer.status, &answer.body[field]), (200, &value), "{}", answer.body);
            let mut expected = before.clone();
            expected[field] = value.clone();
            assert_eq!(ada(&fixture).await, expected);
            let answer = fixture.call(UpdateUser::start, patch(&json!({"name": "Ada"}))).await;
            assert_eq!(answer.body[field], value, "another patch keeps it");
            fixture.call(UpdateUser::start, patch(&json!({"name": before["name"]}))).await;
            let answer = fixture.call(UpdateUser::start, patch(&json!({field: unset}))).await;
            assert_eq!((answer.status, answer.body.get(field)), (200, None), "{field} {unset}");
            assert_eq!(ada(&fixture).await, before, "{field} {unset}");
        }
    }
}

#[tokio::test]
async fn pins_no_photo_that_not_everyone_may_see() {
    let fixture = Fixture::new("update-user").await;
    let restrict = json!({
        "Key": {"PK": {"S": "USER#ada"}, "SK": {"S": "PHOTO#ada#2024-05-30T15:42:38"}},
        "UpdateExpression": "SET audience = :me",
        "ExpressionAttributeValues": {":me": {"S": "me"}},
    });
    let pin = pin("2024-05-30T15:42:38");
    // Between the read of the photo and the transaction, and before both.
    fixture.update_concurrently(1, restrict);
    for _ in 0..2 {
        let answer = fixture.call(UpdateUser::start, pin.clone()).await;
        assert_eq!((answer.status, &answer.body["errors"][0]["field"]), (400, &json!("pinnedImage")));
    }
    assert_eq!(ada(&fixture).await["pinnedImage"], "PHOTO#ada#2024-06-09T13:49:13");
}

#[tokio::test]
async fn only_the_user_sees_what_lists_have_of_sensitive_photos() {
    let fixture = Fixture::new("update-user").await;
    for (value, stored) in
        [(json!("show"), Some("show")), (json!("hide"), None), (json!("show"), Some("show")), (Value::Null, None)]
    {
        let answer = fixture.call(UpdateUser::start, patch(&json!({"sensitivePhotos": value}))).await;
        assert_eq!((answer.status, answer.body["sensitivePhotos"].as_str()), (200, stored));
        let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
        assert_eq!(ada["sensitivePhotos"].as_str(), stored);
    }
    for bad in [json!("always"), json!(true)] {
        fixture.refuses_field(UpdateUser::start, patch(&json!({"sensitivePhotos": bad})), "sensitivePhotos").await;
    }
}

#[tokio::test]
async fn pins_no_sensitive_photo() {
    let id = "2026-01-01T00:00:00";
    let marked = testing::with(photo_with("ada", id, testing::ready(b"x")), "sensitive", "nudity");
    let of_other_program = testing::with(photo("ada", id), "sensitive", "nudity");
    for sensitive in [marked, of_other_program] {
        // Between the read of the photo and the transaction, and before both.
        for requests in [1, 0] {
            let fixture = Fixture::new("update-user").await;
            let plain = if sensitive.contains_key("picture") {
                photo_with("ada", id, testing::ready(b"x"))
            } else {
                photo("ada", id)
            };
            fixture.put(plain).await;
            fixture.write_concurrently(requests, vec![sensitive.clone()], vec![]);
            let pin = patch(&json!({"pinnedImage": {"username": "ada", "id": id}}));
            let answer = fixture.call(UpdateUser::start, pin).await;
            assert_eq!((answer.status, answer.fields()), (400, vec!["pinnedImage"]), "{}", answer.body);
        }
    }
}
