//! The limits that callers meet: the tables of docs/limits.md. Each row has the constant itself, the rule of a value, or
//! the default of a parameter.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;
use shared::document::{MAX_BYTES, MAX_DIGITS, MAX_LEVELS};
use shared::entities as item;
use shared::http::cursor::KEY_SECONDS;
use shared::http::extract::MAX_DOCUMENT_BYTES;
use shared::http::form::UPLOAD_FORM_LIFETIME_SECONDS;
use shared::http::page::{DEFAULT_LIMIT, MAX_ENTRIES_BYTES, MAX_LIMIT};
use shared::http::precondition::{MAX_ETAG_BYTES, MAX_ETAGS};
use shared::http::request::MAX_BODY_BYTES;
use shared::show::{MAX_IMPORT_BYTES, PICTURE_URL_LIFETIME_SECONDS};
use shared::values as value;

use crate::operations::yaml::{self, parameter};
use crate::recording::Recording;
use crate::text::{Part, days, grouped, in_largest, seconds};

/// The document with the limits.
const DOCUMENT: &str = "docs/limits.md";

/// A limit, and what happens beyond it.
struct Row {
    what: String,
    limit: String,
    beyond: &'static str,
}

/// Returns the tables of the limits.
pub(crate) fn parts(root: &Path, recordings: &[Recording]) -> Result<Vec<Part>> {
    let template = yaml::read(&root.join("template.yaml"))?;
    let edge = yaml::read(&root.join("edge.yaml"))?;
    let parts = [
        ("things", table("things", &things())),
        ("requests", table("part", &requests())),
        ("pictures", table("part", &pictures())),
        ("feeds", table("part", &feeds(&template)?)),
        ("transfer", table("part", &transfer())),
        ("times", table("time", &times(&template, recordings)?)),
        ("rates", table("rate", &rates(&template, &edge)?)),
    ];
    Ok(parts.into_iter().map(|(name, part)| (DOCUMENT.to_owned(), name, part)).collect())
}

fn table(head: &str, rows: &[Row]) -> String {
    let mut text = format!("| {head} | limit | beyond it |\n|---|--:|---|\n");
    for Row { what, limit, beyond } in rows {
        let _ = writeln!(text, "| {what} | {limit} | {beyond} |");
    }
    text
}

fn things() -> Vec<Row> {
    vec![
        row("photos of a user", number(item::MAX_PHOTOS), "409. A photo counts until its deletion is finished"),
        row("pictures of a photo", count(item::MAX_PICTURES), "400. Rejected and removed ones count too"),
        row("users whom one follows", number(item::MAX_FOLLOWING), "409"),
        row("requests to follow of one user that wait for an answer", number(item::MAX_REQUESTS_SENT), "409"),
        row("users whom one blocks, and users whom one mutes", number(item::MAX_BLOCKS), "409"),
        row("comments of a user", number(item::MAX_COMMENTS), "409"),
        row("replies to a comment", number(item::MAX_REPLIES), "409"),
        row("complaints of a user", number(item::MAX_COMPLAINTS), "409. Complaints of decided reports count too"),
        row("links of a user", number(item::MAX_LINKS), "409. A link that has ended counts for some days"),
        row("reports of links from one address in a day", number(item::MAX_VISITOR_REPORTS), "429"),
        row(
            "devices of a user",
            count(item::MAX_DEVICES),
            "The next one replaces the one that was not used for longest",
        ),
        row("hashtags of a caption", count(item::MAX_HASHTAGS), "Further ones are words as any other"),
        row("photos that Explore shows", count(item::MAX_RANKED), "Others are not ranked"),
        row("photos of one owner that Explore shows", count(item::MAX_RANKED_OF_OWNER), "Others are not ranked"),
        row("months in which a hashtag lists photos", count(item::MAX_HASHTAG_MONTHS), "Older ones do not show"),
        row("hashtags that one follows", count(item::MAX_FOLLOWED_HASHTAGS), "409"),
        row("favorites of a user", number(item::MAX_FAVORITES), "409"),
        row("tags of a user", count(item::MAX_TAGS_PER_USER), "409"),
        row("tags on a favorite", count(item::MAX_TAGS_PER_FAVORITE), "409"),
        row("texts that a report shows", count(item::MAX_TEXTS), "Further complaints count without their texts"),
        row("decisions that a report shows", item::MAX_DECISIONS.to_string(), "The older ones do not show"),
        row("`attributes` of a profile", bytes(count_of(item::MAX_ATTRIBUTES_BYTES)), "400"),
    ]
}

