//! Inspects candidates.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::Table;
use shared::dynamodb::{Item, batch};
use shared::entities::{self, ClipPosition, FAVORITE_PK, FAVORITE_SK, Favorite, FavoriteTag, Key, Tag, Term};
use shared::search::terms;
use shared::values::{DataId, EpochMillis, TagId, TagName, Username};

use super::candidate::Candidate;
use super::entity::{Entity, INDEX_KEYS, parse_entity, reservation_key};
use crate::audit::error::Error;
use crate::audit::finding::{FavoriteTagFault, FavoritesFinding, Snapshot};
use crate::audit::read;
use crate::audit::read::count;

/// The result of reading one entity.
enum Lookup<T> {
    Absent,
    /// The entity, and the item from which it was parsed.
    Present(T, Item),
    /// A malformed item. The items that refer to it are not orphans: somebody can repair it.
    Malformed,
}

/// Returns the defect of a candidate at this moment, if it has one.
pub(super) async fn inspect(table: &Table, candidate: &Candidate) -> Result<Option<FavoritesFinding>, Error> {
    match candidate.clone() {
        Candidate::IndexKeys(key) => index_keys(table, key).await,
        Candidate::FavoriteTag(owner, data_id, tag_id) => favorite_tag(table, owner, data_id, tag_id).await,
        Candidate::Reservation(owner, folded) => reservation(table, owner, folded).await,
        Candidate::DuplicateName(owner, tag_ids) => duplicate_name(table, owner, tag_ids).await,
        Candidate::Terms(owner, data_id) => terms_of(table, owner, &data_id).await,
        Candidate::OrphanTerms(owner, data_id, clip_time, terms) => {
            orphan_terms(table, owner, data_id, clip_time, terms).await
        }
        Candidate::MissingReservation(owner, tag_id) => missing_reservation(table, owner, tag_id).await,
        Candidate::FavoriteTags(owner, data_id) => favorite_tags(table, owner, data_id).await,
        Candidate::UserTagCount(owner) => user_tag_count(table, owner).await,
        Candidate::UserFavoriteCount(owner) => user_favorite_count(table, owner).await,
    }
}

async fn index_keys(table: &Table, key: Key) -> Result<Option<FavoritesFinding>, Error> {
    let Some((Ok(entity), _)) = get(table, key.clone()).await? else { return Ok(None) };
    let (of, wrong_keys) = match entity {
        Entity::Favorite { owner, favorite, wrong_keys, .. } => {
            (format!("favorite {} of {owner}", favorite.data_id), wrong_keys)
        }
        Entity::History { owner, data_id, wrong_keys } => {
            (format!("history of favorite {data_id} of {owner}"), wrong_keys)
        }
        Entity::Tag { owner, tag, wrong_keys } => (format!("tag {} of {owner}", tag.tag_id), wrong_keys),
        _ => return Ok(None),
    };
    Ok(wrong_keys.map(|keys| FavoritesFinding::IndexKeys { of, key, keys }))
}

