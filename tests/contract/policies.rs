//! Compares the operations and indexes of each entry with what its function is allowed to do.

use std::collections::BTreeSet;

use local::template::{Function, Statement, Template};
use tests::costs::patterns;
use tests::stack::root;

/// The writes that a transaction can have.
const WRITES: [&str; 4] = ["ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem"];

/// The actions of Lambda for a function that reads a stream.
const OF_STREAMS: [&str; 4] = ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"];

/// Returns the actions on DynamoDB that a function's statements allow, and the index of each Query
/// or search of one.
fn allowed(function: &Function) -> BTreeSet<&str> {
    let mut allowed = BTreeSet::new();
    for Statement { actions, resources, .. } in &function.statements {
        let actions = actions.iter().filter_map(|action| action.strip_prefix("dynamodb:"));
        for action in actions.filter(|action| !OF_STREAMS.contains(action)) {
            for resource in resources {
                allowed.insert(resource.split_once("/index/").map_or(action, |(_, index)| index));
            }
        }
    }
    allowed
}

#[test]
fn an_entry_names_the_operations_and_the_indexes_of_the_policy_and_no_others() {
    let template = Template::read(&root().join("template.yaml")).unwrap();
    let patterns = patterns();
    let mut failures = vec![];
    for function in &template.functions {
        let name = function.name.as_str();
        let pattern = &patterns[name];
        let requests = pattern.requests.iter().chain(&pattern.sometimes);
        let mut named: BTreeSet<&str> = requests.filter_map(|request| request.split(' ').next_back()).collect();
        if named.remove("TransactGetItems") {
            named.insert("GetItem");
        }
        // What a transaction writes is in no entry.
        let is_transaction = named.remove("TransactWriteItems");
        let mut allowed = allowed(function);
        let can_write = allowed.iter().any(|word| WRITES.contains(word));
        if is_transaction {
            allowed.retain(|word| named.contains(word) || !WRITES.contains(word));
        }
        if named != allowed || is_transaction && !can_write {
            failures.push(format!("{name}: its entry names {named:?}, and its policy allows {allowed:?}"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
