//! The permission check of the fixture: a request that template.yaml does not allow the function is
//! denied, as IAM would deny it. What the function uses is recorded, so that a test can tell what it
//! does not need.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use local::template::{Function, Statement};
use serde_json::Value;

use crate::observed;
use crate::recorded_request::{RecordedRequest, Service};

/// The IAM statements of a function, and what the function has used of them.
#[derive(Debug, Clone)]
pub(crate) struct Permissions {
    function: String,
    statements: Vec<Statement>,
    used: Arc<Mutex<BTreeSet<(String, String)>>>,
}

/// An action that a request needs, with its resource.
struct Required {
    action: String,
    /// The resource: the whole ARN of a bucket or an object, the end of any other ARN.
    resource: String,
    /// The prefix of the keys that a request lists.
    prefix: Option<String>,
}

impl Permissions {
    /// Returns the permissions that template.yaml grants a function.
    pub(crate) fn new(function: &Function) -> Self {
        Self { function: function.name.clone(), statements: function.statements.clone(), used: Arc::default() }
    }

    /// Appends what the function has used to the file that [`used_permissions`] reads.
    pub(crate) fn write_used(&self) {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<String> = used.iter().map(|(action, resource)| format!("{action} {resource}\n")).collect();
        observed::append("permissions", &self.function, &lines.concat());
    }

    /// Returns a message about the first action that a request needs and that no statement allows.
    pub(crate) fn missing(&self, request: &RecordedRequest) -> Option<String> {
        let text = |name: &str| request.body[name].as_str().unwrap_or_default();
        let one = |action: &str, resource: String| vec![Required { action: action.to_owned(), resource, prefix: None }];
        let required = match request.service {
            Service::DynamoDb => required(request),
            Service::S3 => required_of_s3(request),
            // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
            Service::Sqs => {
                let queue = text("QueueUrl").rsplit('/').next().unwrap_or_default();
                one(&format!("sqs:{}", request.operation.trim_end_matches("Batch")), queue.to_owned())
            }
            // The resource is the identity of the sender, which is an address:
            // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsesv2.html
            Service::Ses => {
                let sender = text("FromEmailAddress");
                let address = sender.rsplit_once('<').map_or(sender, |(_, address)| address.trim_end_matches('>'));
                one(&format!("ses:{}", request.operation), format!("identity/{address}"))
            }
            Service::Pinpoint => {
                one("mobiletargeting:SendMessages", format!("apps/{}/messages", text("ApplicationId")))
            }
            Service::Connections => {
                one("execute-api:ManageConnections", format!("LiveApi/live/{}/@connections/*", text("Method")))
            }
            Service::Lambda => one("lambda:InvokeFunction", format!("function:{}", text("FunctionName"))),
        };
        required.into_iter().find(|required| !self.allow(required)).map(|Required { action, resource, prefix }| {
            let prefix = prefix.map(|prefix| format!(" with the prefix `{prefix}`")).unwrap_or_default();
            format!(
                "template.yaml does not allow {action} on {resource}{prefix}: add it to the Policies of the function"
            )
        })
    }

    /// Returns whether the function may list all keys of a bucket. If it may not, S3 answers a
    /// request for an object that does not exist [with
    /// 403](https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html).
    pub(crate) fn may_list(&self, bucket: &str) -> bool {
        let (action, resource) = ("s3:ListBucket".to_owned(), format!("arn:aws:s3:::{bucket}"));
        self.allow(&Required { action, resource, prefix: None })
    }

    fn allow(&self, Required { action, resource, prefix }: &Required) -> bool {
        let is_resource = |allowed: &&String| match resource.strip_prefix("arn:aws:s3:::") {
            Some(_) => like(allowed, resource),
            None => allowed.ends_with(&format!(":{resource}")),
        };
        let used = self.statements.iter().find_map(|statement| {
            let is_prefix = |allowed: &String| prefix.as_ref().is_some_and(|prefix| like(allowed, prefix));
            let is_allowed = statement.actions.contains(action)
                && (statement.prefixes.is_empty() || statement.prefixes.iter().any(is_prefix));
            statement.resources.iter().find(is_resource).filter(|_| is_allowed)
        });
        if let Some(resource) = used {
            let used = (action.clone(), resource.clone());
            self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(used);
        }
        used.is_some()
    }
}

/// Returns the actions with their resources that the tests of a function have used, as template.yaml
/// states them.
#[must_use]
pub fn used_permissions(function: &str) -> BTreeSet<(String, String)> {
    observed::pairs("permissions", function).collect()
}

/// Returns whether a text matches a pattern in which `*` stands for any characters.
fn like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let ends = text.char_indices().map(|(index, _)| index).chain([text.len()]);
            ends.into_iter().any(|index| like(rest, &text[index..]))
        }),
    }
}

