//! One burst of requests that all change one count.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use dynoxide::Database;
use fastrand::Rng;
use futures_util::FutureExt as _;
use local::gateway::router::Router;
use local::listener;
use local::services::dynamodb::{self, Engine};
use local::template::Template;
use scale::assumptions::Assumptions;
use serde_json::{Value, json};
use shared::dynamodb::{Item, entity};
use shared::feed::{Delivery, Key, Latest, MAX_LATEST};
use shared::values::Username;
use testing::{FEED, QUICK_PHOTOS};
use tokio::runtime::Builder;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep, sleep_until};

use crate::count::{self, Count};
use crate::dynamodb::{DynamoDb, ServiceTimes, Statistics};
use crate::lambda::Functions;
use crate::limiter::Limiter;
use crate::queues::queues;
use crate::request::{Division, Tables};
use crate::streams::Streams;

/// The user who has the count, or the photo with it.
const STAR: &str = "star";
/// The time of the photo.
const TIMESTAMP: &str = "2025-01-01T00:00:00";
/// The time after the last answer by which the count has to be exact.
const TIMEOUT: Duration = Duration::from_mins(15);
/// The pause between two looks at the count after the burst.
const PAUSE: Duration = Duration::from_millis(500);

/// The requests of a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Each caller reacts to the same photo.
    Reactions,
    /// Each caller follows the same user.
    Follows,
    /// Each caller reads the first page of a feed in which the same pulled author has a new photo.
    Feeds,
}

/// A burst, and the DynamoDB that it meets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) subject: Subject,
    pub(crate) requests_per_second: u32,
    pub(crate) seconds: u32,
    pub(crate) division: Division,
    /// The time whose units a partition can save.
    pub(crate) burst_capacity: Duration,
    /// Whether a transaction that is cancelled because of a conflict takes no units.
    pub(crate) free_conflicts: bool,
    pub(crate) times: ServiceTimes,
    pub(crate) shards: usize,
    pub(crate) seed: u64,
}

/// The result of a burst.
pub(crate) struct Outcome {
    /// The number of answers by HTTP status.
    pub(crate) answers: BTreeMap<u16, usize>,
    pub(crate) latencies: Vec<Duration>,
    pub(crate) statistics: Statistics,
    /// The largest number of environments of Lambda that were busy at the same time.
    pub(crate) environments: usize,
    /// The number of items that were written, and the count of them in the end.
    pub(crate) written: usize,
    pub(crate) count: usize,
    /// The time from the last request until the count was exact, if it became so.
    pub(crate) exact_after: Option<Duration>,
    pub(crate) largest_lag: Duration,
    pub(crate) largest_difference: usize,
    /// The items in the table that are still marked as uncounted.
    pub(crate) marked: usize,
}

