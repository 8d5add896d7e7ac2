use super::*;
use std::collections::BTreeSet;

use shared::document::read;
use shared::values::DocumentFormat;
use testing::{Fault, Fixture, PEOPLE, TestRequest, request};

fn delete(person_id: u64) -> TestRequest {
    request("DELETE", format!("/people/{person_id}")).by("ben").of_group("editors")
}

async fn put(fixture: &Fixture, person: &str) {
    fixture.put(read(DocumentFormat::Json, person).unwrap()).await;
}

/// Returns the ids of all people in the table.
async fn person_ids(fixture: &Fixture) -> BTreeSet<String> {
    let people = fixture.unrecorded_table(PEOPLE);
    let items = people.client.scan().table_name(people.name).send().await.unwrap().items.unwrap();
    items.into_iter().map(|item| item[PERSON_ID].as_n().unwrap().clone()).collect()
}

#[tokio::test]
async fn deletes_one_person() {
    let fixture = Fixture::new("delete-person").await;
    let answer = fixture.call_with_sample_event(DeletePerson::start).await;
    assert_eq!((answer.status, answer.body.is_null()), (204, true));
    assert_eq!(person_ids(&fixture).await, ["1".to_owned()].into());
}

#[tokio::test]
async fn returns_204_for_an_unknown_person_whatever_the_precondition() {
    let fixture = Fixture::new("delete-person").await;
    for request in [
        delete(7),
        delete(7).header("if-match", "*"),
        delete(7).header("if-match", "\"0\""),
        delete(7).header("if-match", "\"0190c3f4\""),
        delete(7).header("if-none-match", "*"),
    ] {
        assert_eq!(fixture.call(DeletePerson::start, request).await.status, 204);
    }
    assert_eq!(person_ids(&fixture).await.len(), 2);
}

#[tokio::test]
async fn deletes_only_a_version_that_meets_the_precondition() {
    let fixture = Fixture::new("delete-person").await;
    put(&fixture, r#"{"PersonID": 3, "_version": "b"}"#).await;
    for (name, value) in
        [("if-match", "\"a\""), ("if-match", "\"0\""), ("if-match", "\"a\", W/\"b\""), ("if-none-match", "*")]
    {
        let answer = fixture.call(DeletePerson::start, delete(3).header(name, value)).await;
        assert_eq!(answer.status, 412, "{name}: {value}");
    }
    assert_eq!(fixture.call(DeletePerson::start, delete(1).header("if-match", "\"b\"")).await.status, 412);
    assert_eq!(person_ids(&fixture).await.len(), 3);
    for (person_id, value) in [(3, "\"a\", \"b\""), (1, "\"0\""), (2, "*")] {
        let answer = fixture.call(DeletePerson::start, delete(person_id).header("if-match", value)).await;
        assert_eq!(answer.status, 204, "{value}");
    }
    assert!(person_ids(&fixture).await.is_empty());
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("delete-person").await;
    for (name, value) in [("accept", "*/*"), ("if-match", "*"), ("if-match", "\"b\""), ("if-match", "\"0\", \"b\"")] {
        put(&fixture, r#"{"PersonID": 3, "_version": "b"}"#).await;
        fixture.inject([Fault::AnswerLost]);
        assert_eq!(
            fixture.call(DeletePerson::start, delete(3).header(name, value)).await.status,
            204,
            "{name}: {value}"
        );
        assert_eq!(person_ids(&fixture).await.len(), 2);
    }
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 8]);
}

#[tokio::test]
async fn refuses_callers_who_are_not_editors() {
    let fixture = Fixture::new("delete-person").await;
    let not_editor = request("DELETE", "/people/1").by("ben");
    fixture.refuses(DeletePerson::start, not_editor.clone(), 403).await;
    for group in ["viewers", "editor", "Editors", ""] {
        fixture.refuses(DeletePerson::start, not_editor.clone().of_group(group), 403).await;
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-person").await;
    fixture.needs_a_caller(DeletePerson::start, delete(1)).await;
    for person_id in ["x", "-1", "01", "1.5", "%2B1", "1e2", &"9".repeat(19), "%D9%A1"] {
        let request = request("DELETE", format!("/people/{person_id}")).by("ben").of_group("editors");
        fixture.refuses_field(DeletePerson::start, request, "personId").await;
    }
    for (name, value) in [("if-match", "x"), ("if-match", ""), ("if-none-match", "\"0\"")] {
        fixture.refuses_field(DeletePerson::start, delete(1).header(name, value), name).await;
    }
    let both = delete(1).header("if-match", "*").header("if-none-match", "*");
    fixture.refuses(DeletePerson::start, both, 412).await;
    assert_eq!(person_ids(&fixture).await.len(), 2);
}
