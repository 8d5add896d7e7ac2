//! The content of the file: the items that are loaded, and the lines that are rejected.

use std::collections::{HashMap, HashSet};

use ::loader;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use loader::{Event, Totals};
use serde_json::json;

use crate::engine::{Engine, bulk_load, lines, text};

fn n(number: &str) -> AttributeValue {
    AttributeValue::N(number.into())
}

#[tokio::test]
async fn loads_plain_json_and_dynamodb_json() {
    let engine = Engine::start().await;
    let file = engine.file(
        [
            r#"{"PK": "plain", "SK": "ü\u00fc\n", "n": 1, "yes": true, "nothing": null, "list": [1, "a", [], {}], "map": {"S": "x", "deep": {"N": 2}}, "empty": ""}"#,
            "",
            "  \t\r",
            r#"{"PK": {"S": "typed"}, "SK": {"S": "-"}, "n": {"N": "1"}, "b": {"B": "AAEC"}, "no": {"BOOL": false}, "nothing": {"NULL": true}, "list": {"L": [{"N": "1"}, {"L": []}]}, "map": {"M": {"a": {"S": "x"}}}, "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AA==", "AQ=="]}}"#,
            "{\"Item\": {\"PK\": {\"S\": \"exported\"}, \"SK\": {\"S\": \"-\"}, \"owner\": {\"S\": \"me\"}}}\r",
            r#"{"Item": {"PK": "wrapped", "SK": "-"}}"#,
        ]
        .join("\n"),
    );
    let output = bulk_load(file, "things", engine.url.clone()).await;
    assert_eq!(text(&output.stderr), "", "no progress bar without a terminal");
    assert!(text(&output.stdout).starts_with("4 items loaded in "), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(0));

    let items = engine.items("things").await;
    let by_key: HashMap<&str, _> = items.iter().map(|item| (item["PK"].as_s().unwrap().as_str(), item)).collect();
    assert_eq!(
        by_key.keys().copied().collect::<HashSet<_>>(),
        HashSet::from(["plain", "typed", "exported", "wrapped"])
    );
    let s = |text: &str| AttributeValue::S(text.into());
    let map = |name: &str, value| AttributeValue::M(HashMap::from([(name.to_owned(), value)]));
    let list = AttributeValue::L;
    let plain = by_key["plain"];
    assert_eq!((&plain["SK"], &plain["n"], &plain["empty"]), (&s("üü\n"), &n("1"), &s("")));
    assert_eq!((&plain["yes"], &plain["nothing"]), (&AttributeValue::Bool(true), &AttributeValue::Null(true)));
    assert_eq!(plain["list"], list(vec![n("1"), s("a"), list(vec![]), AttributeValue::M(HashMap::new())]));
    assert_eq!(plain["map"].as_m().unwrap()["S"], s("x"), "only top-level objects can be DynamoDB JSON");
    assert_eq!(plain["map"].as_m().unwrap()["deep"], map("N", n("2")));
    let typed = by_key["typed"];
    assert_eq!((&typed["n"], &typed["b"]), (&n("1"), &AttributeValue::B(Blob::new([0, 1, 2]))));
    assert_eq!((&typed["no"], &typed["nothing"]), (&AttributeValue::Bool(false), &AttributeValue::Null(true)));
    assert_eq!((&typed["list"], &typed["map"]), (&list(vec![n("1"), list(vec![])]), &map("a", s("x"))));
    let sorted = |texts: &[String]| texts.iter().cloned().collect::<HashSet<_>>();
    assert_eq!(sorted(typed["ss"].as_ss().unwrap()), HashSet::from(["a".to_owned(), "b".to_owned()]));
    assert_eq!(sorted(typed["ns"].as_ns().unwrap()), HashSet::from(["1".to_owned(), "2".to_owned()]));
    assert_eq!(typed["bs"].as_bs().unwrap().len(), 2);
}