impl Subject {
    fn function(self) -> &'static str {
        match self {
            Self::Reactions => "add-reaction",
            Self::Follows => "follow-user",
            Self::Feeds => "read-feed",
        }
    }

    fn request(self, caller: &str) -> String {
        match self {
            Self::Reactions => format!("{caller} PUT /users/{STAR}/photos/{TIMESTAMP}/reactions/heart"),
            Self::Follows => format!("{caller} PUT /users/{STAR}/followers/{caller}"),
            Self::Feeds => format!("{caller} GET /users/{caller}/feed"),
        }
    }

    /// Returns the attribute that only what is counted has. Feeds count nothing.
    fn counted(self) -> &'static str {
        match self {
            Self::Reactions => "reactingUser",
            Self::Follows => "followingUser",
            Self::Feeds => "none",
        }
    }

    fn count(self, table: &str) -> Count {
        let pk = format!("USER#{STAR}");
        let (sk, path) = match self {
            Self::Reactions => (format!("PHOTO#{STAR}#{TIMESTAMP}"), "/Item/reactions/M/heart/N"),
            Self::Follows | Self::Feeds => (format!("#METADATA#{STAR}"), "/Item/followers/N"),
        };
        Count::new(count::key(table, &[("PK", &pk), ("SK", &sk)]), path, self.counted())
    }

    /// Puts the items that the burst needs.
    fn import(self, database: &Database, template: &Template, callers: u32) -> Result<()> {
        let (table, feed) = (&template.table(QUICK_PHOTOS)?.name, &template.table(FEED)?.name);
        let mut items = vec![testing::user(STAR), testing::photo(STAR, TIMESTAMP)];
        items.extend((0..callers).map(|number| testing::user(&caller(number))));
        if self == Self::Feeds {
            let author: Username = STAR.parse()?;
            items.extend((0..callers).map(|number| testing::friendship(STAR, &caller(number))));
            let pulls = (0..callers).map(|number| Ok(Key::pull(&caller(number).parse()?, &author).into()));
            let mut pulls: Vec<Item> = pulls.collect::<Result<_>>()?;
            let photos: BTreeSet<_> =
                (0..MAX_LATEST).map(|number| format!("2024-12-31T00:{:02}:{:02}", number / 60, number % 60)).collect();
            items.extend(photos.iter().map(|timestamp| testing::photo(STAR, timestamp)));
            let photos = photos.iter().map(|timestamp| timestamp.parse()).collect::<Result<_, _>>()?;
            let latest = Latest { author, photos, delivery: Delivery::Pull, converted: None };
            pulls.push(entity::to_item(Key::latest(&latest.author), &latest).map_err(|error| anyhow!("{error:?}"))?);
            dynamodb::import(database, feed, pulls)?;
        }
        dynamodb::import(database, table, items)
    }
}

/// Runs a burst in virtual time.
pub(crate) fn run(plan: &Plan) -> Result<Outcome> {
    // The pauses of the functions' and the SDK's retries.
    fastrand::seed(plan.seed);
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build()?;
    LocalSet::new().block_on(&runtime, send(plan))
}

async fn send(plan: &Plan) -> Result<Outcome> {
    let template = Template::read(&Template::find()?)?;
    let table = template.table(QUICK_PHOTOS)?.name.clone();
    let engine = Engine::start(listener::bind(Ipv4Addr::LOCALHOST.into(), 0)?, None)?;
    let database = engine.database();
    dynamodb::create_tables(database, &template)?;
    let callers = plan.requests_per_second * plan.seconds;
    plan.subject.import(database, &template, callers)?;

    let assumptions = Assumptions::read()?;
    let limiter = Limiter::new(&assumptions, plan.burst_capacity, plan.free_conflicts);
    let tables = Tables::new(&template, plan.division);
    let (random, count) = (Rng::with_seed(plan.seed), plan.subject.count(&table));
    let (queues, calls) = queues(&template);
    let aws = DynamoDb::new(database.clone(), tables, limiter, plan.times, random, count, queues.clone());
    let functions = Rc::new(Functions::new(&template, aws.client()));
    calls.serve(Rc::clone(&functions));
    let poll_interval = Duration::from_secs_f64(assumptions.value("poll_s"));
    let streams = Streams::start(&template, database, &functions, plan.shards, poll_interval)?;

    let router = Rc::new(Router::new(&template)?);
    let answers = Rc::new(RefCell::new(vec![]));
    let start = Instant::now();
    let mut calls = JoinSet::new();
    for (number, time) in (0..callers).zip(arrivals(plan)) {
        sleep_until(start + time).await;
        let (functions, router, answers) = (Rc::clone(&functions), Rc::clone(&router), Rc::clone(&answers));
        let subject = plan.subject;
        calls.spawn_local(async move {
            let sent = Instant::now();
            let event = explore::api_event(&router, &subject.request(&caller(number)))?;
            let status = functions.respond(subject.function(), event).await?;
            answers.borrow_mut().push((status, sent.elapsed()));
            anyhow::Ok(())
        });
    }
    let end = Instant::now();
    while let Some(call) = calls.join_next().await {
        call??;
    }
    let answered = Instant::now();
    let mut exact_since = None;
    while answered.elapsed() < TIMEOUT {
        let is_idle = streams.is_idle()? && queues.idle().now_or_never().is_some();
        exact_since = aws.with_count(Count::exact_since);
        if is_idle {
            break;
        }
        sleep(PAUSE).await;
    }

    let mut statuses = BTreeMap::new();
    for (status, _) in answers.borrow().iter() {
        *statuses.entry(*status).or_default() += 1;
    }
    let (largest_lag, largest_difference) = aws.with_count(Count::largest_lag);
    Ok(Outcome {
        answers: statuses,
        latencies: answers.borrow().iter().map(|(_, latency)| *latency).collect(),
        statistics: aws.statistics(),
        environments: functions.most(),
        written: items_with(database, &table, plan.subject.counted())?,
        count: aws.with_count(Count::count),
        exact_after: exact_since.map(|since| since.saturating_duration_since(end)),
        largest_lag,
        largest_difference,
        marked: items_with(database, &table, "uncounted")?,
    })
}