async fn favorite_tag(
    table: &Table,
    owner: Username,
    data_id: DataId,
    tag_id: TagId,
) -> Result<Option<FavoritesFinding>, Error> {
    let key = Key::favorite_tag(&owner, &data_id, &tag_id);
    let Some((Ok(Entity::FavoriteTag { copied, .. }), item)) = get(table, key).await? else {
        return Ok(None);
    };
    let fault = match (favorite(table, &owner, &data_id).await?, tag(table, &owner, &tag_id).await?) {
        (Lookup::Absent, _) => FavoriteTagFault::NoFavorite,
        (_, Lookup::Absent) => FavoriteTagFault::NoTag,
        (Lookup::Present(favorite, favorite_item), _) if copied != Some((favorite.data_type, favorite.clip_time)) => {
            let expected = FavoriteTag::new(&favorite, tag_id.clone());
            let copied = ["dataType", "clipTime"];
            FavoriteTagFault::DiffersFromFavorite {
                found: Snapshot::new(&item, &[&copied[..], &INDEX_KEYS].concat()),
                favorite: Snapshot::new(&favorite_item, &copied),
                expected,
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(FavoritesFinding::FavoriteTag { owner, data_id, tag_id, fault }))
}

async fn reservation(table: &Table, owner: Username, folded: String) -> Result<Option<FavoritesFinding>, Error> {
    let Some((Ok(Entity::Reservation { tag_id, .. }), _)) = get(table, reservation_key(&owner, &folded)).await? else {
        return Ok(None);
    };
    let actual_name = match tag(table, &owner, &tag_id).await? {
        Lookup::Absent => None,
        Lookup::Present(tag, _) if name(&tag).is_none_or(|name| name.folded() != folded) => Some(tag.tag_name),
        _ => return Ok(None),
    };
    Ok(Some(FavoritesFinding::OrphanReservation { owner, folded, tag_id, actual_name }))
}

async fn missing_reservation(table: &Table, owner: Username, tag_id: TagId) -> Result<Option<FavoritesFinding>, Error> {
    let Lookup::Present(tag, _) = tag(table, &owner, &tag_id).await? else {
        return Ok(None);
    };
    let Some(name) = name(&tag) else {
        return Ok(None);
    };
    // A repair deletes the reservation of another tag that does not have the name.
    let reserved = get(table, Key::tag_name_reservation(&owner, &name)).await?.is_some()
        && reservation(table, owner.clone(), name.folded()).await?.is_none();
    Ok((!reserved).then_some(FavoritesFinding::MissingReservation { owner, tag_id, name }))
}

/// Inspects tags that had the same name in the Scan.
async fn duplicate_name(
    table: &Table,
    owner: Username,
    tag_ids: BTreeSet<TagId>,
) -> Result<Option<FavoritesFinding>, Error> {
    let mut named: HashMap<String, BTreeSet<TagId>> = HashMap::new();
    for tag_id in tag_ids {
        if let Lookup::Present(tag, _) = tag(table, &owner, &tag_id).await?
            && let Some(name) = name(&tag)
        {
            named.entry(name.folded()).or_default().insert(tag_id);
        }
    }
    let duplicates = named.into_iter().filter(|(_, tag_ids)| tag_ids.len() > 1).min();
    Ok(duplicates.map(|(folded, tag_ids)| FavoritesFinding::DuplicateName { owner, tag_ids, folded }))
}

async fn terms_of(table: &Table, owner: Username, data_id: &DataId) -> Result<Option<FavoritesFinding>, Error> {
    let Lookup::Present(favorite, item) = favorite(table, &owner, data_id).await? else {
        return Ok(None);
    };
    let items = entities::term_items(&owner, &favorite);
    let stored = stored_terms(table, &items).await?;
    let is_right = |item: &&Item| stored.get(text(item, FAVORITE_PK)).is_some_and(|term| *term == as_term(item));
    let (expected, wrong) = (items.len(), items.len() - items.iter().filter(is_right).count());
    let found = Snapshot::new(&item, &["dataType", "title", "clipTime"]);
    let favorite = Box::new(favorite);
    Ok((wrong > 0).then_some(FavoritesFinding::WrongTerms { owner, favorite, found, wrong, expected }))
}

/// Inspects terms that may belong to no favorite. A term whose key is right for the favorite
/// belongs to it, even if the term's attributes are wrong; [`terms_of`] reports those.
async fn orphan_terms(
    table: &Table,
    owner: Username,
    data_id: DataId,
    clip_time: EpochMillis,
    mut orphans: BTreeSet<String>,
) -> Result<Option<FavoritesFinding>, Error> {
    let favorite = match favorite(table, &owner, &data_id).await? {
        Lookup::Absent => None,
        Lookup::Present(favorite, item) => {
            if favorite.clip_time == clip_time {
                let own = terms(&favorite.title);
                orphans.retain(|term| !own.contains(term));
            }
            Some(Snapshot::new(&item, &["title", "clipTime"]))
        }
        Lookup::Malformed => return Ok(None),
    };
    let clipped = ClipPosition { clip_time, data_id: data_id.clone() };
    let keys: Vec<_> = orphans.iter().map(|term| Item::from(Key::term(&owner, term, &clipped))).collect();
    let stored = stored_terms(table, &keys).await?;
    orphans.retain(|term| stored.contains_key(&entities::term_pk(&owner, term)));
    let finding = FavoritesFinding::OrphanTerms { owner, data_id, clip_time, terms: orphans, favorite };
    Ok(matches!(&finding, FavoritesFinding::OrphanTerms { terms, .. } if !terms.is_empty()).then_some(finding))
}

async fn favorite_tags(table: &Table, owner: Username, data_id: DataId) -> Result<Option<FavoritesFinding>, Error> {
    let key = Key::favorite(&owner, &data_id);
    let Some((Ok(Entity::Favorite { favorite, tag_count: stored, .. }), item)) = get(table, key).await? else {
        return Ok(None);
    };
    let query = table.client.query().table_name(&table.name).consistent_read(true);
    let query = query
        .key_condition_expression("pk = :pk")
        .expression_attribute_values(":pk", S(entities::tags_of_favorite_pk(&owner, &data_id)))
        .projection_expression("sk");
    let (mut actual, mut tag_ids) = (0, BTreeSet::new());
    let mut entries = query.into_paginator().items().send();
    while let Some(entry) = entries.try_next().await? {
        actual += 1;
        tag_ids.extend(text(&entry, FAVORITE_SK).parse::<TagId>());
    }
    // A favorite of another program may lack the count, and the ids if it has no tags.
    let is_wrong = stored.is_some_and(|stored| stored != actual) || favorite.tag_ids != tag_ids;
    let found = Snapshot::new(&item, &["tagCount", "tagIds", "tagVersion", "clipTime"]);
    Ok(is_wrong.then_some(FavoritesFinding::FavoriteTags { owner, data_id, found, stored, actual, tag_ids }))
}

async fn user_tag_count(table: &Table, owner: Username) -> Result<Option<FavoritesFinding>, Error> {
    let Some((Ok(Entity::UserTagCount { tags: Some(stored), .. }), item)) = get(table, Key::tag_count(&owner)).await?
    else {
        return Ok(None);
    };
    let actual = count_partition(table, entities::tags_pk(&owner)).await?;
    let found = Snapshot::new(&item, &["tags", "deletions"]);
    Ok((stored != actual).then_some(FavoritesFinding::UserTagCount { owner, found, stored, actual }))
}

/// Inspects the count of a user's favorites. Without the item, the count is 0.
async fn user_favorite_count(table: &Table, owner: Username) -> Result<Option<FavoritesFinding>, Error> {
    let stored = match get(table, Key::favorite_count(&owner)).await? {
        None => None,
        Some((Ok(Entity::UserFavoriteCount { favorites, .. }), _)) => favorites,
        Some(_) => return Ok(None),
    };
    let actual = count_partition(table, entities::favorites_pk(&owner)).await?;
    let wrong = stored.unwrap_or(0) != actual;
    Ok(wrong.then_some(FavoritesFinding::UserFavoriteCount { owner, stored, actual }))
}

async fn favorite(table: &Table, owner: &Username, data_id: &DataId) -> Result<Lookup<Favorite>, Error> {
    Ok(match get(table, Key::favorite(owner, data_id)).await? {
        None => Lookup::Absent,
        Some((Ok(Entity::Favorite { favorite, .. }), item)) => Lookup::Present(favorite, item),
        Some(_) => Lookup::Malformed,
    })
}

async fn tag(table: &Table, owner: &Username, tag_id: &TagId) -> Result<Lookup<Tag>, Error> {
    Ok(match get(table, Key::tag(owner, tag_id)).await? {
        None => Lookup::Absent,
        Some((Ok(Entity::Tag { tag, .. }), item)) => Lookup::Present(tag, item),
        Some(_) => Lookup::Malformed,
    })
}

/// Returns the name of a tag if the functions accept it. Another program can have written other
/// names, which need no reservation.
fn name(tag: &Tag) -> Option<TagName> {
    tag.tag_name.parse().ok()
}

async fn get(table: &Table, key: impl Into<Item>) -> Result<Option<(anyhow::Result<Entity>, Item)>, Error> {
    let item = read::get(table, key).await?;
    Ok(item.map(|item| (parse_entity(item.clone()), item)))
}

/// Reads the terms with the keys of `items`. Returns them by partition key; a malformed term is
/// `None`.
async fn stored_terms(table: &Table, items: &[Item]) -> Result<HashMap<String, Option<Term>>, Error> {
    let keys = items.iter().map(Key::of_item).collect::<Result<_, _>>()?;
    let found = batch::get(table, keys, true).await?;
    Ok(found.into_iter().map(|item| (text(&item, FAVORITE_PK).to_owned(), as_term(&item))).collect())
}

fn as_term(item: &Item) -> Option<Term> {
    serde_dynamo::from_item(item.clone()).ok()
}

fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

/// Returns the number of items in a partition.
async fn count_partition(table: &Table, pk: String) -> Result<i64, Error> {
    let query = table.client.query().table_name(&table.name).consistent_read(true);
    count(query.key_condition_expression("pk = :pk").expression_attribute_values(":pk", S(pk))).await
}
