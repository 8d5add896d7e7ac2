//! The contract of the access patterns.

use std::collections::BTreeMap;

use local::costs::{self, Costs, Pattern};

use crate::stack::root;

/// Returns all patterns by the names of their functions.
#[must_use]
pub fn patterns() -> BTreeMap<String, Pattern> {
    costs::read(&root()).expect("costs.toml of each noun")
}

/// Returns the costs of the sample events by the names of their functions, and those of the events
/// with another query, such as `get-user?include=viewer`.
#[must_use]
pub fn of_requests() -> BTreeMap<String, Costs> {
    let mut all = BTreeMap::new();
    for (name, pattern) in patterns() {
        all.extend(pattern.with_query.into_iter().map(|(query, costs)| (format!("{name}?{query}"), costs)));
        all.insert(name, pattern.costs);
    }
    all
}