/// Returns the actions that [a request to S3
/// needs](https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html).
fn required_of_s3(RecordedRequest { operation, body, .. }: &RecordedRequest) -> Vec<Required> {
    let bucket = body["Bucket"].as_str().unwrap_or_default();
    let on = |action: &str, resource: &str| Required {
        action: format!("s3:{action}"),
        resource: format!("arn:aws:s3:::{resource}"),
        prefix: None,
    };
    let on_object = |action: &str, object: &Value| {
        let version = if object["VersionId"].is_string() { "Version" } else { "" };
        on(&format!("{action}{version}"), &format!("{bucket}/{}", object["Key"].as_str().unwrap_or_default()))
    };
    let list = |action: &str| {
        let prefix = body["Prefix"].as_str().map(str::to_owned);
        vec![Required { prefix, ..on(action, bucket) }]
    };
    match operation.as_str() {
        "ListObjectsV2" => list("ListBucket"),
        "ListObjectVersions" => list("ListBucketVersions"),
        "GetObject" | "HeadObject" => vec![on_object("GetObject", body)],
        "CreateMultipartUpload" | "UploadPart" | "CompleteMultipartUpload" => vec![on_object("PutObject", body)],
        "CopyObject" => {
            let source = body["CopySource"].as_str().unwrap_or_default();
            vec![on("GetObject", source), on_object("PutObject", body)]
        }
        "DeleteObjects" => {
            body["Objects"].as_array().into_iter().flatten().map(|object| on_object("DeleteObject", object)).collect()
        }
        operation => vec![on_object(operation, body)],
    }
}