#[tokio::test]
async fn loads_numbers_without_loss_of_digits() {
    let engine = Engine::start().await;
    let numbers = [
        "12345678901234567890123456789012345678",
        "-0.12345678901234567890123456789012345678",
        "9007199254740993",
        "0.1",
    ];
    let plain = numbers
        .iter()
        .enumerate()
        .map(|(i, number)| format!("{{\"PK\": \"plain {i}\", \"SK\": \"-\", \"v\": {number}}}\n"));
    let typed = numbers.iter().enumerate().map(|(i, number)| {
        format!("{}\n", json!({"PK": {"S": format!("typed {i}")}, "SK": {"S": "-"}, "v": {"N": number}}))
    });
    let file = engine.file(plain.chain(typed).collect::<String>());
    let totals = loader::load_file(&engine.client, "things", &file, |event| {
        assert!(!matches!(event, Event::BadLine { .. }));
    })
    .await;
    assert_eq!(totals.unwrap(), Totals { loaded: 8, bad: 0 });
    let values = engine.values().await;
    for (i, number) in numbers.iter().enumerate() {
        assert_eq!(values[&format!("plain {i}")], *number);
        assert_eq!(values[&format!("typed {i}")], *number);
    }
}

#[tokio::test]
async fn reports_bad_lines_and_loads_the_others() {
    let engine = Engine::start().await;
    let with = |attributes: &str| format!("{{\"PK\": \"p\", \"SK\": \"s\", {attributes}}}");
    let typed = |value: &str| format!("{{\"PK\": {{\"S\": \"p\"}}, \"SK\": {{\"S\": \"s\"}}, \"a\": {value}}}");
    let nested = |levels: usize| with(&format!("\"a\": {}{}", "[".repeat(levels), "]".repeat(levels)));
    // The document itself has more errors, which the tests of `shared::document` have.
    let bad: Vec<(Vec<u8>, &str)> = [
        ("nonsense".to_owned(), "is not valid JSON: expected ident at column 2"),
        ("{\"PK\": \"p\", \"SK\": \"s\"} {}".to_owned(), "is not valid JSON: trailing characters at column 24"),
        ("[{\"PK\": \"p\", \"SK\": \"s\"}]".to_owned(), "must be a JSON object"),
        (with("\"a\": \"\\ud800\""), "a: is not valid JSON: "),
        (with("\"a\": 1, \"a\": 2"), "a: appears more than once"),
        (with("\"\": 1"), "has an attribute with an empty name"),
        ("{\"PK\": \"p\"}".to_owned(), "SK is missing, an attribute of the key"),
        ("{}".to_owned(), "PK is missing, an attribute of the key"),
        ("{\"PK\": 1, \"SK\": \"s\"}".to_owned(), "PK is of type N, the key needs S"),
        ("{\"PK\": {\"S\": \"p\"}, \"SK\": \"s\"}".to_owned(), "PK is of type M, the key needs S"),
        ("{\"PK\": \"p\", \"SK\": \"\"}".to_owned(), "SK is empty, an attribute of the key"),
        (json!({"PK": "x".repeat(2049), "SK": "s"}).to_string(), "PK has 2049 bytes, the maximum in the key is 2048"),
        (json!({"PK": "p", "SK": "ü".repeat(513)}).to_string(), "SK has 1026 bytes, the maximum in the key is 1024"),
        (with("\"owner\": 1"), "owner is of type N, the key of index ByOwner needs S"),
        (with("\"owner\": \"\""), "owner is empty, an attribute of the key of index ByOwner"),
        // PK, p, SK, s and a are seven bytes.
        (with(&format!("\"a\": \"{}\"", "x".repeat(400 * 1024 - 6))), "must be at most 409600 bytes (400 KB) in size as an item; it has 409601 bytes"),
        (nested(33), "a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: is nested deeper than 32 levels"),
        (with("\"a\": 123456789012345678901234567890123456789"), "must have at most 38 significant digits; \"123456789012345678901234567890123456789\" has 39"),
        (typed("{\"N\": \"abc\"}"), "a: N: must be a number; it is \"abc\""),
        (typed("{\"NS\": [\"1\", \"2\", \"1.0\"]}"), "a[2]: NS: is a duplicate in the set"),
    ]
    .into_iter()
    .map(|(line, reason)| (line.into_bytes(), reason))
    .chain([(b"{\"PK\": \"p\xff\", \"SK\": \"s\"}".to_vec(), "not UTF-8 at byte 10"), (vec![b' '; 17 << 20], "the maximum is 16777216 (16 MB)")])
    .collect();

    // A good line and an empty line follow each bad line. Empty lines count in line numbers.
    let mut content = Vec::new();
    for (i, (line, _)) in bad.iter().enumerate() {
        content.extend_from_slice(line);
        content.extend_from_slice(format!("\n{}\n", lines([(i, i)].into_iter())).as_bytes());
    }
    let deepest = nested(32).replace("\"s\"", "\"deepest\"");
    let biggest = with(&format!("\"a\": \"{}\"", "x".repeat(400 * 1024 - 7)));
    content.extend_from_slice(format!("{deepest}\n{biggest}").as_bytes());
    let file = engine.file(content);

    let output = bulk_load(file.clone(), "things", engine.url.clone()).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stdout).starts_with(&format!("{} items loaded in ", bad.len() + 2)),
        "{}",
        text(&output.stdout)
    );
    let mut messages = text(&output.stderr).lines();
    for (i, (_, reason)) in bad.iter().enumerate() {
        let line = messages.next().unwrap();
        assert!(line.starts_with(&format!("{}:{}: ", file.display(), 3 * i + 1)), "{line}, not line {}", 3 * i + 1);
        assert!(line.contains(reason), "{line}, not {reason}");
    }
    assert_eq!(messages.collect::<Vec<_>>(), [format!("bulk-load: {} bad lines were skipped", bad.len())]);
    assert_eq!(engine.items("things").await.len(), bad.len() + 2);
}

