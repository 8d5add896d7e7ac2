mod properties;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue::{self, B, Bool, Bs, L, M, N, Ns, Null, S, Ss};
use base64::prelude::{BASE64_STANDARD, Engine};
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

fn written(format: DocumentFormat, item: &Item) -> String {
    write(format, item).unwrap().get().to_owned()
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
fn a_line_shows_its_format() {
    let expected = item([("key", s("a")), ("map", M(item([("S", s("x"))])))]);
    for line in [
        r#"{"key": "a", "map": {"S": "x"}}"#,
        r#"{"key": {"S": "a"}, "map": {"M": {"S": {"S": "x"}}}}"#,
        r#"{"Item": {"key": {"S": "a"}, "map": {"M": {"S": {"S": "x"}}}}}"#,
        r#"{"Item": {"key": "a", "map": {"S": "x"}}}"#,
    ] {
        assert_eq!(read_line(line).unwrap(), expected, "{line}");
    }
    assert_eq!(read_line(r#"{"Item": "a"}"#).unwrap(), item([("Item", s("a"))]));
}

#[test]
fn dynamodb_json_has_all_types() {
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
fn plain_json_has_all_types() {
    let text = concat!(
        r#"{"B":"AAEC","BOOL":true,"BS":["AA==",""],"L":[-0.10,"a",[]],"M":{"deep":1,"empty":{}},"#,
        r#""N":12345678901234567890123456789012345678,"NS":[2,1E+3],"NULL":null,"S":"Ada \"ü\"\n","SS":["b",""]}"#,
    );
    assert_eq!(written(Json, &all_types()), text);
    assert_eq!(read(Json, text), Ok(as_plain_json(all_types())));
}

#[test]
fn plain_json_keeps_the_digits_of_a_number_where_json_allows_them() {
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
fn the_largest_item_has_less_than_6_mb_in_a_response() {
    // These items have a tenth of the maximum size, to keep the test fast. DynamoDB returns a
    // number without an exponent.
    let stored = |text: String| Number::parse(&text).unwrap().to_string();
    for value in [
        S("\u{1}".repeat(40_000)),
        L(vec![S(String::new()); 40_000]),
        L(vec![Null(true); 20_000]),
        L(vec![n(&stored("1E-130".to_owned())); 13_300]),
        L(vec![n(&stored("-1E20".to_owned())); 10_000]),
        Ns((0..8_000).map(|number| stored(format!("{}E-120", 1_000_001 + 10 * number))).collect()),
        Ns((0..8_000).map(|number| stored(format!("{}E17", 1_000_001 + 10 * number))).collect()),
    ] {
        let item = item([("a", value)]);
        assert!((39_000..=MAX_BYTES / 10).contains(&size(&item)), "{}", size(&item));
        for format in [Json, DynamoDb] {
            let body = written(format, &item);
            let response = serde_json::to_string(&body).unwrap().len();
            assert!(response < 560_000, "{response}: {}", &body[..100]);
        }
    }
}

#[test]
fn errors_name_the_path_and_the_problem() {
    let nested = |levels: usize| format!("{{\"a\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
    let digits = "123456789012345678901234567890123456789";
    for (text, expected) in [
        ("", "is not valid JSON: EOF while parsing a value at column 0"),
        ("{} {}", "is not valid JSON: trailing characters at column 4"),
        ("[]", "must be a JSON object"),
        ("\"S\"", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 1}}", "b.c: appears more than once"),
        ("{\"a\": 1, \"\\u0061\": 1}", "a: appears more than once"),
        ("{\"\": 1}", "has an attribute with an empty name"),
        ("{\"a\": [{}, {\"b\": {\"\": 1}}]}", "a[1].b: has an attribute with an empty name"),
        (&format!("{{\"{}\": 1}}", "x".repeat(65_536)), "…: has a name of 65536 bytes; at most 65535 are allowed"),
        (
            &format!("{{\"{}\": 1e126}}", "x".repeat(65_535)),
            "…: must be 0 or have a magnitude from 1E-130 to 9.99E+125; it is \"1e126\"",
        ),
        (
            &nested(33),
            "a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: is nested deeper than 32 levels",
        ),
        (&nested(100_000), ": is nested deeper than 32 levels"),
        (
            &format!("{{\"a\": {{\"b.c\": [0, {digits}]}}}}"),
            "a.b.c[1]: must have at most 38 significant digits; \"123456789012345678901234567890123456789\" has 39",
        ),
        (
            "{\"a\": {\"[x]\": 1e-131}}",
            "a.[x]: must be 0 or have a magnitude from 1E-130 to 9.99E+125; it is \"1e-131\"",
        ),
        ("{\"a\": \"\\ud800\"}", "a: is not valid JSON: "),
        ("{\"a\": \"\n\"}", "is not valid JSON: "),
    ] {
        let error = read(Json, text).unwrap_err().to_string();
        assert!(error.contains(expected) && error.len() < 300, "{error}, not {expected}");
        assert_eq!(patch(Json, text).unwrap_err().to_string(), error);
    }
    let deep = |value: &str| {
        format!("{{\"PromotionInfo\": {{\"M\": {{\"TourDates\": {{\"M\": {{\"Seattle\": {value}}}}}}}}}}}")
    };
    for (value, expected) in [
        ("1", ": must be an object with a type in DynamoDB JSON, as in {\"S\": \"…\"}"),
        ("{}", ": must have exactly one type, and has 0"),
        ("{\"S\": \"a\", \"N\": \"1\"}", ": must have exactly one type, and has 2"),
        ("{\"S\": \"a\", \"S\": \"a\"}", ": must have exactly one type, and has 2"),
        ("{\"s\": \"a\"}", ": \"s\" is not a DynamoDB type; the types are S, N, B, BOOL, NULL, L, M, SS, NS, BS"),
        ("{\"\": \"a\"}", ": \"\" is not a DynamoDB type; the types are S, N, B, BOOL, NULL, L, M, SS, NS, BS"),
        ("{\"S\": 1}", ": S: must be a string"),
        ("{\"S\": null}", ": S: must be a string"),
        ("{\"N\": 1}", ": N: must be a string"),
        ("{\"N\": \"abc\"}", ": N: must be a number; it is \"abc\""),
        ("{\"N\": \"\"}", ": N: must be a number; it is \"\""),
        ("{\"B\": \"AAE\"}", ": B: is not valid base64: "),
        ("{\"B\": \"AAF=\"}", ": B: is not valid base64: "),
        ("{\"BOOL\": \"true\"}", ": BOOL: must be true or false"),
        ("{\"NULL\": false}", ": NULL: must be true"),
        ("{\"L\": [\"untyped\"]}", "[0]: must be an object with a type in DynamoDB JSON"),
        ("{\"L\": {}}", ": must be an array"),
        ("{\"M\": []}", ": M: must be an object"),
        ("{\"M\": {\"\": {\"S\": \"a\"}}}", ": has an attribute with an empty name"),
        ("{\"SS\": []}", ": SS: must not be an empty set"),
        ("{\"SS\": [\"a\", 1]}", "[1]: SS: must be a string"),
        ("{\"SS\": [\"a\", {\"N\": \"1\"}]}", "[1]: SS: must be a string"),
        ("{\"SS\": [\"a\", \"b\", \"a\"]}", "[2]: SS: is a duplicate in the set"),
        ("{\"NS\": [\"1\", \"a\"]}", "[1]: NS: must be a number; it is \"a\""),
        ("{\"NS\": [\"1\", \"1.0\"]}", "[1]: NS: is a duplicate in the set"),
        ("{\"NS\": [\"0\", \"-0e5\"]}", "[1]: NS: is a duplicate in the set"),
        ("{\"BS\": [\"AA==\", \"AA==\"]}", "[1]: BS: is a duplicate in the set"),
    ] {
        let error = read(DynamoDb, &deep(value)).unwrap_err();
        let expected = format!("PromotionInfo.TourDates.Seattle{expected}");
        assert!(error.to_string().starts_with(&expected), "{error}, not {expected}");
        assert_eq!(format!("{}: {}", error.path(), error.message()), error.to_string());
        assert_eq!(patch(DynamoDb, &deep(value)), Err(error));
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
fn the_size_is_the_one_that_dynamodb_counts() {
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
    let error = within_limits(&of_size(409_601)).unwrap_err();
    assert_eq!(error.to_string(), "must be at most 409600 bytes (400 KB) in size as an item; it has 409601 bytes");
}

/// The [examples of RFC 7396](https://www.rfc-editor.org/rfc/rfc7396#appendix-A) in which target
/// and patch are objects.
#[test]
fn patches_follow_the_examples_of_rfc_7396() {
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
        // Cases that follow from the text of the RFC.
        (r#"{"a":{"b":1}}"#, r#"{"a":{}}"#, r#"{"a":{"b":1}}"#),
        (r#"{"a":1}"#, r#"{"a":{}}"#, r#"{"a":{}}"#),
        (r#"{"a":1}"#, r#"{"a":[null,{"b":null}]}"#, r#"{"a":[null,{"b":null}]}"#),
        (r#"{"a":[{"b":1}]}"#, r#"{"a":{"b":2}}"#, r#"{"a":{"b":2}}"#),
    ] {
        assert_eq!(patched(Json, target, patch), result, "{target} {patch}");
        let typed = typed_patch(&serde_json::from_str(patch).unwrap()).to_string();
        assert_eq!(patched(DynamoDb, target, &typed), result, "{target} {typed}");
    }
    for not_an_object in ["[\"c\"]", "null", "\"bar\"", "1"] {
        assert!(patch(Json, not_an_object).is_err(), "{not_an_object}");
    }
}

#[test]
fn a_patch_parses_to_removals_values_and_merges() {
    let change = |format, text| patch(format, &format!("{{\"a\":{text}}}")).unwrap().remove(0).1;
    let merge = |change| AttributeChange::Merge(vec![("b".to_owned(), change)]);
    for (format, text, expected) in [
        (Json, "null", AttributeChange::Remove),
        (Json, "[1]", AttributeChange::Set(L(vec![n("1")]))),
        (Json, "{\"b\":{\"b\":null}}", merge(merge(AttributeChange::Remove))),
        (Json, "{\"M\":{}}", AttributeChange::Merge(vec![("M".to_owned(), AttributeChange::Merge(vec![]))])),
        (DynamoDb, "null", AttributeChange::Remove),
        (DynamoDb, "{\"NULL\":true}", AttributeChange::Set(Null(true))),
        (DynamoDb, "{\"SS\":[\"x\"]}", AttributeChange::Set(Ss(vec!["x".into()]))),
        (DynamoDb, "{\"M\":{\"b\":{\"N\":\"1\"}}}", merge(AttributeChange::Set(n("1")))),
        (DynamoDb, "{\"M\":{\"b\":{\"M\":{\"b\":null}}}}", merge(merge(AttributeChange::Remove))),
        (DynamoDb, "{\"L\":[{\"M\":{\"b\":{\"N\":\"1\"}}}]}", AttributeChange::Set(L(vec![M(item([("b", n("1"))]))]))),
    ] {
        assert_eq!(change(format, text), expected, "{text}");
    }
    let names = patch(Json, "{\"b\":1,\"a\":2}").unwrap();
    assert_eq!(names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    assert!(patch(DynamoDb, "{\"a\":{\"L\":[null]}}").is_err());
}

#[test]
fn attributes_that_a_patch_does_not_name_keep_their_types() {
    let before = all_types();
    let changes = patch(Json, r#"{"N": null, "M": {"deep": "x"}, "new": {"a": null}}"#).unwrap();
    let mut expected = before.clone();
    expected.remove("N");
    expected.insert("M".into(), M(item([("deep", s("x")), ("empty", M(Item::new()))])));
    expected.insert("new".into(), M(Item::new()));
    assert_eq!(apply(&changes, before), expected);
}

/// Returns a plain JSON document with a patch in this format applied, as plain JSON.
fn patched(format: DocumentFormat, target: &str, text: &str) -> String {
    written(Json, &apply(&patch(format, text).unwrap(), read(Json, target).unwrap()))
}

/// Converts a plain JSON patch to DynamoDB JSON.
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

/// Returns the item that plain JSON expresses: sets become lists, and binary values become strings.
fn as_plain_json(item: Item) -> Item {
    let base64 = |bytes: Blob| S(BASE64_STANDARD.encode(bytes));
    let convert = |value| match value {
        B(bytes) => base64(bytes),
        L(elements) => L(elements
            .into_iter()
            .map(|element| as_plain_json(self::item([("", element)])).remove("").unwrap())
            .collect()),
        M(map) => M(as_plain_json(map)),
        Ss(texts) => L(texts.into_iter().map(S).collect()),
        Ns(texts) => L(texts.into_iter().map(N).collect()),
        Bs(all) => L(all.into_iter().map(base64).collect()),
        other => other,
    };
    item.into_iter().map(|(name, value)| (name, convert(value))).collect()
}
