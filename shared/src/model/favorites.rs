//! The table `<stage>.Favorite`: what its keys look like, and what its items are.
//!
//! | entity | `pk` | `sk` | index keys |
//! |---|---|---|---|
//! | [`Favorite`] | `FavoriteData#<username>` | `<dataId>` | `lsiOneSk`, `gsiOneSk` = `<clipTime>#<dataId>`; `gsiOnePk` = `FavoriteData#<username>#<type>` |
//! | its history | `FavoriteDataHistory#<username>` | `<dataId>` | the same, with `FavoriteDataHistory#…` |
//! | [`FavoriteTag`] | `FavoriteDataTag#<username>#<dataId>` | `<tagId>` | `gsiOnePk` = `FavoriteDataTag#<username>#<tagId>`; `gsiTwoPk` = that + `#<type>`; `gsiOneSk`, `gsiTwoSk` = `<clipTime>#<dataId>` |
//! | [`Tag`] | `Tag#<username>` | `<tagId>` | `lsiOneSk` = name; `lsiTwoSk` = time of creation; `lsiThreeSk` = time of last use |
//! | tag name | `TagName#<username>` | the folded name | |
//! | tag count | `TagCount#<username>` | `TagCount` | |
//! | [`Term`] | `FavoriteDataTerm#<username>#<term>` | `<clipTime>#<dataId>` | |
//!
//! Favorites, and whatever leads to them, lie in the order of `<clipTime>#<dataId>` ([`ClipPosition`]) in each of their lists.
//! The last three entities are ours; the others are in tables of other programs too, and are read with what those left
//! out. Who reads must not expect `tagCount` on a favorite, a name for each tag, a count, or terms.
//!
//! In a key, `<username>` has no `#`, and what is variable after it stands last, or before a type, which has none
//! either: so no two keys can be the same by chance.

use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue::{self, L, N, S};
use serde::{Deserialize, Deserializer, Serialize};

use super::{entity, keys};
use crate::Error;
use crate::dynamodb::Item;
use crate::values::{DataId, DataType, EpochMillis, TagId, TagName, Username};

/// The partition key.
pub const PK: &str = keys::FAVORITE[0];
/// The sort key.
pub const SK: &str = keys::FAVORITE[1];
/// Local index: favorites by the time of clipping, tags by name.
pub const LSI_ONE: &str = "lsiOne";
/// Sort key of [`LSI_ONE`].
pub const LSI_ONE_SK: &str = "lsiOneSk";
/// Local index: tags by the time of creation.
pub const LSI_TWO: &str = "lsiTwo";
/// Sort key of [`LSI_TWO`].
pub const LSI_TWO_SK: &str = "lsiTwoSk";
/// Local index: tags by the time of last use.
pub const LSI_THREE: &str = "lsiThree";
/// Sort key of [`LSI_THREE`].
pub const LSI_THREE_SK: &str = "lsiThreeSk";
/// Global index: favorites of a type, and of a tag.
pub const GSI_ONE: &str = "gsiOne";
/// Partition key of [`GSI_ONE`].
pub const GSI_ONE_PK: &str = "gsiOnePk";
/// Sort key of [`GSI_ONE`].
pub const GSI_ONE_SK: &str = "gsiOneSk";
/// Global index: favorites of a tag and a type.
pub const GSI_TWO: &str = "gsiTwo";
/// Partition key of [`GSI_TWO`].
pub const GSI_TWO_PK: &str = "gsiTwoPk";
/// Sort key of [`GSI_TWO`].
pub const GSI_TWO_SK: &str = "gsiTwoSk";

/// The most tags that a favorite may have. So many entries are deleted in one transaction, which takes
/// [100 items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html).
pub const MAX_TAGS_OF_FAVORITE: usize = 50;
/// The most tags that a user may have.
pub const MAX_TAGS_OF_USER: usize = 1000;

/// The primary key of an item. Made by these constructors alone, for writes, reads, conditions and cursors alike.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pk: String,
    sk: String,
}

impl Key {
    /// The key of a [`Favorite`].
    #[must_use]
    pub fn favorite(owner: &Username, data_id: &DataId) -> Self {
        Self { pk: favorites_pk(owner), sk: data_id.to_string() }
    }

    /// The key of what is left of a favorite that was taken out.
    #[must_use]
    pub fn history(owner: &Username, data_id: &DataId) -> Self {
        Self { pk: histories_pk(owner), sk: data_id.to_string() }
    }

    /// The key of a [`FavoriteTag`].
    #[must_use]
    pub fn favorite_tag(owner: &Username, data_id: &DataId, tag_id: &TagId) -> Self {
        Self { pk: tags_of_favorite_pk(owner, data_id), sk: tag_id.to_string() }
    }

