//! Tests what a profile that restricts somebody costs, and the pages that need more than the sample
//! events.

use local::sample::{FAVORITE, QUICK_PHOTOS};
use shared::values::{Level, Timestamp};
use testing::access_patterns::{self, Costs};
use testing::runner::{self, Run, Runner};

use crate::contract::{import, rules, sizes};

/// Returns the time of a photo.
fn time(number: i64) -> Timestamp {
    Timestamp::from_epoch_millis(1_700_000_000_000 + number).unwrap()
}

/// Returns the owner of the photos in the row of this number, and a caller who does not follow
/// them.
fn people(row: usize) -> (String, String) {
    (format!("tess{row}"), format!("otto{row}"))
}

/// Puts the owner with three photos, of whom the words of `case` say whom they restrict, and what
/// the caller has saved.
fn put(runner: &Runner, row: usize, case: &str) {
    let (owner, caller) = people(row);
    let (owner, caller) = (owner.as_str(), caller.as_str());
    let is = |word: &str| case.contains(word);
    let user = if is("requests") { testing::approving_user(owner, 0) } else { testing::user(owner) };
    let in_block = testing::with_count(testing::user(caller), "blocks", u64::from(is("caller")));
    let mut items = vec![testing::with_count(user, "blocks", u64::from(is("blocks"))), in_block];
    items.extend(is("blocks").then(|| testing::block(owner, "cara", Level::Block)));
    for number in 0..3 {
        let photo = testing::photo_with(owner, time(number).as_ref(), testing::ready(b"file"));
        let is_restricted = is("followers") && number == 0;
        items.push(if is_restricted { testing::with(photo, "audience", "followers") } else { photo });
    }
    for name in ["ada", "cara"] {
        items.push(testing::friendship(owner, name));
        items.push(testing::reaction(name, "heart", owner, time(0).as_ref()));
    }
    import(runner, QUICK_PHOTOS, items);
    let saved = is("saved").then(|| testing::saved_photo(caller, owner, time(0).as_ref()));
    import(runner, FAVORITE, saved.into_iter().collect());
}

/// Runs a function, whose name may have a query behind it.
async fn run(runner: &Runner, row: usize, case: &str, of: &str) -> Run {
    let (owner, caller) = people(row);
    let (function, query) = of.split_once('?').unwrap_or((of, ""));
    let photos = format!("/users/{owner}/photos");
    let path = match function {
        "get-user" => format!("/users/{owner}"),
        "fetch-user-and-photos" => format!("/users/{owner}/profile"),
        "fetch-user-and-followers" => format!("/users/{owner}/followers"),
        "list-recent-photos" => photos,
        "fetch-photo-and-reactions" => format!("{photos}/{}", time(0)),
        "list-favorites" => format!("/users/{caller}/favorites"),
        other => panic!("the table has another function: {other}"),
    };
    let (found, event) = sizes::request(runner, "GET", &caller, &format!("{path}?{query}"));
    assert_eq!(found.name, function);
    if case != "a later page" {
        return runner.run(found, &event).await.unwrap();
    }
    let first = runner.run(found, &runner::with_page(&event, 1, None)).await.unwrap();
    let cursor = first.body["nextCursor"].as_str().unwrap().to_owned();
    runner.run(found, &runner::with_page(&event, 1, Some(&cursor))).await.unwrap()
}

#[tokio::test]
async fn a_restricted_profile_costs_one_request_and_one_read_unit_more_at_most() {
    let runner = Runner::new().await.unwrap();
    let rows = access_patterns::in_cases();
    for (row, (case, ..)) in rows.iter().enumerate() {
        put(&runner, row, case);
    }
    runner.harness.snapshot().unwrap();
    let mut failures = vec![];
    for (row, (case, of, costs)) in rows.iter().enumerate() {
        let run = run(&runner, row, case, of).await;
        let difference = costs.difference(&rules::costs(&run.operations));
        failures.extend(difference.map(|text| format!("{case}, {of}: {text}\n{}", rules::listed(&run))));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    let restricted = rows.iter().filter(|(case, ..)| case.starts_with("blocks") || case.starts_with("followers"));
    let mut compared = 0;
    for (case, of, costs) in restricted {
        let (.., plain) = rows.iter().find(|(other, same, _)| other == "nothing" && same == of).unwrap();
        let Costs { requests, reads, writes } = plain;
        let is_within = costs.requests <= requests + 1 && costs.reads <= reads + 1.0 && costs.writes <= *writes;
        assert!(is_within, "{case}, {of}: {costs} instead of {plain}");
        compared += 1;
    }
    assert!(compared > 8, "only {compared} rows");
}