/// Returns the number of characters of a text, which its rule begins with.
fn characters<T: value::Value>() -> String {
    let rule = T::RULE.trim_start_matches("a string of ");
    rule.split(',').next().unwrap_or(rule).to_owned()
}

fn requests() -> Vec<Row> {
    vec![
        row("body", bytes(count_of(MAX_BODY_BYTES)), "413"),
        row("`note` of a decision about a report", characters::<value::DecisionNote>(), "400"),
        row("body with a document", bytes(count_of(MAX_DOCUMENT_BYTES)), "413"),
        row("item of a document", bytes(count_of(MAX_BYTES)), "400"),
        row("levels of a document", count(MAX_LEVELS), "400"),
        row("digits of a number in a document", count(MAX_DIGITS), "400"),
        row("ETags in `If-Match` or `If-None-Match`", count(MAX_ETAGS), "400"),
        row("length of such an ETag", bytes(count_of(MAX_ETAG_BYTES)), "400"),
        row("`limit` of a list", MAX_LIMIT.to_string(), "400"),
        row("entries on a page without `limit`", DEFAULT_LIMIT.to_string(), "The list goes on at `nextCursor`"),
        row("entries of a page together", bytes(count_of(MAX_ENTRIES_BYTES)), "The page ends early"),
        row("characters of a hashtag", count(value::MAX_HASHTAG_CHARS), "The word is no hashtag; 400 in a path"),
        row("`limit` of similar photos", count(value::MAX_SIMILAR), "400"),
        row("similar photos without `limit`", count(value::DEFAULT_SIMILAR), "The list has no further page"),
        row("cursor, valid for at least", seconds(KEY_SECONDS), "400 after twice this time at the latest"),
    ]
}

fn pictures() -> Vec<Row> {
    vec![
        row("pictures of a photo", count(item::MAX_PICTURES), "400"),
        row("uploaded file", bytes(value::MAX_UPLOAD_BYTES), "S3 refuses the file"),
        row("pixels", number(pictures::MAX_PIXELS), "The photo is rejected"),
        row("width, and height", format!("{} pixels", number(pictures::MAX_SIDE.into())), "The photo is rejected"),
        row("width of the large size", format!("{} pixels", number(pictures::LARGE_WIDTH.into())), ""),
        row("width of the medium size", format!("{} pixels", number(pictures::MEDIUM_WIDTH.into())), ""),
        row("width of the small size", format!("{} pixels", number(pictures::SMALL_WIDTH.into())), ""),
        row(
            "validity of the form or the URL of an upload",
            seconds(UPLOAD_FORM_LIFETIME_SECONDS),
            "S3 refuses the file",
        ),
        row("time for the upload", seconds(item::PENDING_LIFETIME_SECONDS), "The photo expires"),
        row(
            "validity of a picture's URL, from the beginning of its hour",
            seconds(PICTURE_URL_LIFETIME_SECONDS),
            "CloudFront answers 403",
        ),
    ]
}

fn feeds(template: &Value) -> Result<Vec<Row>> {
    Ok(vec![
        row(
            "followers to whom a photo is pushed (`MaxPushedFollowers`)",
            number(parameter(template, "MaxPushedFollowers")?),
            "The author is pulled",
        ),
        row(
            "authors whom one reader pulls",
            number(item::MAX_PULLS.into()),
            "Further authors are pushed to this reader",
        ),
        row("newest photos of a pulled author", count(item::MAX_LATEST), "The feed shows no older photos"),
        row("photos of an author whom one follows now", count(item::BACKFILL), "The feed shows no older photos"),
        row(
            "newest photos of a followed hashtag, of its last two months with photos",
            count(feed::list_feed::MAX_HASHTAG_PHOTOS),
            "The feed shows no older photos",
        ),
        row("lifetime of an entry", seconds(item::ENTRY_LIFETIME_SECONDS), "The photo leaves the feed"),
        row("notifications that the bell counts", count(item::MAX_UNSEEN), "The answer says `\"40+\"`"),
        row("events that a notification counts", count(item::MAX_EVENTS), "The answer says `\"50+\"`"),
        row("people whom a notification names", count(item::MAX_NAMED), "The others are counted"),
        row("users whom the mentions of a comment notify", count(item::MAX_MENTIONS), "Further users are not told"),
        row("age of a photo of which followers are told", seconds(item::MAX_ALERT_AGE_SECONDS), "They are not told"),
        row("lifetime of a notification", days(item::INBOX_LIFETIME_DAYS), "It leaves the inbox"),
        row("live screens of a user", count(item::MAX_SCREENS), "The one that was not used for longest ends"),
        row("live screens that are told of a change of a photo", count(item::MAX_TOLD), "Further screens are not told"),
        row("messages about the same bell or photo", "1 in a second".to_owned(), "The last change is told"),
        row("time to connect a live screen", seconds(item::TICKET_LIFETIME.as_secs()), "The handshake fails with 401"),
    ])
}

