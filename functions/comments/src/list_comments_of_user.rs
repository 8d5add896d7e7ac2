//! One `Query` on [`COMMENTS_BY_AUTHOR`] finds the comments, and one `BatchGetItem` reads them, because
//! the index has their keys alone. With `include=people`, it also reads the caller and the owners of
//! the photos, and if some of these profiles say that there are blocks, another one reads the blocks
//! between these owners and the caller. A blocked pair gets no card.
//!
//! The caller also sees the comments that a moderator has removed, and those on photos that the
//! caller may not see any more: they are the caller's own, and each can be deleted.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::Relations;
use shared::dynamodb::{Item, batch};
use shared::entities::{COMMENTS_BY_AUTHOR, Key, comment_from_item, comment_of_key};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{People, ShownComment, Signer};
use shared::values::{CommentId, PeopleParts, PhotoReference, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of comments on a page with people. One `BatchGetItem` has room for 100 keys:
/// the caller, and for each comment itself and the owner of its photo.
const MAX_COMMENTS_WITH_PEOPLE: i32 = 49;

/// A page of the comments that a user wrote.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentsOfUser {
    /// The comments, newest first.
    pub comments: Vec<WrittenComment>,
    /// The cards of the caller and of the owners of the photos by username. Empty without
    /// `include=people`.
    pub people: People,
    /// The cursor of the next page, or `null` at the end of the list.
    pub next_cursor: Option<String>,
}

/// A comment and its photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct WrittenComment {
    /// The comment.
    #[serde(flatten)]
    pub comment: ShownComment,
    /// The photo.
    pub photo: PhotoReference,
}

impl WrittenComment {
    /// Returns whether a user is the author or the owner of the photo.
    fn is_about(&self, user: &Username) -> bool {
        [&self.comment.username, &self.photo.username].contains(&user)
    }
}

/// The position of a comment in the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Position {
    id: CommentId,
    photo: PhotoReference,
}

impl Position {
    /// Returns the position of an entry of the index.
    fn of_entry(entry: &Item) -> Result<Self, Error> {
        let (id, username, photo) = comment_of_key(entry)?;
        Ok(Self { id, photo: PhotoReference { username, id: photo } })
    }

    /// Returns the key of the comment.
    fn key(&self) -> Key {
        Key::comment(&self.id, &self.photo.username, &self.photo.id)
    }

    /// Returns the key of the entry, behind which a page begins.
    fn start_key(&self) -> Item {
        let mut key = Item::from(self.key());
        key.insert("author".to_owned(), S(self.id.author.to_string()));
        key.insert("timestamp".to_owned(), S(self.id.timestamp.to_string()));
        key
    }
}

/// The route.
pub struct ListCommentsOfUser {
    table: Table,
    signer: Signer,
}

impl Route for ListCommentsOfUser {
    const NAME: &'static str = "list-comments-of-user";
    const ROUTE: &'static str = "GET /users/{username}/comments";
    const SUMMARY: &'static str = "Lists the comments that the caller wrote, newest first, each with its photo.";

    type Input = (Owner, Query<PeopleParts>, PageParameters);
    type Body = CommentsOfUser;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Owner(Caller { username, .. }), Query(include), page): Self::Input,
    ) -> Result<Response<CommentsOfUser>, Error> {
        let Self { table, signer } = self;
        let mut page: Page<Position> = page.of("comments-of-user", &username)?;
        if include.people {
            page.limit = page.limit.min(MAX_COMMENTS_WITH_PEOPLE);
        }
        let output = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(COMMENTS_BY_AUTHOR)
            .key_condition_expression("author = :author")
            .expression_attribute_values(":author", S(username.to_string()))
            .scan_index_forward(false)
            .set_exclusive_start_key(page.after.as_ref().map(Position::start_key))
            .limit(page.limit)
            .send()
            .await?;
        let entries = output.items.unwrap_or_default();
        let positions: Vec<Position> = entries.iter().map(Position::of_entry).collect::<Result<_, _>>()?;

        let mut keys: BTreeSet<Key> = positions.iter().map(Position::key).collect();
        if include.people {
            keys.extend(positions.iter().map(|position| Key::user(&position.photo.username)));
            keys.extend(positions.first().map(|_| Key::user(&username)));
        }
        let mut found = batch::get(table, keys, false).await?;
        let mut relations = Relations::new(&username);
        if include.people {
            relations.read_blocks_of(table, &found).await?;
        }
        let mut people = signer.cards_seen_by(&relations, &found)?;
        let mut comments = vec![];
        for Position { id, photo } in &positions {
            // The index may still have an entry of a comment that is gone, or is a tombstone.
            let key = Key::comment(id, &photo.username, &photo.id);
            if let Some(comment) = batch::take(&mut found, key).map(comment_from_item).transpose()?.flatten() {
                let comment = comment.into();
                comments.push(WrittenComment { comment, photo: photo.clone() });
            }
        }
        people.retain(|person, _| comments.iter().any(|one| one.is_about(person)));
        let next_cursor = page.next_cursor(output.last_evaluated_key, positions.last().cloned())?;
        answer::private(&CommentsOfUser { comments, people, next_cursor })
    }
}
