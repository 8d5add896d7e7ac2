use super::*;
use aws_sdk_dynamodb::types::AttributeValue::N;
use serde_json::{Value, json};
use shared::document;
use shared::document::write;
use shared::http::extract::MAX_DOCUMENT_BYTES;
use shared::http::precondition::take_tag;
use testing::{Answer, Fixture, PEOPLE, TestRequest, request};

mod concurrency;
mod limits;
mod merge;

fn editor(uri: impl Into<String>) -> TestRequest {
    request("PATCH", uri).by("ben").of_group("editors")
}

fn patch(person_id: u64, changes: &Value) -> TestRequest {
    editor(format!("/people/{person_id}")).json(changes)
}

fn tag(answer: &Answer) -> &str {
    answer.headers["etag"].to_str().unwrap()
}

fn item(person: &Value) -> Item {
    document::read(DocumentFormat::DynamoDb, &person.to_string()).unwrap()
}

async fn stored(fixture: &Fixture, person_id: u64) -> Option<Item> {
    let people = fixture.unrecorded_table(PEOPLE);
    let get = people.client.get_item().table_name(people.name).key(PERSON_ID, N(person_id.to_string()));
    get.send().await.unwrap().item
}

/// Returns an item in DynamoDB JSON, without its version.
fn shown(mut item: Item) -> Value {
    let _ = take_tag(&mut item);
    serde_json::to_value(write(DocumentFormat::DynamoDb, &item).unwrap()).unwrap()
}

/// Asserts that the patch `changes` turns `person` into `after`, by this number of requests.
async fn assert_patch(person: &Value, changes: &Value, after: &Value, requests: usize) {
    let fixture = Fixture::new("update-person").await;
    let (mut person, mut after) = (person.clone(), after.clone());
    person["PersonID"] = json!({"N": "7"});
    after["PersonID"] = json!({"N": "7"});
    fixture.put(item(&person)).await;
    let answer = fixture.call(UpdatePerson::start, editor("/people/7?format=dynamodb").json(changes)).await;
    assert_eq!((answer.status, &answer.body), (200, &after), "{changes}");
    let stored = stored(&fixture, 7).await.unwrap();
    assert_eq!(tag(&answer), take_tag(&mut stored.clone()));
    assert_eq!(shown(stored), after, "{changes}");
    assert_eq!(fixture.operations(), vec!["UpdateItem"; requests], "{changes}");
}

#[tokio::test]
async fn changes_only_the_attributes_of_the_patch() {
    let fixture = Fixture::new("update-person").await;
    let other = stored(&fixture, 2).await;
    let answer = fixture.call_with_sample_event(UpdatePerson::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "PersonID": 1, "FirstName": "Ada", "LastName": "Marsh",
            "Address": {"Street": "12 Mill Lane", "City": "Ashford"}, "Roles": ["Admin", "User"],
        })
    );
    let mut ada = stored(&fixture, 1).await.unwrap();
    assert_eq!(take_tag(&mut ada), tag(&answer));
    assert_eq!(
        shown(ada),
        json!({
            "PersonID": {"N": "1"}, "FirstName": {"S": "Ada"}, "LastName": {"S": "Marsh"},
            "Address": {"M": {"Street": {"S": "12 Mill Lane"}, "City": {"S": "Ashford"}}},
            "Roles": {"SS": ["Admin", "User"]},
        })
    );
    assert_eq!(stored(&fixture, 2).await, other);
}

#[tokio::test]
async fn an_empty_patch_makes_a_new_version() {
    let fixture = Fixture::new("update-person").await;
    let before = stored(&fixture, 1).await.unwrap();
    let first = fixture.call(UpdatePerson::start, patch(1, &json!({}))).await;
    let second = fixture.call(UpdatePerson::start, patch(1, &json!({"PersonID": 1}))).await;
    assert_eq!((first.status, second.status), (200, 200));
    assert_ne!(tag(&first), "\"0\"");
    assert_ne!(tag(&first), tag(&second));
    assert_eq!(shown(stored(&fixture, 1).await.unwrap()), shown(before));
}

