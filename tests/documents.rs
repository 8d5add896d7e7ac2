//! Writes arbitrary items of all ten types through the API and reads them back in both formats. If
//! the environment variable `QUICK_PHOTOS_PYTHON` names a Python with boto3, boto3 reads them from
//! the engine as well. `DOCUMENTS_SEED` repeats a run.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue::{self, B, Bool, Bs, L, M, N, Ns, Null, S, Ss};
use base64::prelude::{BASE64_STANDARD, Engine};
use local::stack::Options;
use local::template::Template;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use shared::document::{self, Number};
use shared::dynamodb::Item;
use shared::values::DocumentFormat::{DynamoDb, Json};
use tests::stack::{root, start};
use tests::tools::tool;
use tokio::task::spawn_blocking;

const ITEMS: usize = 150;

#[tokio::test]
async fn arbitrary_items_are_read_as_they_were_written() {
    let seed = std::env::var("DOCUMENTS_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    eprintln!("DOCUMENTS_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let stack = start(Options::default()).await;
    let token = stack.token_in("ada", "editors").unwrap();
    let http = reqwest::Client::new();

    let mut lines = String::new();
    for number in 0..ITEMS {
        let mut item: Item =
            (0..random.random_range(0..8)).map(|_| (name(&mut random), value(&mut random, 0))).collect();
        let body = document::write(DynamoDb, &item).unwrap();
        let url = format!("{}/people/{}", stack.api(), 1000 + number);
        let put = http.put(format!("{url}?format=dynamodb")).bearer_auth(&token);
        let put = put.header("content-type", "application/json").body(body.get().to_owned()).send().await.unwrap();
        assert_eq!(put.status(), 201, "DOCUMENTS_SEED={seed} {body}: {}", put.text().await.unwrap());

        item.insert("PersonID".to_owned(), N((1000 + number).to_string()));
        let get = async |query: &str| {
            let get = http.get(format!("{url}{query}")).bearer_auth(&token).send().await.unwrap();
            assert_eq!(get.status(), 200);
            get.text().await.unwrap()
        };
        let typed = document::read(DynamoDb, &get("?format=dynamodb").await).unwrap();
        assert_eq!(comparable(typed.clone()), comparable(item.clone()), "DOCUMENTS_SEED={seed} {body}");
        let plain = document::read(Json, &get("").await).unwrap();
        // A set has no order, so the expected order is the one in which it was read.
        assert_eq!(comparable(plain), comparable(shown(typed)), "DOCUMENTS_SEED={seed} {body}");
        lines += document::write(DynamoDb, &item).unwrap().get();
        lines.push('\n');
    }
    if let Some(python) = tool("QUICK_PHOTOS_PYTHON") {
        let table =
            Template::read(&root().join("template.yaml")).unwrap().table(local::sample::PEOPLE).unwrap().name.clone();
        let endpoint = stack.dynamodb().to_owned();
        // On a thread of its own, because the stack has to answer boto3 on this one.
        let output = spawn_blocking(move || by_boto3(&python, &table, &endpoint, &lines)).await.unwrap();
        assert_eq!(output, format!("{ITEMS} items are equal\n"), "DOCUMENTS_SEED={seed}");
    }
    stack.shutdown().await;
}

/// Returns the output of read.py, which compares the items in the table with these.
fn by_boto3(python: &Path, table: &str, endpoint: &str, items: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/documents/read.py");
    let mut boto3 = Command::new(python)
        .args([script, table, endpoint])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    boto3.stdin.take().unwrap().write_all(items.as_bytes()).unwrap();
    String::from_utf8(boto3.wait_with_output().unwrap().stdout).unwrap()
}

fn name(random: &mut StdRng) -> String {
    let names = ["a", "Name", "größe", "with space", "名前", "a.b", "#", "😀", "\"", "\\", "size", "_", "0"];
    (*names.choose(random).unwrap()).to_owned()
}

fn text(random: &mut StdRng) -> String {
    let characters = ['a', 'Z', '0', ' ', '"', '\\', '\n', '\u{0}', '\u{7f}', 'é', '名', '😀', '\u{202e}', '/'];
    (0..random.random_range(0..12)).map(|_| *characters.choose(random).unwrap()).collect()
}

fn number(random: &mut StdRng) -> String {
    let digits: String = (0..random.random_range(1..=38)).map(|_| random.random_range('0'..='9')).collect();
    let sign = if random.random() { "-" } else { "" };
    match random.random_range(0..6) {
        0 => random.random::<i32>().to_string(),
        1 => format!("{sign}{}", digits.trim_start_matches('0').parse::<u128>().unwrap_or(0)),
        2 => format!("{sign}0.{digits}"),
        3 => format!("{sign}1{}E+{}", &digits[1..].replace('0', "7"), random.random_range(0..80)),
        4 => (*["1E-130", "9.9999999999999999999999999999999999999E+125", "-1E-130", "0", "0.1", "1e10"]
            .choose(random)
            .unwrap())
        .to_owned(),
        _ => format!("{sign}{}.5", random.random_range(0..1_000_000)),
    }
}

fn bytes(random: &mut StdRng) -> Blob {
    Blob::new((0..random.random_range(0..20)).map(|_| random.random()).collect::<Vec<u8>>())
}

fn value(random: &mut StdRng, depth: usize) -> AttributeValue {
    match random.random_range(0..if depth < 4 { 10 } else { 8 }) {
        0 => S(text(random)),
        1 => N(number(random)),
        2 => B(bytes(random)),
        3 => Bool(random.random()),
        4 => Null(true),
        5 => Ss(set(random, text, Clone::clone)),
        6 => Ns(set(random, number, |text| Number::parse(text).unwrap().to_string())),
        7 => Bs(set(random, bytes, |bytes| BASE64_STANDARD.encode(bytes))),
        8 => L((0..random.random_range(0..4)).map(|_| value(random, depth + 1)).collect()),
        _ => M((0..random.random_range(0..4)).map(|_| (name(random), value(random, depth + 1))).collect()),
    }
}

fn set<T>(random: &mut StdRng, member: impl Fn(&mut StdRng) -> T, identity: impl Fn(&T) -> String) -> Vec<T> {
    let mut members: Vec<T> = (0..random.random_range(1..5)).map(|_| member(random)).collect();
    members.sort_by_key(&identity);
    members.dedup_by_key(|member| identity(member));
    members
}

/// Returns a form in which equal items are equal: numbers by value, sets in one order.
fn comparable(item: Item) -> Value {
    fn of(value: AttributeValue) -> AttributeValue {
        let number = |text: String| Number::parse(&text).unwrap().to_string();
        let sorted = |mut texts: Vec<String>| {
            texts.sort();
            texts
        };
        match value {
            N(text) => N(number(text)),
            Ss(texts) => Ss(sorted(texts)),
            Ns(texts) => Ns(sorted(texts.into_iter().map(number).collect())),
            Bs(mut all) => {
                all.sort_by_key(|bytes| BASE64_STANDARD.encode(bytes));
                Bs(all)
            }
            L(values) => L(values.into_iter().map(of).collect()),
            M(values) => M(values.into_iter().map(|(name, value)| (name, of(value))).collect()),
            other => other,
        }
    }
    let item: Item = item.into_iter().map(|(name, value)| (name, of(value))).collect();
    serde_json::from_str(document::write(DynamoDb, &item).unwrap().get()).unwrap()
}

/// Returns the item as plain JSON shows it: sets as lists, binary values as base64.
fn shown(item: Item) -> Item {
    fn of(value: AttributeValue) -> AttributeValue {
        let base64 = |bytes: Blob| S(BASE64_STANDARD.encode(bytes));
        match value {
            B(bytes) => base64(bytes),
            Ss(texts) => L(texts.into_iter().map(S).collect()),
            Ns(texts) => L(texts.into_iter().map(N).collect()),
            Bs(all) => L(all.into_iter().map(base64).collect()),
            L(values) => L(values.into_iter().map(of).collect()),
            M(values) => M(values.into_iter().map(|(name, value)| (name, of(value))).collect()),
            other => other,
        }
    }
    item.into_iter().map(|(name, value)| (name, of(value))).collect()
}
