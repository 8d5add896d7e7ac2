//! A second look at what is suspected.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::Table;
use shared::dynamodb::Item;
use shared::dynamodb::batch;
use shared::dynamodb::batch::MAX_GET_KEYS;
use shared::model::favorites;
use shared::model::favorites::{ClipPosition, Favorite, FavoriteTag, Key, PK, SK, Tag, Term};
use shared::search::terms;
use shared::values::{DataId, EpochMillis, TagId, TagName, Username};

use super::Favorites;
use super::entity::{self, Entity, INDEX_KEYS, tag_name_key};
use super::finding::{AsFound, Finding, Suspect, WrongEntry};
use crate::audit::Error;
use crate::audit::read;
use crate::audit::read::number;

/// What is in a place.
enum Place<T> {
    Empty,
    /// The entity, and the item that it was read from.
    There(T, Item),
    /// Something that does not read as that entity, which is no reason to take away what belongs to it.
    Taken,
}

/// What is wrong about a suspect at this moment, if anything is.
pub(super) async fn look(table: &Table, suspect: &Suspect) -> Result<Option<Finding>, Error> {
    match suspect.clone() {
        Suspect::Favorite(owner, data_id) => match get(table, Key::favorite(&owner, &data_id)).await? {
            Some((Ok(Entity::Favorite { misplaced: Some(misplaced), .. }), _)) => {
                Ok(Some(Finding::Favorite { owner, data_id, misplaced }))
            }
            _ => Ok(None),
        },
        Suspect::History(owner, data_id) => match get(table, Key::history(&owner, &data_id)).await? {
            Some((Ok(Entity::History { misplaced: Some(misplaced), .. }), _)) => {
                Ok(Some(Finding::History { owner, data_id, misplaced }))
            }
            _ => Ok(None),
        },
        Suspect::Tag(owner, tag_id) => match get(table, Key::tag(&owner, &tag_id)).await? {
            Some((Ok(Entity::Tag { misplaced: Some(misplaced), .. }), _)) => {
                Ok(Some(Finding::Tag { owner, tag_id, misplaced }))
            }
            _ => Ok(None),
        },
        Suspect::Entry(owner, data_id, tag_id) => entry(table, owner, data_id, tag_id).await,
        Suspect::TagName(owner, folded) => tag_name(table, owner, folded).await,
        Suspect::SameName(owner, tag_ids) => same_name(table, owner, tag_ids).await,
        Suspect::Terms(owner, data_id) => terms_of(table, owner, &data_id).await,
        Suspect::Strays(owner, data_id, clip_time, terms) => strays(table, owner, data_id, clip_time, terms).await,
        Suspect::NoName(owner, tag_id) => no_name(table, owner, tag_id).await,
        Suspect::TagCount(owner, data_id) => tag_count(table, owner, data_id).await,
        Suspect::Tags(owner) => tags(table, owner).await,
    }
}

