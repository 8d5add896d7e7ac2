//! The requests of [`ListComments`]:
//!
//! One `Query` on the inverted index reads them, in the order of their keys. At the same time, a
//! `BatchGetItem` reads the photo, the caller, and for a list of replies the comment that they answer.
//! With `include=people`, it follows the `Query`, and reads the authors too. With `include=viewer`, a
//! `Query` reads the caller's likes of the comments on the page, if any of them has likes. If the photo
//! has a pinned comment, a `BatchGetItem` reads it for the first page.
//!
//! If only followers may see the photo, another `BatchGetItem` reads the friendship. If the caller
//! blocks anybody, or anybody blocks the caller, a `BatchGetItem` reads the blocks between the
//! caller, the authors and the owner of the photo: a page leaves out the comments of authors who
//! block the caller or whom the caller blocks. The list of an unknown photo or comment is empty, and
//! so is that of one that the caller may not see.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::dynamodb::batch;
use shared::entities::{
    COMMENT_PREFIX, Comment, INVERTED_INDEX, Key, comment_from_item, comment_of_key, from_inverted_index, photo_sk,
    replies_prefix, replies_sk,
};
use shared::http::answer;
use shared::http::extract::{OptionalQuery, Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{People, ShownComment, Signer, list_of_comments};
use shared::values::{AnsweredComment, CommentId, Order, OrderBy, PageParts, PhotoId, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

use crate::view::{Shown, View};

#[cfg(test)]
mod tests;

/// The maximum number of comments on a page with people: one `BatchGetItem` has room for 100 keys,
/// of which three are the photo, the caller and the answered comment.
const MAX_COMMENTS_WITH_PEOPLE: i32 = 97;

/// A page of the comments on a photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentsOfPhoto {
    /// The comment that the owner of the photo has pinned, which is in the list too. Only the first page
    /// has it, and that of replies does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<ShownComment>,
    /// The comments.
    pub comments: Vec<ShownComment>,
    /// The cards of the authors by username, without those who were deleted. Empty without
    /// `include=people`.
    pub people: People,
    /// The cursor of the next page, or `null` at the end of the list.
    pub next_cursor: Option<String>,
}

/// The route.
pub struct ListComments {
    table: Table,
    signer: Signer,
}

impl Route for ListComments {
    const NAME: &'static str = "list-comments";
    const ROUTE: &'static str = "GET /users/{username}/photos/{photo}/comments";
    const SUMMARY: &'static str = "Returns a page of the comments on a photo, or of the replies to one of them, newest first or, with `order=asc`, \
         oldest first.";

    type Input = (
        Path<Username>,
        Path<PhotoId>,
        OptionalQuery<AnsweredComment>,
        Query<OrderBy<true>>,
        Query<PageParts>,
        Caller,
        PageParameters,
    );
    type Body = CommentsOfPhoto;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Path(username), Path(id), OptionalQuery(answered), Query(OrderBy(order)), Query(include), caller, page): Self::Input,
    ) -> Result<Response<CommentsOfPhoto>, Error> {
        let Self { table, signer } = self;
        let answered = answered.map(|AnsweredComment(answered)| answered);
        let (name, scope) = list_of_comments(&username, &id, answered.as_ref(), order);
        let mut page: Page<CommentId> = page.of(name, scope)?;
        if include.people {
            page.limit = page.limit.min(MAX_COMMENTS_WITH_PEOPLE);
        }

        let (sk, prefix) = match &answered {
            None => (photo_sk(&username, &id), COMMENT_PREFIX.to_owned()),
            Some(answered) => (replies_sk(&username, &id), replies_prefix(answered)),
        };
        let query = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(INVERTED_INDEX)
            .key_condition_expression("SK = :list AND begins_with(PK, :comments)")
            .expression_attribute_values(":list", S(sk))
            .expression_attribute_values(":comments", S(prefix))
            .scan_index_forward(order == Order::Ascending)
            .set_exclusive_start_key(page.after.as_ref().map(|last| Key::comment(last, &username, &id).into()))
            .limit(page.limit)
            .send();
        let comments = async {
            let output = query.await?;
            let items = output.items.unwrap_or_default();
            let last = items.last().map(comment_of_key).transpose()?.map(|(id, ..)| id);
            let comments = items.into_iter().map(from_inverted_index);
            let comments = comments.filter_map(|item| comment_from_item(item).transpose());
            Ok::<_, Error>((comments.collect::<Result<Vec<Comment>, _>>()?, last, output.last_evaluated_key))
        };
        let view = View { table, signer, caller: &caller.username, owner: &username, photo: &id, include };
        let get = |keys: BTreeSet<Key>| batch::get(table, keys, false);
        let answered = answered.map(|answered| Key::comment(&answered, &username, &id));
        let keys: BTreeSet<Key> = view.keys().into_iter().chain(answered.clone()).collect();
        let ((comments, last, last_key), found, likes) = if include.people {
            let comments = comments.await?;
            let authors = comments.0.iter().map(|comment| Key::user(&comment.author));
            let found = get(keys.into_iter().chain(authors).collect());
            let (found, likes) = tokio::try_join!(found, view.own_likes(&comments.0))?;
            (comments, found, likes)
        } else {
            let (comments, found) = tokio::try_join!(comments, get(keys))?;
            let likes = view.own_likes(&comments.0).await?;
            (comments, found, likes)
        };
        let with_pinned = answered.is_none() && page.after.is_none();
        let Some(shown) = view.show(comments, answered, with_pinned, found, &likes).await? else {
            return answer::ok(&CommentsOfPhoto::default());
        };
        let Shown { comments, people, pinned } = shown;
        let next_cursor = page.next_cursor(last_key, last)?;
        answer::ok(&CommentsOfPhoto { pinned, comments, people, next_cursor })
    }
}
