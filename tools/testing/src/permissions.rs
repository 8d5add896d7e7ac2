//! What template.yaml lets a function do, for tests: it is refused anything else, as IAM would.

use serde_json::Value;

use crate::fault_injection::Asked;
use local::template::{Function, Statement};

/// The statements of a function's policies.
#[derive(Debug, Clone)]
pub(crate) struct Permissions(Vec<Statement>);

impl Permissions {
    pub(crate) fn of(function: &Function) -> Self {
        Self(function.statements.clone())
    }

    /// The first thing that a request asks for and that no statement allows.
    pub(crate) fn missing(&self, asked: &Asked) -> Option<String> {
        needed(asked)
            .into_iter()
            .find(|(action, resource)| !self.allow(action, resource))
            .map(|(action, resource)| format!("template.yaml does not allow {action} on {resource}"))
    }

    fn allow(&self, action: &str, resource: &str) -> bool {
        self.0.iter().any(|statement| {
            statement.actions.iter().any(|allowed| allowed == action)
                && statement.resources.iter().any(|allowed| allowed.ends_with(&format!(":{resource}")))
        })
    }
}

/// The actions that a request needs, and what on: a transaction those
/// [of the items in it](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html), other
/// requests their own.
fn needed(Asked { operation, body }: &Asked) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match operation.as_str() {
        "TransactWriteItems" => {
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
        };
        Permissions(vec![
            statement(&["dynamodb:PutItem", "dynamodb:ConditionCheckItem", "dynamodb:BatchGetItem"], &["table/things"]),
            statement(&["dynamodb:Query"], &["table/things/index/one", "table/things/index/two"]),
        ])
    }

    #[test]
    fn what_is_allowed_is_allowed_and_nothing_else() {
        let refused = |operation: &str, body: Value| {
            permissions().missing(&Asked { operation: operation.to_owned(), body }).is_some()
        };
        let transaction = |parts: &[&str]| {
            let item = |part: &&str| json!({ *part: {"TableName": "things"} });
            json!({"TransactItems": parts.iter().map(item).collect::<Vec<_>>()})
        };
        assert!(!refused("PutItem", json!({"TableName": "things"})));
        assert!(!refused("Query", json!({"TableName": "things", "IndexName": "two"})));
        assert!(!refused("BatchGetItem", json!({"RequestItems": {"things": {}}})));
        assert!(!refused("TransactWriteItems", transaction(&["Put", "ConditionCheck"])));
        for (operation, body) in [
            ("GetItem", json!({"TableName": "things"})),
            ("PutItem", json!({"TableName": "other-things"})),
            ("Query", json!({"TableName": "things"})),
            ("Query", json!({"TableName": "things", "IndexName": "three"})),
            ("BatchGetItem", json!({"RequestItems": {"things": {}, "others": {}}})),
            ("TransactWriteItems", transaction(&["Put", "Update"])),
            ("TransactWriteItems", transaction(&["Delete"])),
        ] {
            assert!(refused(operation, body.clone()), "{operation} {body}");
        }
    }
}