async fn entry(table: &Table, owner: Username, data_id: DataId, tag_id: TagId) -> Result<Option<Finding>, Error> {
    let key = Key::favorite_tag(&owner, &data_id, &tag_id);
    let Some((Ok(Entity::Entry { says, .. }), item)) = get(table, key).await? else {
        return Ok(None);
    };
    let wrong = match (favorite(table, &owner, &data_id).await?, tag(table, &owner, &tag_id).await?) {
        (Place::Empty, _) => WrongEntry::NoFavorite,
        (_, Place::Empty) => WrongEntry::NoTag,
        (Place::There(favorite, its), _) if says != Some((favorite.data_type, favorite.clip_time)) => {
            let right = FavoriteTag::new(&favorite, tag_id.clone());
            let repeats = ["dataType", "clipTime"];
            WrongEntry::Differs {
                found: AsFound::of(&item, &[&repeats[..], &INDEX_KEYS].concat()),
                favorite: AsFound::of(&its, &repeats),
                right,
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(Finding::Entry { owner, data_id, tag_id, wrong }))
}

async fn tag_name(table: &Table, owner: Username, folded: String) -> Result<Option<Finding>, Error> {
    let Some((Ok(Entity::TagName { tag_id, .. }), _)) = get(table, tag_name_key(&owner, &folded)).await? else {
        return Ok(None);
    };
    let has_name = match tag(table, &owner, &tag_id).await? {
        Place::Empty => None,
        Place::There(tag, _) if name(&tag).is_none_or(|name| name.folded() != folded) => Some(tag.tag_name),
        _ => return Ok(None),
    };
    Ok(Some(Finding::TagName { owner, folded, tag_id, has_name }))
}

async fn no_name(table: &Table, owner: Username, tag_id: TagId) -> Result<Option<Finding>, Error> {
    let Place::There(tag, _) = tag(table, &owner, &tag_id).await? else {
        return Ok(None);
    };
    let Some(name) = name(&tag) else {
        return Ok(None);
    };
    let kept = get(table, Key::tag_name_reservation(&owner, &name)).await?.is_some();
    Ok((!kept).then_some(Finding::NoName { owner, tag_id, name }))
}

/// The Scan saw one name for all of these.
async fn same_name(table: &Table, owner: Username, tag_ids: BTreeSet<TagId>) -> Result<Option<Finding>, Error> {
    let mut named: HashMap<String, BTreeSet<TagId>> = HashMap::new();
    for tag_id in tag_ids {
        if let Place::There(tag, _) = tag(table, &owner, &tag_id).await?
            && let Some(name) = name(&tag)
        {
            named.entry(name.folded()).or_default().insert(tag_id);
        }
    }
    let same = named.into_iter().filter(|(_, tag_ids)| tag_ids.len() > 1).min();
    Ok(same.map(|(folded, tag_ids)| Finding::SameName { owner, tag_ids, folded }))
}

async fn terms_of(table: &Table, owner: Username, data_id: &DataId) -> Result<Option<Finding>, Error> {
    let Place::There(favorite, item) = favorite(table, &owner, data_id).await? else {
        return Ok(None);
    };
    let right = favorites::term_items(&owner, &favorite);
    let there = terms_at(table, &right).await?;
    let is_there = |right: &&Item| there.get(text(right, PK)).is_some_and(|there| *there == as_term(right));
    let (of, lacking) = (right.len(), right.len() - right.iter().filter(is_there).count());
    let found = AsFound::of(&item, &["dataType", "title", "clipTime"]);
    let favorite = Box::new(favorite);
    Ok((lacking > 0).then_some(Finding::Terms { owner, favorite, found, lacking, of }))
}

/// Terms of a favorite that is there as they say are its own, whatever they say else.
async fn strays(
    table: &Table,
    owner: Username,
    data_id: DataId,
    clip_time: EpochMillis,
    mut strays: BTreeSet<String>,
) -> Result<Option<Finding>, Error> {
    let favorite = match favorite(table, &owner, &data_id).await? {
        Place::Empty => None,
        Place::There(favorite, item) => {
            if favorite.clip_time == clip_time {
                let own = terms(&favorite.title);
                strays.retain(|term| !own.contains(term));
            }
            Some(AsFound::of(&item, &["title", "clipTime"]))
        }
        Place::Taken => return Ok(None),
    };
    let clipped = ClipPosition { clip_time, data_id: data_id.clone() };
    let keys: Vec<_> = strays.iter().map(|term| Item::from(Key::term(&owner, term, &clipped))).collect();
    let there = terms_at(table, &keys).await?;
    strays.retain(|term| there.contains_key(&favorites::term_pk(&owner, term)));
    let finding = Finding::Strays { owner, data_id, clip_time, terms: strays, favorite };
    Ok(matches!(&finding, Finding::Strays { terms, .. } if !terms.is_empty()).then_some(finding))
}

async fn tag_count(table: &Table, owner: Username, data_id: DataId) -> Result<Option<Finding>, Error> {
    let key = Key::favorite(&owner, &data_id);
    let Some((Ok(Entity::Favorite { tag_count: Some(says), .. }), item)) = get(table, key).await? else {
        return Ok(None);
    };
    let there_are = number_in(table, favorites::tags_of_favorite_pk(&owner, &data_id)).await?;
    let found = AsFound::of(&item, &["tagCount", "clipTime"]);
    Ok((says != there_are).then_some(Finding::TagCount { owner, data_id, found, says, there_are }))
}

async fn tags(table: &Table, owner: Username) -> Result<Option<Finding>, Error> {
    let Some((Ok(Entity::TagCount { tags: Some(says), .. }), _)) = get(table, Key::tag_count(&owner)).await? else {
        return Ok(None);
    };
    let there_are = number_in(table, favorites::tags_pk(&owner)).await?;
    Ok((says != there_are).then_some(Finding::Tags { owner, says, there_are }))
}

async fn favorite(table: &Table, owner: &Username, data_id: &DataId) -> Result<Place<Favorite>, Error> {
    Ok(match get(table, Key::favorite(owner, data_id)).await? {
        None => Place::Empty,
        Some((Ok(Entity::Favorite { favorite, .. }), item)) => Place::There(favorite, item),
        Some(_) => Place::Taken,
    })
}

async fn tag(table: &Table, owner: &Username, tag_id: &TagId) -> Result<Place<Tag>, Error> {
    Ok(match get(table, Key::tag(owner, tag_id)).await? {
        None => Place::Empty,
        Some((Ok(Entity::Tag { tag, .. }), item)) => Place::There(tag, item),
        Some(_) => Place::Taken,
    })
}

/// The name of a tag, if it is one of ours. Another program's may be none, and needs not be kept.
fn name(tag: &Tag) -> Option<TagName> {
    tag.tag_name.parse().ok()
}

async fn get(table: &Table, key: impl Into<Item>) -> Result<Option<(Result<Entity, String>, Item)>, Error> {
    let item = read::get::<Favorites>(table, key).await?;
    Ok(item.map(|item| (entity::read(item.clone()), item)))
}

/// What is there of these terms, by partition key; nothing where it is not one.
async fn terms_at(table: &Table, items: &[Item]) -> Result<HashMap<String, Option<Term>>, Error> {
    let keys: Vec<Item> =
        items.iter().map(|item| [PK, SK].map(|name| (name.to_owned(), item[name].clone())).into()).collect();
    let mut terms = HashMap::new();
    for keys in keys.chunks(MAX_GET_KEYS) {
        let found = batch::get(table, keys.to_vec(), true).await.map_err(Error::unread)?;
        terms.extend(found.into_iter().map(|item| (text(&item, PK).to_owned(), as_term(&item))));
    }
    Ok(terms)
}

fn as_term(item: &Item) -> Option<Term> {
    serde_dynamo::from_item(item.clone()).ok()
}

fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str)
}

/// How many items are in a partition.
async fn number_in(table: &Table, pk: String) -> Result<i64, Error> {
    let query = table.client.query().table_name(&table.name).consistent_read(true);
    number(query.key_condition_expression("pk = :pk").expression_attribute_values(":pk", S(pk))).await
}
