use super::*;
use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue::N;
use serde_json::{Value, json};
use shared::document::write;
use shared::http::extract::MAX_DOCUMENT_BYTES;
use shared::http::precondition::take_tag;
use testing::{Answer, Fault, Fixture, PEOPLE, TestRequest, request};

fn editor(uri: impl Into<String>) -> TestRequest {
    request("PUT", uri).by("ben").of_group("editors")
}

fn put(person_id: u64, person: &Value) -> TestRequest {
    editor(format!("/people/{person_id}")).json(person)
}

fn tag(answer: &Answer) -> String {
    answer.headers["etag"].to_str().unwrap().to_owned()
}

/// Returns each person in the table in DynamoDB JSON, with the entity tag.
async fn all_people(fixture: &Fixture) -> BTreeMap<String, (Value, String)> {
    let people = fixture.unrecorded_table(PEOPLE);
    let items = people.client.scan().table_name(people.name).send().await.unwrap().items.unwrap();
    items.into_iter().map(|item| (item[PERSON_ID].as_n().unwrap().clone(), shown(item))).collect()
}

async fn stored(fixture: &Fixture, person_id: &str) -> (Value, String) {
    let people = fixture.unrecorded_table(PEOPLE);
    let get = people.client.get_item().table_name(people.name).key(PERSON_ID, N(person_id.to_owned()));
    shown(get.send().await.unwrap().item.unwrap())
}

fn shown(mut item: Item) -> (Value, String) {
    let tag = take_tag(&mut item);
    (serde_json::to_value(write(DocumentFormat::DynamoDb, &item).unwrap()).unwrap(), tag)
}

#[tokio::test]
async fn creates_a_person() {
    let fixture = Fixture::new("put-person").await;
    let before = all_people(&fixture).await;
    let answer = fixture.call_with_sample_event(PutPerson::start).await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.headers["location"], "/people/3");
    assert_eq!(
        answer.body,
        json!({"PersonID": 3, "FirstName": "Cara", "LastName": "Lindqvist", "FavoriteColor": "Blue"})
    );
    let item = json!({
        "PersonID": {"N": "3"}, "FirstName": {"S": "Cara"}, "LastName": {"S": "Lindqvist"},
        "FavoriteColor": {"S": "Blue"},
    });
    assert_eq!(stored(&fixture, "3").await, (item, tag(&answer)));
    assert_ne!(tag(&answer), "\"0\"");
    let mut after = all_people(&fixture).await;
    after.remove("3");
    assert_eq!(after, before);
}

#[tokio::test]
async fn replaces_the_whole_person() {
    let fixture = Fixture::new("put-person").await;
    let answer = fixture.call(PutPerson::start, put(1, &json!({"FirstName": "Ida"}))).await;
    assert_eq!((answer.status, &answer.body), (200, &json!({"PersonID": 1, "FirstName": "Ida"})));
    assert_eq!(stored(&fixture, "1").await, (json!({"PersonID": {"N": "1"}, "FirstName": {"S": "Ida"}}), tag(&answer)));
    let typed = json!({"PersonID": {"N": "1"}, "Roles": {"SS": ["Admin", "User"]}, "Height": {"N": "1.7"}});
    let answer = fixture.call(PutPerson::start, editor("/people/1?format=dynamodb").json(&typed)).await;
    assert_eq!((answer.status, &answer.body), (200, &typed));
    assert!(!answer.headers.contains_key("location"));
    assert_eq!(stored(&fixture, "1").await, (typed, tag(&answer)));
    let answer = fixture.call(PutPerson::start, put(1, &json!({}))).await;
    assert_eq!((answer.status, answer.body), (200, json!({"PersonID": 1})));
}

