//! Comments of users on photos.

use icu_properties::CodePointMapData;
use icu_properties::props::LineBreak;
use serde::{Deserialize, Serialize};

use super::key::{Key, PK};
use super::like::LIKES_COUNT;
use super::photo::{photo_sk, replies_sk};
use super::reaction::photo_of_item;
use super::uncounted::CountedItem;
use crate::Error;
use crate::dynamodb::counter::Decrement;
use crate::dynamodb::{Item, entity};
use crate::search::{is_continuous, is_mark};
use crate::values::{CommentId, PhotoId, ReportReason, Timestamp, Username};

/// The prefix of the partition keys of comments. In the inverted index, the comments on a photo are
/// before the reactions to it, and the photo is last.
pub const COMMENT_PREFIX: &str = "COMMENT#";
/// The global secondary index of the comments: `author` is its partition key, and `timestamp` is
/// its sort key. Other items are not in it, because they have no `author`.
pub const COMMENTS_BY_AUTHOR: &str = "CommentsByAuthor";
/// The maximum number of comments of a user, on photos of anybody. finish-deletion deletes 20 of
/// them in one transaction, so the deletion of such a user takes 5,000 transactions, and a few
/// passes.
pub const MAX_COMMENTS: u64 = 100_000;
/// The attribute of a user that counts the comments that the user has written. It is not `comments`
/// as on a photo, because `InvertedIndex` projects that: each comment would also write the index
/// entry of its author.
pub const COMMENTS_WRITTEN: &str = "commentsWritten";

/// The attribute of a pinned comment, with the time at which the owner of the photo has pinned it.
pub const PINNED: &str = "pinned";
/// The attribute of a comment that counts the replies to it.
pub const REPLIES_COUNT: &str = "replies";
/// The maximum number of replies to a comment.
pub const MAX_REPLIES: u64 = 10_000;

/// A comment by a user on a photo, or a reply to one. Its photo is in its key only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// The comment that a reply answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<CommentId>,
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
    /// The time at which the owner of the photo has pinned the comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Timestamp>,
    /// The number of replies to the comment.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replies: u64,
    /// The number of likes of the comment.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub likes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with the field")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Comment {
    /// Returns a new comment with an id.
    #[must_use]
    pub fn new(id: CommentId, text: String) -> Self {
        let CommentId { reply_to, timestamp, author } = id;
        let reply_to = reply_to.map(|answered| *answered);
        Self { reply_to, author, timestamp, text, edited: None, removed: None, pinned: None, replies: 0, likes: 0 }
    }

    /// Returns the id among the comments on the photo.
    #[must_use]
    pub fn id(&self) -> CommentId {
        let reply_to = self.reply_to.clone().map(Box::new);
        CommentId { reply_to, timestamp: self.timestamp.clone(), author: self.author.clone() }
    }
}

impl Key {
    /// Returns the key of a [`Comment`](super::Comment) on a photo of `username`.
    #[must_use]
    pub fn comment(id: &CommentId, username: &Username, photo: &PhotoId) -> Self {
        match &id.reply_to {
            None => Self::of_photos(comment_pk(id), photo_sk(username, photo)),
            Some(_) => Self::of_photos(comment_pk(id), replies_sk(username, photo)),
        }
    }
}

fn comment_pk(id: &CommentId) -> String {
    let CommentId { reply_to, timestamp, author } = id;
    match reply_to {
        None => format!("{COMMENT_PREFIX}{timestamp}#{author}"),
        Some(answered) => format!("{}#{timestamp}#{author}", comment_pk(answered)),
    }
}

/// Returns the prefix of the partition keys of the replies to a comment.
#[must_use]
pub fn replies_prefix(answered: &CommentId) -> String {
    format!("{}#", comment_pk(answered))
}

/// Returns the comment that an item holds, or `None` if the item is the tombstone of a comment whose
/// replies and likes are being deleted.
pub fn comment_from_item(item: Item) -> Result<Option<Comment>, Error> {
    item.contains_key("author").then(|| entity::from_item(item)).transpose()
}

/// Returns the id of the comment with a key, and the owner and the id of its photo.
pub fn comment_of_key(key: &Item) -> Result<(CommentId, Username, PhotoId), Error> {
    let pk = key.get(PK).and_then(|pk| pk.as_s().ok()).map_or("", String::as_str);
    let id = pk.strip_prefix(COMMENT_PREFIX).and_then(|id| id.replace('#', "~").parse().ok());
    let id = id.ok_or_else(|| Error::internal(format!("the partition key {pk:?} is not that of a comment")))?;
    let (owner, photo) = photo_of_item(key)?;
    Ok((id, owner, photo))
}

/// Returns the usernames that a text mentions, in their order and each once, as they are written.
///
/// `@name` is a mention, without `.`, `_` and `-` at its end, unless a letter, a digit or one of
/// `_ - = /` stands right before it, or `://` before it in its word, or a letter, a digit or an `@`
/// right after it.
///
/// So neither a URL, nor an e-mail address, nor an account on another server mentions anybody.
/// Letters of scripts that write a name and the words around it without a space, as Japanese and
/// Korean do, may stand on both sides.
#[must_use]
pub fn mentions(text: &str) -> Vec<Username> {
    let mut mentions: Vec<Username> = vec![];
    for (at, _) in text.match_indices('@') {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let is_in_url = before.rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://"));
        if is_in_url || before.ends_with(['_', '-', '=', '/']) || ends_in_word(before) {
            continue;
        }
        let is_of_name = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '_' | '-');
        let (name, next) = after.split_at(after.find(|c| !is_of_name(c)).unwrap_or(after.len()));
        if !name.ends_with('.') && next.starts_with(|c| c == '@' || is_of_word(c) || is_mark(c)) {
            continue;
        }
        if let Ok(name) = name.trim_end_matches(['.', '_', '-']).parse()
            && !mentions.contains(&name)
        {
            mentions.push(name);
        }
    }
    mentions
}

