//! Preconditions, concurrent writes and retries.

use super::*;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::{M, Ss};
use testing::Fault;

#[tokio::test]
async fn keeps_concurrent_changes_of_other_attributes() {
    let fixture = Fixture::new("update-person").await;
    let mut other = stored(&fixture, 1).await.unwrap();
    let Some(M(address)) = other.get_mut("Address") else { panic!("{other:?}") };
    address.insert("City".to_owned(), S("Lakeside".to_owned()));
    other.insert("Roles".to_owned(), Ss(vec!["Guest".to_owned()]));
    other.insert(VERSION.to_owned(), S("another".to_owned()));
    fixture.write_concurrently(0, vec![other], vec![]);
    let answer = fixture.call(UpdatePerson::start, patch(1, &json!({"Address": {"Street": "12 Mill Lane"}}))).await;
    let address = json!({"Street": "12 Mill Lane", "City": "Lakeside", "ZIPCode": 24});
    assert_eq!((answer.status, &answer.body["Address"]), (200, &address));
    assert_eq!(answer.body["Roles"], json!(["Guest"]));
}

#[tokio::test]
async fn merges_into_maps_that_concurrent_writes_add_or_replace() {
    let fixture = Fixture::new("update-person").await;
    let changes = json!({"m": {"ours": {"x": 1}}});
    for (before, concurrent, after) in [
        // A map is added concurrently.
        (json!({}), json!({"m": {"M": {"theirs": {"N": "1"}}}}), json!({"theirs": 1, "ours": {"x": 1}})),
        (json!({}), json!({"m": {"M": {"ours": {"M": {"y": {"N": "2"}}}}}}), json!({"ours": {"x": 1, "y": 2}})),
        // A map is replaced or removed concurrently.
        (json!({"m": {"M": {}}}), json!({"m": {"S": "theirs"}}), json!({"ours": {"x": 1}})),
        (json!({"m": {"M": {"theirs": {"N": "1"}}}}), json!({}), json!({"ours": {"x": 1}})),
    ] {
        let person = |mut attributes: Value| {
            attributes["PersonID"] = json!({"N": "7"});
            item(&attributes)
        };
        fixture.put(person(before)).await;
        fixture.write_concurrently(1, vec![person(concurrent.clone())], vec![]);
        let answer = fixture.call(UpdatePerson::start, patch(7, &changes)).await;
        assert_eq!((answer.status, &answer.body["m"]), (200, &after), "{concurrent}");
        assert_eq!(fixture.operations(), ["UpdateItem"; 3]);
    }
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("update-person").await;
    let person = |m: Value| item(&json!({"PersonID": {"N": "7"}, "m": m}));
    let (map, text) = (person(json!({"M": {}})), person(json!({"S": "x"})));
    fixture.put(text.clone()).await;
    // The first update expects a map, and each other one what the one before it has found.
    let concurrent_writes = async {
        for attempt in 0..MAX_ATTEMPTS {
            while fixture.operations().is_empty() {
                tokio::task::yield_now().await;
            }
            let next = if attempt % 2 == 0 { &map } else { &text };
            fixture.write_concurrently(0, vec![next.clone()], vec![]);
        }
    };
    let call = fixture.call(UpdatePerson::start, patch(7, &json!({"m": {"a": 1}})));
    // With `biased`, a concurrent write is ready before the call can send its next request.
    let both = async { tokio::join!(biased; call, concurrent_writes) };
    let (answer, ()) = tokio::time::timeout(Duration::from_secs(30), both).await.expect("as many requests as attempts");
    assert_eq!((answer.status, &answer.headers["retry-after"]), (503, &"1".parse().unwrap()));
    assert!(fixture.operations().is_empty(), "no request follows the last attempt");
    assert_eq!(stored(&fixture, 7).await, Some(map));
}