#[tokio::test]
async fn accepts_the_key_of_the_path_in_the_patch() {
    let fixture = Fixture::new("update-person").await;
    for same in ["1", "1.0", "10e-1"] {
        let body = format!(r#"{{"PersonID": {same}, "LastName": "{same}"}}"#);
        let answer = fixture.call(UpdatePerson::start, editor("/people/1").body("application/json", body)).await;
        assert_eq!((answer.status, &answer.body["LastName"]), (200, &json!(same)));
        assert_eq!(answer.body["PersonID"], 1);
    }
}

#[tokio::test]
async fn returns_404_for_an_unknown_person() {
    let fixture = Fixture::new("update-person").await;
    let nested = json!({"a": 1, "m": {"b": {}}});
    for changes in [json!({}), nested] {
        for (name, value) in [("accept", "*/*"), ("if-match", "*"), ("if-match", "\"0\""), ("if-none-match", "*")] {
            let answer = fixture.call(UpdatePerson::start, patch(7, &changes).header(name, value)).await;
            assert_eq!((answer.status, &answer.body["detail"]), (404, &json!("There is no person 7.")));
            assert_eq!(fixture.operations(), ["UpdateItem"]);
        }
    }
    assert_eq!(stored(&fixture, 7).await, None);
}

#[tokio::test]
async fn refuses_callers_who_are_not_editors() {
    let fixture = Fixture::new("update-person").await;
    let not_editor = request("PATCH", "/people/1").by("ben").json(&json!({}));
    fixture.refuses(UpdatePerson::start, not_editor.clone(), 403).await;
    for group in ["viewers", "editor", "Editors", ""] {
        fixture.refuses(UpdatePerson::start, not_editor.clone().of_group(group), 403).await;
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("update-person").await;
    let own = patch(1, &json!({}));
    fixture.needs_a_caller(UpdatePerson::start, own.clone()).await;
    for person_id in ["x", "-1", "01", "1.5", "%2B1", "1e2", &"9".repeat(19), "%D9%A1"] {
        let uri = format!("/people/{person_id}");
        fixture.refuses_field(UpdatePerson::start, editor(uri).json(&json!({})), "personId").await;
    }
    for format in ["", "JSON", "xml", "json&format=json"] {
        let uri = format!("/people/1?format={format}");
        fixture.refuses_field(UpdatePerson::start, editor(uri).json(&json!({})), "format").await;
    }
    for (name, value) in [("if-match", "x"), ("if-match", ""), ("if-none-match", "\"0\"")] {
        fixture.refuses_field(UpdatePerson::start, own.clone().header(name, value), name).await;
    }
    let both = own.clone().header("if-match", "*").header("if-none-match", "*");
    fixture.refuses(UpdatePerson::start, both, 412).await;
    fixture.refuses(UpdatePerson::start, own.header("if-match", "W/\"0\""), 412).await;

    for content_type in ["text/plain", "application/json-patch+json", ""] {
        fixture.refuses(UpdatePerson::start, editor("/people/1").body(content_type, "{}"), 415).await;
    }
    let huge = format!(r#"{{"a": "{}"}}"#, "x".repeat(MAX_DOCUMENT_BYTES));
    fixture.refuses(UpdatePerson::start, editor("/people/1").body("application/json", huge), 413).await;
    let not_utf8 = editor("/people/1").body("application/json", *b"{\"a\": \"\xff\"}");
    fixture.refuses(UpdatePerson::start, not_utf8, 400).await;

    for (format, body, field) in [
        ("json", "", "body"),
        ("json", "[]", "body"),
        ("json", r#"{"a": {"": null}}"#, "a"),
        ("json", r#"{"a": {"b": [0, 123456789012345678901234567890123456789]}}"#, "a.b[1]"),
        ("json", r#"{"_version": "x"}"#, "_version"),
        ("json", r#"{"_version": null}"#, "_version"),
        ("json", r#"{"_version": {}}"#, "_version"),
        ("json", r#"{"PersonID": 2}"#, "PersonID"),
        ("json", r#"{"PersonID": null}"#, "PersonID"),
        ("json", r#"{"PersonID": {}}"#, "PersonID"),
        ("dynamodb", r#"{"PersonID": {"S": "1"}}"#, "PersonID"),
        ("dynamodb", r#"{"_version": {"S": "x"}}"#, "_version"),
        ("dynamodb", r#"{"a": {"M": {"b": {"N": "abc"}}}}"#, "a.b"),
        ("dynamodb", r#"{"a": {"L": [null]}}"#, "a[0]"),
    ] {
        let request = editor(format!("/people/1?format={format}")).body("application/json", body);
        fixture.refuses_field(UpdatePerson::start, request, field).await;
    }
}
