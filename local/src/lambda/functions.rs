//! The [`ListFunctions`](https://docs.aws.amazon.com/lambda/latest/api/API_ListFunctions.html) API
//! of Lambda, and the routes of the operations of Lambda that the stack does not have. A request
//! needs neither a token nor a signature.

use axum::{
    Json, Router,
    routing::{any, get},
};
use serde_json::{Value, json};

use crate::lambda::error::unsupported;
use crate::lambda::runtime::arn;
use crate::template::{Function, Template};

/// The versions of Lambda's APIs, with which the paths of its
/// [operations](https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html) begin.
const API_VERSIONS: [&str; 14] = [
    "2014-11-13",
    "2015-03-31",
    "2016-08-19",
    "2017-03-31",
    "2017-10-31",
    "2018-10-31",
    "2019-09-25",
    "2019-09-30",
    "2020-04-22",
    "2020-06-30",
    "2021-07-20",
    "2021-10-31",
    "2021-11-15",
    "2024-08-31",
];

/// Returns a router of `GET /2015-03-31/functions/`, and of all operations that nothing else
/// serves.
pub(crate) fn router(template: &Template) -> Router {
    let functions: Vec<_> = template.functions.iter().map(configuration).collect();
    // All functions are on one page.
    let list = Json(json!({"Functions": functions, "NextMarker": null}));
    let list = get(|| async move { list }).fallback(unsupported);
    let router = Router::new().route("/2015-03-31/functions", list.clone()).route("/2015-03-31/functions/", list);
    API_VERSIONS.iter().fold(router, |router, version| router.route(&format!("/{version}/{{*rest}}"), any(unsupported)))
}

/// Returns the configuration of a function, as far as the stack has it.
fn configuration(function: &Function) -> Value {
    json!({
        "FunctionName": function.name,
        "FunctionArn": arn(&function.name),
        "Runtime": "provided.al2023",
        "Handler": "bootstrap",
        "PackageType": "Zip",
        "Version": "$LATEST",
        "Timeout": function.timeout.as_secs(),
        "MemorySize": function.memory_mb,
        "Environment": {"Variables": function.environment},
    })
}
