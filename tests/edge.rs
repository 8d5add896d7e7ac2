//! The function of CloudFront in pictures.yaml, which checks the URLs of pictures, run by Node.js.

use std::fs;
use std::process::Command;

use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::{Value, json};
use shared::entities::photo_from_item;
use shared::values::EpochMillis;
use testing::{photo_with, ready, signer};
use tests::stack::root;
use tests::tools::{output, tool};

/// The key of [`signer`].
const KEY: &str = "key";

/// Returns the function's code with this key, as CloudFormation makes it.
fn code() -> String {
    let text = fs::read_to_string(root().join("pictures.yaml")).unwrap();
    let template = Yaml::load_from_str(&text).unwrap().remove(0);
    let code = &template["Resources"]["PicturesCheck"]["Properties"]["FunctionCode"];
    let code = code.get_tagged_node().unwrap().as_str().unwrap();
    // The key is a reference that CloudFormation resolves.
    let (before, after) = code.split_once("{{").unwrap();
    let (_, after) = after.split_once("}}'").unwrap();
    format!("{before}{KEY}'{after}")
}

/// Returns what CloudFront gives to the function for a path and a query.
fn event(path: &str, query: &str) -> Value {
    let parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
    let parameters: serde_json::Map<_, _> =
        parameters.map(|(name, value)| (name.to_owned(), json!({"value": value}))).collect();
    json!({"request": {"method": "GET", "uri": path, "querystring": parameters, "headers": {}, "cookies": {}}})
}

#[tokio::test]
async fn the_function_at_the_edge_lets_the_same_urls_pass_as_the_local_stack() {
    // It is installed with Node.js.
    if tool("QUICK_PHOTOS_NODE_MODULES").is_none() {
        return;
    }
    let photo = photo_from_item(photo_with("ada", "2024-05-30T15:42:38.123Z", ready(b"file"))).unwrap().unwrap();
    let large = &signer().show_to_owner(photo).urls[2].url;
    assert!(large.len() < 300, "{large}");
    let (url, query) = large.split_once('?').unwrap();
    let path = url.strip_prefix("https://pictures.example").unwrap();
    let small = path.replace("large", "small");
    let (now, hour) = (EpochMillis::now().seconds(), 60 * 60);
    let without_signature = query.split_once('&').unwrap().0;
    let cases = [
        (path, query.to_owned(), now, true),
        (path, query.to_owned(), now + 2 * hour, false),
        (&small, query.to_owned(), now, false),
        (path, query.replacen("until=1", "until=2", 1), now, false),
        (path, format!("{query}&a=b"), now, false),
        (path, format!("{query}="), now, false),
        (path, without_signature.to_owned(), now, false),
        (path, String::new(), now, false),
    ];
    let events: Vec<Value> = cases
        .iter()
        .map(|(path, query, now, _)| json!({"event": event(path, query), "milliseconds": now * 1000}))
        .collect();
    let call = "for (const {event, milliseconds} of JSON.parse(process.argv[2])) {
        Date.now = () => milliseconds;
        console.log(JSON.stringify(handler(event)));
    }";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("check.mjs");
    fs::write(&file, format!("{}\n{call}\n", code())).unwrap();
    let mut node = Command::new("node");
    node.arg(file).arg(json!(events).to_string());
    let printed = output(node).await;
    let answers: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), cases.len());
    for ((path, query, now, passes), answer) in cases.into_iter().zip(answers) {
        if passes {
            assert_eq!((&answer["uri"], &answer["querystring"]), (&json!(path), &json!({})), "{query}");
        } else {
            assert_eq!(answer["statusCode"], 403, "{path} {query}");
        }
        assert_eq!(signer().admits(path, &query, EpochMillis::from(now * 1000)), passes, "{path} {query}");
    }
}
