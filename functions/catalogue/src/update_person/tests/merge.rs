//! The result of a merge, also for any patch and any person.

use super::*;
use proptest::collection::{btree_set, hash_map};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[tokio::test]
async fn changes_one_line_of_an_address_of_the_dynamodb_guide() {
    let mary = json!({
        "LastName": {"S": "Jones"}, "FirstName": {"S": "Mary"},
        "Address": {"M": {
            "Street": {"S": "123 Main"}, "City": {"S": "Anytown"}, "State": {"S": "OH"}, "ZIPCode": {"N": "12345"},
        }},
    });
    let mut after = mary.clone();
    after["Address"]["M"]["City"] = json!({"S": "Sometown"});
    assert_patch(&mary, &json!({"Address": {"M": {"City": {"S": "Sometown"}}}}), &after, 1).await;

    let fixture = Fixture::new("update-person").await;
    let mut mary = mary;
    mary["PersonID"] = json!({"N": "102"});
    fixture.put(item(&mary)).await;
    let merge_patch = r#"{"Address": {"ZIPCode": 12346}, "Phone": "555-1234"}"#;
    let request = editor("/people/102").body("application/merge-patch+json; charset=utf-8", merge_patch);
    assert_eq!(
        fixture.call(UpdatePerson::start, request).await.body,
        json!({
            "PersonID": 102, "LastName": "Jones", "FirstName": "Mary", "Phone": "555-1234",
            "Address": {"Street": "123 Main", "City": "Anytown", "State": "OH", "ZIPCode": 12346},
        })
    );
}

#[tokio::test]
async fn keeps_the_types_that_plain_json_cannot_express() {
    let fixture = Fixture::new("update-person").await;
    let all_types = json!({
        "PersonID": {"N": "7"}, "S": {"S": ""}, "N": {"N": "-12345678901234567890123456789012345678"},
        "B": {"B": "AAEC/w=="}, "BOOL": {"BOOL": false}, "NULL": {"NULL": true},
        "L": {"L": [{"N": "1"}, {"L": []}, {"SS": ["x"]}]},
        "M": {"M": {"SS": {"SS": ["x"]}, "BS": {"BS": ["AA=="]}, "empty": {"M": {}}, "line": {"S": "x"}}},
        "SS": {"SS": ["a", "b"]}, "NS": {"NS": ["1", "2.5"]}, "BS": {"BS": ["AA==", "AQ=="]},
    });
    fixture.put(item(&all_types)).await;
    let answer = fixture.call(UpdatePerson::start, patch(7, &json!({"S": "new", "M": {"line": "y"}}))).await;
    assert_eq!(answer.status, 200);
    let mut after = all_types.clone();
    after["S"] = json!({"S": "new"});
    after["M"]["M"]["line"] = json!({"S": "y"});
    assert_eq!(shown(stored(&fixture, 7).await.unwrap()), after);
}

#[tokio::test]
async fn merges_into_an_attribute_of_another_type_as_into_an_empty_map() {
    let before = json!({"a": {"S": "x"}, "list": {"L": [{"M": {"b": {"S": "x"}}}]}, "m": {"M": {"b": {"N": "1"}, "c": {"N": "2"}}}});
    let with_attribute = |name: &str, value: Value| {
        let mut after = before.clone();
        after[name] = value;
        after
    };
    let new = json!({"M": {"b": {"M": {"c": {"S": "y"}}}}});
    for name in ["a", "list", "nothing"] {
        assert_patch(&before, &json!({name: new}), &with_attribute(name, new.clone()), 2).await;
    }
    // The outer map exists, and the one inside does not.
    let after = json!({"M": {"b": {"M": {"c": {"S": "y"}}}, "c": {"N": "2"}}});
    assert_patch(&before, &json!({"m": new}), &with_attribute("m", after), 2).await;
    let after = json!({"M": {"b": {"N": "1"}, "c": {"N": "2"}, "d": {"M": {}}}});
    assert_patch(
        &before,
        &json!({"m": {"M": {"d": {"M": {"e": {"M": {}}, "f": null}}}}}),
        &with_attribute("m", {
            let mut after = after;
            after["M"]["d"] = json!({"M": {"e": {"M": {}}}});
            after
        }),
        2,
    )
    .await;
}