#[tokio::test]
async fn accepts_the_key_of_the_path_in_the_body() {
    let fixture = Fixture::new("put-person").await;
    for same in ["101", "101.0", "1.01e2"] {
        let body = format!(r#"{{"PersonID": {same}}}"#);
        let answer = fixture.call(PutPerson::start, editor("/people/101").body("application/json", body)).await;
        assert_eq!(answer.body, json!({"PersonID": 101}), "{same}");
    }
    let longest = "9".repeat(18);
    let answer = fixture.call(PutPerson::start, editor(format!("/people/{longest}")).json(&json!({}))).await;
    assert_eq!((answer.status, answer.body["PersonID"].to_string()), (201, longest));
}

#[tokio::test]
async fn writes_only_if_the_precondition_holds() {
    let fixture = Fixture::new("put-person").await;
    let ida = json!({"FirstName": "Ida"});
    let if_match = |tag: &str| put(3, &ida).header("if-match", tag);
    let assert_precondition_fails = async |request: TestRequest| {
        let before = all_people(&fixture).await;
        let answer = fixture.call(PutPerson::start, request).await;
        assert_eq!(answer.status, 412, "{}", answer.body);
        assert_eq!(all_people(&fixture).await, before);
    };
    assert_precondition_fails(if_match("*")).await;
    assert_precondition_fails(if_match("\"0\"")).await;
    assert_precondition_fails(if_match("\"0190c3f4\"")).await;

    let created = fixture.call(PutPerson::start, put(3, &ida).header("if-none-match", "*")).await;
    assert_eq!(created.status, 201);
    assert_precondition_fails(put(3, &ida).header("if-none-match", "*")).await;
    let (first, second) = (tag(&created), fixture.call(PutPerson::start, if_match("*")).await);
    assert_eq!(second.status, 200);
    assert_precondition_fails(if_match(&first)).await;
    assert_precondition_fails(if_match("\"0\"")).await;
    let second = tag(&second);
    assert_precondition_fails(if_match(&format!("W/{second}"))).await;
    let third = fixture.call(PutPerson::start, if_match(&format!("{first}, {second}"))).await;
    assert_eq!(third.status, 200);
    assert_precondition_fails(if_match(&second)).await;
}

#[tokio::test]
async fn the_tag_of_an_unversioned_person_holds_until_the_first_write() {
    let fixture = Fixture::new("put-person").await;
    let write = put(1, &json!({"FirstName": "Ida"})).header("if-match", "\"0\"");
    assert_eq!(fixture.call(PutPerson::start, write.clone()).await.status, 200);
    assert_eq!(fixture.call(PutPerson::start, write).await.status, 412);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("put-person").await;
    let ida = json!({"PersonID": 3, "FirstName": "Ida"});
    fixture.inject([Fault::AnswerLost]);
    let created = fixture.call(PutPerson::start, put(3, &ida).header("if-none-match", "*")).await;
    assert_eq!((created.status, &created.body), (201, &ida));
    assert_eq!(stored(&fixture, "3").await.1, tag(&created));
    fixture.inject([Fault::AnswerLost, Fault::AnswerLost]);
    let changed = fixture.call(PutPerson::start, put(3, &ida).header("if-match", tag(&created))).await;
    assert_eq!((changed.status, &changed.body), (200, &ida));
    assert_eq!(stored(&fixture, "3").await.1, tag(&changed));
    assert_eq!(fixture.operations(), ["PutItem"; 5]);
    for (request, requests) in [(put(3, &ida).header("if-match", "*"), 2), (put(3, &ida), 3)] {
        fixture.inject([Fault::AnswerLost]);
        let changed = fixture.call(PutPerson::start, request).await;
        assert_eq!((changed.status, &changed.body), (200, &ida));
        assert_eq!(stored(&fixture, "3").await.1, tag(&changed));
        assert_eq!(fixture.operations(), vec!["PutItem"; requests]);
    }
    let ada = json!({"PersonID": 4, "FirstName": "Ada"});
    fixture.inject([Fault::AnswerLost]);
    let created = fixture.call(PutPerson::start, put(4, &ada)).await;
    assert_eq!((created.status, &created.body), (201, &ada));
    assert_eq!(
        (&created.headers["location"], stored(&fixture, "4").await.1),
        (&"/people/4".parse().unwrap(), tag(&created))
    );
    assert_eq!(fixture.operations(), ["PutItem"; 2]);
}

#[tokio::test]
async fn refuses_callers_who_are_not_editors() {
    let fixture = Fixture::new("put-person").await;
    let not_editor = request("PUT", "/people/3").by("ben").json(&json!({}));
    fixture.refuses(PutPerson::start, not_editor.clone(), 403).await;
    for group in ["viewers", "editor", "Editors", ""] {
        fixture.refuses(PutPerson::start, not_editor.clone().of_group(group), 403).await;
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("put-person").await;
    let own = put(3, &json!({}));
    fixture.needs_a_caller(PutPerson::start, own.clone()).await;
    for person_id in ["x", "-1", "01", "1.5", "%2B1", "1e2", &"9".repeat(19), "%D9%A1"] {
        let uri = format!("/people/{person_id}");
        fixture.refuses_field(PutPerson::start, editor(uri).json(&json!({})), "personId").await;
    }
    for format in ["", "JSON", "xml", "json&format=json"] {
        fixture
            .refuses_field(PutPerson::start, editor(format!("/people/3?format={format}")).json(&json!({})), "format")
            .await;
    }
    for (name, value) in [("if-match", "x"), ("if-match", ""), ("if-none-match", "\"0\"")] {
        fixture.refuses_field(PutPerson::start, own.clone().header(name, value), name).await;
    }
    let both = own.clone().header("if-match", "*").header("if-none-match", "*");
    fixture.refuses(PutPerson::start, both, 412).await;
    fixture.refuses(PutPerson::start, own.header("if-match", "W/\"0\""), 412).await;

    for content_type in ["text/plain", "application/merge-patch+json", ""] {
        fixture.refuses(PutPerson::start, editor("/people/3").body(content_type, "{}"), 415).await;
    }
    let huge = format!(r#"{{"a": "{}"}}"#, "x".repeat(MAX_DOCUMENT_BYTES));
    fixture.refuses(PutPerson::start, editor("/people/3").body("application/json", huge), 413).await;
    let not_utf8 = editor("/people/3").body("application/json", *b"{\"a\": \"\xff\"}");
    fixture.refuses(PutPerson::start, not_utf8, 400).await;

    for (format, body, field) in [
        ("json", "", "body"),
        ("json", "[]", "body"),
        ("json", r#"{"a": {"": 1}}"#, "a"),
        ("json", r#"{"a": [0, 123456789012345678901234567890123456789]}"#, "a[1]"),
        ("json", r#"{"_version": "x"}"#, "_version"),
        ("json", r#"{"PersonID": 4}"#, "PersonID"),
        ("json", r#"{"PersonID": null}"#, "PersonID"),
        ("dynamodb", r#"{"PersonID": {"S": "3"}}"#, "PersonID"),
        ("dynamodb", r#"{"a": {"L": ["untyped"]}}"#, "a[0]"),
    ] {
        let request = editor(format!("/people/3?format={format}")).body("application/json", body);
        fixture.refuses_field(PutPerson::start, request, field).await;
    }
}
