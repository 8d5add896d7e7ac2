//! What an audit suspects of `<stage>.Favorite`, and what it finds there.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;
use shared::dynamodb::Item;
use shared::model::favorites::{Favorite, FavoriteTag, PK};
use shared::values::{DataId, EpochMillis, TagId, TagName, Username};

/// What may not be right: where to look again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) enum Suspect {
    /// Index keys of a favorite.
    Favorite(Username, DataId),
    /// Index keys of a history.
    History(Username, DataId),
    /// Index keys of a tag.
    Tag(Username, TagId),
    Entry(Username, DataId, TagId),
    /// The name in the item's key.
    TagName(Username, String),
    SameName(Username, BTreeSet<TagId>),
    Terms(Username, DataId),
    Strays(Username, DataId, EpochMillis, BTreeSet<String>),
    NoName(Username, TagId),
    TagCount(Username, DataId),
    Tags(Username),
}

/// What is not right, after two looks that agree.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// Index keys of a favorite that are not what its attributes say.
    Favorite {
        /// Whose.
        owner: Username,
        /// Which.
        data_id: DataId,
        /// Which keys.
        misplaced: Misplaced,
    },
    /// The same of a favorite that was taken out.
    History {
        /// Whose.
        owner: Username,
        /// Which.
        data_id: DataId,
        /// Which keys.
        misplaced: Misplaced,
    },
    /// The same of a tag.
    Tag {
        /// Whose.
        owner: Username,
        /// Which.
        tag_id: TagId,
        /// Which keys.
        misplaced: Misplaced,
    },
    /// A tag on a favorite.
    Entry {
        /// Whose.
        owner: Username,
        /// On which favorite.
        data_id: DataId,
        /// Which tag.
        tag_id: TagId,
        /// What is wrong with it.
        wrong: WrongEntry,
    },
    /// A name that is kept for a tag that hasn't got it.
    TagName {
        /// Whose.
        owner: Username,
        /// The name, folded.
        folded: String,
        /// For which tag.
        tag_id: TagId,
        /// What that is called instead. None if it is gone.
        has_name: Option<String>,
    },
    /// A tag whose name nothing keeps from being given again.
    NoName {
        /// Whose.
        owner: Username,
        /// Which.
        tag_id: TagId,
        /// Its name.
        name: TagName,
    },
    /// Tags that have the same name.
    SameName {
        /// Whose.
        owner: Username,
        /// Which.
        tag_ids: BTreeSet<TagId>,
        /// The name, folded.
        folded: String,
    },
    /// A favorite that lacks terms, or has some that say something else.
    Terms {
        /// Whose.
        owner: Username,
        /// The favorite.
        favorite: Box<Favorite>,
        /// What its terms are made of.
        found: AsFound,
        /// How many it lacks, or has otherwise.
        lacking: usize,
        /// How many it should have.
        of: usize,
    },
    /// Terms that are not those of a favorite.
    Strays {
        /// Whose.
        owner: Username,
        /// Of which favorite they say they are.
        data_id: DataId,
        /// When they say that it was clipped.
        clip_time: EpochMillis,
        /// They themselves.
        terms: BTreeSet<String>,
        /// What the favorite's terms are made of. None if it is gone.
        favorite: Option<AsFound>,
    },
    /// A favorite's `tagCount` that is not the number of its tags.
    TagCount {
        /// Whose.
        owner: Username,
        /// Of which favorite.
        data_id: DataId,
        /// The time tells it from one that was clipped anew.
        found: AsFound,
        /// What the item says.
        says: i64,
        /// How many there are.
        there_are: i64,
    },
    /// A user's count of tags that is not their number.
    Tags {
        /// Whose.
        owner: Username,
        /// What the item says.
        says: i64,
        /// How many there are.
        there_are: i64,
    },
}

