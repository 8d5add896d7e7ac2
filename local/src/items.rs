//! The items that a request to DynamoDB names, and the names of their key attributes.

use serde_json::Value;

/// The actions among those of [`named`] that only read.
pub const READS: [&str; 2] = ["Get", "ConditionCheck"];

/// Returns the action, the table, and the item or the key of each item that a request names. The
/// actions are those of a transaction, such as `Update`, in other requests too.
#[must_use]
pub fn named<'a>(operation: &'a str, body: &'a Value) -> Vec<(&'a str, &'a str, &'a Value)> {
    fn one<'a>(action: &'a str, of: &'a Value) -> Option<(&'a str, &'a str, &'a Value)> {
        Some((action, of["TableName"].as_str()?, of.get("Item").or_else(|| of.get("Key"))?))
    }
    let actions = body["TransactItems"].as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
    let in_transaction = actions.filter_map(|(action, of)| one(action, of));
    let tables_of_batch = body["RequestItems"].as_object().into_iter().flatten();
    let in_batch = tables_of_batch.flat_map(|(table, of_table)| {
        let keys = of_table["Keys"].as_array().into_iter().flatten().map(|key| ("Get", key));
        let writes = of_table.as_array().into_iter().flatten().filter_map(|write| {
            let put = write["PutRequest"].get("Item").map(|item| ("Put", item));
            put.or_else(|| write["DeleteRequest"].get("Key").map(|key| ("Delete", key)))
        });
        keys.chain(writes).map(move |(action, item)| (action, table.as_str(), item))
    });
    one(operation.trim_end_matches("Item"), body).into_iter().chain(in_transaction).chain(in_batch).collect()
}

/// Returns the names of the attributes in the key schema of a table or an index.
pub fn key_names(described: &Value) -> impl Iterator<Item = &str> {
    let schema = described["KeySchema"].as_array().into_iter().flatten();
    schema.filter_map(|attribute| attribute["AttributeName"].as_str())
}