    /// The key of a [`Tag`].
    #[must_use]
    pub fn tag(owner: &Username, tag_id: &TagId) -> Self {
        Self { pk: tags_pk(owner), sk: tag_id.to_string() }
    }

    /// The key of the item that keeps a tag's name from being given twice, see [`tag_name_reservation`].
    #[must_use]
    pub fn tag_name(owner: &Username, name: &TagName) -> Self {
        Self { pk: tag_names_pk(owner), sk: name.folded() }
    }

    /// The key of the item that counts a user's tags: `tags`, how many there are, and `deletions`, how many were deleted.
    /// A table that another program wrote has none until the first tag is created or deleted here.
    #[must_use]
    pub fn tag_count(owner: &Username) -> Self {
        Self { pk: tag_count_pk(owner), sk: "TagCount".to_owned() }
    }

    /// The key of a [`Term`].
    #[must_use]
    pub fn term(owner: &Username, term: &str, clipped: &ClipPosition) -> Self {
        Self { pk: term_pk(owner, term), sk: clipped.to_string() }
    }
}

/// The key attributes, for GetItem, UpdateItem, BatchGetItem and as a start key.
impl From<Key> for Item {
    fn from(key: Key) -> Self {
        Self::from([(PK.to_owned(), S(key.pk)), (SK.to_owned(), S(key.sk))])
    }
}

/// Partition key of all favorites of a user.
#[must_use]
pub fn favorites_pk(owner: &Username) -> String {
    format!("FavoriteData#{owner}")
}

/// Partition key, in [`GSI_ONE`], of a user's favorites of one type.
#[must_use]
pub fn favorites_of_type_pk(owner: &Username, data_type: DataType) -> String {
    format!("FavoriteData#{owner}#{data_type}")
}

/// Partition key of all that a user has taken out.
#[must_use]
pub fn histories_pk(owner: &Username) -> String {
    format!("FavoriteDataHistory#{owner}")
}

/// Partition key, in [`GSI_ONE`], of what a user has taken out of one type.
#[must_use]
pub fn histories_of_type_pk(owner: &Username, data_type: DataType) -> String {
    format!("FavoriteDataHistory#{owner}#{data_type}")
}

/// Partition key of the tags on a favorite.
#[must_use]
pub fn tags_of_favorite_pk(owner: &Username, data_id: &DataId) -> String {
    format!("FavoriteDataTag#{owner}#{data_id}")
}

/// Partition key, in [`GSI_ONE`], of the favorites that have a tag.
#[must_use]
pub fn favorites_of_tag_pk(owner: &Username, tag_id: &TagId) -> String {
    format!("FavoriteDataTag#{owner}#{tag_id}")
}

/// Partition key, in [`GSI_TWO`], of the favorites of one type that have a tag.
#[must_use]
pub fn favorites_of_tag_and_type_pk(owner: &Username, tag_id: &TagId, data_type: DataType) -> String {
    format!("FavoriteDataTag#{owner}#{tag_id}#{data_type}")
}

/// Partition key of all tags of a user.
#[must_use]
pub fn tags_pk(owner: &Username) -> String {
    format!("Tag#{owner}")
}

/// Partition key of the names of all tags of a user.
#[must_use]
pub fn tag_names_pk(owner: &Username) -> String {
    format!("TagName#{owner}")
}

/// Partition key of the count of a user's tags.
#[must_use]
pub fn tag_count_pk(owner: &Username) -> String {
    format!("TagCount#{owner}")
}

/// Partition key of a user's favorites whose titles have this term.
#[must_use]
pub fn term_pk(owner: &Username, term: &str) -> String {
    format!("FavoriteDataTerm#{owner}#{term}")
}

/// Where a favorite is in every list of favorites: when it was clipped, and which it is. Its text is the sort key of the
/// lists, and a list's cursor is made of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClipPosition {
    /// When.
    pub clip_time: EpochMillis,
    /// Which.
    pub data_id: DataId,
}

impl fmt::Display for ClipPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.clip_time, self.data_id)
    }
}

/// Something that a user keeps. It reads from an item, and is written as answers show it; [`Favorite::item`] makes the
/// item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Favorite {
    /// Its name among the favorites of its owner.
    #[serde(rename(deserialize = "sk"))]
    pub data_id: DataId,
    /// What kind of thing it is. In capitals in the item.
    #[serde(deserialize_with = "data_type")]
    pub data_type: DataType,
    /// What it is called.
    #[serde(default)]
    pub title: String,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_id: Option<String>,
    /// A small picture of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail_url: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_url: Option<String>,
    /// When it was clipped. Digits in the item.
    pub clip_time: EpochMillis,
    /// How many tags it has: the number of its [`FavoriteTag`]s. It changes in the transaction that adds or removes one,
    /// so that a transaction which counts on it sees what others did meanwhile. None where another program wrote the
    /// favorite and no tag was put on it here.
    #[serde(skip_serializing)]
    pub tag_count: Option<u64>,
}

