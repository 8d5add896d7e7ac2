//! The entities of the tables: the kinds of items, and the tombstones in place of users and photos.

use dynoxide::{AttributeValue, Item};
use shared::entities::Kind;

/// The entity of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entity {
    kind: Kind,
    /// Whether it is in place of a deleted user or photo.
    is_tombstone: bool,
}

impl Entity {
    /// Returns the entity of an item in a table with these key attributes.
    pub(super) fn of(keys: &[String], item: &Item) -> Option<Self> {
        let kind = kind(keys, item)?;
        let is_tombstone = matches!(kind, Kind::User | Kind::Photo) && item.contains_key("erasing");
        Some(Self { kind, is_tombstone })
    }

    /// Returns the name of the entity.
    pub(super) fn name(self) -> &'static str {
        match self.kind {
            Kind::User if self.is_tombstone => "Deletion",
            Kind::Photo if self.is_tombstone => "PhotoDeletion",
            kind => kind.name(),
        }
    }
}

/// Returns the kind of an item in a table with these key attributes.
pub(super) fn kind(keys: &[String], item: &Item) -> Option<Kind> {
    let is_key = |name: &str| keys.iter().any(|key| key == name);
    Kind::of_key(|name| text(item.get(name).filter(|_| is_key(name))))
}

/// Returns the position of the first kind with such a value in a key attribute. Values of no kind
/// come last.
pub(super) fn position(attribute: &str, value: Option<&AttributeValue>) -> usize {
    let is_of = |kind: Kind| {
        let prefix = kind.prefixes().iter().find(|(name, prefix)| *name == attribute && !prefix.is_empty());
        prefix.zip(text(value)).is_some_and(|((_, prefix), value)| value.starts_with(prefix))
    };
    Kind::ALL.into_iter().position(is_of).unwrap_or(Kind::ALL.len())
}

fn text(value: Option<&AttributeValue>) -> Option<&String> {
    match value {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_tells_the_entity_and_an_attribute_the_tombstone() {
        let of = |names: [&str; 2], keys: [&str; 2], attribute: &str| {
            let with = |(name, value): (&str, &str)| (name.to_owned(), AttributeValue::S(value.to_owned()));
            let item: Item = names.into_iter().zip(keys).chain([(attribute, "x")]).map(with).collect();
            Entity::of(&names.map(str::to_owned), &item).map(Entity::name)
        };
        for (keys, attribute, entity) in [
            (["USER#ada", "#METADATA#ada"], "username", "User"),
            (["USER#ada", "#METADATA#ada"], "erasing", "Deletion"),
            (["USER#ada", "PHOTO#ada#2024"], "username", "Photo"),
            (["USER#ada", "PHOTO#ada#2024"], "erasing", "PhotoDeletion"),
            (["USER#ada", "PHOTO#ada#2024"], "none", "Photo"),
            (["COMMENT#2024#ada", "PHOTO#ben#2024"], "text", "Comment"),
        ] {
            assert_eq!(of(["PK", "SK"], keys, attribute), Some(entity), "{keys:?}");
        }
        assert_eq!(of(["pk", "sk"], ["TagName#ada", "travel"], "x"), Some("tag name reservation"));
        assert_eq!(of(["PK", "SK"], ["OTHER#1", "1"], "x"), None);
        assert_eq!(of(["Artist", "SongTitle"], ["USER#ada", "PHOTO#ada"], "PK"), Some("song"));

        let position = |value: &str| position("PK", Some(&AttributeValue::S(value.to_owned())));
        assert!(position("USER#a") < position("REACTION#a") && position("REACTION#a") < position("COMMENT#1"));
        assert!(position("COMMENT#1") < position("OTHER#1"));
    }
}
