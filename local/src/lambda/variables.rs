//! The variables of the functions, for tools that run them elsewhere than in the stack: `sam local
//! invoke` and `cargo lambda watch`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;

use crate::gateway::errors::error;
use crate::services::live::LIVE_PATH;
use crate::services::outbox::{PINPOINT_PATH, SES_PATH};
use crate::services::s3::{self, edge};
use crate::template::cloudformation::REGION;
use crate::template::{Function, Template};

/// The beginning of the names of the variables from which SDKs
/// [read](https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html) the endpoints
/// of services.
const ENDPOINT_URL: &str = "AWS_ENDPOINT_URL_";

/// The variable of the endpoint of DynamoDB.
pub(crate) const DYNAMODB_ENDPOINT: &str = "AWS_ENDPOINT_URL_DYNAMODB";

/// The path of Amazon SQS below the URL of the API. The URL of a queue has its name behind it.
pub const SQS_PATH: &str = "/local/sqs";

/// The beginning of a secret, in whose place CloudFormation puts the value.
const SECRET: &str = "{{resolve:secretsmanager:";

/// The endpoints of the services that functions use.
#[derive(Clone, Debug)]
pub struct Endpoints {
    /// The URL of DynamoDB.
    pub dynamodb: String,
    /// The URL of S3.
    pub s3: String,
    /// The URL of the API, which opens links too. The other services are below it.
    pub api: String,
}

/// The query of both routes.
#[derive(Deserialize)]
struct Place {
    /// The name or the address of this machine in the endpoints, as the functions see it.
    host: Option<String>,
}

/// Returns the variables that the block of a function in its template declares, with the values
/// that they have in a stack with these endpoints, and always the endpoint of DynamoDB.
#[must_use]
pub fn declared(function: &Function, endpoints: &Endpoints) -> BTreeMap<String, String> {
    let Endpoints { dynamodb, s3, api } = endpoints;
    // As people open the page.
    let links = api.replace("127.0.0.1", "localhost");
    let mut variables = function.environment.clone();
    variables.entry(DYNAMODB_ENDPOINT.to_owned()).or_default();
    for (name, value) in &mut variables {
        match name.as_str() {
            DYNAMODB_ENDPOINT => value.clone_from(dynamodb),
            "AWS_ENDPOINT_URL_SESV2" => *value = format!("{api}{SES_PATH}"),
            "AWS_ENDPOINT_URL_S3" => value.clone_from(s3),
            "AWS_ENDPOINT_URL_LAMBDA" => value.clone_from(api),
            "AWS_ENDPOINT_URL_SQS" => *value = format!("{api}{SQS_PATH}"),
            "AWS_ENDPOINT_URL_PINPOINT" => *value = format!("{api}{PINPOINT_PATH}"),
            "AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI" => *value = format!("{api}{LIVE_PATH}"),
            // CloudFront serves the pictures.
            "PICTURES_URL" => *value = edge::url(s3),
            "PHOTO_BUCKET_URL" => {
                if let Some((bucket, _)) = value.strip_prefix("https://").and_then(|url| url.split_once(".s3.")) {
                    *value = format!("{}/{bucket}", s3.replace("127.0.0.1", "localhost"));
                }
            }
            // CloudFront in front of the API of links.
            "LINKS_URL" => value.clone_from(&links),
            "LIVE_URL" => *value = format!("{}{LIVE_PATH}", links.replacen("http", "ws", 1)),
            // The stack has a push service too.
            "WEB_PUSH_SERVICES" => *value = format!("{value} {links}"),
            "PUSH_APPLICATION" if value.is_empty() => "local".clone_into(value),
            // The page is the app, unless the parameter AppLink names another one.
            "APP_LINK" if value.is_empty() => *value = format!("{links}/#/s/"),
            _ if value.starts_with(SECRET) => s3::KEY.clone_into(value),
            _ => {}
        }
    }
    variables
}

/// Returns a router of `GET /local/variables`, which answers the file for `sam local invoke
/// --env-vars`, and of `GET /local/variables/{function}`, which answers the variables of one
/// function as `env` takes them.
pub(crate) fn router(template: &Template, endpoints: &Endpoints) -> Router {
    let functions = template.functions.iter();
    let functions: Vec<_> = functions.map(|function| (function.clone(), declared(function, endpoints))).collect();
    let of_all = functions.clone();
    let all = |Query(place): Query<Place>| async move {
        let variables = of_all.into_iter().map(|(function, variables)| (function.logical_id, place.seen(variables)));
        Json(variables.collect::<BTreeMap<_, _>>())
    };
    let one = |Path(name): Path<String>, Query(place): Query<Place>| async move {
        match functions.into_iter().find(|(function, _)| function.name == name) {
            Some((_, variables)) => text(place.seen(variables)).into_response(),
            None => error(StatusCode::NOT_FOUND, "Not Found", &format!("template.yaml has no function {name}")),
        }
    };
    Router::new().route("/local/variables", get(all)).route("/local/variables/{function}", get(one))
}

impl Place {
    /// Returns the variables with the endpoints as a function in this place sees them. The URLs
    /// that functions give to clients stay as they are.
    fn seen(&self, mut variables: BTreeMap<String, String>) -> BTreeMap<String, String> {
        if let Some(host) = &self.host {
            let endpoints = variables.iter_mut().filter(|(name, _)| name.starts_with(ENDPOINT_URL));
            endpoints.for_each(|(_, url)| *url = url.replace("127.0.0.1", host));
        }
        variables
    }
}

/// Returns variables in lines, with those that Lambda sets.
fn text(mut variables: BTreeMap<String, String>) -> String {
    let of_lambda = [("AWS_REGION", REGION), ("AWS_ACCESS_KEY_ID", s3::KEY), ("AWS_SECRET_ACCESS_KEY", s3::KEY)];
    variables.extend(of_lambda.map(|(name, value)| (name.to_owned(), value.to_owned())));
    variables.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{name}={value}");
        text
    })
}
