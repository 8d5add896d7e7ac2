//! Random writes to favorites and tags by several clients of each of three owners at once, while functions are killed: no
//! acknowledged write is lost, and an audit finds nothing. `STORM_SEED` makes everybody draw the same again; who comes
//! first is never the same.

#![allow(clippy::unwrap_used)]

mod client;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::lambda::build;
use local::sample;
use local::stack::{Options, Stack};
use local::template::Template;
use ops::{audit, client as dynamodb};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use tests::kill_one;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use client::Client;

const OWNERS: [&str; 3] = ["ada", "ben", "cara"];
const CLIENTS_OF_EACH: usize = 4;
const REQUESTS_EACH: usize = 45;
/// How often some function is killed.
const KILLS: usize = 12;
/// Long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_mins(2);

#[tokio::test]
async fn five_hundred_requests_while_functions_are_killed() {
    let seed = std::env::var("STORM_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    eprintln!("STORM_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);

    let path = Template::find().unwrap();
    build::functions(path.parent().unwrap()).await.expect("the functions build");
    let stack = Arc::new(Stack::start(Options::default()).await.unwrap());

    let begin = Instant::now();
    let done = watch::Sender::new(0_usize);
    let mut clients = JoinSet::new();
    for owner in OWNERS {
        for number in 0..CLIENTS_OF_EACH {
            let client = Client::new(owner, number, stack.clone(), StdRng::from_rng(&mut random), done.clone());
            clients.spawn(client.write(REQUESTS_EACH));
        }
    }
    let all = OWNERS.len() * CLIENTS_OF_EACH * REQUESTS_EACH;
    let mut moments: Vec<usize> = (0..KILLS).map(|_| random.random_range(20..all - 20)).collect();
    moments.sort_unstable();
    let killing = async {
        let mut done = done.subscribe();
        for moment in moments {
            done.wait_for(|done| *done >= moment).await.unwrap();
            kill_one(&mut random, |_| true).await;
        }
    };
    let (clients, ()) = timeout(PATIENCE, async { tokio::join!(clients.join_all(), killing) })
        .await
        .expect("the clients come to an end");
    let written = begin.elapsed();

    timeout(PATIENCE, stack.streams_idle()).await.expect("the streams come to rest");
    let mut kinds = BTreeMap::<&str, usize>::new();
    for client in &clients {
        for (kind, number) in &client.kinds {
            *kinds.entry(kind).or_default() += number;
        }
    }
    eprintln!(
        "{all} requests in {:.1} s, {} answers lost, at rest after {:.1} s: {kinds:?}",
        written.as_secs_f64(),
        clients.iter().map(|client| client.lost).sum::<usize>(),
        begin.elapsed().as_secs_f64(),
    );
    for client in clients {
        let differences = client.differences().await;
        assert!(differences.is_empty(), "STORM_SEED={seed}\n{}", differences.join("\n"));
    }
    let template = Template::read(&path).unwrap();
    let table = &template.table(sample::FAVORITE).unwrap().name;
    let other = dynamodb::connect(Some(stack.dynamodb())).await.unwrap();
    let report = audit::run(&other, table, audit::Options::default(), |_| {}).await.unwrap();
    assert!(report.findings.is_empty() && report.unsettled == 0, "STORM_SEED={seed}\n{:#?}", report.findings);
    assert_eq!(stack.outbox().contents()["failures"], json!([]), "STORM_SEED={seed}");

    Arc::into_inner(stack).expect("nobody else has the stack").shutdown().await;
}
