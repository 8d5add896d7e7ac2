use super::*;
use serde_json::{Value, json};
use shared::document::read;
use shared::http::precondition::VERSION;
use testing::{Fixture, TestRequest, request};

fn get(uri: impl Into<String>) -> TestRequest {
    request("GET", uri).by("cara")
}

async fn put(fixture: &Fixture, person: &Value) {
    fixture.put(read(DocumentFormat::DynamoDb, &person.to_string()).unwrap()).await;
}

#[tokio::test]
async fn returns_all_attributes() {
    let fixture = Fixture::new("get-person").await;
    let answer = fixture.call_with_sample_event(GetPerson::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "PersonID": 1, "FirstName": "Ada", "LastName": "Marsh",
            "Address": {"Street": "7 Orchard Row", "City": "Ashford", "ZIPCode": 24}, "Roles": ["Admin", "User"],
        })
    );
    assert_eq!(answer.headers["etag"], "\"0\"");
    assert_eq!(answer.headers["content-type"], "application/json");
}

#[tokio::test]
async fn returns_the_version_as_the_entity_tag_only() {
    let fixture = Fixture::new("get-person").await;
    put(&fixture, &json!({"PersonID": {"N": "7"}, VERSION: {"S": "0190c3f4"}})).await;
    for (format, body) in [("json", json!({"PersonID": 7})), ("dynamodb", json!({"PersonID": {"N": "7"}}))] {
        let answer = fixture.call(GetPerson::start, get(format!("/people/7?format={format}"))).await;
        assert_eq!(answer.body, body);
        assert_eq!(answer.headers["etag"], "\"0190c3f4\"");
    }
}

#[tokio::test]
async fn returns_404_for_an_unknown_person() {
    let fixture = Fixture::new("get-person").await;
    let answer = fixture.call(GetPerson::start, get("/people/7")).await;
    assert_eq!((answer.status, &answer.body["detail"]), (404, &json!("There is no person 7.")));
    assert!(!answer.headers.contains_key("etag"));
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("get-person").await;
    fixture.needs_a_caller(GetPerson::start, get("/people/1")).await;
    for person_id in ["x", "-1", "01", "1.5", "%2B1", "1e2", &"9".repeat(19), "%D9%A1"] {
        fixture.refuses_field(GetPerson::start, get(format!("/people/{person_id}")), "personId").await;
    }
    for format in ["", "JSON", "xml", "json&format=json"] {
        fixture.refuses_field(GetPerson::start, get(format!("/people/1?format={format}")), "format").await;
    }
}
