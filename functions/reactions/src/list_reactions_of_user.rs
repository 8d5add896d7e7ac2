//! One `Query` on the global secondary index `ReactionsByTime` reads the reactions of a type.
//! Without `type`, four of them are sent at the same time, one for each type. One `BatchGetItem`
//! reads the photos and the caller, with `include=viewer` also the caller's engagements with the
//! photos, from `<stage>.Feed`, and with `include=people` the owners of the photos. The function
//! does not read the user, so the list of an unknown user is empty.
//!
//! If the caller blocks anybody, or anybody blocks the caller, another `BatchGetItem` reads the
//! blocks between the caller and the owners of the photos, and another one the friendships with
//! those whose photos only followers see. The list of somebody who blocks the caller is empty. If a
//! page is not full because the caller may not see some photos, or because they were deleted, the
//! reactions that follow are read too, up to [`MAX_ROUNDS`] times in total.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use shared::access::Relations;
use shared::dynamodb::batch::{self, MAX_GET_KEYS};
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, Kind, Photo, REACTIONS_BY_TIME, has_blocks, is_in_shard, photo_from_item, photo_of_sk};
use shared::http::answer;
use shared::http::extract::{OptionalQuery, Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{People, ShownPhoto, Signer, add_engagements};
use shared::values::{PhotoId, PhotosParts, ReactionType, Time, Timestamp, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of times that reactions and their photos are read for one page.
const MAX_ROUNDS: usize = 5;

/// A page of the photos to which a user reacted. A photo to which the user gave several reactions is in it once for each.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReactedPhotos {
    /// The photos, each with a reaction.
    photos: Vec<ReactedPhoto>,
    /// The cards of the owners of the photos by username. Empty without `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// A photo, and one reaction of the user to it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReactedPhoto {
    #[serde(flatten)]
    photo: ShownPhoto,
    /// The type of the user's reaction.
    reaction_type: ReactionType,
    /// The time of the user's reaction.
    reacted: Time,
}

/// The position of a reaction among those of one user and one type. The names of the fields are
/// short, so that the positions of all types fit into one block of a
/// [cursor](shared::http::cursor).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReactionPosition {
    #[serde(rename = "r")]
    reaction_time: Timestamp,
    #[serde(rename = "o")]
    photo_owner: Username,
    #[serde(rename = "p")]
    photo: PhotoId,
    #[serde(rename = "s")]
    is_sharded: bool,
}

/// The route.
pub struct ListReactionsOfUser {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for ListReactionsOfUser {
    const NAME: &'static str = "list-reactions-of-user";
    const ROUTE: &'static str = "GET /users/{username}/reactions";
    const SUMMARY: &'static str = "Returns a page of the photos to which a user gave reactions of one type, or of all types, newest \
         reaction first.";

    type Input = (Path<Username>, OptionalQuery<ReactionType>, Query<PhotosParts>, Caller, PageParameters);
    type Body = ReactedPhotos;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Path(username), OptionalQuery(reaction_type), Query(include), caller, page): Self::Input,
    ) -> Result<Response<ReactedPhotos>, Error> {
        let Self { table, feed, signer } = self;
        let types = reaction_type.as_ref().map_or(ReactionType::ALL, std::slice::from_ref);
        let scope = format!("{username} {}", reaction_type.as_ref().map_or("all", AsRef::as_ref));
        // The cursor has the last reaction of each type that the pages so far have shown.
        let mut page: Page<BTreeMap<ReactionType, ReactionPosition>> = page.of("reactions-of-user", scope)?;
        let mut last = page.after.take().unwrap_or_default();
        // Each photo has one key in the `BatchGetItem`, and one more for the caller's engagement and
        // for its owner. The caller has one too.
        let keys_of_photo = 1 + usize::from(include.viewer) + usize::from(include.people);
        let limit = usize::try_from(page.limit).map_err(Error::internal)?.min((MAX_GET_KEYS - 1) / keys_of_photo);

        let (mut reactions, mut has_more) = read_reactions(table, &username, types, &last, limit).await?;
        let mut relations = Relations::new(&caller.username);
        let mut is_in_a_block = false;
        let (mut shown, mut people): (Vec<ReactedPhoto>, _) = (vec![], People::new());
        for round in 1..=MAX_ROUNDS {
            let photos: BTreeSet<(&Username, &PhotoId)> =
                reactions.iter().map(|(position, _)| (&position.photo_owner, &position.photo)).collect();
            let mut keys: BTreeSet<Key> = photos.iter().map(|(owner, photo)| Key::photo(owner, photo)).collect();
            let owners = photos.iter().map(|(owner, _)| *owner).filter(|_| include.people);
            keys.extend(owners.chain((round == 1 && !photos.is_empty()).then_some(&caller.username)).map(Key::user));
            let engagements = photos.iter().filter(|_| include.viewer);
            let engagements =
                engagements.map(|(owner, photo)| Key::engagement(&caller.username, owner, photo)).collect();
            let [found, engagements] = batch::get_from_tables([(table, keys), (feed, engagements)], false).await?;
            if let Some(item) = batch::find(&found, Key::user(&caller.username)) {
                relations.add_caller(Some(item));
                is_in_a_block |= has_blocks(item);
            }
            if is_in_a_block {
                let owners = photos.iter().map(|(owner, _)| *owner);
                relations.read_blocks(table, owners.chain([&username])).await?;
                if relations.is_blocked_by(&username) {
                    return answer::ok(&ReactedPhotos { photos: vec![], people: People::new(), next_cursor: None });
                }
            }
            // `BatchGetItem` returns the photos in any order, without those that have been deleted.
            // finish-deletion deletes the reactions to a deleted photo a little later.
            let (found, users): (Vec<Item>, Vec<Item>) = found.into_iter().partition(|item| Kind::Photo.is_of(item));
            if include.people {
                people.append(&mut signer.cards_seen_by(&relations, &users)?);
            }
            let found: Vec<Option<Photo>> = found.into_iter().map(photo_from_item).collect::<Result<_, _>>()?;
            let found: Vec<Photo> = found.into_iter().flatten().collect();
            relations.read_audiences(table, &found).await?;
            let found = found.into_iter().filter_map(|photo| signer.show(photo, &relations));
            let mut found: Vec<ShownPhoto> = found.collect();
            if include.viewer {
                add_engagements(&mut found, engagements)?;
            }
            let photos: HashMap<(&Username, &PhotoId), &ShownPhoto> =
                found.iter().map(|photo| ((&photo.username, &photo.id), photo)).collect();
            for (position, reaction_type) in reactions {
                if shown.len() == limit {
                    has_more = true;
                    break;
                }
                let photo = photos.get(&(&position.photo_owner, &position.photo));
                let reacted = position.reaction_time.clone().into();
                shown.extend(photo.map(|&photo| ReactedPhoto { photo: photo.clone(), reaction_type, reacted }));
                last.insert(reaction_type, position);
            }
            if shown.len() == limit || !has_more || round == MAX_ROUNDS {
                break;
            }
            (reactions, has_more) = read_reactions(table, &username, types, &last, limit).await?;
        }
        let next_cursor = page.cursor(Some(last).filter(|_| has_more))?;
        people.retain(|owner, _| shown.iter().any(|one| one.photo.username == *owner));
        answer::ok(&ReactedPhotos { photos: shown, people, next_cursor })
    }
}