#[tokio::test]
async fn merging_an_empty_map_into_a_map_changes_nothing() {
    let before = json!({"m": {"M": {"b": {"N": "1"}}}});
    let empty = json!({"M": {}});
    assert_patch(&before, &json!({"m": empty}), &before, 1).await;
    assert_patch(&before, &json!({"m": empty, "n": empty}), &json!({"m": {"M": {"b": {"N": "1"}}}, "n": empty}), 2)
        .await;
    assert_patch(&json!({"m": {"S": "x"}}), &json!({"m": empty}), &json!({"m": empty}), 2).await;
}

#[tokio::test]
async fn removing_an_absent_attribute_changes_nothing() {
    let before = json!({"m": {"M": {"b": {"N": "1"}}}, "s": {"S": "x"}});
    let nothing = json!({"x": null, "m": {"M": {"x": null}}});
    assert_patch(&before, &nothing, &before, 1).await;
    let all = json!({"s": null, "m": {"M": {"b": null}}});
    assert_patch(&before, &all, &json!({"m": {"M": {}}}), 1).await;
    assert_patch(&before, &json!({"m": null, "s": null}), &json!({}), 1).await;
}

#[tokio::test]
async fn accepts_any_attribute_name() {
    let names = ["name", "SET", "size", "a.b", "a[0]", "#1", ":1", "#version", ":version", "0", " ", "\"", "ü😀"];
    let values: Value = names.iter().map(|name| ((*name).to_owned(), json!({"S": name}))).collect();
    let nested = json!({"M": values});
    let mut both = values.clone();
    both["nested"] = nested.clone();
    assert_patch(&json!({"nested": {"M": {}}}), &both, &both, 1).await;
    let mut removal: Value = names.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
    removal["nested"] = json!({"M": removal.clone()});
    assert_patch(&both, &removal, &json!({"nested": {"M": {}}}), 1).await;
}

/// Values in DynamoDB JSON. Their few names make it likely that a patch changes an existing
/// attribute.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        (-9..99_i32).prop_map(|number| json!({"N": number.to_string()})),
        ".{0,3}".prop_map(|text| json!({"S": text})),
        Just(json!({"NULL": true})),
        btree_set("[x-z]", 1..3).prop_map(|texts| json!({"SS": texts})),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            3 => members(inner.clone()).prop_map(|members| json!({"M": members})),
            1 => proptest::collection::vec(inner, 0..3).prop_map(|elements| json!({"L": elements})),
        ]
    })
}

fn any_change() -> impl Strategy<Value = Value> {
    prop_oneof![3 => any_value(), 1 => Just(Value::Null)]
        .prop_recursive(4, 24, 4, |inner| members(inner).prop_map(|members| json!({"M": members})))
}

fn members(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    hash_map("[a-c]", value, 0..4).prop_map(|members| members.into_iter().collect())
}

#[test]
fn any_patch_has_the_same_result_as_apply() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fixture = runtime.block_on(Fixture::new("update-person"));
    let cases = (members(any_value()), members(any_value()), members(any_change()), proptest::option::of(0..3_usize));
    let test = |(before, concurrent, changes, requests_before): (Value, Value, Value, Option<usize>)| {
        runtime.block_on(async {
            let person = |attributes: &Value| {
                let mut person = item(attributes);
                person.extend(person_key(&"7".parse().unwrap()));
                person
            };
            fixture.put(person(&before)).await;
            if let Some(requests) = requests_before {
                fixture.write_concurrently(requests, vec![person(&concurrent)], vec![]);
            }
            let _ = fixture.operations();
            let answer = fixture.call(UpdatePerson::start, editor("/people/7?format=dynamodb").json(&changes)).await;
            prop_assert_eq!(answer.status, 200, "{}", answer.body);
            let requests = fixture.operations().len();
            let latest = if requests_before.is_some_and(|before| before < requests) { &concurrent } else { &before };
            let expected =
                apply(&document::patch(DocumentFormat::DynamoDb, &changes.to_string()).unwrap(), person(latest));
            prop_assert_eq!(&answer.body, &shown(expected));
            prop_assert_eq!(&shown(stored(&fixture, 7).await.unwrap()), &answer.body);
            prop_assert!(requests <= 3, "{} requests", requests);
            // The concurrent write of this case must not happen in the next one.
            fixture.write_concurrently(usize::MAX, vec![], vec![]);
            Ok(())
        })
    };
    TestRunner::new(Config { failure_persistence: None, ..Config::default() }).run(&cases, test).unwrap();
}
