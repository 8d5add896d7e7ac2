//! The requests of [`ListTopComments`]:
//!
//! One `Query` of `CommentsByLikes` reads the comments with likes. At the same time, or after it with
//! `include`, a `BatchGetItem` reads the photo, the caller, with `include=people` the authors, and with
//! `include=viewer` the caller's likes. Blocks, audiences and the pinned comment take the requests of
//! list-comments.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use serde::{Deserialize, Serialize};
use shared::dynamodb::{Item, batch};
use shared::entities::{
    COMMENTS_BY_LIKES, Comment, Key, Kind, LIKES_COUNT, comment_from_item, comment_of_key, comment_of_like, photo_sk,
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

/// The position of a comment in the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Position {
    likes: u64,
    id: CommentId,
}

/// The route.
pub struct ListTopComments {
    table: Table,
    signer: Signer,
}

impl Route for ListTopComments {
    const NAME: &'static str = "list-top-comments";
    const ROUTE: &'static str = "GET /users/{username}/photos/{photo}/comments/top";
    const SUMMARY: &'static str =
        "Returns a page of the comments on a photo that have likes, those with the most first.";

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

        let start_key = page.after.as_ref().map(|last| {
            let mut key = Item::from(Key::comment(&last.id, &username, &id));
            key.insert(LIKES_COUNT.to_owned(), N(last.likes.to_string()));
            key
        });
        let query = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(COMMENTS_BY_LIKES)
            .key_condition_expression("SK = :photo AND #likes >= :one")
            .expression_attribute_names("#likes", LIKES_COUNT)
            .expression_attribute_values(":photo", S(photo_sk(&username, &id)))
            .expression_attribute_values(":one", N("1".to_owned()))
            .scan_index_forward(false)
            .set_exclusive_start_key(start_key)
            .limit(page.limit)
            .send();
        let comments = async {
            let output = query.await?;
            let items = output.items.unwrap_or_default();
            let last = items.last().map(position_of).transpose()?;
            let comments = items.into_iter().filter_map(|item| comment_from_item(item).transpose());
            Ok::<_, Error>((comments.collect::<Result<Vec<Comment>, _>>()?, last, output.last_evaluated_key))
        };
        let get = |keys: BTreeSet<Key>| batch::get(table, keys, false);
        let keys: BTreeSet<Key> = view.keys().into();
        let ((comments, last, last_key), mut found) = if keys_of_comment > 0 {
            let comments = comments.await?;
            let of_comments = comments.0.iter().flat_map(|comment| {
                let author = include.people.then(|| Key::user(&comment.author));
                let like = include.viewer.then(|| Key::like(&caller.username, &comment.id(), &username, &id));
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
        let Some(shown) = view.show(comments, None, page.after.is_none(), found, &likes).await? else {
            return answer::ok(&CommentsOfPhoto::default());
        };
        let Shown { comments, people, pinned } = shown;
        let next_cursor = page.next_cursor(last_key, last)?;
        answer::ok(&CommentsOfPhoto { pinned, comments, people, next_cursor })
    }
}

/// Returns the position of an entry of the index.
fn position_of(entry: &Item) -> Result<Position, Error> {
    let likes = entry.get(LIKES_COUNT).and_then(|likes| likes.as_n().ok()?.parse().ok());
    let likes = likes.ok_or_else(|| Error::internal("an entry of the index has no count of likes"))?;
    Ok(Position { likes, id: comment_of_key(entry)?.0 })
}
