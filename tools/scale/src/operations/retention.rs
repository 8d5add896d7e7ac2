//! The times for which the system keeps what it stores: what, where, how long, and who sees it.
//!
//! The times are those of the constants and of the templates, so nothing compares them.
//! [`Retention::table`] fails if a table, a queue, a log group, the user pool or a folder of the
//! bucket has no row.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use shared::entities::{
    DECISION_LIFETIME_SECONDS, DEVICE_LIFETIME_DAYS, ENTRY_LIFETIME_SECONDS, EXPORT_LIFETIME_SECONDS,
    IDEMPOTENCY_KEY_LIFETIME_SECONDS, INBOX_LIFETIME_DAYS, POPULAR_LIFETIME_SECONDS, RANKING_LIFETIME_SECONDS,
    SCREEN_LIFETIME, TRACE_LIFETIME_SECONDS, WELCOME_LIFETIME_DAYS,
};

use super::yaml::{self, parameter};
use crate::text::{DAY, days, seconds};

/// The time for which DynamoDB keeps a record of a stream, in days. See
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html>.
pub const STREAM_DAYS: u64 = 1;

/// The logical ids of the tables.
const PHOTOS: &str = "QuickPhotosTable";
const FAVORITES: &str = "FavoriteTable";
const FEEDS: &str = "FeedTable";

/// The queues of the jobs of process-changes.
const JOB_QUEUES: [&str; 8] = [
    "CountsQueue",
    "FeedsQueue",
    "NotificationsQueue",
    "AlertsQueue",
    "DirectoryQueue",
    "HashtagsQueue",
    "RankingsQueue",
    "WelcomeQueue",
];
/// The dead-letter queues of the jobs.
const DEAD_LETTERS: [&str; 10] = [
    "FailedCounts",
    "FailedFeeds",
    "FailedNotifications",
    "FailedAlerts",
    "FailedPushes",
    "FailedLive",
    "FailedDirectory",
    "FailedHashtags",
    "FailedRankings",
    "FailedWelcome",
];

/// A kind of stored data.
struct Row {
    what: &'static str,
    places: Vec<Place>,
    /// The time, with `{}` in the place of what `length` is.
    time: &'static str,
    length: Length,
    seen_by: &'static str,
}