/// What is wrong with a tag on a favorite.
#[derive(Debug, Clone, PartialEq)]
pub enum WrongEntry {
    /// Its favorite is gone.
    NoFavorite,
    /// Its tag is gone.
    NoTag,
    /// It says something else than its favorite.
    Differs {
        /// The entry.
        found: AsFound,
        /// What it repeats of its favorite.
        favorite: AsFound,
        /// What it should be.
        right: FavoriteTag,
    },
}

/// Index keys that are not what the item's attributes say.
#[derive(Debug, Clone, PartialEq)]
pub struct Misplaced {
    /// The attributes that they are made of, and the keys.
    pub found: AsFound,
    /// What they should be.
    pub right: Vec<(&'static str, AttributeValue)>,
}

/// Attributes of an item as they were found; None where there was none.
#[derive(Debug, Clone, PartialEq)]
pub struct AsFound(Vec<(&'static str, Option<AttributeValue>)>);

impl AsFound {
    pub(super) fn of(item: &Item, names: &[&'static str]) -> Self {
        Self(names.iter().map(|name| (*name, item.get(*name).cloned())).collect())
    }

    /// The condition that the item is there and they are still the same, and its values.
    pub(super) fn condition(&self) -> (String, HashMap<String, AttributeValue>) {
        let is_there = std::iter::once(format!("attribute_exists({PK})"));
        let same = self.0.iter().map(|(name, value)| match value {
            Some(_) => format!("{name} = :found_{name}"),
            None => format!("attribute_not_exists({name})"),
        });
        let values = self.0.iter().filter_map(|(name, value)| Some((format!(":found_{name}"), value.clone()?)));
        (is_there.chain(same).collect::<Vec<_>>().join(" AND "), values.collect())
    }
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.right.iter().map(|(name, _)| *name).collect();
        write!(f, "{} not as its attributes say", names.join(", "))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Favorite { owner, data_id, misplaced } => write!(f, "favorite {data_id} of {owner}: {misplaced}"),
            Self::History { owner, data_id, misplaced } => {
                write!(f, "history of favorite {data_id} of {owner}: {misplaced}")
            }
            Self::Tag { owner, tag_id, misplaced } => write!(f, "tag {tag_id} of {owner}: {misplaced}"),
            Self::Entry { owner, data_id, tag_id, wrong } => {
                write!(f, "tag {tag_id} on favorite {data_id} of {owner}: ")?;
                f.write_str(match wrong {
                    WrongEntry::NoFavorite => "the favorite is gone",
                    WrongEntry::NoTag => "the tag is gone",
                    WrongEntry::Differs { .. } => "not as the favorite says",
                })
            }
            Self::TagName { owner, folded, tag_id, has_name } => {
                write!(f, "tag name {folded:?} of {owner}: ")?;
                match has_name {
                    None => write!(f, "tag {tag_id} is gone"),
                    Some(name) => write!(f, "tag {tag_id} is called {name:?}"),
                }
            }
            Self::NoName { owner, tag_id, name } => {
                write!(f, "tag {tag_id} of {owner}: its name {:?} is not kept for it", name.as_ref())
            }
            Self::SameName { owner, tag_ids, folded } => {
                let ids: Vec<_> = tag_ids.iter().map(AsRef::as_ref).collect();
                write!(f, "tags {} of {owner}: all are called {folded:?}", ids.join(", "))
            }
            Self::Terms { owner, favorite, lacking, of, .. } => {
                write!(f, "favorite {} of {owner}: {lacking} of {of} terms are missing or wrong", favorite.data_id)
            }
            Self::Strays { owner, data_id, clip_time, terms, favorite } => {
                write!(f, "{} terms of favorite {data_id} of {owner}, clipped {clip_time}: ", terms.len())?;
                f.write_str(if favorite.is_none() { "the favorite is gone" } else { "the favorite has others" })
            }
            Self::TagCount { owner, data_id, says, there_are, .. } => {
                write!(f, "favorite {data_id} of {owner}: tagCount is {says}, but there are {there_are}")
            }
            Self::Tags { owner, says, there_are } => {
                write!(f, "tags of {owner}: the count is {says}, but there are {there_are}")
            }
        }
    }
}
