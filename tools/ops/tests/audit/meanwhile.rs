//! Others write while the audit runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use local::lambda::build;
use local::sample::{self, World};
use local::stack::{self, Stack};
use local::template::Template;
use ops::audit;
use ops::audit::{Event, Finding, Options, Outcome, photos};
use ops::client;
use reqwest::Method;
use serde_json::Value;
use shared::model::photos::Key;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::bed::{Bed, Everything, TABLE, all_items, number, photo, set, user};

/// What the audit does when the number of suspects that it says for the `n`th time is followed by a change.
pub(crate) async fn audit_with_changes(bed: &Bed, repair: bool, changes: impl AsyncFn(usize)) -> audit::Report {
    let (said, mut suspects) = mpsc::unbounded_channel();
    // Time enough for a change, also on a loaded machine.
    let options = Options { repair, between_looks: Duration::from_secs(1), ..Options::default() };
    let audit = audit::run(&bed.client, &bed.table, options, |event| {
        if let Event::Suspects(_) = event {
            said.send(()).unwrap();
        }
    });
    let change = async {
        let mut n = 0;
        while suspects.recv().await.is_some() {
            n += 1;
            // The first time is before the first look, the others are before the pause and a further one.
            if n > 1 {
                changes(n).await;
            }
        }
    };
    tokio::select! {
        report = audit => report.unwrap(),
        () = change => unreachable!("the audit keeps its sender"),
    }
}

#[tokio::test]
async fn a_difference_that_goes_away_is_no_finding() {
    let bed = Bed::with(World::cast().items()).await;
    bed.set(user("ada"), "followers", Some(number(2))).await;
    bed.put([testing::friendship("gone", "ben")]).await;
    bed.set(user("ben"), "following", Some(number(2))).await;
    let report = audit_with_changes(&bed, true, async |_| {
        bed.set(user("ada"), "followers", Some(number(1))).await;
        bed.put([testing::user("gone")]).await;
        bed.set(user("gone"), "followers", Some(number(1))).await;
    })
    .await;
    assert_eq!(report.to_string(), "10 items, 0 findings");
    assert_eq!(bed.found().await, [""; 0]);
}

#[tokio::test]
async fn what_keeps_changing_is_left_alone() {
    let bed = Bed::with(World::cast().items()).await;
    bed.set(user("ada"), "followers", Some(number(2))).await;
    let report = audit_with_changes(&bed, true, async |n| {
        bed.set(user("ada"), "followers", Some(number(i64::try_from(n).unwrap() + 10))).await;
    })
    .await;
    assert_eq!(report.to_string(), "9 items, 0 findings; 1 more can't be told because they keep changing");
    assert_eq!(bed.all_items().await[&("USER#ada".into(), "#METADATA#ada".into())]["followers"], 16);
}

/// How much each count says too much.
fn differences(everything: &Everything) -> BTreeMap<(String, &'static str), i64> {
    let of = |attribute: &str, value: &str| everything.values().filter(|item| item[attribute] == value).count();
    let number = |count: usize| i64::try_from(count).unwrap();
    let mut differences = BTreeMap::new();
    for ((_, sk), item) in everything {
        let mut says = |count, says: &Value, there_are| {
            let difference = says.as_i64().unwrap_or(0) - there_are;
            if difference != 0 {
                differences.insert((sk.clone(), count), difference);
            }
        };
        if !item["name"].is_null() {
            let username = item["username"].as_str().unwrap();
            says("followers", &item["followers"], number(of("followedUser", username)));
            says("following", &item["following"], number(of("followingUser", username)));
        } else if !item["reactions"].is_null() {
            for reaction in ["+1", "heart", "smiley", "sunglasses"] {
                let reactions = everything.values().filter(|item| item["photo"] == **sk);
                let of_type = reactions.filter(|item| item["reactionType"] == reaction);
                says(reaction, &item["reactions"][reaction], number(of_type.count()));
            }
        }
    }
    differences
}

