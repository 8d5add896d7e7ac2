//! The requests of [`ListTopComments`]:
//!
//! One `Query` of `CommentsByLikes` reads the comments with likes. After the last of them, one of
//! `InvertedIndex` reads the comments on the photo, newest first, and those without likes are shown.
//! At the same time, or after the `Query` with `include`, a `BatchGetItem` reads the photo, the caller,
//! with `include=people` the authors, and with `include=viewer` the caller's likes. Blocks and
//! audiences take the requests of list-comments.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use serde::{Deserialize, Serialize};
use shared::dynamodb::{Item, batch};
use shared::entities::{
    COMMENT_PREFIX, COMMENTS_BY_LIKES, Comment, INVERTED_INDEX, Key, Kind, LIKES_COUNT, comment_from_item,
    comment_of_key, comment_of_like, photo_sk,
};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::Signer;
use shared::values::{CommentId, PageParts, PhotoId, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

use crate::list_comments::CommentsOfPhoto;
use crate::view::{Shown, View};

#[cfg(test)]
mod tests;

/// The maximum number of keys of comments in the `BatchGetItem`, which has room for 100 keys: two are
/// the photo and the caller.
const MAX_KEYS_OF_COMMENTS: i32 = 98;

/// The end of a page.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Position {
    /// A comment with this number of likes.
    Liked(u64, CommentId),
    /// The last comment with likes, or after it this comment in the order of time.
    ByTime(Option<CommentId>),
}

/// A page of the list, as it was read.
struct Found {
    comments: Vec<Comment>,
    end: Option<Position>,
}

/// The route.
pub struct ListTopComments {
    table: Table,
    signer: Signer,
}

impl Route for ListTopComments {
    const NAME: &'static str = "list-top-comments";
    const ROUTE: &'static str = "GET /users/{username}/photos/{photo}/comments/top";
    const SUMMARY: &'static str = "Returns a page of the comments on a photo, those with the most likes first. Those without likes follow, \
         newest first, on pages of their own.";

    type Input = (Path<Username>, Path<PhotoId>, Query<PageParts>, Caller, PageParameters);
    type Body = CommentsOfPhoto;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Path(username), Path(id), Query(include), caller, page): Self::Input,
    ) -> Result<Response<CommentsOfPhoto>, Error> {
        let Self { table, signer } = self;
        let mut page: Page<Position> = page.of("top-comments", format_args!("{username}/{id}"))?;
        let view = View { table, signer, caller: &caller.username, owner: &username, photo: &id, include };
        let keys_of_comment = i32::from(include.people) + i32::from(include.viewer);
        if keys_of_comment > 0 {
            page.limit = page.limit.min(MAX_KEYS_OF_COMMENTS / keys_of_comment);
        }

        let is_first_page = page.after.is_none();
        let comments = async {
            match page.after.take() {
                Some(Position::ByTime(after)) => query_others(table, &view, after, page.limit).await,
                Some(Position::Liked(likes, last)) => query_liked(table, &view, Some((likes, last)), page.limit).await,
                None => query_liked(table, &view, None, page.limit).await,
            }
        };
        let get = |keys: BTreeSet<Key>| batch::get(table, keys.into_iter().map(Item::from).collect(), false);
        let keys: BTreeSet<Key> = view.keys().into();
        let (Found { comments, end }, mut found) = if keys_of_comment > 0 {
            let comments = comments.await?;
            let of_comments = comments.comments.iter().flat_map(|comment| {
                let author = include.people.then(|| Key::user(&comment.author));
                let is_liked = include.viewer && comment.likes > 0;
                let like = is_liked.then(|| Key::like(&caller.username, &comment.id(), &username, &id));
                author.into_iter().chain(like)
            });
            let found = get(keys.into_iter().chain(of_comments).collect()).await?;
            (comments, found)
        } else {
            tokio::try_join!(comments, get(keys))?
        };
        let likes = found.extract_if(.., |item| Kind::Like.is_of(item));
        let likes: Vec<Item> = likes.collect();
        let likes = likes.iter().map(|like| comment_of_like(like).map(|(id, ..)| id)).collect::<Result<_, _>>()?;
        let Some(shown) = view.show(comments, None, is_first_page, found, &likes).await? else {
            return answer::ok(&CommentsOfPhoto::default());
        };
        let Shown { comments, people, pinned } = shown;
        answer::ok(&CommentsOfPhoto { pinned, comments, people, next_cursor: page.cursor(end)? })
    }
}

/// Reads comments with likes, those with the most first.
async fn query_liked(
    table: &Table,
    View { owner, photo, .. }: &View<'_>,
    after: Option<(u64, CommentId)>,
    limit: i32,
) -> Result<Found, Error> {
    let start_key = after.map(|(likes, last)| {
        let mut key = Item::from(Key::comment(&last, owner, photo));
        key.insert(LIKES_COUNT.to_owned(), N(likes.to_string()));
        key
    });
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(COMMENTS_BY_LIKES)
        .key_condition_expression("SK = :photo AND #likes >= :one")
        .expression_attribute_names("#likes", LIKES_COUNT)
        .expression_attribute_values(":photo", S(photo_sk(owner, photo)))
        .expression_attribute_values(":one", N("1".to_owned()))
        .scan_index_forward(false)
        .set_exclusive_start_key(start_key)
        .limit(limit)
        .send()
        .await?;
    let end = match output.last_evaluated_key {
        None => Position::ByTime(None),
        Some(key) => {
            let likes = key.get(LIKES_COUNT).and_then(|likes| likes.as_n().ok()?.parse().ok()).unwrap_or(1);
            Position::Liked(likes, comment_of_key(&key)?.0)
        }
    };
    let comments = output.items.unwrap_or_default().into_iter().filter_map(|item| comment_from_item(item).transpose());
    Ok(Found { comments: comments.collect::<Result<_, _>>()?, end: Some(end) })
}

/// Reads comments in the order of time, and leaves out those with likes.
async fn query_others(
    table: &Table,
    View { owner, photo, .. }: &View<'_>,
    after: Option<CommentId>,
    limit: i32,
) -> Result<Found, Error> {
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :comments)")
        .expression_attribute_values(":photo", S(photo_sk(owner, photo)))
        .expression_attribute_values(":comments", S(COMMENT_PREFIX.to_owned()))
        .scan_index_forward(false)
        .set_exclusive_start_key(after.map(|last| Key::comment(&last, owner, photo).into()))
        .limit(limit)
        .send()
        .await?;
    let last = output.last_evaluated_key.as_ref().map(comment_of_key).transpose()?;
    let comments = output.items.unwrap_or_default().into_iter().filter_map(|item| comment_from_item(item).transpose());
    let mut comments: Vec<Comment> = comments.collect::<Result<_, _>>()?;
    comments.retain(|comment| comment.likes == 0);
    Ok(Found { comments, end: last.map(|(id, ..)| Position::ByTime(Some(id))) })
}
