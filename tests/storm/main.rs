//! 500 random writes and deletes by 20 users at once, while functions are killed: no acknowledged write is lost, and an
//! audit finds nothing. On the file of items that the environment variable `QUICK_PHOTOS_ITEMS` names, or else on the
//! sample data. `STORM_SEED` makes everybody draw the same again; who comes first is never the same.

#![allow(clippy::unwrap_used)]

mod check;
mod user;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::lambda::build;
use local::stack::{Options, Stack};
use local::template::Template;
use ops::audit;
use ops::client;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tests::kill_one;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use check::{Items, read};
use user::{User, World};

const TABLE: &str = "quick-photos";
const USERS: usize = 20;
const WRITES_EACH: usize = 25;
/// How often some function is killed, and how often it is the one that finishes deletions.
const KILLS: usize = 7;
const KILLS_OF_FINISH_DELETION: usize = 3;
/// Long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_mins(2);

#[tokio::test]
async fn five_hundred_writes_while_functions_are_killed() {
    let seed = std::env::var("STORM_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    eprintln!("STORM_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);

    let root = Template::find().unwrap().parent().unwrap().to_owned();
    build::functions(&root).await.expect("the functions build");
    let items = std::env::var_os("QUICK_PHOTOS_ITEMS").map(PathBuf::from);
    let stack = Arc::new(Stack::start(Options { items, ..Options::default() }).await.unwrap());
    let dynamodb = client::connect(Some(stack.dynamodb())).await.unwrap();

    let begin = Instant::now();
    let before = read(&dynamodb).await;
    let world = Arc::new(World::new(stack.clone(), &before));
    let mut users = JoinSet::new();
    for (index, username) in before.users.keys().take(USERS).enumerate() {
        // Some delete themselves for sure, others by chance.
        let farewell = (index % 7 == 0).then(|| random.random_range(2..WRITES_EACH / 2));
        let user = User::new(username.clone(), world.clone(), StdRng::from_rng(&mut random), &before);
        users.spawn(user.write(WRITES_EACH, farewell));
    }
    assert_eq!(users.len(), USERS);

    let mut moments: Vec<usize> = (0..KILLS).map(|_| random.random_range(20..USERS * WRITES_EACH - 20)).collect();
    moments.sort_unstable();
    let killing = async {
        let mut done = world.done.subscribe();
        for moment in moments {
            done.wait_for(|done| *done >= moment).await.unwrap();
            kill_one(&mut random, |_| true).await;
        }
    };
    let mut random_too = StdRng::seed_from_u64(seed + 1);
    let killing_of_finish_deletion = async {
        let mut deleted = world.deleted.subscribe();
        deleted.wait_for(|deleted| *deleted > 0).await.unwrap();
        for _ in 0..KILLS_OF_FINISH_DELETION {
            // It waits for two seconds before each pass, and is through with one within a fraction of another.
            sleep(Duration::from_millis(random_too.random_range(500..3000))).await;
            kill_one(&mut random_too, |name| name == "finish-deletion").await;
        }
    };
    let (users, (), ()) =
        timeout(PATIENCE, async { tokio::join!(users.join_all(), killing, killing_of_finish_deletion) })
            .await
            .expect("the users come to an end");
    let written = begin.elapsed();

    timeout(PATIENCE, stack.streams_idle()).await.expect("the streams come to rest");
    let users: BTreeMap<_, _> = users.into_iter().map(|user| (user.name.clone(), user)).collect();
    eprintln!(
        "{} writes in {:.1} s, {} answers lost, {} users deleted, {} created again, at rest after {:.1} s",
        *world.done.borrow(),
        written.as_secs_f64(),
        users.values().map(|user| user.lost).sum::<usize>(),
        *world.deleted.borrow(),
        users.values().map(|user| user.created).sum::<usize>(),
        begin.elapsed().as_secs_f64(),
    );
    let after: Items = read(&dynamodb).await;
    let lost = check::differences(&users, &after);
    assert!(lost.is_empty(), "STORM_SEED={seed}\n{}", lost.join("\n"));
    let report = audit::run(&dynamodb, TABLE, audit::Options::default(), |_| {}).await.unwrap();
    assert!(report.findings.is_empty() && report.unsettled == 0, "STORM_SEED={seed}\n{:#?}", report.findings);
    let failures = stack.outbox().contents()["failures"].clone();
    assert_eq!(failures, serde_json::json!([]), "STORM_SEED={seed}");

    drop(world);
    drop(users);
    Arc::into_inner(stack).expect("nobody else has the stack").shutdown().await;
}
