use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue::{self, B, Bool, Bs, L, M, N, Ns, Null, S, Ss};
use base64::prelude::{BASE64_STANDARD, Engine};
use proptest::collection::{btree_set, hash_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::dynamodb::Item;
use crate::values::DocumentFormat::{self, DynamoDb, Json};

fn s(text: &str) -> AttributeValue {
    S(text.to_owned())
}

fn n(text: &str) -> AttributeValue {
    N(text.to_owned())
}

fn item<const LENGTH: usize>(attributes: [(&str, AttributeValue); LENGTH]) -> Item {
    attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn written(form: DocumentFormat, item: &Item) -> String {
    write(form, item).unwrap().get().to_owned()
}

fn all_types() -> Item {
    item([
        ("S", s("Ada \"ü\"\n")),
        ("N", n("12345678901234567890123456789012345678")),
        ("B", B(Blob::new([0, 1, 2]))),
        ("BOOL", Bool(true)),
        ("NULL", Null(true)),
        ("L", L(vec![n("-0.10"), s("a"), L(vec![])])),
        ("M", M(item([("deep", n("1")), ("empty", M(Item::new()))]))),
        ("SS", Ss(vec!["b".into(), String::new()])),
        ("NS", Ns(vec!["2".into(), "1E+3".into()])),
        ("BS", Bs(vec![Blob::new([0]), Blob::new([])])),
    ])
}

#[test]
fn all_types_in_dynamodb_json() {
    let text = concat!(
        r#"{"B":{"B":"AAEC"},"BOOL":{"BOOL":true},"BS":{"BS":["AA==",""]},"#,
        r#""L":{"L":[{"N":"-0.10"},{"S":"a"},{"L":[]}]},"M":{"M":{"deep":{"N":"1"},"empty":{"M":{}}}},"#,
        r#""N":{"N":"12345678901234567890123456789012345678"},"NS":{"NS":["2","1E+3"]},"NULL":{"NULL":true},"#,
        r#""S":{"S":"Ada \"ü\"\n"},"SS":{"SS":["b",""]}}"#,
    );
    assert_eq!(written(DynamoDb, &all_types()), text);
    assert_eq!(read(DynamoDb, text), Ok(all_types()));
}

#[test]
fn all_types_in_plain_json() {
    let text = concat!(
        r#"{"B":"AAEC","BOOL":true,"BS":["AA==",""],"L":[-0.10,"a",[]],"M":{"deep":1,"empty":{}},"#,
        r#""N":12345678901234567890123456789012345678,"NS":[2,1E+3],"NULL":null,"S":"Ada \"ü\"\n","SS":["b",""]}"#,
    );
    assert_eq!(written(Json, &all_types()), text);
    assert_eq!(read(Json, text), Ok(as_plain_json_says(all_types())));
}

#[test]
fn numbers_are_those_of_json_and_else_as_they_are_stored() {
    for (stored, shown) in [
        ("0.5", "0.5"),
        ("1.50", "1.50"),
        ("-0", "-0"),
        ("1e5", "1e5"),
        ("9.9999999999999999999999999999999999999E+125", "9.9999999999999999999999999999999999999E+125"),
        ("+1", "1"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-.5", "-0.5"),
        ("007", "7"),
        ("01e2", "100"),
    ] {
        assert_eq!(written(Json, &item([("n", n(stored))])), format!("{{\"n\":{shown}}}"));
        assert_eq!(written(Json, &item([("n", Ns(vec![stored.into()]))])), format!("{{\"n\":[{shown}]}}"));
        assert_eq!(written(DynamoDb, &item([("n", n(stored))])), format!("{{\"n\":{{\"N\":\"{stored}\"}}}}"));
    }
    assert!(write(Json, &item([("n", n("abc"))])).is_err());
}

#[test]
fn faults_name_the_path() {
    let nested = |levels: usize| format!("{{\"a\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
    let digits = "123456789012345678901234567890123456789";
    for (text, fault) in [
        ("", "not JSON: EOF while parsing a value at column 0"),
        ("{} {}", "not JSON: trailing characters at column 4"),
        ("[]", "expected an object"),
        ("\"S\"", "expected an object"),
        ("null", "expected an object"),
        ("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 1}}", "b.c: appears twice"),
        ("{\"a\": 1, \"\\u0061\": 1}", "a: appears twice"),
        ("{\"\": 1}", "an attribute has an empty name"),
        ("{\"a\": [{}, {\"b\": {\"\": 1}}]}", "a[1].b: an attribute has an empty name"),
        (&format!("{{\"{}\": 1}}", "x".repeat(65_536)), "…: the name has 65536 bytes, 65535 are possible"),
        (&format!("{{\"{}\": 1e126}}", "x".repeat(65_535)), "…: \"1e126\" is outside"),
        (
            &nested(33),
            "a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: nested over 32 levels",
        ),
        (&nested(100_000), ": nested over 32 levels"),
        (
            &format!("{{\"a\": {{\"b.c\": [0, {digits}]}}}}"),
            "a.b.c[1]: \"123456789012345678901234567890123456789\" has 39 significant digits, 38 are possible",
        ),
        ("{\"a\": {\"[x]\": 1e-131}}", "a.[x]: \"1e-131\" is outside 1E-130 to 9.99E+125"),
        ("{\"a\": \"\\ud800\"}", "a: not JSON: "),
        ("{\"a\": \"\n\"}", "not JSON: "),
    ] {
        let told = read(Json, text).unwrap_err().to_string();
        assert!(told.contains(fault) && told.len() < 300, "{told}, not {fault}");
        assert_eq!(patch(Json, text).unwrap_err().to_string(), told);
    }
    let deep = |value: &str| {
        format!("{{\"PromotionInfo\": {{\"M\": {{\"TourDates\": {{\"M\": {{\"Seattle\": {value}}}}}}}}}}}")
    };
    for (value, fault) in [
        ("1", ": DynamoDB JSON needs an object with a type here, as in {\"S\": \"…\"}"),
        ("{}", ": has 0 types, one is needed"),
        ("{\"S\": \"a\", \"N\": \"1\"}", ": has 2 types, one is needed"),
        ("{\"S\": \"a\", \"S\": \"a\"}", ": has 2 types, one is needed"),
        ("{\"s\": \"a\"}", ": \"s\" is no type of DynamoDB's"),
        ("{\"\": \"a\"}", ": \"\" is no type of DynamoDB's"),
        ("{\"S\": 1}", ": S: needs a string"),
        ("{\"S\": null}", ": S: needs a string"),
        ("{\"N\": 1}", ": N: needs a string"),
        ("{\"N\": \"abc\"}", ": N: \"abc\" is not a number"),
        ("{\"N\": \"\"}", ": N: \"\" is not a number"),
        ("{\"B\": \"AAE\"}", ": B: not base64: "),
        ("{\"B\": \"AAF=\"}", ": B: not base64: "),
        ("{\"BOOL\": \"true\"}", ": BOOL: needs true or false"),
        ("{\"NULL\": false}", ": NULL: needs true"),
        ("{\"L\": [\"untyped\"]}", "[0]: DynamoDB JSON needs an object with a type here"),
        ("{\"L\": {}}", ": needs an array"),
        ("{\"M\": []}", ": M: needs an object"),
        ("{\"M\": {\"\": {\"S\": \"a\"}}}", ": an attribute has an empty name"),
        ("{\"SS\": []}", ": SS: a set may not be empty"),
        ("{\"SS\": [\"a\", 1]}", "[1]: SS: needs a string"),
        ("{\"SS\": [\"a\", {\"N\": \"1\"}]}", "[1]: SS: needs a string"),
        ("{\"SS\": [\"a\", \"b\", \"a\"]}", "[2]: SS: is in the set already"),
        ("{\"NS\": [\"1\", \"a\"]}", "[1]: NS: \"a\" is not a number"),
        ("{\"NS\": [\"1\", \"1.0\"]}", "[1]: NS: is in the set already"),
        ("{\"NS\": [\"0\", \"-0e5\"]}", "[1]: NS: is in the set already"),
        ("{\"BS\": [\"AA==\", \"AA==\"]}", "[1]: BS: is in the set already"),
    ] {
        let told = read(DynamoDb, &deep(value)).unwrap_err();
        let fault = format!("PromotionInfo.TourDates.Seattle{fault}");
        assert!(told.to_string().starts_with(&fault), "{told}, not {fault}");
        assert_eq!(format!("{}: {}", told.path(), told.what()), told.to_string());
        assert_eq!(patch(DynamoDb, &deep(value)), Err(told));
    }
    assert!(read(Json, &nested(32)).is_ok() && patch(Json, &nested(32)).is_ok());
    for innermost in ["1", "null", "[]", "{}"] {
        for (levels, is_ok) in [(31, true), (32, false), (100_000, false)] {
            let text = format!("{{\"a\": {}{innermost}{}}}", "{\"a\": ".repeat(levels), "}".repeat(levels));
            assert_eq!(read(Json, &text).is_ok(), is_ok);
            assert_eq!(patch(Json, &text).is_ok(), is_ok, "{innermost} in {levels} maps");
        }
    }
}

#[test]
fn the_size_is_as_dynamodb_counts() {
    for (value, bytes) in [
        (s("ü\n"), 3),
        (n("-12.5"), 4),
        (B(Blob::new([0; 7])), 7),
        (Bool(false), 1),
        (Null(true), 1),
        (L(vec![]), 3),
        (L(vec![s("a"), L(vec![])]), 3 + (1 + 1) + (1 + 3)),
        (M(item([])), 3),
        (M(item([("ab", s("c"))])), 3 + 1 + 3),
        (Ss(vec!["a".into(), "bc".into()]), 3),
        (Ns(vec!["1".into(), "100".into()]), 4),
        (Bs(vec![Blob::new([0]), Blob::new([])]), 1),
    ] {
        assert_eq!(size(&item([("ü", value.clone())])), 2 + bytes, "{value:?}");
    }
    assert_eq!(size(&Item::new()), 0);
    let of_size = |bytes: usize| item([("a", s(&"x".repeat(bytes - 1)))]);
    assert_eq!(within_limits(&of_size(409_600)), Ok(()));
    let fault = within_limits(&of_size(409_601)).unwrap_err();
    assert_eq!(fault.to_string(), "the item has 409601 bytes, 409600 (400 KB) are possible");
}

/// [The examples](https://www.rfc-editor.org/rfc/rfc7396#appendix-A) in which target and patch are objects.
#[test]
fn patches_do_what_rfc_7396_says() {
    for (target, patch, result) in [
        (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"a":null}"#, r"{}"),
        (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
        (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
        (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
        (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
        (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"a":1,"e":null}"#),
        (r"{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        // And what else its words say.
        (r#"{"a":{"b":1}}"#, r#"{"a":{}}"#, r#"{"a":{"b":1}}"#),
        (r#"{"a":1}"#, r#"{"a":{}}"#, r#"{"a":{}}"#),
        (r#"{"a":1}"#, r#"{"a":[null,{"b":null}]}"#, r#"{"a":[null,{"b":null}]}"#),
        (r#"{"a":[{"b":1}]}"#, r#"{"a":{"b":2}}"#, r#"{"a":{"b":2}}"#),
    ] {
        assert_eq!(patched(Json, target, patch), result, "{target} {patch}");
        let typed = typed_patch(&serde_json::from_str(patch).unwrap()).to_string();
        assert_eq!(patched(DynamoDb, target, &typed), result, "{target} {typed}");
    }
    for no_object in ["[\"c\"]", "null", "\"bar\"", "1"] {
        assert!(patch(Json, no_object).is_err(), "{no_object}");
    }
}

#[test]
fn a_patch_says_what_changes() {
    let change = |form, text| patch(form, &format!("{{\"a\":{text}}}")).unwrap().remove(0).1;
    let merge = |change| Change::Merge(vec![("b".to_owned(), change)]);
    for (form, text, expected) in [
        (Json, "null", Change::Remove),
        (Json, "[1]", Change::Set(L(vec![n("1")]))),
        (Json, "{\"b\":{\"b\":null}}", merge(merge(Change::Remove))),
        (Json, "{\"M\":{}}", Change::Merge(vec![("M".to_owned(), Change::Merge(vec![]))])),
        (DynamoDb, "null", Change::Remove),
        (DynamoDb, "{\"NULL\":true}", Change::Set(Null(true))),
        (DynamoDb, "{\"SS\":[\"x\"]}", Change::Set(Ss(vec!["x".into()]))),
        (DynamoDb, "{\"M\":{\"b\":{\"N\":\"1\"}}}", merge(Change::Set(n("1")))),
        (DynamoDb, "{\"M\":{\"b\":{\"M\":{\"b\":null}}}}", merge(merge(Change::Remove))),
        (DynamoDb, "{\"L\":[{\"M\":{\"b\":{\"N\":\"1\"}}}]}", Change::Set(L(vec![M(item([("b", n("1"))]))]))),
    ] {
        assert_eq!(change(form, text), expected, "{text}");
    }
    let names = patch(Json, "{\"b\":1,\"a\":2}").unwrap();
    assert_eq!(names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    assert!(patch(DynamoDb, "{\"a\":{\"L\":[null]}}").is_err());
}

#[test]
fn what_a_patch_does_not_name_stays_of_its_type() {
    let before = all_types();
    let changes = patch(Json, r#"{"N": null, "M": {"deep": "x"}, "new": {"a": null}}"#).unwrap();
    let mut expected = before.clone();
    expected.remove("N");
    expected.insert("M".into(), M(item([("deep", s("x")), ("empty", M(Item::new()))])));
    expected.insert("new".into(), M(Item::new()));
    assert_eq!(apply(&changes, before), expected);
}

/// A plain target patched in this form, as plain JSON.
fn patched(form: DocumentFormat, target: &str, text: &str) -> String {
    written(Json, &apply(&patch(form, text).unwrap(), read(Json, target).unwrap()))
}

/// A plain patch as one in DynamoDB JSON.
fn typed_patch(patch: &Value) -> Value {
    let Value::Object(members) = patch else { panic!("{patch}") };
    let members = members.iter().map(|(name, value)| match value {
        Value::Null => (name.clone(), Value::Null),
        Value::Object(_) => (name.clone(), json!({"M": typed_patch(value)})),
        value => {
            let text = json!({"value": value}).to_string();
            let typed = written(DynamoDb, &read(Json, &text).unwrap());
            (name.clone(), serde_json::from_str::<Value>(&typed).unwrap()["value"].take())
        }
    });
    members.collect()
}

/// [Section 2](https://www.rfc-editor.org/rfc/rfc7396#section-2), line for line.
fn merge_patch(target: Value, patch: Value) -> Value {
    let Value::Object(patch) = patch else { return patch };
    let Value::Object(mut target) = (if target.is_object() { target } else { json!({}) }) else { unreachable!() };
    for (name, value) in patch {
        if value.is_null() {
            target.remove(&name);
        } else {
            let before = target.remove(&name).unwrap_or_default();
            target.insert(name, merge_patch(before, value));
        }
    }
    Value::Object(target)
}

/// What is left of an item that plain JSON has shown: sets are lists, binary is text, numbers may be written another way.
fn as_plain_json_says(item: Item) -> Item {
    let base64 = |bytes: Blob| S(BASE64_STANDARD.encode(bytes));
    let says = |value| match value {
        B(bytes) => base64(bytes),
        L(elements) => L(elements
            .into_iter()
            .map(|element| as_plain_json_says(self::item([("", element)])).remove("").unwrap())
            .collect()),
        M(map) => M(as_plain_json_says(map)),
        Ss(texts) => L(texts.into_iter().map(S).collect()),
        Ns(texts) => L(texts.into_iter().map(N).collect()),
        Bs(all) => L(all.into_iter().map(base64).collect()),
        other => other,
    };
    item.into_iter().map(|(name, value)| (name, says(value))).collect()
}

/// With each number written in one way.
fn by_value(item: Item) -> Item {
    let number = |text: &str| Number::parse(text).unwrap().to_string();
    let same = |value| match value {
        N(text) => N(number(&text)),
        L(elements) => {
            L(elements.into_iter().map(|element| by_value(self::item([("", element)])).remove("").unwrap()).collect())
        }
        M(map) => M(by_value(map)),
        other => other,
    };
    item.into_iter().map(|(name, value)| (name, same(value))).collect()
}

fn any_number() -> impl Strategy<Value = String> {
    const EDGES: &[&str] =
        &["0", "-0", "1E-130", "-1e125", "9.9999999999999999999999999999999999999E+125", "9007199254740993"];
    prop_oneof![
        proptest::sample::select(EDGES).prop_map(str::to_owned),
        "-?[1-9][0-9]{0,37}",
        "[+-]?[0-9]{0,19}\\.?[0-9]{0,19}([eE][+-]?[0-9]{1,3})?",
    ]
    .prop_filter("no number", |text| Number::parse(text).is_ok())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,9}",
        "[\u{0}-\u{1f}\"\\\\/\u{7f}\u{2028}\u{feff}\u{1f600}]{0,5}",
        "(S|N|B|M|L|NULL|Item|null|1|\\{\\})"
    ]
}

fn any_value() -> impl Strategy<Value = AttributeValue> {
    let bytes = || vec(any::<u8>(), 0..9);
    let numbers = vec(any_number(), 1..5).prop_map(|texts| {
        let by_value: BTreeMap<String, String> =
            texts.into_iter().map(|text| (Number::parse(&text).unwrap().to_string(), text)).collect();
        by_value.into_values().collect()
    });
    prop_oneof![
        any_text().prop_map(S),
        any_number().prop_map(N),
        bytes().prop_map(|bytes| B(Blob::new(bytes))),
        any::<bool>().prop_map(Bool),
        Just(Null(true)),
        btree_set(any_text(), 1..5).prop_map(|texts| Ss(texts.into_iter().collect())),
        numbers.prop_map(Ns),
        btree_set(bytes(), 1..5).prop_map(|all| Bs(all.into_iter().map(Blob::new).collect())),
    ]
    .prop_recursive(5, 60, 6, |inner| prop_oneof![vec(inner.clone(), 0..6).prop_map(L), any_map(inner).prop_map(M)])
}

fn any_map(value: impl Strategy<Value = AttributeValue>) -> impl Strategy<Value = HashMap<String, AttributeValue>> {
    hash_map(any_text().prop_filter("no name", |name| !name.is_empty()), value, 0..6)
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), (0..9).prop_map(Value::from)];
    let leaf = prop_oneof![leaf, "[a-c]?".prop_map(Value::from)];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![vec(inner.clone(), 0..3).prop_map(Value::from), json_object(inner)]
    })
}

/// With few names, so that a patch meets what it is for.
fn json_object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    hash_map("[a-c]", value, 0..4).prop_map(|members| members.into_iter().collect())
}

proptest! {
    #[test]
    fn dynamodb_json_loses_nothing(item in any_map(any_value())) {
        prop_assert_eq!(read(DynamoDb, &written(DynamoDb, &item)), Ok(item));
    }

    #[test]
    fn plain_json_loses_the_types_of_sets_and_binary_alone(item in any_map(any_value())) {
        let text = written(Json, &item);
        prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        let read = read(Json, &text).unwrap();
        prop_assert_eq!(&written(Json, &read), &text);
        prop_assert_eq!(by_value(read), by_value(as_plain_json_says(item)));
    }

    #[test]
    fn a_document_is_a_patch_that_puts_all_of_it(item in any_map(any_value())) {
        let changes = patch(DynamoDb, &written(DynamoDb, &item)).unwrap();
        prop_assert_eq!(&apply(&changes, Item::new()), &item);
        prop_assert_eq!(&apply(&changes, item.clone()), &item);
    }

    #[test]
    fn no_text_panics(text in ".{0,60}|[\\[\\]{}\",:0-9a-zA-Z+.-]{0,60}") {
        for form in [Json, DynamoDb] {
            let _ = (read(form, &text), patch(form, &text));
        }
    }

    #[test]
    fn no_broken_document_panics(item in any_map(any_value()), place: usize, length in 0..4_usize, with in "[\\[\\]{}\",:0-9]?") {
        for form in [Json, DynamoDb] {
            let mut text: Vec<char> = written(form, &item).chars().collect();
            let start = place % text.len();
            let end = text.len().min(start + length);
            text.splice(start..end, with.chars());
            let text = String::from_iter(text);
            let _ = (read(form, &text), patch(form, &text));
        }
    }

    #[test]
    fn patches_do_what_the_algorithm_of_rfc_7396_does(target in json_object(any_json()), patch in json_object(any_json())) {
        let expected = merge_patch(target.clone(), patch.clone());
        for (form, text) in [(Json, patch.to_string()), (DynamoDb, typed_patch(&patch).to_string())] {
            let result: Value = serde_json::from_str(&patched(form, &target.to_string(), &text)).unwrap();
            prop_assert_eq!(&result, &expected, "{}", text);
        }
    }
}