#[tokio::test]
async fn accepts_numbers_and_binary_as_keys() {
    let engine = Engine::start().await;
    let key =
        |n: &str, b: &str, v: u8| format!("{}\n", json!({"n": {"N": n}, "b": {"B": b}, "v": {"N": v.to_string()}}));
    let file = engine.file(
        [
            key("1", "AA==", 1),
            key("1", "AQ==", 2),
            key("1.0", "AA==", 3),
            key("-1", "AA==", 4),
            key("1", "", 5),
            "{\"n\": 1, \"b\": \"AA==\"}".into(),
        ]
        .concat(),
    );
    let mut bad_lines = Vec::new();
    let totals = loader::load_file(&engine.client, "bytes", &file, |event| {
        if let Event::BadLine { line, reason } = event {
            bad_lines.push(format!("{line}: {reason}"));
        }
    });
    assert_eq!(totals.await.unwrap(), Totals { loaded: 4, bad: 2 });
    assert_eq!(bad_lines, ["5: b is empty, an attribute of the key", "6: b is of type S, the key needs B"]);
    let values: HashSet<_> = engine.items("bytes").await.iter().map(|item| item["v"].as_n().unwrap().clone()).collect();
    assert_eq!(values, HashSet::from(["2".to_owned(), "3".to_owned(), "4".to_owned()]), "1 and 1.0 are the same key");
}

#[tokio::test]
async fn prints_errors_on_one_line() {
    let engine = Engine::start().await;
    let file = engine.file(lines([(1, 1)].into_iter()));
    let missing = engine.directory.path().join("missing.json");
    for (file, table, url, message) in [
        (missing, "things", engine.url.clone(), "missing.json: No such file or directory"),
        (engine.directory.path().to_owned(), "things", engine.url.clone(), "is a directory"),
        (
            file.clone(),
            "nothing",
            engine.url.clone(),
            "table nothing: Requested resource not found: Table: nothing not found (ResourceNotFoundException); check the name",
        ),
        (file.clone(), "things", "http://127.0.0.1:1".to_owned(), "onnection refused"),
        (
            file,
            "things",
            "localhost:8000".to_owned(),
            "--endpoint-url localhost:8000: the form has to be http://host:port",
        ),
    ] {
        let output = bulk_load(file, table, url).await;
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert_eq!(text(&output.stdout), "");
        let stderr = text(&output.stderr);
        assert!(
            stderr.starts_with("bulk-load: ") && stderr.contains(message) && stderr.lines().count() == 1,
            "{stderr}, not {message}"
        );
    }
}
