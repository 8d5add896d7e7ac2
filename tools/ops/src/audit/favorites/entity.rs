//! The layout of `<stage>.Favorite` and the entities that its items hold.

use anyhow::{Context, anyhow, bail};
use shared::dynamodb::Item;
use shared::entities::{
    self, ClipPosition, FAVORITE_PK, FAVORITE_SK, FAVORITE_TAGS_PREFIX, Favorite, FavoriteTag, GSI_ONE, GSI_ONE_PK,
    GSI_ONE_SK, GSI_TWO, GSI_TWO_PK, GSI_TWO_SK, IdempotencyRecord, Key, Kind, LSI_ONE, LSI_ONE_SK, LSI_THREE,
    LSI_THREE_SK, LSI_TWO, LSI_TWO_SK, Tag, Term,
};
use shared::values::{DataId, DataType, EpochMillis, TagId, Username};

use crate::audit::finding::{Snapshot, WrongIndexKeys};
use crate::audit::layout::{Keys, Layout, MAX_SORT_KEY_BYTES, check_key, key, keys, parse, take_attribute};

/// The names of all index keys.
pub(super) const INDEX_KEYS: [&str; 7] =
    [LSI_ONE_SK, LSI_TWO_SK, LSI_THREE_SK, GSI_ONE_PK, GSI_ONE_SK, GSI_TWO_PK, GSI_TWO_SK];

/// A valid item. Its index keys may be wrong.
#[derive(Debug)]
pub(in crate::audit) enum Entity {
    /// A favorite, with its count separate from it. No function can read a negative count, but the
    /// audit accepts it here and repairs it.
    Favorite {
        owner: Username,
        favorite: Favorite,
        tag_count: Option<i64>,
        wrong_keys: Option<WrongIndexKeys>,
    },
    History {
        owner: Username,
        data_id: DataId,
        wrong_keys: Option<WrongIndexKeys>,
    },
    /// A tag on a favorite, with the attributes that it copies from the favorite. These are `None`
    /// if they cannot be parsed or the item's index keys differ from them.
    FavoriteTag {
        owner: Username,
        data_id: DataId,
        tag_id: TagId,
        copied: Option<(DataType, EpochMillis)>,
    },
    Tag {
        owner: Username,
        tag: Tag,
        wrong_keys: Option<WrongIndexKeys>,
    },
    Reservation {
        owner: Username,
        folded: String,
        tag_id: TagId,
    },
    UserTagCount {
        owner: Username,
        tags: Option<i64>,
    },
    UserFavoriteCount {
        owner: Username,
        favorites: Option<i64>,
    },
    Term {
        owner: Username,
        term: String,
        attributes: Term,
    },
    /// The record of an idempotency key. Nothing refers to it, and DynamoDB deletes it when it has
    /// expired.
    IdempotencyRecord,
}

impl Layout for Entity {
    const KEY: [&'static str; 2] = [FAVORITE_PK, FAVORITE_SK];
    const INDEXES: &'static [&'static str] = &[LSI_ONE, LSI_TWO, LSI_THREE, GSI_ONE, GSI_TWO];

    fn parse(item: Item) -> anyhow::Result<Self> {
        parse_entity(item)
    }
}

const UNKNOWN_KEY: &str = "its key matches no entity";

