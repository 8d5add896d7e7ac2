//! One `Query` reads the songs.

use std::time::Duration;

use aws_sdk_dynamodb::Config;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::document::write;
use shared::dynamodb::Item;
use shared::entities::{ARTIST, SONG_TITLE};
use shared::http::answer;
use shared::http::extract::{OptionalQuery, Path, Query};
use shared::http::page::{Page, PageParameters, within_budget};
use shared::http::precondition::VERSION;
use shared::http::request::Caller;
use shared::show::Songs;
use shared::values::{Artist, DocumentFormat, TitlePrefix};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The timeout of an attempt of the `Query`. Others have [1 s](shared::runtime::client), which is
/// too short for the 1 MB of items that a `Query` reads: nulls make it 7 MB of JSON, empty strings
/// 9 MB, and numbers 50 MB.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(4);

/// The route.
pub struct ListSongsByArtist {
    table: Table,
}

impl Route for ListSongsByArtist {
    const NAME: &'static str = "list-songs-by-artist";
    const ROUTE: &'static str = "GET /music/{artist}";
    const SUMMARY: &'static str = "Lists the songs of an artist by title, or those whose titles begin with `titlePrefix`. A page ends \
         early if its JSON would be too large for the response of a function.";

    type Input = (Path<Artist>, Caller, Query<DocumentFormat>, OptionalQuery<TitlePrefix>, PageParameters);
    type Body = Songs;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(artist), _, Query(format), OptionalQuery(prefix), page): Self::Input,
    ) -> Result<Response<Songs>, Error> {
        let Self { table } = self;
        let prefix = prefix.as_ref().map_or("", |prefix| prefix.as_ref());
        // An artist has no line feed, so the cursors of two lists never have the same scope.
        let page: Page<String> = page.of("songs", format!("{artist}\n{prefix}"))?;

        let start_key = page.after.as_ref().map(|title| {
            Item::from([(ARTIST.to_owned(), S(artist.to_string())), (SONG_TITLE.to_owned(), S(title.clone()))])
        });
        let query = table
            .client
            .query()
            .table_name(&table.name)
            .expression_attribute_values(":artist", S(artist.to_string()))
            .set_exclusive_start_key(start_key)
            .limit(page.limit);
        let query = if prefix.is_empty() {
            query.key_condition_expression("Artist = :artist")
        } else {
            query
                .key_condition_expression("Artist = :artist AND begins_with(SongTitle, :prefix)")
                .expression_attribute_values(":prefix", S(prefix.to_owned()))
        };
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT_TIMEOUT).build();
        let output = query.customize().config_override(Config::builder().timeout_config(timeouts)).send().await?;

        let mut items = output.items.unwrap_or_default();
        for item in &mut items {
            item.remove(VERSION);
        }
        let songs = within_budget(items.iter().map(|item| write(format, item)))?;
        let goes_on = songs.len() < items.len() || output.last_evaluated_key.is_some();
        let last = items[..songs.len()].last().filter(|_| goes_on);
        let last = last.and_then(|item| item.get(SONG_TITLE)?.as_s().ok()).cloned();
        let next_cursor = page.cursor(last)?;
        answer::ok(&Songs { songs, next_cursor })
    }
}
