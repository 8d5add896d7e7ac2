//! The functions of CloudFront, run by Node.js: those in pictures.yaml, which check the URLs of
//! pictures and choose between the variants of a link, and the one in edge.yaml, which makes the API a
//! folder of the page's origin.

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

/// Returns the code of a function in a template.
fn code_in(template: &str, function: &str) -> String {
    let text = fs::read_to_string(root().join(template)).unwrap();
    let template = Yaml::load_from_str(&text).unwrap().remove(0);
    let code = &template["Resources"][function]["Properties"]["FunctionCode"];
    code.get_tagged_node().unwrap_or(code).as_str().unwrap().to_owned()
}

/// Returns the code of the function in pictures.yaml with this key, as CloudFormation makes it.
fn code() -> String {
    let code = code_in("pictures.yaml", "PicturesCheck");
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

/// Runs code with an argument, and returns the JSON of each line that it prints.
async fn run(code: &str, argument: &Value) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("function.mjs");
    fs::write(&file, code).unwrap();
    let mut node = Command::new("node");
    node.arg(file).arg(argument.to_string());
    let printed = output(node).await;
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn the_api_is_below_a_path_of_the_page() {
    if tool("QUICK_PHOTOS_CLIENT").is_none() {
        return;
    }
    let event = |kind: &str, path: &str, headers: Value| {
        let request = json!({"method": "POST", "uri": path, "querystring": {}, "headers": {}});
        json!({"context": {"eventType": kind}, "request": request, "response": {"statusCode": 201, "headers": headers}})
    };
    let photo = "/users/ada/photos/2024-05-30T15%3A42%3A38";
    let location = json!({"location": {"value": photo}, "etag": {"value": "x"}});
    let events = json!([
        event("viewer-request", &format!("/api{photo}"), json!({})),
        event("viewer-request", "/api/api/", json!({})),
        event("viewer-response", photo, location),
        event("viewer-response", photo, json!({"etag": {"value": "x"}})),
    ]);
    let call = "for (const event of JSON.parse(process.argv[2])) console.log(JSON.stringify(handler(event)));";
    let answers = run(&format!("{}\n{call}\n", code_in("edge.yaml", "PathOfApi")), &events).await;
    assert_eq!((&answers[0]["uri"], &answers[1]["uri"]), (&json!(photo), &json!("/api/")));
    let location = json!({"location": {"value": format!("/api{photo}")}, "etag": {"value": "x"}});
    assert_eq!((&answers[2]["headers"], &answers[3]["headers"]), (&location, &json!({"etag": {"value": "x"}})));
}

#[tokio::test]
async fn the_edge_keeps_two_variants_of_a_link() {
    if tool("QUICK_PHOTOS_CLIENT").is_none() {
        return;
    }
    let cases = [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", "text/html"),
        ("*/*", "text/html"),
        ("", "text/html"),
        ("application/json", "application/json"),
        ("Application/JSON, text/plain, */*", "application/json"),
        ("text/html, application/json;q=0.9", "application/json"),
    ];
    let event = |accept: &str| {
        let headers = if accept.is_empty() { json!({}) } else { json!({"accept": {"value": accept}}) };
        json!({"request": {"method": "GET", "uri": "/s/token", "querystring": {}, "headers": headers, "cookies": {}}})
    };
    let events: Vec<Value> = cases.iter().map(|(accept, _)| event(accept)).collect();
    let call = "for (const event of JSON.parse(process.argv[2])) console.log(JSON.stringify(handler(event)));";
    let answers = run(&format!("{}\n{call}\n", code_in("pictures.yaml", "LinksVariant")), &json!(events)).await;
    for ((accept, variant), answer) in cases.iter().zip(&answers) {
        assert_eq!(
            (&answer["uri"], &answer["headers"]["accept"]["value"]),
            (&json!("/s/token"), &json!(variant)),
            "{accept}"
        );
    }
}

#[tokio::test]
async fn the_function_at_the_edge_lets_the_same_urls_pass_as_the_local_stack() {
    // It is installed with Node.js.
    if tool("QUICK_PHOTOS_CLIENT").is_none() {
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
    let answers = run(&format!("{}\n{call}\n", code()), &json!(events)).await;
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
