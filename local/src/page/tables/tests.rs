use std::time::{Duration, Instant};

use dynoxide::ImportOptions;

use super::*;
use crate::page::tests::database;

#[test]
fn a_table_has_the_figures_of_its_items() {
    let database = database();
    let described = table(&database, "quick-photos").ok().unwrap();
    assert_eq!(described["keys"], json!(["PK", "SK"]));
    assert_eq!(described["stream"], true);
    assert_eq!(described["ttl"], "ttl");
    let indexes = described["indexes"].as_array().unwrap();
    let inverted = indexes.iter().find(|index| index["name"] == "InvertedIndex").unwrap();
    assert_eq!((&inverted["kind"], &inverted["keys"]), (&json!("global"), &json!(["SK", "PK"])));
    let by_time = indexes.iter().find(|index| index["name"] == "ReactionsByTime").unwrap();
    assert_eq!(by_time["hash"], 2);

    for (place, index) in [(&described, None), (inverted, Some("InvertedIndex")), (by_time, Some("ReactionsByTime"))] {
        let found = TableOrIndex::find(&database, "quick-photos", index).ok().unwrap();
        let partitions = all_partitions(&database, &found).ok().unwrap();
        assert_eq!(place["partitions"], partitions.len());
        assert_eq!(place["items"], partitions.iter().map(|partition| partition.items).sum::<usize>());
        assert_eq!(place["bytes"], partitions.iter().map(|partition| partition.bytes).sum::<usize>());
        let largest = partitions.iter().max_by_key(|partition| partition.items).unwrap();
        let key: Vec<_> = largest.key.iter().map(|value| json!(value)).collect();
        let (items, more) = found.collection(&database, &key, MAX_ITEMS).ok().unwrap();
        assert_eq!((items.len(), more), (largest.items, false));
        assert_eq!(items.iter().map(item_size).sum::<usize>(), largest.bytes);
        let (first, more) = found.collection(&database, &key, 1).ok().unwrap();
        assert_eq!((&first[..], more), (&items[..1], true));
    }
}

#[test]
fn the_partition_of_a_user_is_in_the_order_of_its_sort_key() {
    let database = database();
    let place = TableOrIndex::find(&database, "quick-photos", None).ok().unwrap();
    let (items, _) = place.collection(&database, &[json!({"S": "USER#ada"})], MAX_ITEMS).ok().unwrap();
    let keys: Vec<_> = items.iter().map(|item| json!(item)["SK"]["S"].as_str().unwrap().to_owned()).collect();
    assert!(keys.is_sorted() && keys.len() > 2, "{keys:?}");
    assert!(keys[0].starts_with("#FRIEND#") && keys.last().unwrap().starts_with("PHOTO#"), "{keys:?}");
}

#[test]
fn refuses_what_does_not_exist() {
    let database = database();
    let status = |refusal: Option<Refusal>| refusal.unwrap().0.as_u16();
    for name in ["nothing", "", "..", "../..", "a b", &"a".repeat(300), "é"] {
        let Refusal(status, detail) = TableOrIndex::find(&database, name, None).err().unwrap();
        assert_eq!((status.as_u16(), detail.as_str()), (404, "there is no such table"), "{name}");
    }
    assert_eq!(status(TableOrIndex::find(&database, "quick-photos", Some("nothing")).err()), 404);
    let place = TableOrIndex::find(&database, "quick-photos", None).ok().unwrap();
    for key in [vec![], vec![json!({"S": "a"}), json!({"S": "b"})], vec![json!({"N": "1"})], vec![json!("a")]] {
        assert_eq!(status(place.collection(&database, &key, 10).err()), 400, "{key:?}");
    }
}

#[test]
fn keys_are_in_the_order_of_dynamodb() {
    let number = |text: &str| [AttributeValue::N(text.to_owned())];
    assert!(compare(&number("9"), &number("10")).is_lt());
    assert!(compare(&number("-1"), &number("0.5")).is_lt());
    let texts = |one: &str, other: &str| [one, other].map(|text| AttributeValue::S(text.to_owned()));
    assert!(compare(&texts("a", "b"), &texts("a", "c")).is_lt());
    assert!(compare(&texts("b", "a"), &texts("a", "c")).is_gt());
    assert!(compare(&[AttributeValue::B(vec![1])], &[AttributeValue::B(vec![1, 0])]).is_lt());
}

/// The limits are ten times what a busy machine with a debug build takes.
#[test]
fn a_hundred_thousand_items_take_seconds() {
    let database = database();
    let begin = Instant::now();
    table(&database, "quick-photos").ok().unwrap();
    let sample = begin.elapsed();
    let item = |n: usize| -> Item {
        let text = |text: String| AttributeValue::S(text);
        let keys = [("PK", format!("USER#u{}", n / 10)), ("SK", format!("PHOTO#u{}#{n}", n / 10))];
        keys.into_iter().map(|(name, value)| (name.to_owned(), text(value))).collect()
    };
    database.import_items("quick-photos", (0..100_000).map(item).collect(), ImportOptions::default()).unwrap();
    let begin = Instant::now();
    let described = table(&database, "quick-photos").ok().unwrap();
    let large = begin.elapsed();
    println!("sample data: {sample:?}, 100,000 items more: {large:?}");
    assert!(described["partitions"].as_u64().unwrap() > 10_000);
    assert!(large < Duration::from_secs(30), "{large:?}");
}