/// Everybody follows and reacts, through the real functions, while an audit repairs what is wrong. It mends what nobody
/// touches at once; of what they do touch, each count ends right or as wrong as it was, and a repair at rest mends the rest.
#[tokio::test]
async fn repairs_while_others_write() {
    let root = Template::find().unwrap().parent().map(PathBuf::from).unwrap();
    build::functions(&root).await.unwrap();
    let stack = Arc::new(Stack::start(stack::Options::default()).await.unwrap());
    let dynamodb = client::connect(Some(stack.dynamodb())).await.unwrap();

    let writers = ["elif", "femi", "greta", "hiro", "ines", "jonas"];
    let photos: Vec<(String, String)> = (sample::World::sample().photos.into_iter())
        .filter(|(username, _)| ["elif", "femi"].contains(&username.as_ref()))
        .map(|(username, timestamp)| (username.to_string(), timestamp.to_string()))
        .collect();
    let mut planted: Vec<(Key, &'static str, i64)> = vec![
        (user("ada"), "followers", 5),
        (user("cara"), "following", 4),
        (user("elif"), "followers", 40),
        (user("femi"), "following", 60),
        (user("ines"), "following", 30),
        (user("jonas"), "following", 30),
        // Too low, and yet so high that it never meets 0, where it would be left as it is.
        (user("greta"), "followers", 6),
    ];
    planted
        .extend(photos.iter().take(3).map(|(username, timestamp)| (photo(username, timestamp), "reactions.heart", 9)));
    for (key, path, count) in planted {
        set(&dynamodb, TABLE, key, path, Some(number(count))).await;
    }
    let wrong = differences(&all_items(&dynamodb, TABLE).await);
    assert!(wrong.len() >= 7, "{wrong:?}");

    let stop = Arc::new(AtomicBool::new(false));
    let mut writing = JoinSet::new();
    for (index, &writer) in writers.iter().enumerate() {
        let (stack, stop, photos) = (stack.clone(), stop.clone(), photos.clone());
        writing.spawn(async move {
            let http = reqwest::Client::new();
            for round in index.. {
                if stop.load(Ordering::Relaxed) {
                    return round - index;
                }
                let other = writers[(index + 1 + round % 5) % writers.len()];
                let (owner, timestamp) = &photos[round % photos.len()];
                let method = if round / 7 % 2 == 0 { Method::PUT } else { Method::DELETE };
                for path in [
                    format!("/users/{other}/followers/{writer}"),
                    format!("/users/{owner}/photos/{timestamp}/reactions/heart"),
                ] {
                    let request = http.request(method.clone(), format!("{}{path}", stack.api()));
                    let answer = request.bearer_auth(stack.token(writer).unwrap()).send().await.unwrap();
                    assert!(answer.status().is_success(), "{path}: {}", answer.status());
                }
                // Some write all the time, and some so seldom that two looks may agree.
                tokio::time::sleep(Duration::from_millis(500) * index.try_into().unwrap()).await;
            }
            unreachable!("the numbers don't end");
        });
    }
    let repair = Options { repair: true, ..Options::default() };
    let report = audit::run(&dynamodb, TABLE, repair, |_| {}).await.unwrap();
    stop.store(true, Ordering::Relaxed);
    let rounds: usize = writing.join_all().await.into_iter().sum();
    assert!(rounds > 100, "{rounds}");

    for username in ["ada", "cara"] {
        let mended = report.findings.iter().any(|(finding, outcome)| {
            matches!(finding, Finding::Photos(photos::Finding::UserCount { username: other, .. }) if other.as_ref() == username)
                && *outcome == Outcome::Repaired
        });
        assert!(mended, "{username}");
    }
    let left = differences(&all_items(&dynamodb, TABLE).await);
    for (count, difference) in &left {
        assert_eq!(wrong.get(count), Some(difference), "{count:?} was {:?}", wrong.get(count));
    }
    let at_rest = audit::run(&dynamodb, TABLE, repair, |_| {}).await.unwrap();
    assert_eq!(at_rest.findings.len(), left.len());
    assert_eq!(differences(&all_items(&dynamodb, TABLE).await), BTreeMap::new());
    Arc::into_inner(stack).unwrap().shutdown().await;
}
