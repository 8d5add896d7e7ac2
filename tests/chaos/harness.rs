//! The parts that the chaos tests share: the stack, the killing of functions, the retries of
//! clients, and the final checks.

use std::collections::BTreeMap;
use std::process;
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::lambda::children::{children, signal};
use local::sample;
use local::stack::{Options, Stack};
use local::template::Template;
use ops::{audit, client};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use tests::stack;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The maximum time until all clients have finished, and until the streams are idle; long enough
/// for a loaded machine.
const TIMEOUT: Duration = Duration::from_mins(2);
const RETRY_DELAY: Duration = Duration::from_millis(20);
/// The number of requests at the start and at the end of a run in which no function is killed.
const REQUESTS_WITHOUT_KILLS: usize = 20;

/// A stack whose functions are killed while clients use it.
pub(crate) struct Chaos {
    pub(crate) stack: Arc<Stack>,
    pub(crate) dynamodb: aws_sdk_dynamodb::Client,
    pub(crate) template: Template,
    /// The number of requests that clients have finished.
    pub(crate) finished: watch::Sender<usize>,
    seed: u64,
    started: Instant,
}

impl Chaos {
    /// Builds the functions and starts a stack with the sample data.
    pub(crate) async fn start() -> Self {
        let seed = std::env::var("CHAOS_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
        eprintln!("CHAOS_SEED={seed}");
        // Some users have more followers than this and some have fewer, so photos reach feeds both
        // ways.
        let parameters = [("MaxPushedFollowers", "8")];
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let stack = Arc::new(stack::start(Options { parameters, ..Options::default() }).await);
        Self {
            dynamodb: client::connect(Some(stack.dynamodb())).await.unwrap(),
            stack,
            template: Template::read(&Template::find().unwrap()).unwrap(),
            finished: watch::Sender::new(0),
            seed,
            started: Instant::now(),
        }
    }

    /// Audits `table`, and the home feeds together with the photos. The streams are idle, so what
    /// is missing is a finding at any age, and at once.
    async fn audit(&self, table: &str) -> audit::Report {
        let feed = self.template.table(sample::FEED).unwrap();
        let has_feeds = table == self.template.table(sample::QUICK_PHOTOS).unwrap().name;
        let favorites = self.template.table(sample::FAVORITE).unwrap();
        let related = audit::RelatedData {
            feed_table: has_feeds.then_some(&*feed.name),
            favorite_table: has_feeds.then_some(&*favorites.name),
            bucket: None,
        };
        let options = audit::Options {
            recheck_delay: Duration::ZERO,
            min_age: Duration::ZERO,
            min_deletion_age: Duration::ZERO,
            ..audit::Options::default()
        };
        audit::run_with(&self.dynamodb, table, related, options, |_| {}).await.unwrap()
    }

    /// Returns the random numbers of this run.
    pub(crate) fn random(&self) -> StdRng {
        StdRng::seed_from_u64(self.seed)
    }

    /// Kills a random function whose name matches `kills` times, each time after a random number of
    /// the clients' `requests`.
    pub(crate) async fn kill_functions(
        &self,
        random: &mut StdRng,
        kills: usize,
        requests: usize,
        matches: impl Fn(&str) -> bool,
    ) {
        for time in random_times(random, kills, requests) {
            self.finished_requests(time).await;
            kill_function(random, &matches).await;
        }
    }

    /// Waits until the clients have finished this number of requests.
    pub(crate) async fn finished_requests(&self, number: usize) {
        self.finished.subscribe().wait_for(|finished| *finished >= number).await.unwrap();
    }

    /// Waits until the clients have finished and the functions are killed, and then until the
    /// streams are idle. Returns the clients.
    pub(crate) async fn finish<C: 'static>(&self, clients: JoinSet<C>, kills: impl Future<Output = ()>) -> Vec<C> {
        let both = async { tokio::join!(clients.join_all(), kills) };
        let (clients, ()) = timeout(TIMEOUT, both).await.expect("the clients finish in time");
        let requests_took = self.started.elapsed();
        timeout(TIMEOUT, self.stack.idle()).await.expect("the stack becomes idle in time");
        eprintln!(
            "{} requests in {:.1} s, streams idle after {:.1} s",
            *self.finished.borrow(),
            requests_took.as_secs_f64(),
            self.started.elapsed().as_secs_f64(),
        );
        clients
    }

