use std::time::{Duration, Instant};

use dynoxide::ImportOptions;

use super::*;
use crate::page::tests::database;

fn described(database: &Database) -> Value {
    table(database, "quick-photos").ok().unwrap()
}

/// Returns the page of rows that a query asks for.
fn page(database: &Database, index: Option<&str>, query: &[(&str, &str)]) -> Value {
    let place = TableOrIndex::find(database, "quick-photos", index).ok().unwrap();
    let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    find_rows(database, &place, filter(&query).ok().unwrap()).ok().unwrap()
}

/// Returns the values of an attribute in the rows of a page.
fn values(page: &Value, attribute: &str) -> Vec<String> {
    let rows = page["rows"].as_array().unwrap().iter();
    rows.map(|row| row["item"][attribute]["S"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn rows_come_page_by_page_in_the_order_of_the_data_model() {
    let database = database();
    for index in [None, Some("InvertedIndex"), Some("ReactionsByTime")] {
        let all = page(&database, index, &[("limit", "500")]);
        let mut rows = all["rows"].as_array().unwrap().clone();
        let mut next = all["next"].clone();
        while !next.is_null() {
            let more = page(&database, index, &[("limit", "7"), ("start", &next.to_string())]);
            assert_eq!(more["total"], all["total"]);
            rows.extend(more["rows"].as_array().unwrap().iter().cloned());
            next = more["next"].clone();
        }
        assert_eq!(rows.len(), all["total"], "{index:?}");
        let keys = rows.iter().map(|row| row["item"]["PK"].to_string() + &row["item"]["SK"].to_string());
        assert_eq!(keys.collect::<HashSet<_>>().len(), rows.len(), "a row comes twice");
    }
    let first = page(&database, None, &[]);
    assert_eq!(first["rows"].as_array().unwrap().len(), PAGE_ROWS);
    assert!(values(&first, "PK").iter().all(|key| key.starts_with("USER#")), "{first}");
    assert!(values(&first, "PK").is_sorted());
}

#[test]
fn rows_are_filtered_by_the_beginning_of_a_key_and_by_entity() {
    let database = database();
    let friends = page(&database, None, &[("entity", "Friendship"), ("prefix", "USER#elif")]);
    assert!(!values(&friends, "PK").is_empty());
    for (partition, sort) in values(&friends, "PK").iter().zip(values(&friends, "SK")) {
        assert!(partition == "USER#elif" && sort.starts_with("#FRIEND#"), "{partition} {sort}");
    }
    let photo = page(&database, None, &[("prefix", "PHOTO#ada#2024-05-30")]);
    let entities = photo["rows"].as_array().unwrap().iter().map(|row| row["entity"].as_str().unwrap());
    assert_eq!(entities.collect::<HashSet<_>>(), HashSet::from(["Photo", "Reaction", "Comment", "Like"]));
    assert_eq!(page(&database, None, &[("prefix", "NOTHING#")])["total"], 0);
    for (name, value) in [("limit", "0"), ("limit", "501"), ("limit", "x"), ("start", "x")] {
        let query = HashMap::from([(name.to_owned(), value.to_owned())]);
        assert_eq!(filter(&query).err().unwrap().0.as_u16(), 400, "{name}={value}");
    }
}

#[test]
fn rows_are_filtered_by_an_attribute_of_any_type() {
    const ADA: &str = "PHOTO#ada#2024-05-30T15:42:38";
    let database = database();
    let photos = [("entity", "Photo"), ("limit", "500")];
    let all = page(&database, None, &photos);
    let with = |attribute, operator, value| {
        let filter = [("attribute", attribute), ("operator", operator), ("value", value)];
        page(&database, None, &[&photos[..], &filter].concat())
    };
    let expected =
        |is: &dyn Fn(&Value) -> bool| all["rows"].as_array().unwrap().iter().filter(|row| is(&row["item"])).count();
    for (attribute, operator, value, is) in [
        ("SK", "=", ADA, &(|item: &Value| item["SK"]["S"] == ADA) as &dyn Fn(&Value) -> bool),
        ("SK", "begins", "PHOTO#ada#2024", &|item| item["SK"]["S"].as_str().unwrap().starts_with("PHOTO#ada#2024")),
        ("caption", "exists", "", &|item| !item["caption"].is_null()),
        ("comments", "=", "2", &|item| item["comments"]["N"] == "2"),
        ("comments", "=", "2.0", &|item| item["comments"]["N"] == "2"),
    ] {
        let expected = expected(is);
        assert_eq!(with(attribute, operator, value)["total"], expected, "{attribute} {operator} {value}");
        assert!((1..all["total"].as_u64().unwrap()).contains(&(expected as u64)), "{attribute} {operator} {value}");
    }
    assert_eq!(with("nothing", "exists", "")["total"], 0);
    let put = |sk: &str, value: Value| {
        let item = json!({"PK": {"S": "X"}, "SK": {"S": sk}, "odd name-1": value});
        database.put_item(serde_json::from_value(json!({"TableName": "quick-photos", "Item": item})).unwrap()).unwrap();
    };
    put("1", json!({"BOOL": true}));
    put("2", json!({"NULL": true}));
    put("3", json!({"S": "true"}));
    for (value, sort) in [("true", vec!["1", "3"]), ("null", vec!["2"]), ("false", vec![])] {
        let found = page(&database, None, &[("attribute", "odd name-1"), ("operator", "="), ("value", value)]);
        assert_eq!(values(&found, "SK"), sort, "{value}");
    }
    let query = [("attribute", "a"), ("operator", "<")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(filter(&query.into()).err().unwrap().0.as_u16(), 400);
}

#[test]
fn a_table_has_the_figures_of_its_items() {
    let database = database();
    let described = described(&database);
    assert_eq!(described["keys"], json!(["PK", "SK"]));
    assert_eq!(described["stream"], true);
    assert_eq!(described["ttl"], "ttl");
    let indexes = described["indexes"].as_array().unwrap();
    let inverted = indexes.iter().find(|index| index["name"] == "InvertedIndex").unwrap();
    assert_eq!((&inverted["kind"], &inverted["keys"]), (&json!("global"), &json!(["SK", "PK"])));
    let by_time = indexes.iter().find(|index| index["name"] == "ReactionsByTime").unwrap();
    assert_eq!(by_time["hash"], 2);

    for (place, index) in [(&described, None), (inverted, Some("InvertedIndex")), (by_time, Some("ReactionsByTime"))] {
        let rows = page(&database, index, &[("limit", "500")]);
        assert_eq!(place["items"], rows["total"]);
        let entities = place["entities"].as_array().unwrap();
        assert_eq!(rows["total"], entities.iter().map(|entity| entity["items"].as_u64().unwrap()).sum::<u64>());
        let mut entities = entities.iter().map(|entity| &entity["name"]);
        assert_eq!(entities.next().unwrap(), if index == Some("ReactionsByTime") { "Reaction" } else { "User" });

        let found = TableOrIndex::find(&database, "quick-photos", index).ok().unwrap();
        let key: Vec<_> = found.hash.iter().map(|name| rows["rows"][0]["item"][name].clone()).collect();
        let (items, more) = found.collection(&database, &key, MAX_ITEMS).ok().unwrap();
        assert!(!items.is_empty() && !more);
        let (first, more) = found.collection(&database, &key, 1).ok().unwrap();
        // Like DynamoDB, the engine does not look behind the limit.
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
    assert!(keys[0].starts_with("#FRIEND#") && keys.last().unwrap().starts_with("SHARE#"), "{keys:?}");
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
    described(&database);
    let sample = begin.elapsed();
    let item = |n: usize| -> Item {
        let text = |text: String| AttributeValue::S(text);
        let keys = [("PK", format!("USER#u{}", n / 10)), ("SK", format!("PHOTO#u{}#{n}", n / 10))];
        keys.into_iter().map(|(name, value)| (name.to_owned(), text(value))).collect()
    };
    database.import_items("quick-photos", (0..100_000).map(item).collect(), ImportOptions::default()).unwrap();
    let begin = Instant::now();
    let described = described(&database);
    let rows = page(&database, None, &[]);
    let large = begin.elapsed();
    println!("sample data: {sample:?}, 100,000 items more: {large:?}");
    assert!(described["partitions"].as_u64().unwrap() > 10_000);
    assert!(rows["total"].as_u64().unwrap() > 100_000);
    assert!(large < Duration::from_secs(30), "{large:?}");
}
