//! One `Query` on the inverted index reads both: the photo's sort key is the partition key of the
//! photo and of its reactions there. If the photo counts more reactions than that partition has,
//! the others are in its shards ([`Key::sharded`]), which a `Query` each reads until the page is
//! full.
//!
//! If the photo is one of the caller whose picture is pending, a `GetItem` reads it from the table,
//! because the index does not tell whether it has expired. So does one for a photo of another program, whose
//! `location` is not in the index.
//!
//! If the photo was made with several pictures, a `GetItem` reads the [`Pictures`].
//!
//! If only followers may see the photo, a `BatchGetItem` reads the friendship. At the same time as
//! the `Query`, a `GetItem` reads whether the caller blocks anybody, or anybody blocks the caller.
//! Then a `BatchGetItem` reads the blocks between the caller and the people in the answer: it
//! leaves out those who block the caller or whom the caller blocks, and there is no photo of
//! somebody who does. With `include=people`, the profiles tell who has blocks, and the first of
//! these requests is not sent. A page after the first one also reads the photo with a `GetItem`,
//! because it depends on it.
//!
//! Of a photo that many people look at, this process remembers the first page for a second
//! ([`Remembered`]): the photo, its reactions, its comments, and the profiles of these people. So a
//! photo may show for a second after it was deleted, restricted or removed, and so may somebody who
//! was the first to block somebody.
//!
//! With `include=comments`, another `Query` on the inverted index reads the newest comments at the
//! same time. Their cursor is one of `GET /users/{username}/photos/{timestamp}/comments`. With
//! `include=people` or `viewer`, one `BatchGetItem` reads the profiles of the people in the answer, and
//! the caller's engagement with the photo, from `<stage>.Feed`. It also reads the pinned comment. At the
//! same time, a `Query` reads the caller's likes of these comments, if any of them has likes.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::{Relations, is_in_a_block, own_likes};
use shared::dynamodb::memory::Memory;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{
    COMMENT_PREFIX, Comment, INVERTED_INDEX, Key, PK, Photo, Picture, Pictures, REACTION_PREFIX, ReactionToPhoto, SK,
    comment_from_item, comment_of_key, from_inverted_index, is_in_shard, photo_from_item, photo_sk, reaction_sks,
    user_pk,
};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{CommentViewer, People, ShownComment, ShownPhoto, Signer, add_engagements, list_of_comments};
use shared::values::{CommentId, Order, PhotoId, PhotoParts, ReactionType, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of comments in the answer.
const MAX_COMMENTS: i32 = 20;
/// The maximum number of reactions on a page with people. One `BatchGetItem` has room for 100 keys:
/// the people who reacted, the authors of the comments, the owner, the caller's engagement, and the pinned
/// comment with its author and the caller's like.
const MAX_PEOPLE: i32 = 95 - MAX_COMMENTS;

/// The time for which a process remembers what it has read, if it was read [`OFTEN`] times in that
/// time.
const MEMORY: Duration = Duration::from_secs(1);
/// The number of pages of a photo in a second from which on many people look at it. Nobody opens
/// one as often alone.
pub const OFTEN: u32 = 10;

/// The first pages of photos that many people look at, as this process has read them within the
/// last second. One partition serves [3,000 read units a
/// second](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
struct Remembered {
    /// The photo and the reactions by photo and limit.
    reactions: Memory<(Key, i32), Reactions>,
    comments: Memory<Key, Comments>,
    pictures: Memory<Key, Option<Pictures>>,
    profiles: Memory<Key, Item>,
}

impl Default for Remembered {
    fn default() -> Self {
        Self {
            reactions: Memory::new(MEMORY, OFTEN),
            comments: Memory::new(MEMORY, OFTEN),
            pictures: Memory::new(MEMORY, OFTEN),
            profiles: Memory::new(MEMORY, OFTEN),
        }
    }
}

/// A photo and a page of the reactions to it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhotoAndReactions {
    /// The photo. Only the first page has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<ShownPhoto>,
    /// The reactions.
    reactions: Vec<ReactionToPhoto>,
    /// The newest comments. Only the first page has them, and only with `include=comments`.
    #[serde(skip_serializing_if = "Option::is_none")]
    comments: Option<NewestComments>,
    /// The cards of the people in the answer by username, without those who have been deleted.
    /// Empty without `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// The beginning of the list of the comments on a photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewestComments {
    /// The comment that the owner of the photo has pinned, which is in the list too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned: Option<ShownComment>,
    /// The comments, newest first, at most 20.
    comments: Vec<ShownComment>,
    /// The cursor with which the list of the comments, newest first, goes on after these. `null` at
    /// the end of the list.
    next_cursor: Option<String>,
}

