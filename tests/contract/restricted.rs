//! Tests what a profile that restricts somebody costs, and the pages that need more than the sample
//! events.

use local::costs::{Case, Condition, Costs, Pattern};
use local::sample::{FAVORITE, FEED, QUICK_PHOTOS};
use shared::dynamodb::{Item, entity};
use shared::entities::{Bell, InInbox, Key, MAX_UNSEEN, Position, Topic};
use shared::values::{Level, NotificationKind, Timestamp, Username};
use testing::runner::{self, Run, Runner};
use tests::costs::patterns;

use crate::contract::{import, rules};

/// Returns the time of a photo.
fn time(number: i64) -> Timestamp {
    Timestamp::from_epoch_millis(1_700_000_000_000 + number).unwrap()
}

/// Returns the owner of the photos in the case of this number, and a caller who does not follow
/// them.
fn people(number: usize) -> (String, String) {
    (format!("tess{number}"), format!("otto{number}"))
}

/// Returns the token of the link to the newest photo in the case of this number.
fn token(number: usize) -> String {
    format!("dG9rZW4tb2YtYS1sa{number:04}w")
}

/// Puts the owner with three photos and a link, of whom the conditions say whom they restrict, and what the
/// caller has saved.
fn put(runner: &Runner, number: usize, case: &Case) {
    let (owner, caller) = people(number);
    let (owner, caller) = (owner.as_str(), caller.as_str());
    let is = |condition| case.when.contains(&condition);
    let user = if is(Condition::Requests) { testing::approving_user(owner, 0) } else { testing::user(owner) };
    let in_block = testing::with_count(testing::user(caller), "blocks", u64::from(is(Condition::CallerInBlock)));
    let mut items = vec![testing::with_count(user, "blocks", u64::from(is(Condition::Blocks))), in_block];
    items.extend(is(Condition::Blocks).then(|| testing::block(owner, "cara", Level::Block)));
    for number in 0..3 {
        let photo = testing::photo_with(owner, time(number).as_ref(), testing::ready(b"file"));
        let is_restricted = is(Condition::Followers) && number == 0;
        items.push(if is_restricted { testing::with(photo, "audience", "followers") } else { photo });
        if is(Condition::Pictures) && number == 0 {
            items.pop();
            items.extend(testing::several(owner, time(number).as_ref(), vec![testing::ready(b"file"); 10]));
        }
    }
    for name in ["ada", "cara"] {
        items.push(testing::friendship(owner, name));
        items.push(testing::reaction(name, "heart", owner, time(0).as_ref()));
    }
    items.extend(testing::link(owner, Some(time(0).as_ref()), &token(number)));
    if is(Condition::Own) {
        items[0] = testing::with_count(items[0].clone(), "requestsReceived", 3_000);
        import(runner, FEED, vec![full_bell(owner)]);
    }
    import(runner, QUICK_PHOTOS, items);
    let saved = is(Condition::Saved).then(|| testing::saved_photo(caller, owner, time(0).as_ref()));
    import(runner, FAVORITE, saved.into_iter().collect());
}

/// Returns the bell of a user with as many notifications as it names, on photos of somebody with the
/// longest name.
fn full_bell(username: &str) -> Item {
    let (user, author): (Username, Username) = (username.parse().unwrap(), "a".repeat(32).parse().unwrap());
    let topics: Vec<_> = (0..=MAX_UNSEEN)
        .map(|number| {
            let changed = time(i64::try_from(number).unwrap());
            let photo = Position { id: changed.clone().into(), author: author.clone() };
            (Topic::new(NotificationKind::Mention, Some(photo), &Timestamp::now()), InInbox::Shown(changed.millis()))
        })
        .collect();
    entity::to_item(Key::seen(&user), &Bell::default().after(&user, &topics).unwrap()).unwrap()
}

/// Runs a function in the case of this number.
async fn run(runner: &Runner, number: usize, function: &str, Case { when, query, .. }: &Case) -> Run {
    let (owner, caller) = people(number);
    let caller = if when.contains(&Condition::Own) { owner.clone() } else { caller };
    let photos = format!("/users/{owner}/photos");
    let path = match function {
        "get-user" => format!("/users/{owner}"),
        "fetch-user-and-photos" => format!("/users/{owner}/profile"),
        "fetch-user-and-followers" => format!("/users/{owner}/followers"),
        "list-recent-photos" => photos,
        "fetch-photo-and-reactions" => format!("{photos}/{}", time(0)),
        "open-link" => format!("/s/{}", token(number)),
        "list-favorites" => format!("/users/{caller}/favorites"),
        other => panic!("another function has cases: {other}"),
    };
    let (found, event) = runner.request("GET", &caller, &format!("{path}?{query}")).unwrap();
    assert_eq!(found.name, function);
    if !when.contains(&Condition::LaterPage) {
        return runner.run(found, &event).await.unwrap();
    }
    let first = runner.run(found, &runner::with_page(&event, 1, None)).await.unwrap();
    let cursor = first.body["nextCursor"].as_str().unwrap().to_owned();
    runner.run(found, &runner::with_page(&event, 1, Some(&cursor))).await.unwrap()
}

#[tokio::test]
async fn a_restricted_profile_costs_one_request_and_one_read_unit_more_at_most() {
    let runner = Runner::new().await.unwrap();
    let patterns = patterns();
    let cases: Vec<(&String, &Pattern, &Case)> = patterns
        .iter()
        .flat_map(|(name, pattern)| pattern.cases.iter().map(move |case| (name, pattern, case)))
        .collect();
    for (number, (.., case)) in cases.iter().enumerate() {
        put(&runner, number, case);
    }
    runner.harness.snapshot().unwrap();
    let mut failures = vec![];
    for (number, (name, pattern, case)) in cases.iter().enumerate() {
        let run = run(&runner, number, name, case).await;
        failures.extend(rules::failure(&format!("{name}, {case:?}"), pattern, &case.costs, &run));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    let of_profile = |when: &[Condition]| matches!(when.first(), Some(Condition::Blocks | Condition::Followers));
    let mut compared = 0;
    for (name, pattern, case) in cases.iter().filter(|(.., case)| of_profile(&case.when)) {
        let plain = pattern.cases.iter().find(|plain| plain.when.is_empty() && plain.query == case.query).unwrap();
        let (Costs { requests, reads, writes }, costs) = (&plain.costs, &case.costs);
        let is_within = costs.requests <= requests + 1 && costs.reads <= reads + 1.0 && costs.writes <= *writes;
        assert!(is_within, "{name}, {case:?} instead of {plain:?}");
        compared += 1;
    }
    assert!(compared > 8, "only {compared} cases");
}