/// Returns the times at which callers send their requests: at random, because callers do not know
/// of each other.
fn arrivals(plan: &Plan) -> Vec<Duration> {
    let mut random = Rng::with_seed(plan.seed);
    let requests = 0..plan.requests_per_second * plan.seconds;
    let mut times: Vec<_> = requests.map(|_| Duration::from_secs(plan.seconds.into()).mul_f64(random.f64())).collect();
    times.sort_unstable();
    times
}

fn caller(number: u32) -> String {
    format!("caller{number}")
}

/// Returns the number of items that have an attribute.
fn items_with(database: &Database, table: &str, attribute: &str) -> Result<usize> {
    let mut scan = json!({
        "TableName": table, "Select": "COUNT", "FilterExpression": "attribute_exists(#name)",
        "ExpressionAttributeNames": {"#name": attribute},
    });
    let mut items = 0;
    loop {
        let (status, answer) = explore::serve(database, "Scan", &scan);
        anyhow::ensure!(status == 200, "a Scan fails: {answer}");
        let mut answer: Value = serde_json::from_str(&answer)?;
        items += usize::try_from(answer["Count"].as_u64().context("the answer of a Scan has no count")?)?;
        match answer["LastEvaluatedKey"].take() {
            Value::Null => return Ok(items),
            last => scan["ExclusiveStartKey"] = last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(subject: Subject, requests_per_second: u32) -> Plan {
        Plan {
            subject,
            requests_per_second,
            seconds: 1,
            division: Division::Items,
            burst_capacity: Duration::from_secs(1),
            free_conflicts: false,
            times: ServiceTimes { transaction: Duration::from_millis(8), other: Duration::from_millis(4) },
            shards: 2,
            seed: 1,
        }
    }

    #[test]
    fn counts_everything_below_the_limit() {
        for subject in [Subject::Reactions, Subject::Follows] {
            let outcome = run(&plan(subject, 20)).unwrap();
            assert_eq!(outcome.answers, BTreeMap::from([(201, 20)]));
            assert_eq!((outcome.written, outcome.count, outcome.marked), (20, 20, 0));
            assert!(outcome.exact_after < Some(Duration::from_secs(1)));
        }
    }

    /// The newest photos of the author take a read unit for each page that is not remembered.
    #[test]
    fn reads_what_everybody_reads_a_few_times_in_each_process() {
        let outcome = run(&plan(Subject::Feeds, 200)).unwrap();
        assert_eq!(outcome.answers, BTreeMap::from([(200, 200)]));
        let most = 200 + 200 + 2 * outcome.environments;
        assert!(
            outcome.statistics.requests <= most,
            "{} requests, {} environments",
            outcome.statistics.requests,
            outcome.environments
        );
    }

    #[test]
    fn a_burst_has_the_same_outcome_again() {
        let outcomes = [(); 2].map(|()| run(&plan(Subject::Reactions, 100)).unwrap());
        let [one, other] = outcomes.map(|outcome| (outcome.latencies, outcome.statistics.conflicts));
        assert!(one.1 > 0);
        assert_eq!(one, other);
    }
}
