//! The permission check of the fixture: a request that template.yaml does not allow the function is denied, as IAM
//! would deny it.

use local::template::{Function, Statement};
use serde_json::Value;

use crate::recorded_request::RecordedRequest;

/// The IAM statements of a function.
#[derive(Debug, Clone)]
pub(crate) struct Permissions(Vec<Statement>);

impl Permissions {
    /// Returns the permissions that template.yaml grants a function.
    pub(crate) fn of(function: &Function) -> Self {
        Self(function.statements.clone())
    }

    /// Returns a message about the first action that a request needs and that no statement allows.
    pub(crate) fn missing(&self, request: &RecordedRequest) -> Option<String> {
        required(request).into_iter().find(|(action, resource)| !self.allow(action, resource)).map(
            |(action, resource)| {
                format!("template.yaml does not allow {action} on {resource}: add it to the Policies of the function")
            },
        )
    }

    fn allow(&self, action: &str, resource: &str) -> bool {
        self.0.iter().any(|statement| {
            statement.actions.iter().any(|allowed| allowed == action)
                && statement.resources.iter().any(|allowed| allowed.ends_with(&format!(":{resource}")))
        })
    }
}

/// Returns the actions that a request needs, each with its resource. A transaction needs the actions [of its
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html); any other
/// request needs the action of its operation.
fn required(RecordedRequest { operation, body }: &RecordedRequest) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match operation.as_str() {
        "TransactWriteItems" | "TransactGetItems" => {
            let items = body["TransactItems"].as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
            let actions = items.map(|(part, item)| {
                let action = if part == "ConditionCheck" { "ConditionCheckItem" } else { &format!("{part}Item") };
                (format!("dynamodb:{action}"), format!("table/{}", text(&item["TableName"])))
            });
            actions.collect()
        }
        "BatchGetItem" | "BatchWriteItem" => {
            let tables = body["RequestItems"].as_object().into_iter().flatten();
            tables.map(|(table, _)| (format!("dynamodb:{operation}"), format!("table/{table}"))).collect()
        }
        _ => {
            let table = text(&body["TableName"]);
            let resource = match body["IndexName"].as_str() {
                Some(index) => format!("table/{table}/index/{index}"),
                None => format!("table/{table}"),
            };
            vec![(format!("dynamodb:{operation}"), resource)]
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
        Permissions(vec![
            statement(&["dynamodb:PutItem", "dynamodb:ConditionCheckItem", "dynamodb:BatchGetItem"], &["table/things"]),
            statement(&["dynamodb:Query"], &["table/things/index/one", "table/things/index/two"]),
            statement(&["dynamodb:GetItem"], &["table/readable"]),
        ])
    }

    #[test]
    fn allows_what_a_statement_lists_and_denies_everything_else() {
        let is_denied = |operation: &str, body: Value| {
            permissions().missing(&RecordedRequest { operation: operation.to_owned(), body }).is_some()
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
}