impl Favorite {
    /// Where it is in lists.
    #[must_use]
    pub fn clip_position(&self) -> ClipPosition {
        ClipPosition { clip_time: self.clip_time, data_id: self.data_id.clone() }
    }

    /// The item to put.
    #[must_use]
    pub fn item(&self, owner: &Username) -> Item {
        let clipped = self.clip_position().to_string();
        let mut item = Item::from(Key::favorite(owner, &self.data_id));
        let mut set = |name: &str, value: AttributeValue| item.insert(name.to_owned(), value);
        set(LSI_ONE_SK, S(clipped.clone()));
        set(GSI_ONE_PK, S(favorites_of_type_pk(owner, self.data_type)));
        set(GSI_ONE_SK, S(clipped));
        set("dataType", S(capitals(self.data_type)));
        set("title", S(self.title.clone()));
        set("clipTime", S(self.clip_time.to_string()));
        let texts =
            [("creatorId", &self.creator_id), ("thumbnailUrl", &self.thumbnail_url), ("contentUrl", &self.content_url)];
        for (name, text) in texts {
            if let Some(text) = text {
                set(name, S(text.clone()));
            }
        }
        if let Some(tags) = self.tag_count {
            set("tagCount", N(tags.to_string()));
        }
        item
    }
}

/// A page of a list of favorites, as answers show it.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Favorites {
    /// In the order of the list.
    pub favorites: Vec<Favorite>,
    /// None on the last page.
    pub next_cursor: Option<String>,
}

/// What is left for a while of a favorite that is taken out: its whole item, with the ids of its tags, and `ttl`, when
/// it goes for good, in seconds since 1970.
#[must_use]
pub fn history_item(owner: &Username, favorite: &Favorite, mut item: Item, tag_ids: &[TagId], ttl: u64) -> Item {
    item.extend(Item::from(Key::history(owner, &favorite.data_id)));
    item.insert(GSI_ONE_PK.to_owned(), S(histories_of_type_pk(owner, favorite.data_type)));
    item.insert("tagIds".to_owned(), L(tag_ids.iter().map(|id| S(id.to_string())).collect()));
    item.insert("ttl".to_owned(), N(ttl.to_string()));
    item.remove("tagCount");
    item
}

/// The item of a favorite, as it was before [`history_item`] made `item` of it, with `tags` tags.
#[must_use]
pub fn restored_item(owner: &Username, favorite: &Favorite, mut item: Item, tags: usize) -> Item {
    item.extend(Item::from(Key::favorite(owner, &favorite.data_id)));
    item.insert(GSI_ONE_PK.to_owned(), S(favorites_of_type_pk(owner, favorite.data_type)));
    item.insert("tagCount".to_owned(), N(tags.to_string()));
    item.remove("tagIds");
    item.remove("ttl");
    item
}

/// A tag on a favorite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FavoriteTag {
    /// On which favorite.
    pub data_id: DataId,
    /// Which tag.
    pub tag_id: TagId,
    /// The favorite's.
    pub data_type: DataType,
    /// The favorite's.
    pub clip_time: EpochMillis,
}

impl FavoriteTag {
    /// This tag on this favorite.
    #[must_use]
    pub fn new(favorite: &Favorite, tag_id: TagId) -> Self {
        Self { data_id: favorite.data_id.clone(), tag_id, data_type: favorite.data_type, clip_time: favorite.clip_time }
    }

    /// Where its favorite is in lists.
    #[must_use]
    pub fn clip_position(&self) -> ClipPosition {
        ClipPosition { clip_time: self.clip_time, data_id: self.data_id.clone() }
    }

    /// The item to put.
    #[must_use]
    pub fn item(&self, owner: &Username) -> Item {
        let clipped = self.clip_position().to_string();
        let mut item = Item::from(Key::favorite_tag(owner, &self.data_id, &self.tag_id));
        let mut set = |name: &str, value: String| item.insert(name.to_owned(), S(value));
        set(GSI_ONE_PK, favorites_of_tag_pk(owner, &self.tag_id));
        set(GSI_ONE_SK, clipped.clone());
        set(GSI_TWO_PK, favorites_of_tag_and_type_pk(owner, &self.tag_id, self.data_type));
        set(GSI_TWO_SK, clipped);
        set("dataType", capitals(self.data_type));
        set("clipTime", self.clip_time.to_string());
        item
    }

