//! One `PutItem` creates or replaces the song, on the condition that `If-Match` or `If-None-Match`
//! states.
//!
//! Without such a header, the first `PutItem` has the condition that there is no such song, and a
//! second one replaces the song if there is one ([`versioned::put`]).

use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::document::Document;
use shared::dynamodb::Item;
use shared::entities::{ALBUM_TITLE, ARTIST, GENRE, check_index_key, song_key, song_path};
use shared::http::document::read_document;
use shared::http::extract::{DocumentText, Editor, Path, Query};
use shared::http::precondition::Precondition;
use shared::http::versioned::{self, Put};
use shared::values::{Artist, DocumentFormat, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, SongTitle};
use shared::{Error, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct PutSong {
    table: Table,
}

impl Route for PutSong {
    const NAME: &'static str = "put-song";
    const ROUTE: &'static str = "PUT /music/{artist}/{songTitle}";
    const SUMMARY: &'static str = "Creates or replaces a whole song, on the condition that `If-Match` or `If-None-Match` states. A song \
         can have any attributes beyond its key.";
    const SUCCESSES: &'static [Success] = &[Success::OK.versioned(), Success::CREATED_AT.versioned()];

    type Input = (Path<Artist>, Path<SongTitle>, Editor, Query<DocumentFormat>, Precondition, DocumentText);
    type Body = Document;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(artist), Path(title), Editor(_), Query(format), given, DocumentText(text)): Self::Input,
    ) -> Result<Response<Document>, Error> {
        let Self { table } = self;
        let song: Item = read_document(&text, format, &song_key(&artist, &title))?;
        check_index_key(&song, GENRE, MAX_PARTITION_KEY_BYTES)?;
        check_index_key(&song, ALBUM_TITLE, MAX_SORT_KEY_BYTES)?;

        let put = versioned::put(&given, ARTIST, &song, |condition| {
            table
                .client
                .put_item()
                .table_name(&table.name)
                .set_item(Some(song.clone()))
                .set_condition_expression(condition.expression)
                .set_expression_attribute_names(condition.names)
                .set_expression_attribute_values(condition.values)
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        });
        match put.await? {
            Put::Created => versioned::created(&song_path(&artist, &title), format, song),
            Put::Replaced => versioned::ok(format, song),
        }
    }
}