/// Returns whether a text ends within or behind a word, to which an accent may belong. A keycap
/// emoji is a digit with a mark, and no word.
pub(super) fn ends_in_word(text: &str) -> bool {
    let base = text.trim_end_matches(is_mark);
    base.ends_with(|c: char| is_of_word(c) && (base.len() == text.len() || c.is_alphabetic()))
}

/// Returns whether a character is a letter or a digit, of a script that separates a username from
/// the words around it by spaces.
fn is_of_word(c: char) -> bool {
    let is_hangul = matches!(
        CodePointMapData::<LineBreak>::new().get(c),
        LineBreak::H2 | LineBreak::H3 | LineBreak::JL | LineBreak::JV | LineBreak::JT
    );
    c.is_alphanumeric() && !is_continuous(c) && !is_hangul
}

/// Returns a comment on the photo `photo` of `owner` for
/// [`delete_counted`](super::delete_counted), with the counts of the photo, the author and the comment
/// that it answers. A comment with replies or likes, and a pinned one, is replaced with its
/// tombstone.
#[must_use]
pub fn counted_comment(table_name: &str, id: &CommentId, owner: &Username, photo: &PhotoId) -> CountedItem {
    let author = Decrement::new(table_name, Key::user(&id.author), COMMENTS_WRITTEN);
    let answered = id.reply_to.as_ref().map(|answered| Key::comment(answered, owner, photo));
    let answered = answered.map(|key| Decrement::new(table_name, key, REPLIES_COUNT));
    CountedItem {
        key: Key::comment(id, owner, photo).into(),
        if_counted: Some(Decrement::new(table_name, Key::photo(owner, photo), "comments")),
        always: [author].into_iter().chain(answered).collect(),
        dependents: &[REPLIES_COUNT, LIKES_COUNT, PINNED],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mentions_are_the_usernames_after_an_at_sign_that_stand_alone() {
        for (text, expected) in [
            ("", &[][..]),
            ("Where is this?", &[]),
            ("@ada", &["ada"]),
            ("Where is this, @ada?", &["ada"]),
            ("@ben @ada @ben\n@cara", &["ben", "ada", "cara"]),
            // What may stand on both sides.
            ("(@ada)…@ben,@cara;@d.o-r_a", &["ada", "ben", "cara", "d.o-r_a"]),
            ("\"@ada\" '@ben' *@cara* <@dora> —@elif", &["ada", "ben", "cara", "dora", "elif"]),
            (".@ada ...@ben @@cara !@dora &@elif +@fay", &["ada", "ben", "cara", "dora", "elif", "fay"]),
            ("👍@ada❤\u{fe0f}@ben 1\u{fe0f}\u{20e3}@cara", &["ada", "ben", "cara"]),
            ("日本@adaさん「@ben」@cara님，안녕@dora", &["ada", "ben", "cara", "dora"]),
            ("@ada/x @ben: @cara's @dora\u{2019}nın", &["ada", "ben", "cara", "dora"]),
            // A name ends before the punctuation after it.
            ("Look at @ada. Or ask @ben- or _@cara_", &["ada", "ben"]),
            ("@vik- @vik_ @vik... @vik-.-", &["vik"]),
            ("Thanks @ada.Great! @ben.@cara", &["ada", "ben", "cara"]),
            // Addresses.
            ("ada@example.com a_@ben b-@ben c.d@ben 5@ben", &[]),
            ("jos\u{e9}@ben jose\u{301}@ben я@ben", &[]),
            ("@ruth@other.example @ruth-@other.example", &[]),
            // URLs.
            ("see https://social.example/@ruth/1", &[]),
            ("social.example/@ruth x?user=@ruth", &[]),
            ("https://social.example/?q=(@ruth) http://a.example,@ruth ftp://@ruth", &[]),
            ("https://social.example/ @ruth", &["ruth"]),
            // Texts that no user has as a username.
            ("@Ada @a @-ada @añb @adañ @adan\u{303} @adaX @ada_X @ @.", &[]),
            ("@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &[]),
        ] {
            let names: Vec<String> = mentions(text).iter().map(ToString::to_string).collect();
            assert_eq!(names, expected, "{text}");
        }
    }

    proptest! {
        /// So nobody has a name that no comment can mention.
        #[test]
        fn every_username_can_be_mentioned(name in "[a-z0-9._-]{2,32}|[a-c.][a-c._-]{0,3}[._-]") {
            let Ok(name) = name.parse::<Username>() else { return Ok(()) };
            for end in ["", ".", ",", ")", "!", "?", ":", " ", "\n", "_", "-", "...", "\"", "'s", "さん"] {
                for begin in ["", "(", "Ask ", "\n", "."] {
                    let text = format!("{begin}@{name}{end}");
                    prop_assert_eq!(mentions(&text), [name.clone()], "{}", text);
                }
            }
        }
    }
}
