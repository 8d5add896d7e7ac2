//! Tests that the requests of a function do not grow with the tables.
//!
//! The tables grow in two ways: they have more users, and the users that the events name have
//! longer lists.

use std::collections::BTreeSet;

use local::lambda::build;
use local::template::{Route, Template};
use serde_json::Value;
use testing::recorder::Request;
use testing::runner::with_page;

mod data_set;
mod tables;

use data_set::PAGE_SIZE;
use tables::Tables;

/// In tables that are ten times as large, every function sends the same requests and consumes the
/// same capacity. The exceptions read everything of a user: write-export, and the Query of
/// purge-deleted-tag, which reads all favorites. The small tables also have fewer photos with the hashtag
/// of the event than a page. The local engine compares all vectors in a search, and DynamoDB does not.
#[tokio::test(flavor = "multi_thread")]
async fn requests_and_capacity_are_the_same_on_small_and_large_tables() {
    let template = Template::find().expect("template.yaml");
    build::functions(template.parent().expect("a directory")).await.expect("the functions build");
    let binaries = build::directory().expect("a directory");
    let document = template.parent().expect("a directory").join("docs/openapi.json");
    let document = serde_json::from_slice(&std::fs::read(document).expect("docs/openapi.json")).expect("JSON");
    let small = Tables::generate(1_250, &binaries).expect("tables");
    let large = Tables::generate(10_000, &binaries).expect("tables");
    let functions = &small.harness.template().functions;
    for function in functions.iter().filter(|function| function.name != "write-export") {
        let event = small.harness.event(&function.name).expect("an event");
        let mut event: Value = serde_json::from_slice(&event).expect("JSON");
        if takes_a_limit(&function.routes, &document) {
            event = with_page(&event, PAGE_SIZE, None);
        }
        let in_small = small.requests(function, &event).await.expect("an answer");
        let in_large = large.requests(function, &event).await.expect("an answer");
        // Requests that a function sends concurrently arrive in any order.
        let grows = |request: &&Request| {
            [
                ("purge-deleted-tag", "Query"),
                ("list-photos-of-hashtag", "BatchGetItem"),
                ("list-similar-photos", "SearchVectors"),
            ]
            .contains(&(&*function.name, &*request.operation))
        };
        let distinct = |requests: &[Request]| -> BTreeSet<_> {
            let flat = requests.iter().filter(|request| !grows(request));
            flat.map(|request| format!("{} {:?}", request.operation, request.units)).collect()
        };
        assert_eq!(in_small.len(), in_large.len(), "{}", function.name);
        assert_eq!(distinct(&in_small), distinct(&in_large), "{}", function.name);
    }
}

/// Returns whether a route returns a list, by the document of the API.
fn takes_a_limit(routes: &[Route], document: &Value) -> bool {
    let parameters = routes.first().map(|route| {
        let method = route.method.to_lowercase();
        document["paths"][&route.path][method]["parameters"].as_array().into_iter().flatten()
    });
    parameters.into_iter().flatten().any(|parameter| parameter["name"] == "limit")
}