fn transfer() -> Vec<Row> {
    vec![
        row("file of an export", bytes(item::MAX_EXPORT_BYTES), "The export fails"),
        row("time between two exports, and for the file", seconds(item::EXPORT_LIFETIME_SECONDS), "404"),
        row("file of an import", bytes(MAX_IMPORT_BYTES), "S3 refuses the file"),
        row("pictures of an import", number(transfer::read_import::MAX_PICTURES), "Further photos are left out"),
        row("pictures of one photo of an import together", bytes(value::MAX_UPLOAD_BYTES), "The photo is left out"),
        row("transactions of an import", number(transfer::read_import::MAX_WRITES), "The rest is left out"),
        row("reasons of an import for what it leaves out", count(item::MAX_LEFT_OUT), "Further things are counted"),
        row("time between two imports", seconds(item::IMPORT_LIFETIME_SECONDS), "The answer is the earlier import"),
    ]
}

fn times(template: &Value, recordings: &[Recording]) -> Result<Vec<Row>> {
    let functions = recordings.iter().map(|recording| &recording.function);
    let routes = functions.clone().filter(|function| !function.routes.is_empty());
    let timeout = routes.map(|function| function.timeout.as_secs()).max().context("no function has a route")?;
    let mut rows = vec![
        row("answer to a request", seconds(timeout), "503, one second before"),
        row(
            "validity of an idempotency key",
            seconds(item::IDEMPOTENCY_KEY_LIFETIME_SECONDS),
            "The same request creates something new",
        ),
        row("restoring a deleted favorite (`HistoryDays`)", days(parameter(template, "HistoryDays")?), "404"),
        row(
            "rest of a deleted username (`NameRestDays`)",
            days(parameter(template, "NameRestDays")?),
            "The name is free",
        ),
        row(
            "trace of a deleted or expired photo",
            seconds(item::TRACE_LIFETIME_SECONDS),
            "An import can make the photo again",
        ),
        row(
            "decision about a report",
            seconds(item::DECISION_LIFETIME_SECONDS),
            "The history of the report does not show it",
        ),
        row("welcome e-mails to one account", days(item::WELCOME_LIFETIME_DAYS), "A new profile gets the next e-mail"),
    ];
    for function in functions.filter(|function| function.routes.is_empty()) {
        let beyond = match function {
            function if !function.mappings.is_empty() => "The records that are left come again",
            function if function.reads_records() => "The message comes again",
            function if !function.triggers.is_empty() => "Cognito asks again",
            function if function.connects => "The handshake fails",
            function if !function.schedules.is_empty() => "The next event comes as scheduled",
            _ => "Lambda repeats the event",
        };
        rows.push(row(format!("timeout of {}", function.name), seconds(function.timeout.as_secs()), beyond));
    }
    Ok(rows)
}

fn rates(template: &Value, edge: &Value) -> Result<Vec<Row>> {
    let rate = |template, what, name| Ok(row(what, number(parameter(template, name)?), "429"));
    [
        rate(template, "requests per second to a route (`ThrottlingRateLimit`)", "ThrottlingRateLimit"),
        rate(template, "requests at once to a route (`ThrottlingBurstLimit`)", "ThrottlingBurstLimit"),
        rate(edge, "requests with one token in 5 minutes (`RequestsPerToken`)", "RequestsPerToken"),
        rate(edge, "requests from one address in 5 minutes (`RequestsPerAddress`)", "RequestsPerAddress"),
    ]
    .into_iter()
    .collect()
}

fn row(what: impl Into<String>, limit: String, beyond: &'static str) -> Row {
    Row { what: what.into(), limit, beyond }
}

fn number(number: u64) -> String {
    grouped(&number.to_string())
}

fn count(limit: usize) -> String {
    number(count_of(limit))
}

fn count_of(limit: usize) -> u64 {
    limit.try_into().unwrap_or(u64::MAX)
}

/// Returns a size in the largest unit of which it is a multiple.
fn bytes(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1_000_000_000, "GB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes")];
    in_largest(bytes, &units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_their_largest_unit() {
        let sizes = [64 << 10, 5 << 30, 50_000_000_000, 64].map(bytes);
        assert_eq!(sizes, ["64 KiB", "5 GiB", "50 GB", "64 bytes"]);
    }
}
