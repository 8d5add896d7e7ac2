//! The expressions of an `UpdateItem` that applies a merge patch.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::{self, M, S};
use shared::Error;
use shared::document::{AttributeChange, AttributeChanges, apply};
use shared::dynamodb::Item;
use shared::http::precondition::{Condition, VERSION};

/// The maximum length of an expression, in bytes.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters>
const MAX_EXPRESSION_BYTES: usize = 4096;
/// The maximum number of conditions. An expression can have 300 operators: the condition of a map
/// has up to three of them (`AND NOT attribute_type`), and the precondition about forty.
const MAX_CONDITIONS: usize = 80;

/// The parts of the expressions. `#1`, `#2` … stand for attribute names, and `:1`, `:2` … for
/// values.
#[derive(Clone)]
pub(crate) struct Update {
    set: Vec<String>,
    remove: Vec<String>,
    /// The conditions, all of which must hold. They are equal for two items with the same maps.
    pub(crate) conditions: Vec<String>,
    pub(crate) names: HashMap<String, String>,
    pub(crate) values: HashMap<String, AttributeValue>,
}

impl Update {
    /// Returns an update of an existing person that only sets `version`, on a precondition.
    pub(crate) fn new(precondition: Condition, version: &AttributeValue) -> Self {
        let mut update = Self {
            set: vec!["#version=:version".to_owned()],
            remove: vec![],
            conditions: vec!["attribute_exists(PersonID)".to_owned()],
            names: precondition.names.unwrap_or_default(),
            values: precondition.values.unwrap_or_default(),
        };
        update.conditions.extend(precondition.expression.map(|expression| format!("({expression})")));
        update.names.insert("#version".to_owned(), VERSION.to_owned());
        update.values.insert(":version".to_owned(), version.clone());
        update
    }

    /// Adds the changes that the patch makes to an item with the same maps as `person`. The update
    /// changes a map inside, and sets a whole map where the person has none. Its conditions check
    /// that the person has exactly these maps.
    pub(crate) fn with_changes(mut self, changes: &AttributeChanges, person: &Item) -> Result<Self, Error> {
        let other_conditions = self.conditions.len();
        self.add("", changes, person);
        let bytes = self.expression().len().max(self.condition().len());
        let maps = self.conditions.len() - other_conditions;
        let change_count = self.names.len() - 1;
        let (max_count, unit) = if self.conditions.len() > MAX_CONDITIONS {
            (MAX_CONDITIONS - other_conditions, format!("maps (it has {maps})"))
        } else if bytes > MAX_EXPRESSION_BYTES {
            (change_count * MAX_EXPRESSION_BYTES / bytes, format!("changes (it has {change_count})"))
        } else {
            return Ok(self);
        };
        Err(Error::invalid("body", format!("must be split into patches of at most about {max_count} {unit}")))
    }

    /// Adds changes inside the map `current`, whose path is `parent` (with a point at its end;
    /// empty for the item).
    fn add(&mut self, parent: &str, changes: &AttributeChanges, current: &Item) {
        for (name, change) in changes {
            let number = self.names.len();
            let path = format!("{parent}#{number}");
            self.names.insert(format!("#{number}"), name.clone());
            let value = match (change, current.get(name)) {
                (AttributeChange::Remove, _) => {
                    self.remove.push(path);
                    continue;
                }
                (AttributeChange::Set(value), _) => value.clone(),
                (AttributeChange::Merge(changes), Some(M(map))) => {
                    self.values.insert(":map".to_owned(), S("M".to_owned()));
                    self.conditions.push(format!("attribute_type({path},:map)"));
                    self.add(&format!("{path}."), changes, map);
                    continue;
                }
                (AttributeChange::Merge(changes), _) => {
                    self.values.insert(":map".to_owned(), S("M".to_owned()));
                    self.conditions.push(format!("NOT attribute_type({path},:map)"));
                    M(apply(changes, Item::new()))
                }
            };
            self.set.push(format!("{path}=:{number}"));
            self.values.insert(format!(":{number}"), value);
        }
    }

    /// Returns the update expression.
    pub(crate) fn expression(&self) -> String {
        let remove = if self.remove.is_empty() { "" } else { " REMOVE " };
        format!("SET {}{remove}{}", self.set.join(","), self.remove.join(","))
    }

    /// Returns the condition expression.
    pub(crate) fn condition(&self) -> String {
        self.conditions.join(" AND ")
    }
}

#[cfg(test)]
mod tests {
    use shared::http::precondition::{MAX_ETAGS, Precondition};

    use super::*;

    /// An expression has [at most
    /// 300](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters).
    #[test]
    fn the_largest_condition_has_no_more_operators_and_functions_than_dynamodb_takes() {
        let versions = (0..MAX_ETAGS).map(|version| version.to_string()).collect();
        let precondition = Precondition::Version(versions);
        let update = |maps: usize| {
            let changes = (0..maps).map(|name| (name.to_string(), AttributeChange::Merge(vec![]))).collect();
            Update::new(precondition.condition("PersonID"), &S(String::new())).with_changes(&changes, &Item::new())
        };
        let largest = (0..).map_while(|maps| update(maps).ok()).last().unwrap().condition();
        let words = largest.split(|char: char| !char.is_alphanumeric() && !"_=#:".contains(char));
        let operators = ["AND", "OR", "NOT", "=", "attribute_exists", "attribute_type"];
        let count = words.filter(|word| operators.contains(word)).count();
        assert!((250..=300).contains(&count), "{count} in {largest}");
    }
}
