//! The maximum size and depth of a person, and of one patch.

use super::*;

#[tokio::test]
async fn accepts_400_kb_and_no_byte_more() {
    let fixture = Fixture::new("update-person").await;
    let mut person = item(&json!({"PersonID": {"N": "7"}, "m": {"M": {"a": {"S": "x".repeat(200 * 1024)}}}}));
    fixture.put(person.clone()).await;
    person.insert(VERSION.to_owned(), S(new_version()));
    let rest = MAX_BYTES - document::size(&person) - "b".len() - 1;
    let large = |bytes: usize| patch(7, &json!({"m": {"b": "x".repeat(bytes)}}));
    let answer = fixture.call(UpdatePerson::start, large(rest + 1)).await;
    assert_eq!((answer.status, answer.fields()), (400, vec!["body"]), "{}", answer.body);
    assert_eq!(fixture.call(UpdatePerson::start, large(rest)).await.status, 200);
    assert_eq!(fixture.operations(), ["UpdateItem"; 2]);
    fixture.refuses_field(UpdatePerson::start, large(400 * 1024), "body").await;
}

#[tokio::test]
async fn changes_values_up_to_the_maximum_depth() {
    let nested = |leaf: Value, levels: usize| (0..levels).fold(leaf, |inner, _| json!({"M": {"m": inner}}));
    let person = json!({"m": nested(json!({"S": "x"}), 31)});
    assert_patch(
        &person,
        &json!({"m": nested(json!({"S": "y"}), 31)}),
        &json!({"m": nested(json!({"S": "y"}), 31)}),
        1,
    )
    .await;
    assert_patch(&person, &json!({"m": nested(Value::Null, 31)}), &json!({"m": nested(json!({"M": {}}), 30)}), 1).await;
    assert_patch(&json!({}), &person, &person, 2).await;
    let fixture = Fixture::new("update-person").await;
    let too_deep = json!({"m": nested(Value::Null, 32)});
    let path = format!("m{}", ".m".repeat(32));
    fixture.refuses_field(UpdatePerson::start, editor("/people/1?format=dynamodb").json(&too_deep), &path).await;
}

#[tokio::test]
async fn makes_as_many_changes_as_fit_into_an_expression() {
    let fixture = Fixture::new("update-person").await;
    let changes = |count: usize| -> Value { (0..count).map(|number| (format!("a{number}"), json!(number))).collect() };
    let error_message = async |changes: Value| {
        let answer = fixture.call(UpdatePerson::start, patch(1, &changes)).await;
        assert_eq!((answer.status, answer.fields()), (400, vec!["body"]), "{}", answer.body);
        answer.body["errors"][0]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(fixture.call(UpdatePerson::start, patch(1, &changes(417))).await.status, 200);
    let _ = fixture.operations();
    let too_many = error_message(changes(1000)).await;
    assert_eq!(too_many, "must be split into patches of at most about 417 changes (it has 1000)");
    assert!(fixture.operations().is_empty());

    // A new map is one change, whatever it contains.
    assert_eq!(fixture.call(UpdatePerson::start, patch(1, &json!({"new": changes(1000)}))).await.status, 200);
    assert_eq!(fixture.operations(), ["UpdateItem"]);
    // An existing map is as many changes as it contains, and the failed first request shows that it
    // exists.
    let too_many = error_message(json!({"new": changes(1000)})).await;
    assert!(too_many.ends_with("changes (it has 1001)"), "{too_many}");
    assert_eq!(fixture.operations(), ["UpdateItem"]);
    assert_eq!(fixture.call(UpdatePerson::start, patch(1, &json!({"new": changes(250)}))).await.status, 200);

    // The deepest paths are the longest.
    let deep = (0..30).fold(changes(200), |inner, _| json!({"m": inner}));
    assert_eq!(fixture.call(UpdatePerson::start, patch(1, &deep)).await.status, 200);
    assert!(error_message(deep).await.ends_with("changes (it has 230)"));

    // This is also true in a condition.
    let empty: Value = (0..60).map(|number| (format!("e{number}"), json!({}))).collect();
    let deep = (0..15).fold(empty, |inner, _| json!({"n": inner}));
    assert_eq!(fixture.call(UpdatePerson::start, patch(1, &deep)).await.status, 200);
    assert!(error_message(deep).await.ends_with("changes (it has 75)"));
}

#[tokio::test]
async fn merges_into_as_many_maps_as_fit_into_a_condition() {
    let fixture = Fixture::new("update-person").await;
    let maps =
        |count: usize| -> Value { (0..count).map(|number| (format!("m{number}"), json!({"x": number}))).collect() };
    assert_eq!(fixture.call(UpdatePerson::start, patch(1, &maps(79))).await.status, 200);
    assert_eq!(fixture.call(UpdatePerson::start, patch(1, &maps(79))).await.status, 200);
    assert_eq!(fixture.operations().len(), 3);
    let answer = fixture.call(UpdatePerson::start, patch(1, &maps(80))).await;
    assert_eq!((answer.status, answer.fields()), (400, vec!["body"]), "{}", answer.body);
    assert_eq!(answer.body["errors"][0]["message"], "must be split into patches of at most about 79 maps (it has 80)");
    let many_tags = vec!["\"0190c3f4-7b1e-7cc0-8d2f-1a2b3c4d5e6f\""; 19].join(",");
    let request = |count: usize| patch(1, &maps(count)).header("if-match", format!("{many_tags}, \"0\""));
    assert_eq!(fixture.call(UpdatePerson::start, request(78)).await.status, 412);
    fixture.refuses_field(UpdatePerson::start, request(79), "body").await;
}