/// The end of a page of reactions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    reacting_user: Username,
    reaction_type: ReactionType,
    is_sharded: bool,
    /// The number of reactions up to this one.
    number: u64,
}

/// A page of reactions, and their photo.
#[derive(Debug, Clone)]
struct Reactions {
    photo: Option<Photo>,
    entries: Vec<ReactionToPhoto>,
    /// The end of the page, if there are more reactions.
    end: Option<Position>,
}

/// The newest comments on a photo.
#[derive(Debug, Clone, Default)]
struct Comments {
    entries: Vec<Comment>,
    /// The last of them, if there may be more comments.
    end: Option<CommentId>,
}

/// The route.
pub struct FetchPhotoAndReactions {
    table: Table,
    feed: Table,
    signer: Signer,
    remembered: Remembered,
}

impl Route for FetchPhotoAndReactions {
    const NAME: &'static str = "fetch-photo-and-reactions";
    const ROUTE: &'static str = "GET /users/{username}/photos/{photo}";
    const SUMMARY: &'static str = "Returns a photo and a page of the reactions to it.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoPhoto];

    type Input = (Path<Username>, Path<PhotoId>, Caller, Query<PhotoParts>, PageParameters);
    type Body = PhotoAndReactions;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
            remembered: Remembered::default(),
        })
    }

    async fn answer(
        &self,
        (Path(username), Path(id), caller, Query(include), page): Self::Input,
    ) -> Result<Response<PhotoAndReactions>, Error> {
        let Self { table, feed, signer, remembered } = self;
        let (name, scope) = list_of_comments(&username, &id, None, Order::Descending);
        let page_of_comments: Page<CommentId> = page.first_of(name, scope, MAX_COMMENTS)?;
        let mut page: Page<Position> = page.of("reactions", format_args!("{username}/{id}"))?;
        let is_first_page = page.after.is_none();
        if include.people {
            page.limit = page.limit.min(MAX_PEOPLE);
        }

        let key = Key::photo(&username, &id);
        let reactions = async {
            let found = Box::pin(read_reactions(table, &username, &id, page.limit, page.after.as_ref()));
            if is_first_page {
                remembered.reactions.get_or(&(key.clone(), page.limit), found).await
            } else {
                found.await
            }
        };
        let comments = async {
            let is_included = include.comments && is_first_page;
            let found = query_comments(table, &username, &id, page_of_comments.limit);
            if is_included { remembered.comments.get_or(&key, found).await } else { Ok(Comments::default()) }
        };
        // The profiles tell it too.
        let has_blocks =
            async { if include.people { Ok(false) } else { is_in_a_block(table, &caller.username).await } };
        let (reactions, comments, has_blocks) = tokio::try_join!(reactions, comments, has_blocks)?;
        let Reactions { mut photo, mut entries, end } = reactions;
        let Comments { entries: mut comments, end: end_of_comments } = comments;
        if is_first_page {
            photo = complete(table, photo, &caller.username).await?;
        }

        let with_pinned = photo.as_ref().filter(|_| include.comments && is_first_page);
        let pinned = with_pinned.and_then(|photo| photo.pinned_comment.clone());
        let people: BTreeSet<&Username> = [&username]
            .into_iter()
            .chain(entries.iter().map(|reaction| &reaction.username))
            .chain(comments.iter().map(|comment| &comment.author))
            .chain(pinned.iter().map(|comment| &comment.author))
            .collect();
        let keys = people.iter().filter(|_| include.people).map(|person| Key::user(person));
        let (mut profiles, missing) = remembered.profiles.split(keys);
        let pinned_key = pinned.as_ref().map(|comment| Key::comment(comment, &username, &id));
        let like = pinned.as_ref().filter(|_| include.viewer);
        let like = like.map(|comment| Key::like(&caller.username, comment, &username, &id));
        let keys = missing.iter().chain(&pinned_key).chain(&like).cloned().collect();
        let engagement = photo.iter().filter(|_| include.viewer && is_first_page);
        let engagement = engagement.map(|_| Key::engagement(&caller.username, &username, &id)).collect();
        let read = batch::get_from_tables([(table, keys), (feed, engagement)], false);
        let of_viewer = if include.viewer { comments.as_slice() } else { &[] };
        let likes = own_likes(table, &caller.username, (&username, &id), of_viewer);
        let pictures = async {
            let has_several = is_first_page && photo.as_ref().is_some_and(|photo| photo.pictures.is_some());
            let found = read_pictures(table, &username, &id);
            if has_several { remembered.pictures.get_or(&key, found).await } else { Ok(None) }
        };
        let ([mut read, engagement], mut likes, pictures) = tokio::try_join!(read, likes, pictures)?;
        let pinned_comment = pinned_key.and_then(|key| batch::take(&mut read, key)).map(comment_from_item);
        let pinned_comment = pinned_comment.transpose()?.flatten();
        if like.is_some_and(|like| batch::take(&mut read, like).is_some()) {
            likes.extend(pinned.clone());
        }
        remembered.profiles.put_found(missing, &read);
        profiles.extend(read);
        let mut relations = Relations::new(&caller.username);
        if has_blocks {
            relations.read_blocks(table, people).await?;
        }
        relations.read_blocks_of(table, &profiles).await?;
        relations.read_audiences(table, photo.as_slice()).await?;
        let shown = photo.and_then(|photo| signer.open(photo, pictures.as_ref(), (&caller.username, &relations)));
        let mut photo = Some(shown.ok_or_else(|| Error::no_photo(&username, &id))?).filter(|_| is_first_page);
        entries.retain(|reaction| !relations.hides(&reaction.username));
        comments.retain(|comment| relations.may_see_comment(comment));
        let pinned_comment = pinned_comment.filter(|comment| relations.may_see_comment(comment));
        let mut people = if include.people { signer.cards_seen_by(&relations, &profiles)? } else { People::new() };
        let authors = comments.iter().chain(&pinned_comment).map(|comment| &comment.author);
        let reacting = entries.iter().map(|reaction| &reaction.username);
        let shown: BTreeSet<&Username> = authors.chain(reacting).chain([&username]).collect();
        people.retain(|person, _| shown.contains(person));
        if include.viewer {
            add_engagements(photo.as_mut_slice(), engagement)?;
        }
        let show = |comment: Comment| {
            let viewer = include.viewer.then(|| CommentViewer::new(&caller.username, &comment, &username, &likes));
            ShownComment { viewer, ..comment.into() }
        };
        let comments = if include.comments && is_first_page {
            let pinned = pinned_comment.map(show);
            let comments = comments.into_iter().map(show).collect();
            Some(NewestComments { pinned, comments, next_cursor: page_of_comments.cursor(end_of_comments)? })
        } else {
            None
        };
        let next_cursor = page.cursor(end)?;
        let answer = PhotoAndReactions { photo, reactions: entries, comments, people, next_cursor };
        answer::seen_by(&caller.username, &username, &answer)
    }
}

