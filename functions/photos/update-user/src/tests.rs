use super::*;
use serde_json::{Value, json};
use testing::{Fault, Fixture, TestRequest, deletion, request, user};

fn patch(body: &Value) -> TestRequest {
    request("PATCH", "/users/ada").by("ada").json(body)
}

/// Returns the item of ada.
async fn ada(fixture: &Fixture) -> Value {
    fixture.item(Key::user(&"ada".parse().unwrap())).await
}

#[tokio::test]
async fn changes_only_the_fields_of_the_patch() {
    let fixture = Fixture::new("update-user").await;
    let changes = json!({
        "name": "Ada L.", "email": "ada.l@example.com", "birthdate": "1815-12-11", "address": "Here",
        "status": "Away", "interests": ["engines"], "pinnedImage": "2024-06-09T13:49:13",
    });
    let before = fixture.all_items().await;
    for (field, value) in changes.as_object().unwrap() {
        let mut expected = ada(&fixture).await;
        assert_ne!(expected[field], *value, "{field}");
        expected[field] = if field == "pinnedImage" { json!("PHOTO#ada#2024-06-09T13:49:13") } else { value.clone() };
        let answer = fixture.call(update_user, patch(&json!({ field: value }))).await;
        assert_eq!(answer.status, 200, "{field}: {}", answer.body);
        assert_eq!(answer.body[field], *value, "{field}");
        assert_eq!(ada(&fixture).await, expected, "{field}");
    }
    assert_eq!(fixture.operations(), vec!["UpdateItem"; 7]);
    let after = fixture.all_items().await;
    let touched: Vec<_> = after.iter().filter(|(key, item)| before.get(*key) != Some(*item)).collect();
    assert_eq!(touched.len(), 1, "{touched:?}");
}

#[tokio::test]
async fn null_removes_a_field() {
    let fixture = Fixture::new("update-user").await;
    let optional = ["email", "birthdate", "address", "status", "interests", "pinnedImage"];
    let body: Value = optional.iter().map(|field| ((*field).to_owned(), Value::Null)).collect();
    let answer = fixture.call(update_user, patch(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let item = ada(&fixture).await;
    for field in optional {
        assert!(item.get(field).is_none(), "{field}");
    }
    assert_eq!(item["followers"], 1);
}

#[tokio::test]
async fn accepts_repeated_and_empty_patches() {
    let fixture = Fixture::new("update-user").await;
    fixture.inject([Fault::AnswerLost]);
    let first = fixture.call_with_sample_event(update_user).await;
    let second = fixture.call_with_sample_event(update_user).await;
    assert_eq!((first.status, second.status), (200, 200));
    assert_eq!(first.body, second.body);

    let merge_patch =
        request("PATCH", "/users/ada").by("ada").body("application/merge-patch+json; charset=utf-8", "{}");
    let empty = fixture.call(update_user, merge_patch).await;
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
        let answer = fixture.call(update_user, patch).await;
        assert_eq!((answer.status, &answer.body["detail"]), (404, &json!(format!("There is no user {name}."))));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("update-user").await;
    fixture.needs_a_caller(update_user, patch(&json!({"name": "X"}))).await;
    fixture.refuses(update_user, patch(&json!({"name": "X"})).by("ben"), 403).await;
    fixture.refuses_other_accounts(update_user).await;
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
        let answer = fixture.call(update_user, patch_attributes(patch)).await;
        assert_eq!((answer.status, &answer.body["attributes"]), (200, &after), "{patch}");
        assert_eq!(fixture.operations(), ["GetItem", "UpdateItem"]);
        before["attributes"] = after;
        assert_eq!(ada(&fixture).await, before);
    }
    let answer = fixture.call(update_user, patch_attributes("null")).await;
    assert_eq!((answer.status, answer.body.get("attributes")), (200, None));
    assert_eq!(ada(&fixture).await.get("attributes"), None);
}

#[tokio::test]
async fn keeps_a_concurrent_patch_of_attributes() {
    let fixture = Fixture::new("update-user").await;
    fixture.call(update_user, patch_attributes(r#"{"a": 1}"#)).await;
    let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(&"ada".parse().unwrap()).into()));
    let mut item = get.send().await.unwrap().item.unwrap();
    let both = [("a", "1"), ("b", "2")].map(|(name, number)| (name.to_owned(), AttributeValue::N(number.to_owned())));
    item.insert("attributes".to_owned(), AttributeValue::M(both.into()));
    let _ = fixture.operations();
    fixture.write_concurrently(1, vec![item], vec![]);
    let answer = fixture.call(update_user, patch_attributes(r#"{"c": 3}"#)).await;
    assert_eq!(answer.body["attributes"], json!({"a": 1, "b": 2, "c": 3}));
    assert_eq!(fixture.operations(), ["GetItem", "UpdateItem", "GetItem", "UpdateItem"]);
}

#[tokio::test]
async fn limits_attributes_to_32_kb() {
    let fixture = Fixture::new("update-user").await;
    let text = |length: usize| format!(r#"{{"{}": "x"}}"#, "n".repeat(length));
    assert_eq!(fixture.call(update_user, patch_attributes(&text(32 * 1024 - 1))).await.status, 200);
    let before = ada(&fixture).await;
    let answer = fixture.call(update_user, patch_attributes(r#"{"a": ""}"#)).await;
    assert_eq!((answer.status, answer.fields()), (400, vec!["attributes"]));
    assert_eq!(ada(&fixture).await, before);
    let bad = patch_attributes(r#"{"a": {"b": [{"": 1}]}}"#);
    let answer = fixture.refuses(update_user, bad, 400).await;
    assert_eq!(answer.fields(), ["attributes.a.b[0]"]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("update-user").await;
    fixture.refuses_bad_bodies(update_user, request("PATCH", "/users/ada").by("ada")).await;
    fixture
        .refuses_bad_usernames(update_user, "username", |name| {
            request("PATCH", format!("/users/{name}")).json(&json!({}))
        })
        .await;
    for (field, value) in [
        ("name", Value::Null),
        ("name", json!("")),
        ("email", json!("ada")),
        ("birthdate", json!("1815-02-30")),
        ("address", json!("x".repeat(501))),
        ("status", json!(["a"])),
        ("interests", json!([""])),
        ("pinnedImage", json!("PHOTO#ben#2024-06-26T03:59:33")),
        ("username", json!("ben")),
        ("following", json!(100)),
    ] {
        fixture.refuses_field(update_user, patch(&json!({ field: value })), field).await;
    }
}

#[tokio::test]
async fn retries_after_a_transaction_conflict() {
    let fixture = Fixture::new("update-user").await;
    let conflict = Fault::Error("TransactionConflictException");
    fixture.inject([conflict; 3]);
    assert_eq!(fixture.call(update_user, patch(&json!({"status": "Away"}))).await.status, 200);
    assert_eq!(fixture.operations(), ["UpdateItem"; 4]);
    fixture.inject([conflict; 5]);
    assert_eq!(fixture.call(update_user, patch(&json!({"status": "Back"}))).await.status, 503);
}

/// Only new users need another name.
#[tokio::test]
async fn a_user_with_a_reserved_name_keeps_it() {
    let fixture = Fixture::new("update-user").await;
    for username in ["admin", "support"] {
        fixture.put(user(username)).await;
        let patch = request("PATCH", format!("/users/{username}")).by(username).json(&json!({"status": "Still here"}));
        let answer = fixture.call(update_user, patch).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!("Still here")), "{username}");
    }
}