pub(super) fn parse_entity(mut item: Item) -> anyhow::Result<Entity> {
    let keys = keys::<Entity>(&item);
    let (pk, sk) = &keys;
    let check_key = |expected: Key, entity: &str| check_key::<Entity>(&keys, expected, entity);
    let (_, rest) = pk.split_once('#').context(UNKNOWN_KEY)?;
    let (owner, rest) = rest.split_once('#').map_or((rest, None), |(owner, rest)| (owner, Some(rest)));
    let owner: Username = owner.parse().map_err(|error| anyhow!("the username in its key {error}"))?;

    let kind = Kind::of(&item).context(UNKNOWN_KEY)?;
    match (kind, rest) {
        (Kind::Favorite, None) => {
            let tag_count = take_attribute(&mut item, "tagCount")?;
            let favorite: Favorite = parse(item.clone())?;
            let wrong_keys = wrong_keys(&item, &favorite.item(&owner), &["dataType", "clipTime"]);
            Ok(Entity::Favorite { owner, favorite, tag_count, wrong_keys })
        }
        (Kind::History, None) => {
            take_attribute::<u64>(&mut item, "ttl")?;
            let favorite: Favorite = parse(item.clone())?;
            let expected = entities::history_item(&owner, &favorite, favorite.item(&owner), &favorite.tag_ids, 0);
            let wrong_keys = wrong_keys(&item, &expected, &["dataType", "clipTime"]);
            Ok(Entity::History { owner, data_id: favorite.data_id, wrong_keys })
        }
        (Kind::FavoriteTag, Some(data_id)) => {
            let data_id: DataId = data_id.parse().map_err(|error| anyhow!("the dataId in its key {error}"))?;
            let tag_id: TagId = sk.parse().map_err(|error| anyhow!("the tagId in its key {error}"))?;
            let parsed = FavoriteTag::from_item(&owner, item.clone()).ok();
            let consistent = parsed.filter(|tag| wrong_keys(&item, &tag.item(&owner), &[]).is_none());
            let copied = consistent.map(|tag| (tag.data_type, tag.clip_time));
            Ok(Entity::FavoriteTag { owner, data_id, tag_id, copied })
        }
        (Kind::Tag, None) => {
            let tag: Tag = parse(item.clone())?;
            if tag.tag_name.is_empty() || tag.tag_name.len() > MAX_SORT_KEY_BYTES {
                bail!("tagName is not a valid sort key");
            }
            let wrong_keys = wrong_keys(&item, &tag.item(&owner), &["tagName", "createTime", "lastAccessTime"]);
            Ok(Entity::Tag { owner, tag, wrong_keys })
        }
        (Kind::TagName, None) => {
            let tag_id = take_attribute(&mut item, "tagId")?.context("it has no tagId")?;
            Ok(Entity::Reservation { owner, folded: sk.clone(), tag_id })
        }
        (Kind::TagCount, None) => {
            check_key(Key::tag_count(&owner), "tag count")?;
            Ok(Entity::UserTagCount { owner, tags: take_attribute(&mut item, "tags")? })
        }
        (Kind::FavoriteCount, None) => {
            check_key(Key::favorite_count(&owner), "favorite count")?;
            Ok(Entity::UserFavoriteCount { owner, favorites: take_attribute(&mut item, "favorites")? })
        }
        (Kind::Term, Some(term)) => {
            let attributes: Term = parse(item)?;
            let clipped = ClipPosition { clip_time: attributes.clip_time, data_id: attributes.data_id.clone() };
            check_key(Key::term(&owner, term, &clipped), "term")?;
            Ok(Entity::Term { owner, term: term.to_owned(), attributes })
        }
        (Kind::IdempotencyRecord, None) => {
            parse::<IdempotencyRecord>(item)?;
            Ok(Entity::IdempotencyRecord)
        }
        _ => bail!(UNKNOWN_KEY),
    }
}

/// Returns the key of the reservation of a folded name.
pub(super) fn reservation_key(owner: &Username, folded: &str) -> Item {
    key::<Entity>((entities::tag_names_pk(owner), folded.to_owned()))
}

/// Returns the owner of the tag that has these keys, whether or not the item is a valid tag.
pub(super) fn owner_of_tag(keys: &Keys) -> Option<Username> {
    entities::owner_of_tag(&key::<Entity>(keys.clone()))
}

/// Returns the owner of the favorite that has these keys, whether or not the item is a valid
/// favorite.
pub(super) fn owner_of_favorite(keys: &Keys) -> Option<Username> {
    entities::owner_of_favorite(&key::<Entity>(keys.clone()))
}

/// Returns the favorite of the tag on a favorite that has these keys, whether or not the item is
/// valid.
pub(super) fn favorite_of_tag((pk, _): &Keys) -> Option<(Username, DataId)> {
    let (owner, data_id) = pk.strip_prefix(FAVORITE_TAGS_PREFIX)?.split_once('#')?;
    Some((owner.parse().ok()?, data_id.parse().ok()?))
}

/// Returns the index keys of `item` that differ from those of the item `expected`, with the
/// attributes `sources` from which these keys are made.
fn wrong_keys(item: &Item, expected: &Item, sources: &[&'static str]) -> Option<WrongIndexKeys> {
    let wrong = |name: &&str| expected.contains_key(*name) && item.get(*name) != expected.get(*name);
    let wrong: Vec<_> = INDEX_KEYS.into_iter().filter(wrong).collect();
    (!wrong.is_empty()).then(|| WrongIndexKeys {
        found: Snapshot::new(item, &[sources, &wrong[..]].concat()),
        expected: wrong.into_iter().map(|name| (name, expected[name].clone())).collect(),
    })
}