    /// Asserts that there are no `differences` between the acknowledged writes and the stored
    /// items, that the audit of `table` finds nothing, and that no stream record failed for good.
    /// Stops the stack.
    pub(crate) async fn assert_consistent(self, table: &str, differences: Vec<String>) {
        let seed = self.seed;
        assert!(differences.is_empty(), "CHAOS_SEED={seed}\n{}", differences.join("\n"));
        let report = self.audit(table).await;
        assert!(report.findings.is_empty() && report.unconfirmed == 0, "CHAOS_SEED={seed}\n{report}\n{report:#?}");
        assert_eq!(self.stack.outbox().contents()["failures"], json!([]), "CHAOS_SEED={seed}");
        Arc::into_inner(self.stack).expect("all clients are dropped").shutdown().await;
    }
}

/// Returns the numbers of finished requests after which `events` events happen, in ascending order.
pub(crate) fn random_times(random: &mut StdRng, events: usize, requests: usize) -> Vec<usize> {
    let range = REQUESTS_WITHOUT_KILLS..requests - REQUESTS_WITHOUT_KILLS;
    let mut times: Vec<usize> = (0..events).map(|_| random.random_range(range.clone())).collect();
    times.sort_unstable();
    times
}

/// Kills all processes of one random running function whose name matches. Waits for such a function
/// if none is running. It may be one of the other test, which runs in the same process at the same
/// time.
pub(crate) async fn kill_function(random: &mut StdRng, matches: impl Fn(&str) -> bool) {
    loop {
        let mut functions: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (pid, name) in children(process::id()) {
            // Every function has a hyphen in its name, and no other child process does.
            if name.contains('-') && matches(&name) {
                functions.entry(name).or_default().push(pid);
            }
        }
        let functions: Vec<_> = functions.into_iter().collect();
        if let Some((name, pids)) = functions.choose(random) {
            let killed = pids.iter().filter(|pid| signal(**pid, "KILL")).count();
            if killed > 0 {
                eprintln!("killed {killed} processes of {name}");
                return;
            }
        }
        sleep(RETRY_DELAY).await;
    }
}

/// The status and the body of an answer.
pub(crate) type Answer = (u16, Value);

/// An HTTP client of one user that repeats a request until a function answers it.
pub(crate) struct RetryingClient {
    pub(crate) stack: Arc<Stack>,
    pub(crate) http: reqwest::Client,
    username: String,
    /// The number of answers 502, 503 and 504, after each of which the client repeated the request.
    pub(crate) lost_answers: usize,
}

impl RetryingClient {
    pub(crate) fn new(stack: Arc<Stack>, username: &str) -> Self {
        Self { stack, http: reqwest::Client::new(), username: username.to_owned(), lost_answers: 0 }
    }

    /// Sends a request, and repeats it as long as the gateway answers that the function has died or
    /// is not available.
    pub(crate) async fn send(&mut self, method: Method, path: &str, body: Option<Value>) -> Answer {
        loop {
            let token = self.stack.token(&self.username).unwrap();
            let url = format!("{}{path}", self.stack.api());
            let mut request = self.http.request(method.clone(), url).bearer_auth(token);
            if let Some(body) = &body {
                request = request.json(body);
            }
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            if ![502, 503, 504].contains(&status) {
                return (status, answer.json().await.unwrap_or_default());
            }
            self.lost_answers += 1;
            sleep(RETRY_DELAY).await;
        }
    }
}
