//! The requests of [`ListComments`]:
//!
//! One `Query` on the inverted index reads them, in the order of their keys. At the same time, a
//! `BatchGetItem` reads the photo and the caller. With `include=people`, it follows the `Query`,
//! and reads the authors too. `include=viewer` needs no request.
//!
//! If only followers may see the photo, another `BatchGetItem` reads the friendship. If the caller
//! blocks anybody, or anybody blocks the caller, a `BatchGetItem` reads the blocks between the
//! caller, the authors and the owner of the photo: a page leaves out the comments of authors who
//! block the caller or whom the caller blocks. The list of an unknown photo is empty, and so is
//! that of a photo that the caller may not see.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::access::Relations;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{COMMENT_PREFIX, Comment, INVERTED_INDEX, Key, has_blocks, photo_from_item, photo_sk};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{CommentRights, People, ShownComment, Signer, list_of_comments};
use shared::values::{CommentId, Order, OrderBy, PageParts, PhotoId, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of comments on a page with people: one `BatchGetItem` has room for 100 keys,
/// of which two are the photo and the caller.
const MAX_COMMENTS_WITH_PEOPLE: i32 = 98;

/// A page of the comments on a photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentsOfPhoto {
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
    const SUMMARY: &'static str =
        "Returns a page of the comments on a photo, newest first or, with `order=asc`, oldest first.";

    type Input = (Path<Username>, Path<PhotoId>, Query<OrderBy<true>>, Query<PageParts>, Caller, PageParameters);
    type Body = CommentsOfPhoto;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Path(username), Path(id), Query(OrderBy(order)), Query(include), caller, page): Self::Input,
    ) -> Result<Response<CommentsOfPhoto>, Error> {
        let Self { table, signer } = self;
        let (name, scope) = list_of_comments(&username, &id, order);
        let mut page: Page<CommentId> = page.of(name, scope)?;
        if include.people {
            page.limit = page.limit.min(MAX_COMMENTS_WITH_PEOPLE);
        }

        let query = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(INVERTED_INDEX)
            .key_condition_expression("SK = :photo AND begins_with(PK, :comments)")
            .expression_attribute_values(":photo", S(photo_sk(&username, &id)))
            .expression_attribute_values(":comments", S(COMMENT_PREFIX.to_owned()))
            .scan_index_forward(order == Order::Ascending)
            .set_exclusive_start_key(page.after.as_ref().map(|last| Key::comment(last, &username, &id).into()))
            .limit(page.limit)
            .send();
        let comments = async {
            let output = query.await?;
            let comments: Vec<Comment> = entity::from_items(output.items.unwrap_or_default())?;
            Ok::<_, Error>((comments, output.last_evaluated_key))
        };
        let get = |keys: BTreeSet<Key>| batch::get(table, keys.into_iter().map(Item::from).collect(), false);
        let (photo, user) = (Key::photo(&username, &id), Key::user(&caller.username));
        let keys = BTreeSet::from([photo.clone(), user.clone()]);
        let ((mut comments, last_key), mut found) = if include.people {
            let comments = comments.await?;
            let authors = comments.0.iter().map(|comment| Key::user(&comment.author));
            let found = get(keys.into_iter().chain(authors).collect()).await?;
            (comments, found)
        } else {
            tokio::try_join!(comments, get(keys))?
        };
        let has_blocks = batch::find(&found, user).is_some_and(has_blocks);
        let photo = batch::take(&mut found, photo).map(photo_from_item).transpose()?.flatten();
        let last = comments.last().map(Comment::id);

        let mut relations = Relations::new(&caller.username);
        if has_blocks {
            relations.read_blocks(table, comments.iter().map(|comment| &comment.author).chain([&username])).await?;
        }
        relations.read_audiences(table, photo.as_slice()).await?;
        if !photo.is_some_and(|photo| relations.may_see(&photo)) {
            return answer::ok(&CommentsOfPhoto { comments: vec![], people: People::new(), next_cursor: None });
        }
        comments.retain(|comment| relations.may_see_comment(comment));

        let mut people = if include.people { signer.cards(&found)? } else { People::new() };
        people.retain(|author, _| comments.iter().any(|comment| comment.author == *author));
        let show = |comment: Comment| {
            let viewer = include.viewer.then(|| CommentRights::new(&caller.username, &comment, &username));
            ShownComment { viewer, ..comment.into() }
        };
        let comments = comments.into_iter().map(show).collect();
        let next_cursor = page.next_cursor(last_key, last)?;
        answer::ok(&CommentsOfPhoto { comments, people, next_cursor })
    }
}