/// Returns the newest reactions of a user and these types, at most `limit`, or those after the
/// `last` of each type, and whether there are more.
async fn read_reactions(
    table: &Table,
    username: &Username,
    types: &[ReactionType],
    last: &BTreeMap<ReactionType, ReactionPosition>,
    limit: usize,
) -> Result<(Vec<(ReactionPosition, ReactionType)>, bool), Error> {
    let lists = types.iter().map(|&kind| query_reactions(table, username, kind, last.get(&kind), limit));
    let lists = try_join_all(lists).await?;
    let mut has_more = lists.iter().any(|(_, has_more)| *has_more);
    let mut reactions: Vec<(ReactionPosition, ReactionType)> = vec![];
    for (&kind, (positions, _)) in types.iter().zip(lists) {
        reactions.extend(positions.into_iter().map(|position| (position, kind)));
    }
    reactions.sort_by(|one, other| other.cmp(one));
    has_more |= reactions.len() > limit;
    reactions.truncate(limit);
    Ok((reactions, has_more))
}

/// Returns the newest reactions of a user and a type, or those after `last`, and whether there are
/// more. Another program may have written reactions to something that is no photo. If a `Query` finds no
/// others, the next one goes on after them.
async fn query_reactions(
    table: &Table,
    username: &Username,
    reaction_type: ReactionType,
    last: Option<&ReactionPosition>,
    limit: usize,
) -> Result<(Vec<ReactionPosition>, bool), Error> {
    let query = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(REACTIONS_BY_TIME)
        .key_condition_expression("reactingUser = :user AND reactionType = :type")
        .expression_attribute_values(":user", S(username.to_string()))
        .expression_attribute_values(":type", S(reaction_type.to_string()))
        .scan_index_forward(false)
        .limit(i32::try_from(limit).map_err(Error::internal)?);
    let mut after = last.map(|last| last.start_key(username, reaction_type));
    loop {
        let output = query.clone().set_exclusive_start_key(after).send().await?;
        let entries = output.items.unwrap_or_default().into_iter();
        let positions: Vec<ReactionPosition> =
            entries.filter_map(|entry| ReactionPosition::from_entry(entry).transpose()).collect::<Result<_, _>>()?;
        after = output.last_evaluated_key;
        if !positions.is_empty() || after.is_none() {
            return Ok((positions, after.is_some()));
        }
    }
}

impl ReactionPosition {
    /// Returns the position of an entry of the index, or `None` if its sort key is not that of a photo.
    fn from_entry(entry: Item) -> Result<Option<Self>, Error> {
        /// The part of the entry that tells its position.
        #[derive(Deserialize)]
        struct Entry {
            #[serde(rename = "SK")]
            sk: String,
            timestamp: Timestamp,
        }

        let Entry { sk, timestamp } = entity::from_item(entry)?;
        Ok(photo_of_sk(&sk).ok().map(|(photo_owner, photo)| Self {
            reaction_time: timestamp,
            photo_owner,
            photo,
            is_sharded: is_in_shard(&sk),
        }))
    }

    /// Returns the `ExclusiveStartKey` that continues the list of a user and a type after this
    /// position.
    fn start_key(&self, reacting_user: &Username, reaction_type: ReactionType) -> Item {
        let key = Key::reaction(reacting_user, reaction_type, &self.photo_owner, &self.photo);
        let mut start_key = Item::from(if self.is_sharded { key.sharded() } else { key });
        start_key.insert("reactingUser".to_owned(), S(reacting_user.to_string()));
        start_key.insert("reactionType".to_owned(), S(reaction_type.to_string()));
        start_key.insert("timestamp".to_owned(), S(self.reaction_time.to_string()));
        start_key
    }
}
