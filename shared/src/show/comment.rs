//! Comments as answers show them.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::entities::{Comment, mentions};
use crate::values::{CommentId, Order, PhotoId, ReportReason, Time, Username};

/// A comment on a photo, as answers show a [`Comment`].
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Comment"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownComment {
    /// The id among the comments on the photo.
    pub id: CommentId,
    /// The author.
    pub username: Username,
    /// The comment that a reply answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<CommentId>,
    /// The time of the comment.
    pub timestamp: Time,
    /// The text.
    pub text: String,
    /// The usernames that the text [`mentions`], in their order and each once. There may be no user
    /// with such a name.
    pub mentions: Vec<Username>,
    /// The time at which the author last changed the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Time>,
    /// The reason for which a moderator has removed the comment. Only the author sees such a
    /// comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<ReportReason>,
    /// Whether the owner of the photo has pinned the comment.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The number of replies to the comment, shown or not, if there are any. A reply has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies: Option<u64>,
    /// The number of likes of the comment, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likes: Option<u64>,
    /// The permissions of the caller on the comment, and the caller's like. Only with `include=viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewer: Option<CommentViewer>,
}

/// Returns the name and the scope of the list of the comments on a photo, or of the replies to one of
/// them, to which its [cursors are
/// bound](crate::http::page::PageParameters::of). The answers of two routes have such cursors.
#[must_use]
pub fn list_of_comments(
    username: &Username,
    photo: &PhotoId,
    answered: Option<&CommentId>,
    order: Order,
) -> (&'static str, String) {
    let answered = answered.map(|answered| format!("/{answered}")).unwrap_or_default();
    ("comments", format!("{username}/{photo}{answered} {order}"))
}

/// The permissions of a caller on a comment, and the caller's like.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentViewer {
    /// Whether the caller may change the text: the author may, unless a moderator has removed the
    /// comment.
    pub can_edit: bool,
    /// Whether the caller may delete the comment: the author and the owner of the photo may.
    pub can_delete: bool,
    /// Whether the caller likes the comment.
    pub liked: bool,
}

impl From<Comment> for ShownComment {
    fn from(comment: Comment) -> Self {
        let id = comment.id();
        let Comment { reply_to, author: username, timestamp, text, edited, removed, pinned, replies, likes } = comment;
        let [replies, likes] = [replies, likes].map(|number| (number > 0).then_some(number));
        let (timestamp, edited) = (timestamp.into(), edited.map(Time::from));
        Self {
            id,
            username,
            reply_to,
            timestamp,
            mentions: mentions(&text),
            text,
            edited,
            removed,
            pinned: pinned.is_some(),
            replies,
            likes,
            viewer: None,
        }
    }
}

impl CommentViewer {
    /// Returns the permissions of a caller on a comment on a photo of `owner`. `likes` are those of the caller.
    #[must_use]
    pub fn new(caller: &Username, comment: &Comment, owner: &Username, likes: &BTreeSet<CommentId>) -> Self {
        let is_author = *caller == comment.author;
        Self {
            can_edit: is_author && comment.removed.is_none(),
            can_delete: is_author || caller == owner,
            liked: likes.contains(&comment.id()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_may_do_more_than_the_owner_of_the_photo() {
        let of = |caller: &str, removed| {
            let [caller, author, owner] = [caller, "ben", "ada"].map(|name| name.parse().unwrap());
            let id = CommentId::new(crate::values::Timestamp::now(), author);
            let comment = Comment { removed, ..Comment::new(id, String::new()) };
            let rights = CommentViewer::new(&caller, &comment, &owner, &BTreeSet::new());
            (rights.can_edit, rights.can_delete)
        };
        let all = |removed| ["ben", "ada", "cara"].map(|caller| of(caller, removed));
        assert_eq!(all(None), [(true, true), (false, true), (false, false)]);
        assert_eq!(all(Some(ReportReason::Spam)), [(false, true), (false, true), (false, false)]);
    }
}