/// Reads the photo and the first reactions to it, or those after a position. A later page depends
/// on the photo too.
async fn read_reactions(
    table: &Table,
    username: &Username,
    id: &PhotoId,
    limit: i32,
    after: Option<&Position>,
) -> Result<Reactions, Error> {
    let start = after.map(|after| {
        let key = Key::reaction(&after.reacting_user, after.reaction_type, username, id);
        Item::from(if after.is_sharded { key.sharded() } else { key })
    });
    let start_sk = start.as_ref().and_then(|key| key.get(SK)?.as_s().ok());
    let mut sks = reaction_sks(username, id).skip_while(|sk| start_sk.is_some_and(|start| start != sk));
    let mut sk = sks.next().unwrap_or_default();
    let photo = async { if after.is_none() { Ok(None) } else { read_photo(table, username, id).await } };
    let first = query_reactions(table, &sk, start.clone(), limit + i32::from(after.is_none()));
    let ((mut items, mut has_more), mut photo) = tokio::try_join!(first, photo)?;
    if items.first().is_some_and(|item| item.get(PK) == Some(&S(user_pk(username)))) {
        photo = photo_from_item(items.remove(0))?;
    }
    let counted: u64 = photo.iter().flat_map(|photo| photo.reactions.values()).sum();
    let before = after.map_or(0, |after| after.number);
    while !has_more && before.saturating_add(items.len() as u64) < counted {
        let rest = limit - i32::try_from(items.len()).map_err(Error::internal)?;
        let Some(next) = sks.next().filter(|_| rest > 0) else {
            has_more = rest == 0;
            break;
        };
        let found;
        (found, has_more) = query_reactions(table, &next, None, rest).await?;
        items.extend(found);
        sk = next;
    }
    let entries: Vec<ReactionToPhoto> = entity::from_items(items)?;
    let end = entries.last().filter(|_| has_more).map(|last| Position {
        reacting_user: last.username.clone(),
        reaction_type: last.reaction_type,
        is_sharded: is_in_shard(&sk),
        number: before.saturating_add(entries.len() as u64),
    });
    Ok(Reactions { photo, entries, end })
}

