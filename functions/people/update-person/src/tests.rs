use super::*;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::{M, N, Ss};
use proptest::collection::{btree_set, hash_map};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use shared::document;
use shared::document::write;
use shared::http::precondition::take_tag;
use testing::{Answer, Fault, Fixture, TestRequest, request};

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
    let people = fixture.unrecorded_table("PeopleTable");
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
    let answer = fixture.call(update_person, editor("/people/7?format=dynamodb").json(changes)).await;
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
    let answer = fixture.call_with_sample_event(update_person).await;
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
        fixture.call(update_person, request).await.body,
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
    let answer = fixture.call(update_person, patch(7, &json!({"S": "new", "M": {"line": "y"}}))).await;
    assert_eq!(answer.status, 200);
    let mut after = all_types.clone();
    after["S"] = json!({"S": "new"});
    after["M"]["M"]["line"] = json!({"S": "y"});
    assert_eq!(shown(stored(&fixture, 7).await.unwrap()), after);
}

#[tokio::test]
async fn sets_attributes_of_every_type() {
    let all_types = json!({
        "S": {"S": ""}, "N": {"N": "-12345678901234567890123456789012345678"}, "B": {"B": "AAEC/w=="},
        "BOOL": {"BOOL": false}, "NULL": {"NULL": true}, "L": {"L": [{"N": "1"}, {"L": []}, {"SS": ["x"]}]},
        "M": {"M": {"SS": {"SS": ["x"]}, "empty": {"M": {}}}},
        "SS": {"SS": ["a", "b"]}, "NS": {"NS": ["1", "2.5"]}, "BS": {"BS": ["AA==", "AQ=="]},
    });
    assert_patch(&json!({}), &all_types, &all_types, 2).await;
    assert_patch(
        &json!({"M": {"M": {}}}),
        &json!({"M": {"M": {"inside": {"L": []}}}}),
        &json!({"M": {"M": {"inside": {"L": []}}}}),
        1,
    )
    .await;
}