/// A place that keeps data.
#[derive(Clone, Copy)]
enum Place {
    /// A resource of template.yaml or of the template of the workers, by its logical id.
    Resource(&'static str),
    /// A folder of the bucket that has a rule.
    Folder(&'static str),
    /// Something that no property of the templates names.
    Other(&'static str),
}

/// The place that states the length of a time.
enum Length {
    /// Nowhere: something else than time ends the data.
    None,
    /// In the template, beside the last of the places.
    Place,
    /// A parameter in days, by its name.
    Parameter(&'static str),
    Seconds(u64),
    Days(u64),
    /// In pictures.yaml, for the edges of CloudFront.
    Edges,
}

fn row(what: &'static str, places: &[Place], time: &'static str, length: Length, seen_by: &'static str) -> Row {
    Row { what, places: places.to_vec(), time, length, seen_by }
}

/// Returns what is stored.
fn rows() -> Vec<Row> {
    use Length::{Days, Edges, None, Parameter, Place as OfPlace, Seconds};
    use Place::{Folder, Other, Resource};
    let queues = |names: &[&'static str]| names.iter().copied().map(Resource).collect::<Vec<_>>();
    let (jobs, given_up) = (queues(&JOB_QUEUES), queues(&DEAD_LETTERS));
    let [photos, favorites, feeds] = [PHOTOS, FAVORITES, FEEDS].map(Resource);
    // Either of the two users, if it has two.
    let until_deleted = "until deleted";
    let audience = "[audience](../functions/photos/README.md#audiences)";
    let of_people = vec![
        row("account, password hash", &[Resource("UserPool")], "until it is deleted there", None, "user, operators"),
        row("profile", &[photos], until_deleted, None, "everybody whom the user does not block"),
        row("e-mail and postal address, birthdate, `sub`", &[photos], until_deleted, None, "user"),
        row(
            "photos, captions, comments, reactions",
            &[photos, Other("bucket `photos/`")],
            until_deleted,
            None,
            audience,
        ),
        row("followers; requests, blocks, mutes", &[photos], until_deleted, None, "everybody; the two users"),
        row("of whose new photos a user is told", &[photos], until_deleted, None, "user"),
        row("alerts: of which photo a user was told", &[photos], "{} at most", Days(INBOX_LIFETIME_DAYS + 1), "user"),
        row("links with their tokens, and how long they open", &[photos], until_deleted, None, "user"),
    ];
    let others = vec![
        row("favorites, tags", &[favorites], until_deleted, None, "user"),
        row("deleted favorites", &[favorites], "{}", Parameter("HistoryDays"), "user"),
        row("answers to repeated requests", &[favorites], "{}", Seconds(IDEMPOTENCY_KEY_LIFETIME_SECONDS), "user"),
        row(
            "uploaded files, with metadata",
            &[Folder("incoming/"), Folder("imported/")],
            "seconds, {} at most",
            OfPlace,
            "nobody",
        ),
        row("notifications", &[feeds], "{} after their day", Days(INBOX_LIFETIME_DAYS), "user"),
        row(
            "devices, with endpoints and tokens",
            &[feeds],
            "{} after their last use",
            Days(DEVICE_LIFETIME_DAYS),
            "user",
        ),
        row(
            "photos that open windows show",
            &[feeds],
            "{} after their last use",
            Seconds(SCREEN_LIFETIME.as_secs()),
            "nobody",
        ),
        row("entries of feeds", &[feeds], "{}", Seconds(ENTRY_LIFETIME_SECONDS), "reader"),
        row("engagements; directory; vectors", &[feeds], "as their source", None, "user; everybody; nobody"),
        row("hashtags of photos for everyone", &[feeds], "as the photo, 5 years at most", None, "everybody"),
        row("followed hashtags, with a copy", &[photos, feeds], until_deleted, None, "user"),
        row("popular photos", &[feeds], "{} after the upload", Seconds(POPULAR_LIFETIME_SECONDS), "nobody"),
        row("rankings of them", &[feeds], "{}", Seconds(RANKING_LIFETIME_SECONDS), "everybody"),
        row("hidden hashtags", &[photos], "until a moderator shows them", None, "nobody"),
        row("exports", &[feeds], "{} after the file is complete", Seconds(EXPORT_LIFETIME_SECONDS), "user"),
        row("files of exports", &[Folder("exports/")], "{} at most", OfPlace, "user, who has the URL"),
        row("files of imports", &[Folder("imports/")], "minutes, {} at most", OfPlace, "user"),
        row("Welcome: `sub` that got its e-mail", &[photos], "{}", Days(WELCOME_LIFETIME_DAYS), "user, in an export"),
        row("tombstone of a user: name, times", &[photos], "{} and some hours", Parameter("NameRestDays"), "nobody"),
        row("trace of a photo: name, times", &[photos], "{}", Seconds(TRACE_LIFETIME_SECONDS), "nobody"),
        row(
            "catalogues",
            &[Resource("MusicTable"), Resource("PeopleTable")],
            "until an editor deletes them",
            None,
            "everybody",
        ),
        row("changes, with whole items", &[Other("DynamoDB Streams")], "{}", Days(STREAM_DAYS), "functions"),
        row("messages, with whole items", &jobs, "seconds, {} at most", OfPlace, "functions"),
        row("the same, for pushes", &[Resource("PushQueue")], "seconds, {} at most", OfPlace, "functions"),
        row("the same, for live screens", &[Resource("LiveQueue")], "seconds, {} at most", OfPlace, "functions"),
        row("the same, given up", &given_up, "{}", OfPlace, "operators"),
        row(
            "positions in streams; uploads with username, IP address",
            &[Resource("FailedRecords")],
            "{}",
            OfPlace,
            "operators",
        ),
        row(
            "messages with a username",
            &[Resource("ExportsQueue"), Resource("FailedExports")],
            "{}",
            OfPlace,
            "operators",
        ),
        row("messages with a username", &[Resource("ImportedPicturesQueue")], "{}", OfPlace, "functions"),
        row("IP address, username, path of each request", &[Resource("AccessLogs")], "{}", OfPlace, "operators"),
        row("no personal data", &[Resource("FunctionLogs")], "{}", OfPlace, "operators"),
        row("objects moved by the audit", &[Folder("orphans/")], "{}", OfPlace, "operators"),
        row("pictures, exports", &[Other("edges of CloudFront")], "{}", Edges, "who has a URL"),
        row("addresses that bounced", &[Other("list of SES")], "until removed", None, "operators"),
    ];
    of_people.into_iter().chain(of_moderation(photos)).chain(others).collect()
}

/// Returns the rows of what moderators see.
fn of_moderation(photos: Place) -> Vec<Row> {
    use Length::{None, Seconds};
    let until_deleted = "until deleted";
    vec![
        row("reports", &[photos], until_deleted, None, "reporter, moderators"),
        row(
            "decisions about reports, with username and `sub` of the moderator",
            &[photos],
            "until the reported user is deleted, {} at most",
            Seconds(DECISION_LIFETIME_SECONDS),
            "moderators",
        ),
        row(
            "decisions about hashtags, with the same",
            &[photos],
            "{}",
            Seconds(DECISION_LIFETIME_SECONDS),
            "moderators",
        ),
        row(
            "reports of people without an account: a hash of the IP address and the day, hashes of the tokens",
            &[photos],
            "until the end of the day",
            None,
            "nobody",
        ),
    ]
}

/// The templates that keep data.
pub struct Retention {
    template: Value,
    /// The template of the workers, which has the queues of their jobs.
    workers: Value,
    pictures: Value,
}

impl Retention {
    /// Reads the templates below the root of the repository.
    pub fn read(root: &Path) -> Result<Self> {
        let read = |name: &str| yaml::read(&root.join(name));
        let workers = read("functions/workers/template.yaml")?;
        Ok(Self { template: read("template.yaml")?, workers, pictures: read("pictures.yaml")? })
    }

    /// Returns the number of days for which the queue of failed records keeps a message.
    pub fn queue_days(&self) -> Result<u64> {
        Ok(self.seconds(Place::Resource("FailedRecords"))? / DAY)
    }

    /// Returns the table of what is stored.
    pub(crate) fn table(&self) -> Result<String> {
        let rows = rows();
        self.require_all(&rows)?;
        let mut table = "| what | where | how long | who sees it |\n|---|---|---|---|\n".to_owned();
        for row in &rows {
            let length = match row.length {
                Length::None => String::new(),
                Length::Seconds(length) => seconds(length),
                Length::Days(length) => days(length),
                Length::Parameter(name) => days(parameter(&self.template, name)?),
                Length::Edges => format!("{} minutes", self.edge_minutes()?),
                Length::Place => {
                    let all = row.places.iter().map(|place| self.seconds(*place)).collect::<Result<BTreeSet<_>>>();
                    let all = all.with_context(|| row.what.to_owned())?;
                    ensure!(all.len() == 1, "{} has places with different times: {all:?}", row.what);
                    all.first().copied().map(seconds).unwrap_or_default()
                }
            };
            let length = row.time.replace("{}", &length);
            let places = row.places.iter().map(|place| self.place(*place)).collect::<Result<Vec<_>>>()?;
            writeln!(table, "| {} | {} | {length} | {} |", row.what, places.join(", "), row.seen_by)?;
        }
        let tables = self.backed_up().map(table_name).collect::<Result<Vec<_>>>()?.join(", ");
        let time = days(parameter(&self.template, "RecoveryPeriodInDays")?);
        writeln!(table, "| backups | {tables} | {time} | operators |")?;
        Ok(table)
    }

    /// Returns the table of what is gone at which time after a deletion.
    pub(crate) fn after_deletion(&self) -> Result<String> {
        let minutes = self.edge_minutes()?;
        let rest = days(parameter(&self.template, "NameRestDays")?);
        let rows = [
            ("the answer".to_owned(), "the user exists for nobody, and the token of the account writes nothing"),
            (
                "seconds, or minutes for much data".to_owned(),
                "everything of the user in tables and bucket, with what others wrote on the user's photos; the counts of \
                 others are right",
            ),
            (format!("{minutes} minutes more"), "pictures at the edges of CloudFront"),
            (days(STREAM_DAYS), "records of the streams"),
            (days(self.queue_days()?), "messages that were given up"),
            (format!("{rest} and some hours"), "the tombstone: the name is free, within a few days"),
            (
                seconds(ENTRY_LIFETIME_SECONDS),
                "entries of the user's photos in feeds that no reader has read since; objects that the audit had moved",
            ),
            (days(parameter(&self.template, "RecoveryPeriodInDays")?), "the backups, and so the data for good"),
            (days(parameter(&self.template, "AccessLogRetentionDays")?), "the username in the access log"),
            (days(WELCOME_LIFETIME_DAYS), "the Welcome with the `sub`"),
            (
                seconds(DECISION_LIFETIME_SECONDS),
                "the username and the `sub` in decisions that the user made as a moderator",
            ),
        ];
        let mut table = "| after | what is gone |\n|---|---|\n".to_owned();
        for (time, what) in rows {
            writeln!(table, "| {time} | {what} |")?;
        }
        Ok(table)
    }

    /// Returns the time for which an edge of CloudFront keeps a picture, in minutes.
    fn edge_minutes(&self) -> Result<u64> {
        let cache = &self.pictures["Resources"]["PicturesCache"]["Properties"]["CachePolicyConfig"]["MaxTTL"];
        Ok(cache.as_u64().context("PicturesCache has no MaxTTL")? / 60)
    }

    fn resources(&self) -> impl Iterator<Item = (&str, &Value)> {
        let resources = [&self.template, &self.workers].map(|template| template["Resources"].as_object());
        resources.into_iter().flatten().flatten().map(|(id, resource)| (id.as_str(), resource))
    }

    fn properties(&self, id: &str) -> Result<&Value> {
        let resource = self.resources().find(|(other, _)| *other == id);
        let (_, resource) = resource.with_context(|| format!("the templates have no resource {id}"))?;
        Ok(&resource["Properties"])
    }

    /// Returns the rules of the bucket by their folders.
    fn rules(&self) -> Result<impl Iterator<Item = (&str, &Value)>> {
        let rules = self.properties("PhotosBucket")?["LifecycleConfiguration"]["Rules"].as_array();
        Ok(rules.into_iter().flatten().filter_map(|rule| Some((rule["Prefix"].as_str()?, rule))))
    }

    /// Returns the tables with point-in-time recovery.
    fn backed_up(&self) -> impl Iterator<Item = &Value> {
        let tables = self.resources().map(|(_, resource)| &resource["Properties"]);
        tables.filter(|properties| properties["PointInTimeRecoverySpecification"].is_object())
    }

    /// Fails if something in the templates keeps data and has no row.
    fn require_all(&self, rows: &[Row]) -> Result<()> {
        let places = || rows.iter().flat_map(|row| &row.places);
        for (id, resource) in self.resources() {
            let keeps = ["DynamoDB::Table", "SQS::Queue", "Logs::LogGroup", "Cognito::UserPool"];
            let keeps = keeps.iter().any(|kind| resource["Type"] == format!("AWS::{kind}"));
            if keeps && !places().any(|place| matches!(place, Place::Resource(known) if *known == id)) {
                bail!("{id} keeps data: add a row to tools/scale/src/operations/retention.rs");
            }
        }
        for (folder, _) in self.rules()? {
            if !places().any(|place| matches!(place, Place::Folder(known) if *known == folder)) {
                bail!("{folder} of the bucket keeps data: add a row to tools/scale/src/operations/retention.rs");
            }
        }
        Ok(())
    }

    /// Returns the number of seconds that the template states for a place.
    fn seconds(&self, place: Place) -> Result<u64> {
        match place {
            Place::Resource(id) => {
                let properties = self.properties(id)?;
                if let Some(name) = properties["RetentionInDays"]["Ref"].as_str() {
                    return Ok(parameter(&self.template, name)? * DAY);
                }
                let seconds = properties["MessageRetentionPeriod"].as_u64();
                seconds.with_context(|| format!("{id} states no time"))
            }
            Place::Folder(folder) => {
                let rule = self.rules()?.find(|(prefix, _)| *prefix == folder);
                let days = rule.and_then(|(_, rule)| rule["ExpirationInDays"].as_u64());
                Ok(days.with_context(|| format!("the bucket has no rule for {folder}"))? * DAY)
            }
            Place::Other(name) => bail!("{name} states no time"),
        }
    }

    /// Returns the name of a place in the table.
    fn place(&self, place: Place) -> Result<String> {
        match place {
            Place::Resource(id) if id.ends_with("Table") => table_name(self.properties(id)?),
            Place::Resource(id) => self.properties(id).map(|_| id.to_owned()),
            Place::Folder(folder) => Ok(format!("bucket `{folder}`")),
            Place::Other(name) => Ok(name.to_owned()),
        }
    }
}

/// Returns the name of a table as documents write it.
fn table_name(properties: &Value) -> Result<String> {
    let name = &properties["TableName"];
    match (name["Ref"].as_str(), name["Sub"].as_str()) {
        (Some(_), _) => Ok("`quick-photos`".to_owned()),
        (_, Some(name)) => Ok(format!("`{}`", name.replace("${Stage}", "<stage>"))),
        _ => bail!("a table without a name"),
    }
}