    /// Reads an item. Which favorite it is on stands in its partition key alone, behind what the owner says.
    pub fn of(owner: &Username, item: Item) -> Result<Self, Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Entry {
            pk: String,
            sk: TagId,
            #[serde(deserialize_with = "data_type")]
            data_type: DataType,
            clip_time: EpochMillis,
        }
        let Entry { pk, sk: tag_id, data_type, clip_time } = entity::from_item(item)?;
        let data_id = pk.strip_prefix(&format!("FavoriteDataTag#{owner}#")).and_then(|id| id.parse().ok());
        let data_id = data_id.ok_or_else(|| Error::internal(format!("{pk} is no favorite of {owner}")))?;
        Ok(Self { data_id, tag_id, data_type, clip_time })
    }
}

/// A tag. It reads from an item, and is written as answers show it; [`Tag::item`] makes the item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tag {
    /// Its name in keys.
    #[serde(rename(deserialize = "sk"))]
    pub tag_id: TagId,
    /// Its name for people.
    pub tag_name: String,
    /// When it was created.
    pub create_time: EpochMillis,
    /// When its favorites were listed last; when it was created, if never.
    pub last_access_time: EpochMillis,
}

impl Tag {
    /// Whether this is its name, in whatever case and Unicode form. Another program may have given one that no [`TagName`]
    /// can be.
    #[must_use]
    pub fn is_called(&self, name: &TagName) -> bool {
        self.tag_name.parse().is_ok_and(|own: TagName| own.folded() == name.folded())
    }

    /// The item to put.
    #[must_use]
    pub fn item(&self, owner: &Username) -> Item {
        let mut item = Item::from(Key::tag(owner, &self.tag_id));
        let mut set = |name: &str, value: AttributeValue| item.insert(name.to_owned(), value);
        set(LSI_ONE_SK, S(self.tag_name.clone()));
        set(LSI_TWO_SK, S(self.create_time.to_string()));
        set(LSI_THREE_SK, S(self.last_access_time.to_string()));
        set("tagName", S(self.tag_name.clone()));
        set("createTime", number(self.create_time));
        set("lastAccessTime", number(self.last_access_time));
        item
    }
}

/// A page of a list of tags, as answers show it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tags {
    /// In the order of the list.
    pub tags: Vec<Tag>,
    /// None on the last page.
    pub next_cursor: Option<String>,
}

/// What the item of a name says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TagNameReservation {
    /// For which tag it keeps the name.
    pub tag_id: TagId,
}

/// The item that keeps `name` for the tag `tag_id`.
#[must_use]
pub fn tag_name_reservation(owner: &Username, name: &TagName, tag_id: &TagId) -> Item {
    let mut item = Item::from(Key::tag_name(owner, name));
    item.insert("tagId".to_owned(), S(tag_id.to_string()));
    item
}

/// A favorite under a term of its title. It has what tells whether a search wants the favorite.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Term {
    /// The favorite's.
    pub data_id: DataId,
    /// The favorite's.
    #[serde(deserialize_with = "data_type")]
    pub data_type: DataType,
    /// The favorite's.
    pub title: String,
    /// The favorite's.
    pub clip_time: EpochMillis,
}

/// The items of a favorite's terms.
#[must_use]
pub fn term_items(owner: &Username, favorite: &Favorite) -> Vec<Item> {
    let clipped = favorite.clip_position();
    let item = |term: String| {
        let mut item = Item::from(Key::term(owner, &term, &clipped));
        let mut set = |name: &str, value: String| item.insert(name.to_owned(), S(value));
        set("dataId", favorite.data_id.to_string());
        set("dataType", capitals(favorite.data_type));
        set("title", favorite.title.clone());
        set("clipTime", favorite.clip_time.to_string());
        item
    };
    crate::search::terms(&favorite.title).into_iter().map(item).collect()
}

/// The owner of a favorite, from the partition key of its item. None if the key is of another entity.
#[must_use]
pub fn owner_of_favorite(keys: &Item) -> Option<Username> {
    owner(keys, "FavoriteData#")
}

/// The owner of a tag, from the partition key of its item. None if the key is of another entity.
#[must_use]
pub fn owner_of_tag(keys: &Item) -> Option<Username> {
    owner(keys, "Tag#")
}

fn owner(keys: &Item, entity: &str) -> Option<Username> {
    match keys.get(PK) {
        Some(S(pk)) => pk.strip_prefix(entity)?.parse().ok(),
        _ => None,
    }
}

/// A moment as an attribute that is no key.
#[must_use]
pub fn number(moment: EpochMillis) -> AttributeValue {
    N(u64::from(moment).to_string())
}

fn capitals(data_type: DataType) -> String {
    data_type.as_ref().to_ascii_uppercase()
}

fn data_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DataType, D::Error> {
    String::deserialize(deserializer)?.to_ascii_lowercase().parse().map_err(serde::de::Error::custom)
}