#[tokio::test]
async fn merges_into_an_attribute_of_another_type_as_into_an_empty_map() {
    let before = json!({"a": {"S": "x"}, "list": {"L": [{"M": {"b": {"S": "x"}}}]}, "m": {"M": {"b": {"N": "1"}, "c": {"N": "2"}}}});
    let with = |name: &str, value: Value| {
        let mut after = before.clone();
        after[name] = value;
        after
    };
    let new = json!({"M": {"b": {"M": {"c": {"S": "y"}}}}});
    for name in ["a", "list", "nothing"] {
        assert_patch(&before, &json!({name: new}), &with(name, new.clone()), 2).await;
    }
    // The outer map exists, and the one inside does not.
    let after = json!({"M": {"b": {"M": {"c": {"S": "y"}}}, "c": {"N": "2"}}});
    assert_patch(&before, &json!({"m": new}), &with("m", after), 2).await;
    let after = json!({"M": {"b": {"N": "1"}, "c": {"N": "2"}, "d": {"M": {}}}});
    assert_patch(
        &before,
        &json!({"m": {"M": {"d": {"M": {"e": {"M": {}}, "f": null}}}}}),
        &with("m", {
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
async fn an_empty_patch_makes_a_new_version() {
    let fixture = Fixture::new("update-person").await;
    let before = stored(&fixture, 1).await.unwrap();
    let first = fixture.call(update_person, patch(1, &json!({}))).await;
    let second = fixture.call(update_person, patch(1, &json!({"PersonID": 1}))).await;
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
        let answer = fixture.call(update_person, editor("/people/1").body("application/json", body)).await;
        assert_eq!((answer.status, &answer.body["LastName"]), (200, &json!(same)));
        assert_eq!(answer.body["PersonID"], 1);
    }
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

#[tokio::test]
async fn keeps_concurrent_changes_of_other_attributes() {
    let fixture = Fixture::new("update-person").await;
    let mut other = stored(&fixture, 1).await.unwrap();
    let Some(M(address)) = other.get_mut("Address") else { panic!("{other:?}") };
    address.insert("City".to_owned(), S("Lakeside".to_owned()));
    other.insert("Roles".to_owned(), Ss(vec!["Guest".to_owned()]));
    other.insert(VERSION.to_owned(), S("another".to_owned()));
    fixture.write_concurrently(0, vec![other], vec![]);
    let answer = fixture.call(update_person, patch(1, &json!({"Address": {"Street": "12 Mill Lane"}}))).await;
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
        let answer = fixture.call(update_person, patch(7, &changes)).await;
        assert_eq!((answer.status, &answer.body["m"]), (200, &after), "{concurrent}");
        assert_eq!(fixture.operations(), ["UpdateItem"; 3]);
    }
}

#[tokio::test]
async fn answers_503_after_the_last_attempt() {
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
    let call = fixture.call(update_person, patch(7, &json!({"m": {"a": 1}})));
    // With `biased`, a concurrent write is ready before the call can send its next request.
    let both = async { tokio::join!(biased; call, concurrent_writes) };
    let (answer, ()) = tokio::time::timeout(Duration::from_secs(30), both).await.expect("as many requests as attempts");
    assert_eq!((answer.status, &answer.headers["retry-after"]), (503, &"1".parse().unwrap()));
    assert!(fixture.operations().is_empty(), "no request follows the last attempt");
    assert_eq!(stored(&fixture, 7).await, Some(map));
}

#[tokio::test]
async fn returns_404_for_an_unknown_person() {
    let fixture = Fixture::new("update-person").await;
    let nested = json!({"a": 1, "m": {"b": {}}});
    for changes in [json!({}), nested] {
        for (name, value) in [("accept", "*/*"), ("if-match", "*"), ("if-match", "\"0\""), ("if-none-match", "*")] {
            let answer = fixture.call(update_person, patch(7, &changes).header(name, value)).await;
            assert_eq!((answer.status, &answer.body["detail"]), (404, &json!("There is no person 7.")));
            assert_eq!(fixture.operations(), ["UpdateItem"]);
        }
    }
    assert_eq!(stored(&fixture, 7).await, None);
}

#[tokio::test]
async fn updates_only_if_the_precondition_holds() {
    let fixture = Fixture::new("update-person").await;
    for changes in [json!({"a": 1}), json!({"Address": {"a": 1}}), json!({"new": {"a": 1}}), json!({"Roles": {"a": 1}})]
    {
        fixture.put(item(&json!({"PersonID": {"N": "1"}, "Address": {"M": {}}, "Roles": {"SS": ["Admin"]}}))).await;
        let change = async |name: &'static str, value: &str| {
            let before = stored(&fixture, 1).await;
            let answer = fixture.call(update_person, patch(1, &changes).header(name, value)).await;
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
async fn answers_412_for_a_stale_version_even_if_a_map_has_changed() {
    let fixture = Fixture::new("update-person").await;
    let newer = item(&json!({"PersonID": {"N": "1"}, VERSION: {"S": "newer"}, "Address": {"S": "Here"}}));
    fixture.put(item(&json!({"PersonID": {"N": "1"}, VERSION: {"S": "older"}}))).await;
    fixture.write_concurrently(1, vec![newer.clone()], vec![]);
    let request = patch(1, &json!({"Address": {"a": 1}})).header("if-match", "\"older\"");
    assert_eq!(fixture.call(update_person, request.clone()).await.status, 412);
    assert_eq!(fixture.call(update_person, request).await.status, 412);
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
            let answer = fixture.call(update_person, patch(1, &changes).header(name, value)).await;
            fixture.clear_faults();
            let plain = serde_json::to_value(write(DocumentFormat::Json, &expected).unwrap()).unwrap();
            assert_eq!((answer.status, &answer.body), (200, &plain), "{name}: {value}, {changes}");
            let mut stored = stored(&fixture, 1).await.unwrap();
            assert_eq!(take_tag(&mut stored), tag(&answer));
            assert_eq!(stored, expected);
        }
    }
}

#[tokio::test]
async fn accepts_400_kb_and_no_byte_more() {
    let fixture = Fixture::new("update-person").await;
    let mut person = item(&json!({"PersonID": {"N": "7"}, "m": {"M": {"a": {"S": "x".repeat(200 * 1024)}}}}));
    fixture.put(person.clone()).await;
    person.insert(VERSION.to_owned(), S(new_version()));
    let rest = MAX_BYTES - document::size(&person) - "b".len() - 1;
    let large = |bytes: usize| patch(7, &json!({"m": {"b": "x".repeat(bytes)}}));
    let answer = fixture.call(update_person, large(rest + 1)).await;
    assert_eq!((answer.status, answer.fields()), (400, vec!["body"]), "{}", answer.body);
    assert_eq!(fixture.call(update_person, large(rest)).await.status, 200);
    assert_eq!(fixture.operations(), ["UpdateItem"; 2]);
    fixture.refuses_field(update_person, large(400 * 1024), "body").await;
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
    fixture.refuses_field(update_person, editor("/people/1?format=dynamodb").json(&too_deep), &path).await;
}

#[tokio::test]
async fn makes_as_many_changes_as_fit_into_an_expression() {
    let fixture = Fixture::new("update-person").await;
    let changes = |count: usize| -> Value { (0..count).map(|number| (format!("a{number}"), json!(number))).collect() };
    let body = async |changes: Value| {
        let answer = fixture.call(update_person, patch(1, &changes)).await;
        assert_eq!((answer.status, answer.fields()), (400, vec!["body"]), "{}", answer.body);
        answer.body["errors"][0]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(fixture.call(update_person, patch(1, &changes(417))).await.status, 200);
    let _ = fixture.operations();
    let too_many = body(changes(1000)).await;
    assert_eq!(too_many, "must be split into patches of at most about 417 changes (it has 1000)");
    assert!(fixture.operations().is_empty());

    // A new map is one change, whatever it contains.
    assert_eq!(fixture.call(update_person, patch(1, &json!({"new": changes(1000)}))).await.status, 200);
    assert_eq!(fixture.operations(), ["UpdateItem"]);
    // An existing map is as many changes as it contains, and the failed first request shows that it exists.
    let too_many = body(json!({"new": changes(1000)})).await;
    assert!(too_many.ends_with("changes (it has 1001)"), "{too_many}");
    assert_eq!(fixture.operations(), ["UpdateItem"]);
    assert_eq!(fixture.call(update_person, patch(1, &json!({"new": changes(250)}))).await.status, 200);

    // The deepest paths are the longest.
    let deep = (0..30).fold(changes(200), |inner, _| json!({"m": inner}));
    assert_eq!(fixture.call(update_person, patch(1, &deep)).await.status, 200);
    assert!(body(deep).await.ends_with("changes (it has 230)"));

    // This is also true in a condition.
    let empty: Value = (0..60).map(|number| (format!("e{number}"), json!({}))).collect();
    let deep = (0..15).fold(empty, |inner, _| json!({"n": inner}));
    assert_eq!(fixture.call(update_person, patch(1, &deep)).await.status, 200);
    assert!(body(deep).await.ends_with("changes (it has 75)"));
}

#[tokio::test]
async fn merges_into_as_many_maps_as_fit_into_a_condition() {
    let fixture = Fixture::new("update-person").await;
    let maps =
        |count: usize| -> Value { (0..count).map(|number| (format!("m{number}"), json!({"x": number}))).collect() };
    assert_eq!(fixture.call(update_person, patch(1, &maps(79))).await.status, 200);
    assert_eq!(fixture.call(update_person, patch(1, &maps(79))).await.status, 200);
    assert_eq!(fixture.operations().len(), 3);
    fixture.refuses_field(update_person, patch(1, &maps(80)), "body").await;
    let many_tags = vec!["\"0190c3f4-7b1e-7cc0-8d2f-1a2b3c4d5e6f\""; 19].join(",");
    let request = |count: usize| patch(1, &maps(count)).header("if-match", format!("{many_tags}, \"0\""));
    assert_eq!(fixture.call(update_person, request(78)).await.status, 412);
    fixture.refuses_field(update_person, request(79), "body").await;
}

/// Values in DynamoDB JSON. Their few names make it likely that a patch changes an existing attribute.
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
            let answer = fixture.call(update_person, editor("/people/7?format=dynamodb").json(&changes)).await;
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
    TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() }).run(&cases, test).unwrap();
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("update-person").await;
    let own = patch(1, &json!({}));
    fixture.needs_a_caller(update_person, own.clone()).await;
    let not_editor = request("PATCH", "/people/1").by("ben").json(&json!({}));
    fixture.refuses(update_person, not_editor.clone(), 403).await;
    for group in ["viewers", "editor", "Editors", ""] {
        fixture.refuses(update_person, not_editor.clone().of_group(group), 403).await;
    }
    for person_id in ["x", "-1", "01", "1.5", "%2B1", "1e2", &"9".repeat(19), "%D9%A1"] {
        let uri = format!("/people/{person_id}");
        fixture.refuses_field(update_person, editor(uri).json(&json!({})), "personId").await;
    }
    for format in ["", "JSON", "xml", "json&format=json"] {
        let uri = format!("/people/1?format={format}");
        fixture.refuses_field(update_person, editor(uri).json(&json!({})), "format").await;
    }
    for (name, value) in [("if-match", "x"), ("if-match", ""), ("if-none-match", "\"0\"")] {
        fixture.refuses_field(update_person, own.clone().header(name, value), name).await;
    }
    let both = own.clone().header("if-match", "*").header("if-none-match", "*");
    fixture.refuses_field(update_person, both, "if-match").await;
    fixture.refuses(update_person, own.header("if-match", "W/\"0\""), 412).await;

    for content_type in ["text/plain", "application/json-patch+json", ""] {
        fixture.refuses(update_person, editor("/people/1").body(content_type, "{}"), 415).await;
    }
    let huge = format!(r#"{{"a": "{}"}}"#, "x".repeat(MAX_DOCUMENT_BYTES));
    fixture.refuses(update_person, editor("/people/1").body("application/json", huge), 413).await;
    let not_utf8 = editor("/people/1").body("application/json", *b"{\"a\": \"\xff\"}");
    fixture.refuses(update_person, not_utf8, 400).await;

    let too_deep = format!("{{\"a\": {}{}}}", "[".repeat(33), "]".repeat(33));
    let too_large = format!(r#"{{"a": {{"b": "{}"}}}}"#, "x".repeat(400 * 1024));
    for (format, body, field) in [
        ("json", "", "body"),
        ("json", "{", "body"),
        ("json", "[]", "body"),
        ("json", "null", "body"),
        ("json", "{}{}", "body"),
        ("json", r#"{"a": 1, "a": 1}"#, "a"),
        ("json", r#"{"a": {"b": 1, "b": null}}"#, "a.b"),
        ("json", r#"{"": 1}"#, "body"),
        ("json", r#"{"a": {"": null}}"#, "a"),
        ("json", r#"{"a": {"b": [0, 123456789012345678901234567890123456789]}}"#, "a.b[1]"),
        ("json", r#"{"a": 1e126}"#, "a"),
        ("json", &too_deep, &format!("a{}", "[0]".repeat(32))),
        ("json", &too_large, "body"),
        ("json", r#"{"_version": "x"}"#, "_version"),
        ("json", r#"{"_version": null}"#, "_version"),
        ("json", r#"{"_version": {}}"#, "_version"),
        ("json", r#"{"PersonID": 2}"#, "PersonID"),
        ("json", r#"{"PersonID": "1"}"#, "PersonID"),
        ("json", r#"{"PersonID": null}"#, "PersonID"),
        ("json", r#"{"PersonID": {}}"#, "PersonID"),
        ("dynamodb", r#"{"PersonID": {"N": "2"}}"#, "PersonID"),
        ("dynamodb", r#"{"PersonID": {"S": "1"}}"#, "PersonID"),
        ("dynamodb", r#"{"_version": {"S": "x"}}"#, "_version"),
        ("dynamodb", r#"{"a": 1}"#, "a"),
        ("dynamodb", r#"{"a": {}}"#, "a"),
        ("dynamodb", r#"{"a": {"S": "x", "N": "1"}}"#, "a"),
        ("dynamodb", r#"{"a": {"M": {"b": {"S": "x", "M": {}}}}}"#, "a.b"),
        ("dynamodb", r#"{"a": {"X": "x"}}"#, "a"),
        ("dynamodb", r#"{"a": {"S": 1}}"#, "a"),
        ("dynamodb", r#"{"a": {"M": {"b": {"N": "abc"}}}}"#, "a.b"),
        ("dynamodb", r#"{"a": {"B": "?"}}"#, "a"),
        ("dynamodb", r#"{"a": {"NULL": false}}"#, "a"),
        ("dynamodb", r#"{"a": {"L": ["untyped"]}}"#, "a[0]"),
        ("dynamodb", r#"{"a": {"L": [null]}}"#, "a[0]"),
        ("dynamodb", r#"{"a": {"SS": []}}"#, "a"),
        ("dynamodb", r#"{"a": {"SS": ["x", 1]}}"#, "a[1]"),
        ("dynamodb", r#"{"a": {"NS": ["1", "1.0"]}}"#, "a[1]"),
    ] {
        let request = editor(format!("/people/1?format={format}")).body("application/json", body);
        fixture.refuses_field(update_person, request, field).await;
    }
}
