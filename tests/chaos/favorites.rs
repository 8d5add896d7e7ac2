//! Several clients of each owner write favorites and tags at random while functions are killed.

mod client;

use std::collections::BTreeMap;

use local::sample;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::task::JoinSet;

use crate::harness::Chaos;
use client::Client;

const OWNERS: [&str; 3] = ["ada", "ben", "cara"];
const CLIENTS_PER_OWNER: usize = 4;
const REQUESTS_PER_CLIENT: usize = 45;
/// The number of times that a random function is killed.
const KILLS: usize = 12;

#[tokio::test]
async fn loses_no_acknowledged_write_while_functions_are_killed() {
    let chaos = Chaos::start().await;
    let mut random = chaos.random();
    let mut clients = JoinSet::new();
    for owner in OWNERS {
        for number in 0..CLIENTS_PER_OWNER {
            let client = Client::new(owner, number, &chaos, StdRng::from_rng(&mut random));
            clients.spawn(client.write(REQUESTS_PER_CLIENT));
        }
    }
    let requests = clients.len() * REQUESTS_PER_CLIENT;
    let clients = chaos.finish(clients, chaos.kill_functions(&mut random, KILLS, requests, |_| true)).await;

    let mut successes = BTreeMap::<&str, usize>::new();
    for client in &clients {
        for (kind, number) in &client.successes {
            *successes.entry(kind).or_default() += number;
        }
    }
    let lost_answers: usize = clients.iter().map(|client| client.http.lost_answers).sum();
    eprintln!("{lost_answers} answers lost, successful requests: {successes:?}");
    let mut differences = vec![];
    for client in clients {
        differences.extend(client.differences().await);
    }
    let table = chaos.template.table(sample::FAVORITE).unwrap().name.clone();
    chaos.assert_consistent(&table, differences).await;
}
