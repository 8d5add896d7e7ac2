//! Users write at random, and some delete themselves, while functions are killed.
//!
//! The environment variable `QUICK_PHOTOS_ITEMS` names a file of items to use instead of the sample data.

mod check;
mod items;
mod user;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::harness::{Chaos, kill_function};
use items::{TABLE, read};
use user::{Shared, User};

const USERS: usize = 20;
const WRITES_PER_USER: usize = 25;
/// One user in this number deletes itself at a planned request. The others may do so at random.
const USERS_PER_DELETION: usize = 7;
/// The number of times that a random function is killed.
const KILLS: usize = 7;
/// The number of times that finish-deletion is killed in addition.
const KILLS_OF_FINISH_DELETION: usize = 3;

#[tokio::test]
async fn loses_no_acknowledged_write_while_functions_are_killed() {
    let items = std::env::var_os("QUICK_PHOTOS_ITEMS").map(PathBuf::from);
    let has_foreign_items = items.is_some();
    let chaos = Chaos::start(items).await;
    if has_foreign_items {
        // Items of another program have no count of photos. The audit makes it, as docs/operating.md says.
        chaos.repair(TABLE).await;
    }
    let mut random = chaos.random();
    let before = read(&chaos.dynamodb).await;
    let shared = Arc::new(Shared::new(&before));
    let mut users = JoinSet::new();
    for (index, username) in before.users.keys().take(USERS).enumerate() {
        let deletion = (index % USERS_PER_DELETION == 0).then(|| random.random_range(2..WRITES_PER_USER / 2));
        let user = User::new(username, &chaos, shared.clone(), StdRng::from_rng(&mut random), &before);
        users.spawn(user.write(WRITES_PER_USER, deletion));
    }
    assert_eq!(users.len(), USERS);

    let mut random_delays = StdRng::from_rng(&mut random);
    let kill_finish_deletion = async {
        let mut deletions = shared.deletions.subscribe();
        deletions.wait_for(|deletions| *deletions > 0).await.unwrap();
        for _ in 0..KILLS_OF_FINISH_DELETION {
            // A pass takes less than a second.
            sleep(Duration::from_millis(random_delays.random_range(50..800))).await;
            kill_function(&mut random_delays, |name| name == "finish-deletion").await;
        }
    };
    let kills = async {
        tokio::join!(chaos.kill_functions(&mut random, KILLS, USERS * WRITES_PER_USER), kill_finish_deletion);
    };
    let users = chaos.finish(users, kills).await;
    eprintln!(
        "{} answers lost, {} users deleted, {} created again",
        users.iter().map(|user| user.client.lost_answers).sum::<usize>(),
        *shared.deletions.borrow(),
        users.iter().map(|user| user.created).sum::<usize>(),
    );
    let users: BTreeMap<_, _> = users.into_iter().map(|user| (user.name.clone(), user)).collect();
    let differences = check::differences(&users, &read(&chaos.dynamodb).await);
    drop(users);
    chaos.assert_consistent(TABLE, differences).await;
}