/// Reads reactions with a sort key from the inverted index, and the photo, if the sort key is the
/// photo's. Returns whether there are more.
async fn query_reactions(table: &Table, sk: &str, start: Option<Item>, limit: i32) -> Result<(Vec<Item>, bool), Error> {
    let query = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        // The comments are before the reactions.
        .key_condition_expression("SK = :photo AND PK >= :reactions")
        .expression_attribute_values(":photo", S(sk.to_owned()))
        .expression_attribute_values(":reactions", S(REACTION_PREFIX.to_owned()))
        // In descending order the photo comes first, because `USER#` sorts after `REACTION#`.
        .scan_index_forward(false)
        .set_exclusive_start_key(start)
        .limit(limit);
    let output = query.send().await?;
    let items = output.items.unwrap_or_default().into_iter().map(from_inverted_index);
    Ok((items.collect(), output.last_evaluated_key.is_some()))
}

/// Reads the newest comments.
async fn query_comments(table: &Table, username: &Username, id: &PhotoId, limit: i32) -> Result<Comments, Error> {
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :comments)")
        .expression_attribute_values(":photo", S(photo_sk(username, id)))
        .expression_attribute_values(":comments", S(COMMENT_PREFIX.to_owned()))
        .scan_index_forward(false)
        .limit(limit)
        .send()
        .await?;
    let end = output.last_evaluated_key.as_ref().map(comment_of_key).transpose()?.map(|(id, ..)| id);
    let items = output.items.unwrap_or_default().into_iter().map(from_inverted_index);
    let entries = items.filter_map(|item| comment_from_item(item).transpose());
    Ok(Comments { entries: entries.collect::<Result<_, _>>()?, end })
}

/// Returns the whole photo, or `None` if it has expired. The index does not tell whether a pending photo has, and
/// where the file of another program is.
async fn complete(table: &Table, photo: Option<Photo>, caller: &Username) -> Result<Option<Photo>, Error> {
    let is_incomplete = |photo: &Photo| match &photo.picture {
        None => photo.location.is_empty(),
        Some(picture) => *picture == Picture::Pending && photo.username == *caller,
    };
    match photo {
        Some(photo) if is_incomplete(&photo) => read_photo(table, &photo.username, &photo.id).await,
        photo => Ok(photo),
    }
}

/// Reads the pictures of a photo that was made with several.
async fn read_pictures(table: &Table, username: &Username, id: &PhotoId) -> Result<Option<Pictures>, Error> {
    let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::pictures(username, id).into()));
    get.send().await?.item.map(entity::from_item).transpose()
}

/// Reads the photo from the table.
async fn read_photo(table: &Table, username: &Username, id: &PhotoId) -> Result<Option<Photo>, Error> {
    let key = Key::photo(username, id);
    let get = table.client.get_item().table_name(&table.name).set_key(Some(key.into()));
    Ok(get.send().await?.item.map(photo_from_item).transpose()?.flatten())
}
