//! The entities of the tables: which keys the items of each kind have. docs/data-model.md says so,
//! in its tables with a column `entity`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use dynoxide::{AttributeValue, Item};

use super::contract::{self, Cells};

/// The document, relative to the root of the project.
const DOCUMENT: &str = "docs/data-model.md";

/// The entities of all tables, in the order of the document.
pub(super) struct Entities(Vec<Entity>);

struct Entity {
    name: String,
    /// The beginning of each key attribute, which is the same for all items.
    prefixes: BTreeMap<String, String>,
    /// An attribute that distinguishes it from another entity in its place.
    attribute: String,
}

impl Entities {
    pub(super) fn read(root: &Path) -> Result<Self> {
        Ok(Self(contract::read(root, DOCUMENT, "entity")?.iter().map(entity).collect()))
    }

    /// Returns the position of the entity of an item in a table with these key attributes: the one
    /// with the longest prefixes that match. A tombstone has the key of what it replaces, and
    /// another attribute.
    pub(super) fn find(&self, keys: &[String], item: &Item) -> Option<usize> {
        let matches = |(_, entity): &(usize, &Entity)| {
            keys.iter().all(|key| {
                let prefix = entity.prefixes.get(key);
                prefix.zip(text(item.get(key))).is_some_and(|(prefix, value)| value.starts_with(prefix))
            })
        };
        let rank = |(_, entity): &(usize, &Entity)| {
            let length: usize = keys.iter().filter_map(|key| entity.prefixes.get(key)).map(String::len).sum();
            Reverse((length, item.contains_key(&entity.attribute)))
        };
        // Of several with the same rank, this is the first one.
        self.0.iter().enumerate().filter(matches).min_by_key(rank).map(|(position, _)| position)
    }

    /// Returns the name of the entity at a position.
    pub(super) fn name(&self, position: usize) -> &str {
        &self.0[position].name
    }

    /// Returns the position of the first entity with such a value in a key attribute. Values of no
    /// entity come last.
    pub(super) fn position(&self, attribute: &str, value: Option<&AttributeValue>) -> usize {
        let is_of = |entity: &Entity| {
            let prefix = entity.prefixes.get(attribute).filter(|prefix| !prefix.is_empty());
            prefix.zip(text(value)).is_some_and(|(prefix, value)| value.starts_with(prefix))
        };
        self.0.iter().position(is_of).unwrap_or(self.0.len())
    }
}

/// Returns the entity of a row, such as `Deletion, in place of a user`.
fn entity(row: &Cells) -> Entity {
    let cell = |name: &str| row.get(name).map_or("", String::as_str);
    let name = cell("entity").split([',', ':']).next().unwrap_or_default();
    let name = name.split(" of ").next().unwrap_or_default();
    let attribute = cell("attributes").split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let prefixes = row.iter().map(|(name, cell)| (name.clone(), prefix(cell).to_owned())).collect();
    Entity { name: name.to_owned(), prefixes, attribute: attribute.to_owned() }
}

/// Returns the constant beginning of a key: `USER#` of `USER#<username>`. It is empty if the cell
/// describes the key in words, or names several keys.
fn prefix(cell: &str) -> &str {
    let code: Vec<&str> = cell.split('`').collect();
    let key = match code[..] {
        [key] | ["", key, _] => key,
        _ => "",
    };
    let (prefix, is_constant) = key.split_once('<').map_or((key, true), |(prefix, _)| (prefix, false));
    if is_constant && prefix.contains(' ') { "" } else { prefix }
}

fn text(value: Option<&AttributeValue>) -> Option<&str> {
    match value {
        Some(AttributeValue::S(text)) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::root;

    #[test]
    fn the_data_model_names_the_entity_of_each_key() {
        let entities = Entities::read(&root()).unwrap();
        let of = |names: [&str; 2], keys: [&str; 2], attribute: &str| {
            let with = |(name, value): (&str, &str)| (name.to_owned(), AttributeValue::S(value.to_owned()));
            let item: Item = names.into_iter().zip(keys).chain([(attribute, "x")]).map(with).collect();
            entities.find(&names.map(str::to_owned), &item).map(|position| entities.name(position))
        };
        for (keys, attribute, entity) in [
            (["USER#ada", "#METADATA#ada"], "username", "User"),
            (["USER#ada", "#METADATA#ada"], "erasing", "Deletion"),
            (["USER#ada", "PHOTO#ada#2024"], "username", "Photo"),
            (["USER#ada", "PHOTO#ada#2024"], "erasing", "PhotoDeletion"),
            (["USER#ada", "PHOTO#ada#2024"], "none", "Photo"),
            (["USER#ada", "#FRIEND#ben"], "followedUser", "Friendship"),
            (["REACTION#ada#heart", "PHOTO#ben#2024"], "photo", "Reaction"),
            (["COMMENT#2024#ada", "PHOTO#ben#2024"], "text", "Comment"),
        ] {
            assert_eq!(of(["PK", "SK"], keys, attribute), Some(entity), "{keys:?}");
        }
        for (keys, entity) in [
            (["FavoriteData#ada", "1"], "Favorite"),
            (["FavoriteDataHistory#ada", "1"], "history"),
            (["TagName#ada", "travel"], "tag name reservation"),
            (["IdempotencyKey#ada", "photos#1"], "idempotency record"),
            (["Feed#ada", "2024#ben"], "entry"),
            (["Feed#ada", "PULL#pia"], "pull"),
            (["Feed#ada", "#PULLS"], "pull count"),
            (["People#ad", "8#ada#ada"], "listing"),
        ] {
            assert_eq!(of(["pk", "sk"], keys, "x"), Some(entity), "{keys:?}");
        }
        assert_eq!(of(["PK", "SK"], ["OTHER#1", "1"], "x"), None);
        assert_eq!(of(["Artist", "SongTitle"], ["USER#ada", "PHOTO#ada"], "x"), None);

        let position = |value: &str| entities.position("PK", Some(&AttributeValue::S(value.to_owned())));
        assert!(position("USER#a") < position("REACTION#a") && position("REACTION#a") < position("COMMENT#1"));
        assert!(position("COMMENT#1") < position("OTHER#1"));
    }
}