#[tokio::test]
async fn updates_only_if_the_precondition_holds() {
    let fixture = Fixture::new("update-person").await;
    for changes in [json!({"a": 1}), json!({"Address": {"a": 1}}), json!({"new": {"a": 1}}), json!({"Roles": {"a": 1}})]
    {
        fixture.put(item(&json!({"PersonID": {"N": "1"}, "Address": {"M": {}}, "Roles": {"SS": ["Admin"]}}))).await;
        let change = async |name: &'static str, value: &str| {
            let before = stored(&fixture, 1).await;
            let answer = fixture.call(UpdatePerson::start, patch(1, &changes).header(name, value)).await;
            assert!(answer.status == 200 || stored(&fixture, 1).await == before, "{name}: {value}");
            answer
        };
        assert_eq!(change("if-none-match", "*").await.status, 412);
        assert_eq!(change("if-match", "\"0190c3f4\"").await.status, 412);
        let first = change("if-match", "\"0\"").await;
        assert_eq!(first.status, 200);
        assert_eq!(change("if-match", "\"0\"").await.status, 412);
        let second = change("if-match", &format!("\"x\", {}, \"0\"", tag(&first))).await;
        assert_eq!(second.status, 200);
        assert_eq!(change("if-match", tag(&first)).await.status, 412);
        assert_eq!(change("if-match", &format!("W/{}, \"x\"", tag(&second))).await.status, 412);
        assert_eq!(change("if-match", "*").await.status, 200);
    }
}

#[tokio::test]
async fn returns_412_for_a_stale_version_even_if_a_map_has_changed() {
    let fixture = Fixture::new("update-person").await;
    let newer = item(&json!({"PersonID": {"N": "1"}, VERSION: {"S": "newer"}, "Address": {"S": "Here"}}));
    fixture.put(item(&json!({"PersonID": {"N": "1"}, VERSION: {"S": "older"}}))).await;
    fixture.write_concurrently(1, vec![newer.clone()], vec![]);
    let request = patch(1, &json!({"Address": {"a": 1}})).header("if-match", "\"older\"");
    assert_eq!(fixture.call(UpdatePerson::start, request.clone()).await.status, 412);
    assert_eq!(fixture.call(UpdatePerson::start, request).await.status, 412);
    assert_eq!(stored(&fixture, 1).await, Some(newer));
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("update-person").await;
    let before = stored(&fixture, 1).await.unwrap();
    for (faults, changes) in [
        (vec![Fault::AnswerLost], json!({"LastName": "Hill"})),
        (vec![Fault::AnswerLost, Fault::AnswerLost], json!({"Address": {"City": "Lakeside"}, "Roles": null})),
        // The condition of the first request fails, and the answer of the second is lost.
        (vec![Fault::None, Fault::AnswerLost], json!({"new": {"a": {}}})),
        (vec![Fault::None, Fault::AnswerLost], json!({"Roles": {"a": 1}})),
        (vec![Fault::AnswerLost, Fault::AnswerLost, Fault::AnswerLost], json!({"new": {"a": 1}})),
    ] {
        for (name, value) in [("accept", "*/*"), ("if-match", "*"), ("if-match", "\"0\""), ("if-match", "\"x\", \"0\"")]
        {
            fixture.put(before.clone()).await;
            let expected = apply(&document::patch(DocumentFormat::Json, &changes.to_string()).unwrap(), before.clone());
            fixture.inject(faults.clone());
            let answer = fixture.call(UpdatePerson::start, patch(1, &changes).header(name, value)).await;
            fixture.clear_faults();
            let plain = serde_json::to_value(write(DocumentFormat::Json, &expected).unwrap()).unwrap();
            assert_eq!((answer.status, &answer.body), (200, &plain), "{name}: {value}, {changes}");
            let mut stored = stored(&fixture, 1).await.unwrap();
            assert_eq!(take_tag(&mut stored), tag(&answer));
            assert_eq!(stored, expected);
        }
    }
}
