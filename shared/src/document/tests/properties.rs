//! Properties of all documents and patches.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue::{self, B, Bool, Bs, L, M, N, Ns, Null, S, Ss};
use proptest::collection::{btree_set, hash_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Item, Number, apply, as_plain_json, patch, patched, read, typed_patch, written};
use crate::values::DocumentFormat::{DynamoDb, Json};

/// Returns the item with each number in canonical form.
fn with_canonical_numbers(item: Item) -> Item {
    let number = |text: &str| Number::parse(text).unwrap().to_string();
    let convert = |value| match value {
        N(text) => N(number(&text)),
        L(elements) => L(elements
            .into_iter()
            .map(|element| with_canonical_numbers(super::item([("", element)])).remove("").unwrap())
            .collect()),
        M(map) => M(with_canonical_numbers(map)),
        other => other,
    };
    item.into_iter().map(|(name, value)| (name, convert(value))).collect()
}

/// The algorithm of [section 2](https://www.rfc-editor.org/rfc/rfc7396#section-2), line for line.
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

fn any_number() -> impl Strategy<Value = String> {
    const EDGES: &[&str] =
        &["0", "-0", "1E-130", "-1e125", "9.9999999999999999999999999999999999999E+125", "9007199254740993"];
    prop_oneof![
        proptest::sample::select(EDGES).prop_map(str::to_owned),
        "-?[1-9][0-9]{0,37}",
        "[+-]?[0-9]{0,19}\\.?[0-9]{0,19}([eE][+-]?[0-9]{1,3})?",
    ]
    .prop_filter("a number that DynamoDB cannot store", |text| Number::parse(text).is_ok())
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
    hash_map(any_text().prop_filter("an empty name", |name| !name.is_empty()), value, 0..6)
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), (0..9).prop_map(Value::from)];
    let leaf = prop_oneof![leaf, "[a-c]?".prop_map(Value::from)];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![vec(inner.clone(), 0..3).prop_map(Value::from), json_object(inner)]
    })
}

/// Objects have few possible names, so that a patch often names an attribute of its target.
fn json_object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    hash_map("[a-c]", value, 0..4).prop_map(|members| members.into_iter().collect())
}

proptest! {
    #[test]
    fn dynamodb_json_is_lossless(item in any_map(any_value())) {
        prop_assert_eq!(read(DynamoDb, &written(DynamoDb, &item)), Ok(item));
    }

    #[test]
    fn plain_json_loses_only_the_types_of_sets_and_binary_values(item in any_map(any_value())) {
        let text = written(Json, &item);
        prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        let read = read(Json, &text).unwrap();
        prop_assert_eq!(&written(Json, &read), &text);
        prop_assert_eq!(with_canonical_numbers(read), with_canonical_numbers(as_plain_json(item)));
    }

    #[test]
    fn a_document_as_a_patch_sets_all_its_attributes(item in any_map(any_value())) {
        let changes = patch(DynamoDb, &written(DynamoDb, &item)).unwrap();
        prop_assert_eq!(&apply(&changes, Item::new()), &item);
        prop_assert_eq!(&apply(&changes, item.clone()), &item);
    }

    #[test]
    fn parsing_any_text_does_not_panic(text in ".{0,60}|[\\[\\]{}\",:0-9a-zA-Z+.-]{0,60}") {
        for format in [Json, DynamoDb] {
            let _ = (read(format, &text), patch(format, &text));
        }
    }

    #[test]
    fn parsing_a_corrupted_document_does_not_panic(item in any_map(any_value()), place: usize, length in 0..4_usize, with in "[\\[\\]{}\",:0-9]?") {
        for format in [Json, DynamoDb] {
            let mut text: Vec<char> = written(format, &item).chars().collect();
            let start = place % text.len();
            let end = text.len().min(start + length);
            text.splice(start..end, with.chars());
            let text = String::from_iter(text);
            let _ = (read(format, &text), patch(format, &text));
        }
    }

    #[test]
    fn patches_follow_the_algorithm_of_rfc_7396(target in json_object(any_json()), patch in json_object(any_json())) {
        let expected = merge_patch(target.clone(), patch.clone());
        for (format, text) in [(Json, patch.to_string()), (DynamoDb, typed_patch(&patch).to_string())] {
            let result: Value = serde_json::from_str(&patched(format, &target.to_string(), &text)).unwrap();
            prop_assert_eq!(&result, &expected, "{}", text);
        }
    }
}
