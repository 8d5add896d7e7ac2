//! Comments of users on photos.

use serde::{Deserialize, Serialize};

use super::keys::Key;
use super::uncounted::CountedItem;
use crate::dynamodb::counter::Decrement;
use crate::values::{CommentId, ReportReason, Timestamp, Username};

/// The maximum number of comments of a user, on photos of anybody. finish-deletion deletes 20 of
/// them in one transaction, so the deletion of such a user takes 5,000 transactions, and a few
/// passes.
pub const MAX_COMMENTS: u64 = 100_000;

/// The attribute of a user that counts the comments that the user has written. It is not `comments`
/// as on a photo, because `InvertedIndex` projects that: each comment would also write the index
/// entry of its author.
pub const COMMENTS_WRITTEN: &str = "commentsWritten";

/// A comment by a user on a photo. Its photo is in its key only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The author.
    pub author: Username,
    /// The time of the comment, and with the author the id among the comments on the photo.
    pub timestamp: Timestamp,
    /// The text.
    pub text: String,
    /// The time at which the author last changed the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Timestamp>,
    /// The reason for which a moderator has removed the comment. Only the author sees it then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<ReportReason>,
}

/// A [`Comment`] as answers show it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Comment"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownComment {
    /// The id among the comments on the photo.
    pub id: CommentId,
    /// The author.
    pub author: Username,
    /// The time of the comment.
    pub timestamp: Timestamp,
    /// The text.
    pub text: String,
    /// The usernames after an `@` in the text, in their order and each once. There may be no user
    /// with such a name.
    pub mentions: Vec<Username>,
    /// The time at which the author last changed the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Timestamp>,
    /// The reason for which a moderator has removed the comment. Only the author sees such a
    /// comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<ReportReason>,
    /// What the caller may do to the comment. Only with `include=viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewer: Option<CommentRights>,
}

/// What a caller may do to a comment.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentRights {
    /// Whether the caller may change the text: the author may, unless a moderator has removed the
    /// comment.
    pub can_edit: bool,
    /// Whether the caller may delete the comment: the author and the owner of the photo may.
    pub can_delete: bool,
}

impl From<Comment> for ShownComment {
    fn from(Comment { author, timestamp, text, edited, removed }: Comment) -> Self {
        let id = CommentId { timestamp: timestamp.clone(), author: author.clone() };
        Self { id, author, timestamp, mentions: mentions(&text), text, edited, removed, viewer: None }
    }
}

impl CommentRights {
    /// Returns what a caller may do to a comment on a photo of `owner`.
    #[must_use]
    pub fn new(caller: &Username, comment: &Comment, owner: &Username) -> Self {
        let is_author = *caller == comment.author;
        Self { can_edit: is_author && comment.removed.is_none(), can_delete: is_author || caller == owner }
    }
}

/// Returns the usernames after an `@` in a text, in their order and each once, as they are written.
///
/// A name is a whole word of ASCII characters, without the dots and hyphens at its end. No such
/// word is before the `@`, so that an e-mail address mentions nobody.
#[must_use]
pub fn mentions(text: &str) -> Vec<Username> {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut mentions: Vec<Username> = vec![];
    for (at, _) in text.match_indices('@') {
        if text[..at].ends_with(|c: char| is_of_word(c) && c != '.') {
            continue;
        }
        let rest = &text[at + 1..];
        let word = &rest[..rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())];
        if let Ok(name) = word.trim_end_matches(['.', '-']).parse()
            && !mentions.contains(&name)
        {
            mentions.push(name);
        }
    }
    mentions
}

/// Returns a comment on the photo of `owner` at `timestamp` for
/// [`delete_counted`](super::delete_counted), with the counts of the photo and of the author.
#[must_use]
pub fn counted_comment(table_name: &str, id: &CommentId, owner: &Username, timestamp: &Timestamp) -> CountedItem {
    CountedItem {
        key: Key::comment(id, owner, timestamp).into(),
        if_counted: Some(Decrement::new(table_name, Key::photo(owner, timestamp), "comments")),
        always: Some(Decrement::new(table_name, Key::user(&id.author), COMMENTS_WRITTEN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_the_usernames_after_an_at_sign_as_they_are_written() {
        for (text, expected) in [
            ("", &[][..]),
            ("Where is this?", &[]),
            ("@ada", &["ada"]),
            ("Where is this, @ada?", &["ada"]),
            ("@ben @ada @ben\n@cara", &["ben", "ada", "cara"]),
            ("(@ada)…@ben,@cara;@d.o-r_a", &["ada", "ben", "cara", "d.o-r_a"]),
            ("Look at @ada. Or ask @ben-", &["ada", "ben"]),
            ("...@ada", &["ada"]),
            ("@@ada", &["ada"]),
            ("日本@adaさん「@ben」", &["ada", "ben"]),
            // Neither addresses nor texts that no user has as a username.
            ("ada@example.com a_@ben b-@ben", &[]),
            ("@Ada @a @-ada @añb @ @. @ada/x", &["ada"]),
            ("@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &[]),
        ] {
            let names: Vec<String> = mentions(text).iter().map(ToString::to_string).collect();
            assert_eq!(names, expected, "{text}");
        }
    }

    #[test]
    fn an_author_may_do_more_than_the_owner_of_the_photo() {
        let of = |caller: &str, removed| {
            let [caller, author, owner] = [caller, "ben", "ada"].map(|name| name.parse().unwrap());
            let comment = Comment { author, timestamp: Timestamp::now(), text: String::new(), edited: None, removed };
            let rights = CommentRights::new(&caller, &comment, &owner);
            (rights.can_edit, rights.can_delete)
        };
        let all = |removed| ["ben", "ada", "cara"].map(|caller| of(caller, removed));
        assert_eq!(all(None), [(true, true), (false, true), (false, false)]);
        assert_eq!(all(Some(ReportReason::Spam)), [(false, true), (false, true), (false, false)]);
    }
}
