//! Users write and upload pictures at random, and some delete themselves, while functions are
//! killed and photos expire.

mod check;
mod items;
mod user;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use local::sample;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use shared::values::Timestamp;
use testing::inboxes;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::harness::{Chaos, kill_function, random_times};
use items::{TABLE, end_rests, expire, read, rests};
use user::{Shared, User};

const USERS: usize = 20;
const WRITES_PER_USER: usize = 25;
/// One user in this number deletes itself at a planned request. The others may do so at random.
const USERS_PER_DELETION: usize = 7;
/// The number of times that a random function is killed.
const KILLS: usize = 7;
/// The number of times that finish-deletion is killed in addition.
const KILLS_OF_FINISH_DELETION: usize = 3;
/// The number of times that process-changes, with its jobs, is killed in addition.
const KILLS_OF_PROCESS_CHANGES: usize = 7;
/// The number of times that process-photo is killed in addition.
const KILLS_OF_PROCESS_PHOTO: usize = 12;
/// The number of times that photos whose pictures are pending expire.
const EXPIRIES: usize = 5;
/// The probability with which such a photo expires each time.
const EXPIRY_PROBABILITY: f64 = 0.3;

#[tokio::test]
async fn loses_no_acknowledged_write_and_leaves_no_object_while_functions_are_killed() {
    let chaos = Chaos::start().await;
    let begin = Timestamp::now().to_string();
    let mut random = chaos.random();
    let before = read(&chaos).await;
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
    let requests = USERS * WRITES_PER_USER;
    let mut random_kills = StdRng::from_rng(&mut random);
    let kill_process_photo =
        chaos.kill_functions(&mut random_kills, KILLS_OF_PROCESS_PHOTO, requests, |name| name == "process-photo");
    let mut random_jobs = StdRng::from_rng(&mut random);
    let kill_process_changes =
        chaos.kill_functions(&mut random_jobs, KILLS_OF_PROCESS_CHANGES, requests, |name| name == "process-changes");
    let mut random_expiries = StdRng::from_rng(&mut random);
    let mut expired = BTreeSet::new();
    let expiries = async {
        for time in random_times(&mut random_expiries, EXPIRIES, requests) {
            chaos.finished_requests(time).await;
            let is_chosen = || random_expiries.random_bool(EXPIRY_PROBABILITY);
            expired.extend(expire(&chaos.dynamodb, true, is_chosen).await);
            chaos.stack.delete_expired_items().await.unwrap();
        }
    };
    let kill_any = chaos.kill_functions(&mut random, KILLS, requests, |_| true);
    let faults = async {
        tokio::join!(kill_any, kill_finish_deletion, kill_process_changes, kill_process_photo, expiries);
    };
    let rests_end = async {
        loop {
            // A rest takes longer than any stream record is under way, so those of before it have ended.
            let rests = rests(&chaos.dynamodb).await;
            chaos.stack.idle().await;
            end_rests(&chaos.dynamodb, &rests).await;
            chaos.stack.delete_expired_items().await.unwrap();
            sleep(Duration::from_millis(100)).await;
        }
    };
    let users = tokio::select! {
        users = Box::pin(chaos.finish(users, faults)) => users,
        () = rests_end => unreachable!("the loop has no end"),
    };
    eprintln!(
        "{} answers lost, {} users deleted, {} created again",
        users.iter().map(|user| user.client.lost_answers).sum::<usize>(),
        *shared.deletions.borrow(),
        users.iter().map(|user| user.created).sum::<usize>(),
    );
    let items = read(&chaos).await;
    let number = |status: &str| items.photos.values().filter(|picture| picture["status"] == status).count();
    eprintln!(
        "{} pictures ready, {} rejected, {} pending, {} photos deleted or expired",
        number("ready"),
        number("rejected"),
        number("pending"),
        items.traces.len(),
    );
    let mut users: BTreeMap<_, _> = users.into_iter().map(|user| (user.name.clone(), user)).collect();
    for (name, user) in &mut users {
        user.photos.retain(|id| {
            let photo = (name.clone(), id.clone());
            items.photos.contains_key(&photo) || !expired.contains(&photo)
        });
    }
    let removed = shared.removed.lock().unwrap().clone();
    let mut differences = check::differences(&users, &removed, &items);
    drop(users);
    differences.extend(differences_after_expiry(&chaos).await);
    differences.extend(differences_of_inboxes(&chaos, &begin).await);
    chaos.assert_consistent(TABLE, differences).await;
}

/// Returns what is wrong with the events in the inboxes that happened since `begin`.
async fn differences_of_inboxes(chaos: &Chaos, begin: &str) -> Vec<String> {
    let mut items = vec![];
    for table in [TABLE, &chaos.template.table(sample::FEED).unwrap().name] {
        let scan = chaos.dynamodb.scan().table_name(table).into_paginator().items().send();
        items.extend(scan.collect::<Result<Vec<_>, _>>().await.unwrap());
    }
    inboxes::wrong(items.into_iter(), begin).unwrap()
}

/// Lets all photos whose pictures are pending expire, and then their traces. Returns what should
/// not be left, in the table and in the bucket.
async fn differences_after_expiry(chaos: &Chaos) -> Vec<String> {
    for is_photo in [true, false] {
        expire(&chaos.dynamodb, is_photo, || true).await;
        chaos.stack.delete_expired_items().await.unwrap();
        chaos.stack.idle().await;
    }
    let items = read(chaos).await;
    let mut differences: Vec<String> = items.traces.iter().map(|trace| format!("{trace} did not expire")).collect();
    let pending = items.photos.iter().filter(|(_, picture)| picture["status"] == "pending");
    differences.extend(pending.map(|(photo, _)| format!("{photo:?} did not expire")));
    let bucket = &chaos.template.bucket(sample::PHOTOS_BUCKET).unwrap().name;
    let objects = chaos.stack.s3().objects(bucket).await.unwrap().into_keys().collect();
    differences.extend(check::differences_of_objects(&items, &objects));
    differences
}
