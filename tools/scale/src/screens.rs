//! The screens of a client, and what the one request that draws each of them costs: a table of
//! docs/api.md.

use std::fmt::Write as _;

use anyhow::Result;
use local::costs::Costs;
use local::sample;
use local::services::dynamodb;
use testing::runner::Runner;
use time::OffsetDateTime;
use time::macros::time;

/// The sample user who looks at the screens.
const CALLER: &str = "ben";

/// Each screen, and the path and the query string of its request.
const SCREENS: [(&str, &str); 10] = [
    ("my account, the bell", "/users/me?include=counts"),
    ("home feed", "/users/me/feed?include=viewer&limit=20"),
    ("photo", "/users/ada/photos/2024-05-30T15:42:38?include=comments,people,viewer"),
    ("profile", "/users/ada/profile?order=desc&include=viewer&limit=20"),
    ("followers", "/users/ada/followers?include=people,viewer&limit=20"),
    ("notifications", "/users/me/notifications?include=comments,people,photos&limit=20"),
    ("saved photos", "/users/me/favorites/types/photo?include=people,viewer&limit=20"),
    ("similar photos", "/users/ada/photos/2024-05-30T15:42:38/similar?include=people,viewer"),
    ("find people", "/users?q=li&include=viewer&limit=20"),
    ("people to follow", "/users/me/suggestions?include=viewer"),
];

/// A screen, and what its request costs.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    name: &'static str,
    uri: &'static str,
    costs: Costs,
    bytes: usize,
}

/// Requests each screen on the sample data of a stack that starts today, so that only older entries of
/// feeds have expired. It starts at noon, because a notification gathers the events of a day of UTC.
pub(crate) async fn record() -> Result<Vec<Screen>> {
    let runner = Runner::new().await?;
    let start = OffsetDateTime::now_utc().replace_time(time!(12:00));
    for table in &runner.template().tables {
        dynamodb::import(runner.harness.database(), &table.name, sample::items(&table.logical_id, start))?;
    }
    runner.harness.snapshot()?;
    let mut screens = vec![];
    for (name, uri) in SCREENS {
        let (function, event) = runner.request("GET", CALLER, uri)?;
        let run = runner.run(function, &event).await?;
        let bytes = run.body.to_string().len();
        screens.push(Screen { name, uri, costs: run.costs(), bytes });
    }
    Ok(screens)
}

/// Returns the table of the screens.
pub(crate) fn table(screens: &[Screen]) -> String {
    let mut text = "| screen | `GET` | requests to DynamoDB | read units | kB |\n|---|---|--:|--:|--:|\n".to_owned();
    for Screen { name, uri, costs, bytes } in screens {
        let kilobytes = bytes.div_ceil(1000);
        let _ = writeln!(text, "| {name} | `{uri}` | {} | {} | {kilobytes} |", costs.requests, costs.reads);
    }
    text
}
