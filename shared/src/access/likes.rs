//! The likes of a caller for the comments of a page.

use std::collections::BTreeSet;

use crate::entities::{Comment, comment_of_like, query_likes};
use crate::values::{CommentId, PhotoId, Username};
use crate::{Error, Table};

/// Returns those of neighbouring comments in a list that the caller likes.
///
/// One eventually consistent `Query` reads the likes of the caller between the first and the last
/// comment that has likes, of which there are no more than comments. It sends none if no comment has.
pub async fn own_likes(
    table: &Table,
    caller: &Username,
    (owner, photo): (&Username, &PhotoId),
    comments: &[Comment],
) -> Result<BTreeSet<CommentId>, Error> {
    let with_likes: Vec<CommentId> = comments.iter().filter(|comment| comment.likes > 0).map(Comment::id).collect();
    let (Some(first), Some(last)) = (with_likes.first(), with_likes.last()) else { return Ok(BTreeSet::new()) };
    let own = query_likes(table, caller, (owner, photo), [first, last]).send().await?.items.unwrap_or_default();
    own.iter().map(|like| comment_of_like(like).map(|(id, ..)| id)).collect()
}
