//! What an item of the table is.

use serde::Deserialize;
use shared::dynamodb::Item;
use shared::model::favorites;
use shared::model::favorites::{
    ClipPosition, Favorite, FavoriteTag, GSI_ONE_PK, GSI_ONE_SK, GSI_TWO_PK, GSI_TWO_SK, Key, LSI_ONE_SK, LSI_THREE_SK,
    LSI_TWO_SK, Tag, Term,
};
use shared::values::{DataId, DataType, EpochMillis, TagId, Username};

use super::Favorites;
use super::finding::{AsFound, Misplaced};
use crate::audit::read::{Keys, MAX_SORT_KEY_BYTES, attribute, is_at, key, keys, parsed};

pub(super) const INDEX_KEYS: [&str; 7] =
    [LSI_ONE_SK, LSI_TWO_SK, LSI_THREE_SK, GSI_ONE_PK, GSI_ONE_SK, GSI_TWO_PK, GSI_TWO_SK];

/// An item that fits. What index keys it has need not fit.
#[derive(Debug)]
pub(in crate::audit) enum Entity {
    /// The count may be below 0, which no function can read, but which can be mended. It is not in the favorite.
    Favorite {
        owner: Username,
        favorite: Favorite,
        tag_count: Option<i64>,
        misplaced: Option<Misplaced>,
    },
    History {
        owner: Username,
        data_id: DataId,
        misplaced: Option<Misplaced>,
    },
    /// What it says of its favorite; nothing if that can't be read, or its index keys say something else.
    Entry {
        owner: Username,
        data_id: DataId,
        tag_id: TagId,
        says: Option<(DataType, EpochMillis)>,
    },
    Tag {
        owner: Username,
        tag: Tag,
        misplaced: Option<Misplaced>,
    },
    TagName {
        owner: Username,
        folded: String,
        tag_id: TagId,
    },
    TagCount {
        owner: Username,
        tags: Option<i64>,
    },
    Term {
        owner: Username,
        term: String,
        of: Term,
    },
}

/// Reads an item as the entity whose key it has, or says why that is none.
pub(super) fn read(mut item: Item) -> Result<Entity, String> {
    let keys = keys::<Favorites>(&item);
    let (pk, sk) = &keys;
    let is_at = |right: Key, what: &str| is_at::<Favorites>(&keys, right, what);
    let no_entity = || "its key is that of no entity".to_owned();
    let (entity, of) = pk.split_once('#').ok_or_else(no_entity)?;
    let (owner, of) = of.split_once('#').map_or((of, None), |(owner, of)| (owner, Some(of)));
    let owner: Username = owner.parse().map_err(|broken| format!("the username in its key {broken}"))?;

    match (entity, of) {
        ("FavoriteData", None) => {
            let tag_count = attribute(&mut item, "tagCount")?;
            let favorite: Favorite = parsed(item.clone())?;
            let misplaced = misplaced(&item, &favorite.item(&owner), &["dataType", "clipTime"]);
            Ok(Entity::Favorite { owner, favorite, tag_count, misplaced })
        }
        ("FavoriteDataHistory", None) => {
            #[derive(Deserialize)]
            #[serde(rename_all = "camelCase")]
            struct Left {
                #[serde(default, rename = "tagIds")]
                _tag_ids: Vec<TagId>,
                #[serde(rename = "ttl")]
                _ttl: Option<u64>,
            }
            let favorite: Favorite = parsed(item.clone())?;
            parsed::<Left>(item.clone())?;
            let right = favorites::history_item(&owner, &favorite, favorite.item(&owner), &[], 0);
            let misplaced = misplaced(&item, &right, &["dataType", "clipTime"]);
            Ok(Entity::History { owner, data_id: favorite.data_id, misplaced })
        }
        ("FavoriteDataTag", Some(data_id)) => {
            let data_id: DataId = data_id.parse().map_err(|broken| format!("the dataId in its key {broken}"))?;
            let tag_id: TagId = sk.parse().map_err(|broken| format!("the tagId in its key {broken}"))?;
            let entry = FavoriteTag::from_item(&owner, item.clone()).ok();
            let fits = entry.filter(|entry| misplaced(&item, &entry.item(&owner), &[]).is_none());
            let says = fits.map(|entry| (entry.data_type, entry.clip_time));
            Ok(Entity::Entry { owner, data_id, tag_id, says })
        }
        ("Tag", None) => {
            let tag: Tag = parsed(item.clone())?;
            if tag.tag_name.is_empty() || tag.tag_name.len() > MAX_SORT_KEY_BYTES {
                return Err("tagName can't be a sort key".to_owned());
            }
            let misplaced = misplaced(&item, &tag.item(&owner), &["tagName", "createTime", "lastAccessTime"]);
            Ok(Entity::Tag { owner, tag, misplaced })
        }
        ("TagName", None) => {
            let tag_id = attribute(&mut item, "tagId")?.ok_or("it has no tagId")?;
            Ok(Entity::TagName { owner, folded: sk.clone(), tag_id })
        }
        ("TagCount", None) => {
            is_at(Key::tag_count(&owner), "count of tags")?;
            Ok(Entity::TagCount { owner, tags: attribute(&mut item, "tags")? })
        }
        ("FavoriteDataTerm", Some(term)) => {
            let of: Term = parsed(item)?;
            let clipped = ClipPosition { clip_time: of.clip_time, data_id: of.data_id.clone() };
            is_at(Key::term(&owner, term, &clipped), "term")?;
            Ok(Entity::Term { owner, term: term.to_owned(), of })
        }
        _ => Err(no_entity()),
    }
}

/// The item that keeps a name, by the name as it is in its key.
pub(super) fn tag_name_key(owner: &Username, folded: &str) -> Item {
    key::<Favorites>((favorites::tag_names_pk(owner), folded.to_owned()))
}

/// Whose tag this would be, if the item were one.
pub(super) fn owner_of_tag(keys: &Keys) -> Option<Username> {
    favorites::owner_of_tag(&key::<Favorites>(keys.clone()))
}

/// Which favorite's tag this would be, if the item were one.
pub(super) fn favorite_of_entry((pk, _): &Keys) -> Option<(Username, DataId)> {
    let (owner, data_id) = pk.strip_prefix("FavoriteDataTag#")?.split_once('#')?;
    Some((owner.parse().ok()?, data_id.parse().ok()?))
}

/// The index keys that are not those of the right item, which is made of these attributes.
fn misplaced(item: &Item, right: &Item, made_of: &[&'static str]) -> Option<Misplaced> {
    let wrong = |name: &&str| right.contains_key(*name) && item.get(*name) != right.get(*name);
    let wrong: Vec<_> = INDEX_KEYS.into_iter().filter(wrong).collect();
    (!wrong.is_empty()).then(|| Misplaced {
        found: AsFound::of(item, &[made_of, &wrong[..]].concat()),
        right: wrong.into_iter().map(|name| (name, right[name].clone())).collect(),
    })
}