/// Returns the actions that a request to DynamoDB needs. A transaction needs the actions [of its
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html);
/// any other request needs the action of its operation.
fn required(RecordedRequest { operation, body, .. }: &RecordedRequest) -> Vec<Required> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let on = |action: &str, resource: String| Required { action: format!("dynamodb:{action}"), resource, prefix: None };
    match operation.as_str() {
        "TransactWriteItems" | "TransactGetItems" => {
            let items = body["TransactItems"].as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
            let actions = items.map(|(part, item)| {
                let action = if part == "ConditionCheck" { "ConditionCheckItem" } else { &format!("{part}Item") };
                on(action, format!("table/{}", text(&item["TableName"])))
            });
            actions.collect()
        }
        "BatchGetItem" | "BatchWriteItem" => {
            let tables = body["RequestItems"].as_object().into_iter().flatten();
            tables.map(|(table, _)| on(operation, format!("table/{table}"))).collect()
        }
        _ => {
            let table = text(&body["TableName"]);
            let resource = match body["IndexName"].as_str() {
                Some(index) => format!("table/{table}/index/{index}"),
                None => format!("table/{table}"),
            };
            vec![on(operation, resource)]
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn permissions() -> Permissions {
        let statement = |actions: &[&str], resources: &[&str]| Statement {
            actions: actions.iter().map(ToString::to_string).collect(),
            resources: resources.iter().map(|name| format!("arn:aws:dynamodb:eu-west-1:1:{name}")).collect(),
            prefixes: vec![],
        };
        of(vec![
            statement(&["dynamodb:PutItem", "dynamodb:ConditionCheckItem", "dynamodb:BatchGetItem"], &["table/things"]),
            statement(&["dynamodb:Query"], &["table/things/index/one", "table/things/index/two"]),
            statement(&["dynamodb:GetItem"], &["table/readable"]),
        ])
    }

    fn of(statements: Vec<Statement>) -> Permissions {
        Permissions { function: "get-thing".to_owned(), statements, used: Arc::default() }
    }

    #[test]
    fn allows_what_a_statement_lists_and_denies_everything_else() {
        let is_denied = |operation: &str, body: Value| {
            let request = RecordedRequest { service: Service::DynamoDb, operation: operation.to_owned(), body };
            permissions().missing(&request).is_some()
        };
        let transaction = |parts: &[&str]| {
            let item = |part: &&str| json!({ *part: {"TableName": "things"} });
            json!({"TransactItems": parts.iter().map(item).collect::<Vec<_>>()})
        };
        assert!(!is_denied("PutItem", json!({"TableName": "things"})));
        assert!(!is_denied("Query", json!({"TableName": "things", "IndexName": "two"})));
        assert!(!is_denied("BatchGetItem", json!({"RequestItems": {"things": {}}})));
        assert!(!is_denied("TransactWriteItems", transaction(&["Put", "ConditionCheck"])));
        assert!(!is_denied("TransactGetItems", json!({"TransactItems": [{"Get": {"TableName": "readable"}}]})));
        for (operation, body) in [
            ("GetItem", json!({"TableName": "things"})),
            ("PutItem", json!({"TableName": "other-things"})),
            ("Query", json!({"TableName": "things"})),
            ("Query", json!({"TableName": "things", "IndexName": "three"})),
            ("BatchGetItem", json!({"RequestItems": {"things": {}, "others": {}}})),
            ("TransactWriteItems", transaction(&["Put", "Update"])),
            ("TransactWriteItems", transaction(&["Delete"])),
            ("TransactGetItems", transaction(&["Get"])),
        ] {
            assert!(is_denied(operation, body.clone()), "{operation} {body}");
        }
    }

    #[test]
    fn allows_objects_by_their_keys_and_lists_by_their_prefix() {
        let statement = |actions: &[&str], resources: &[&str], prefixes: &[&str]| Statement {
            actions: actions.iter().map(|action| format!("s3:{action}")).collect(),
            resources: resources.iter().map(|resource| format!("arn:aws:s3:::{resource}")).collect(),
            prefixes: prefixes.iter().map(ToString::to_string).collect(),
        };
        let permissions = of(vec![
            statement(&["GetObject", "DeleteObject"], &["pictures/incoming/*"], &[]),
            statement(&["PutObject"], &["pictures/photos/*/small.jpg"], &[]),
            statement(&["ListBucket"], &["pictures"], &["photos/*"]),
            statement(&["ListBucketVersions"], &["pictures"], &[]),
        ]);
        let is_denied = |operation: &str, mut body: Value| {
            body["Bucket"] = json!("pictures");
            let request = RecordedRequest { service: Service::S3, operation: operation.to_owned(), body };
            permissions.missing(&request).is_some()
        };
        let object = |key: &str| json!({"Key": key});
        let objects = |keys: &[&str]| json!({"Objects": keys.iter().map(|key| object(key)).collect::<Vec<_>>()});
        assert!(!is_denied("GetObject", object("incoming/ada/1")));
        assert!(!is_denied("HeadObject", object("incoming/ada/1")));
        assert!(!is_denied("PutObject", object("photos/ada/1/small.jpg")));
        assert!(!is_denied("DeleteObjects", objects(&["incoming/a", "incoming/b"])));
        assert!(!is_denied("ListObjectsV2", json!({"Prefix": "photos/ada/"})));
        assert!(!is_denied("ListObjectVersions", json!({})));
        let copy = json!({"CopySource": "pictures/incoming/a", "Key": "photos/a/small.jpg"});
        assert!(!is_denied("CopyObject", copy));
        assert!(!permissions.may_list("pictures"));
        for (operation, body) in [
            ("GetObject", object("photos/ada/1")),
            ("GetObject", object("incoming")),
            ("GetObject", json!({"Key": "incoming/a", "VersionId": "null"})),
            ("PutObject", object("photos/ada/1/large.jpg")),
            ("PutObject", object("incoming/ada/1")),
            ("DeleteObjects", objects(&["incoming/a", "photos/b"])),
            ("ListObjectsV2", json!({"Prefix": "incoming/"})),
            ("ListObjectsV2", json!({})),
            ("CopyObject", json!({"CopySource": "pictures/photos/a", "Key": "photos/a/small.jpg"})),
        ] {
            assert!(is_denied(operation, body.clone()), "{operation} {body}");
        }
    }

    #[test]
    fn checks_queues_senders_functions_and_applications() {
        let statement = |action: &str, resource: &str| Statement {
            actions: vec![action.to_owned()],
            resources: vec![format!("arn:aws:{resource}")],
            prefixes: vec![],
        };
        let permissions = of(vec![
            statement("sqs:SendMessage", "sqs:eu-west-1:1:Letters"),
            statement("ses:SendEmail", "ses:eu-west-1:1:identity/hello@example.com"),
            statement("lambda:InvokeFunction", "lambda:eu-west-1:1:function:moderate"),
            statement("mobiletargeting:SendMessages", "mobiletargeting:eu-west-1:1:apps/abc/messages"),
            statement("execute-api:ManageConnections", "execute-api:eu-west-1:1:LiveApi/live/POST/@connections/*"),
        ]);
        let is_denied = |service, operation: &str, body: Value| {
            permissions.missing(&RecordedRequest { service, operation: operation.to_owned(), body }).is_some()
        };
        let queue = |name: &str| json!({"QueueUrl": format!("https://sqs.eu-west-1.amazonaws.com/1/{name}")});
        let sender = |address: &str| json!({"FromEmailAddress": format!("Quick Photos <{address}>")});
        let function = |name: &str| json!({ "FunctionName": name });
        let application = |id: &str| json!({ "ApplicationId": id });
        assert!(!is_denied(Service::Sqs, "SendMessage", queue("Letters")));
        assert!(!is_denied(Service::Sqs, "SendMessageBatch", queue("Letters")));
        assert!(!is_denied(Service::Ses, "SendEmail", sender("hello@example.com")));
        assert!(!is_denied(Service::Lambda, "Invoke", function("moderate")));
        assert!(!is_denied(Service::Pinpoint, "SendMessages", application("abc")));
        assert!(!is_denied(Service::Connections, "PostToConnection", json!({"Method": "POST"})));
        assert!(is_denied(Service::Sqs, "SendMessage", queue("Others")));
        assert!(is_denied(Service::Sqs, "ReceiveMessage", queue("Letters")));
        assert!(is_denied(Service::Ses, "SendEmail", sender("other@example.com")));
        assert!(is_denied(Service::Lambda, "Invoke", function("other")));
        assert!(is_denied(Service::Pinpoint, "SendMessages", application("other")));
        assert!(is_denied(Service::Connections, "DeleteConnection", json!({"Method": "DELETE"})));
        assert_eq!(permissions.used.lock().unwrap().len(), 5);
    }
}
