//! A bounded exploration, and the schedules that have led to errors.

use std::collections::BTreeSet;
use std::slice;
use std::sync::LazyLock;

use explore::{Bounds, Progress, Scenario, explore, functions, replay, scenarios};
use local::template::Template;

/// All scenarios.
static SCENARIOS: LazyLock<Vec<Scenario>> = LazyLock::new(|| scenarios(&[]).expect("the scenarios"));

/// The schedules that led to errors before they were corrected, as the explorer printed them. A
/// step that the corrected functions do not take is left out.
const CORRECTED: &[(&str, &str)] = &[
    (
        "unclip-favorite left a tag behind on a favorite that was gone",
        "own: ada DELETE /users/ada/favorites/sunset & ada DELETE /users/ada/favorites/sunset/tags/travel ; ada PUT /users/ada/favorites/sunset/tags/travel @ a b a d d a a",
    ),
    (
        "create-tag gave one name to two tags",
        r#"own: ada POST /users/ada/tags {"tagName":"Travel"} & ada PATCH /users/ada/tags/travel {"tagName":"Trips"} ; ada PATCH /users/ada/tags/travel {"tagName":"Travel"} @ a b b a c c a"#,
    ),
    (
        "tag-favorite counted a tag that was taken off meanwhile",
        "foreign: ada DELETE /users/ada/favorites/sunset/tags/travel & ada PUT /users/ada/favorites/sunset/tags/travel @ a b b a b",
    ),
    (
        "finish-deletion left a reaction behind, because an index lagged",
        "own: ada DELETE /users/ada/photos/2024-05-30T15:42:38 & ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/sunglasses @ b a f f~1",
    ),
    (
        "purge-deleted-tag left a tag on a favorite",
        "own: ada DELETE /users/ada/tags/family & ada PUT /users/ada/favorites/sunset/tags/family @ a b b a d",
    ),
    (
        "finish-deletion left a friendship behind, because an index lagged",
        "own: cara DELETE /users/cara & cara PUT /users/ada/followers/cara @ b a g g g g g~1",
    ),
    (
        "restore-favorite answered 404 in the middle of an unclip",
        "own: ada DELETE /users/ada/favorites/sunset & ada POST /users/ada/favorites/sunset/restore @ a a a b~1 c",
    ),
    (
        "a restored favorite outlived its owner",
        "own: cara DELETE /users/cara & cara POST /users/cara/favorites/old-map/restore @ a b d d d d d d d d d d b",
    ),
    (
        "unfollow-user did not decrement the count of a new account with the same name",
        r#"own: ada DELETE /users/ben/followers/ada & ben DELETE /users/ben ; ben POST /users {"username":"ben","name":"Ben"} ; ada PUT /users/ben/followers/ada @ b a 60d e a"#,
    ),
    (
        "an error that could not be parsed was answered with 500",
        "own: cara DELETE /users/cara & cara PUT /users/ada/followers/cara @ a b:garbled d d",
    ),
    (
        "process-photo left the picture of another upload behind",
        r#"pictures: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue"} @ a c c c c:gone+ b"#,
    ),
    (
        "an invocation of finish-deletion that had stalled deleted the photo of a new account",
        r#"pictures: ada DELETE /users/ada ; ada POST /users {"username":"ada","name":"Ada"} ; ada POST /users/ada/photos @ a c c:again 60e 9d 9g 9h c"#,
    ),
    (
        "read-import began an import again that another attempt had ended",
        r#"pictures: ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"text"} ; ada POST /users/ada/imports & ada IMPORT /users/ada {"file":"archive"} @ a b b 8d c c 4e"#,
    ),
    (
        "process-changes put the delivery of an author who was gone, and gave up the records of the next one",
        r#"pulled: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; ada DELETE /users/ada ; ada POST /users {"username":"ada","name":"Ada"} ; ben PUT /users/ada/followers/ben @ a 9b e e c 60g"#,
    ),
    (
        "process-changes gave a new account the follower of a deleted one",
        r#"hot: cara PUT /users/ada/followers/cara ; ada POST /users {"username":"ada","name":"Ada"} & ada DELETE /users/ada @ a b 60d a q"#,
    ),
    (
        "process-changes counted a pull of a deleted feed down to -1",
        r#"pulled: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} ; cara DELETE /users/cara @ a 9b c 12e *g:unprocessed 9h"#,
    ),
    (
        "two users blocked each other, although the second one must not know the first any more",
        r#"blocked: ada PUT /users/ada/blocks/ben {"level":"block"} & ben PUT /users/ben/blocks/ada {"level":"block"} @ a a b~2"#,
    ),
    (
        "finish-deletion did not count an expired photo down, because the clock of API Gateway was ahead",
        r#"pictures+200: cara POST /users {"username":"cara","name":"Cara"} ; cara POST /users/cara/photos ; clock WAIT 2d"#,
    ),
    (
        "finish-deletion did not count an expired photo down, because an import had taken its key before the record came",
        r#"pictures: ttl EXPIRE /users/ada/photos/2024-05-30T15:42:38 & ada POST /users/ada/imports ; ada IMPORT /users/ada {"file":"archive"} @ a b d d e"#,
    ),
    (
        "process-changes left a hashtag without listings, because its summary had come and gone meanwhile",
        r##"feeds: ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"#selfie"} ; ada PATCH /users/ada/photos/2024-04-01T12:00:00 {"caption":"no"} & ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red"} @ a a b c e e e e d g g g g g g g g c"##,
    ),
    (
        "send-live forgot a connection whose handshake had not ended",
        r#"live: ben DISCONNECT /users/ben/screens/window {"connection":"window-of-ben"} ; ben PUT /users/ben/screens/window {"photo":{"username":"ada","id":"2024-04-01T12:00:00"}} ; ben CONNECT /users/ben/screens/window {"connection":"next-window-of-ben"} & cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart @ a b c c e e f g"#,
    ),
    (
        "the explorer took another first picture for another picture",
        r#"several: ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"red","number":1} ; ada UPLOAD /users/ada/photos/2024-05-30T15:42:38 {"file":"blue","number":2} & ada PATCH /users/ada/photos/2024-05-30T15:42:38 {"pictures":[{"number":2},{"number":1}]} @ a c c c c c d g"#,
    ),
];

/// Schedules in which the first attempt of a transaction arrives late, its retry meets it, and the
/// function sends the transaction again. Each line has another function that sends one. In all of
/// them, what was sent first was applied to a later state, or taken for the request of somebody
/// else.
const LATE: &[&str] = &[
    "own: ada PUT /users/cara/followers/ada ; ada DELETE /users/cara/followers/ada @ a:late a:conflict a 9f b",
    "own: ben PUT /users/ada/photos/2024-05-30T15:42:38/reactions/sunglasses ; ben DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/sunglasses @ a:late a:conflict a 9e b",
    "pictures: ada POST /users/ada/photos @ a:late a:conflict b a",
    r#"own: ada POST /users/ada/favorites {"dataType":"link","title":"Tiles","dataId":"tiles"} ; ada DELETE /users/ada/favorites/tiles @ a:late a:conflict a 9c 9d 9e b"#,
    "own: ada PUT /users/ada/favorites/sunset/tags/family ; ada DELETE /users/ada/favorites/sunset/tags/family @ a a:late a:conflict a 9d b",
    r#"own: ada POST /users/ada/tags {"tagName":"Trips"} @ a:late a:conflict b a"#,
    r#"own: ada PATCH /users/ada/tags/travel {"tagName":"Trips"} ; ada PATCH /users/ada/tags/travel {"tagName":"Travel"} @ a a:late a:conflict a 9c b"#,
    r#"own: ada DELETE /music/Greta~20Holm~20Trio/Nine~20Windows ; ada PUT /music/Greta~20Holm~20Trio/Nine~20Windows {"Genre":"Jazz"} @ a:late a:conflict a 9c b"#,
    r#"own: ada DELETE /people/2 ; ada PUT /people/2 {"name":"Ida"} @ a:late a:conflict a 9c b"#,
];

fn print_findings(progress: &Progress<'_>) {
    if let Progress::Found(finding) = progress {
        println!("{finding}");
    }
}

#[test]
fn the_schedules_that_led_to_errors_lead_to_none() {
    for (error, line) in CORRECTED {
        let (trace, finding) = replay(line).unwrap();
        assert!(finding.faults.is_empty(), "{error}: {finding}\n{}", trace.join("\n"));
    }
}

#[test]
fn a_transaction_whose_first_attempt_is_late_is_applied_once() {
    for line in LATE {
        let (trace, finding) = replay(line).unwrap();
        let is_late = trace.iter().any(|line| line.contains(" is late: "));
        assert!(is_late && finding.faults.is_empty(), "{finding}\n{}", trace.join("\n"));
    }
}

/// A name of which nothing is left can be taken again, however long it rests: first the clean-up
/// has days, and then whatever expires.
#[test]
fn a_deleted_name_is_free_again_after_its_rest() {
    let account = r#"{"username":"ada","name":"Ada"}"#;
    let line = format!("pictures: ada DELETE /users/ada ; clock WAIT 9d ; clock WAIT 9d ; ada POST /users {account}");
    let (trace, finding) = replay(&line).unwrap();
    let is_created = trace.iter().any(|line| line.contains("  answers 201 "));
    assert!(is_created && finding.faults.is_empty(), "{finding}\n{}", trace.join("\n"));
}

#[test]
fn the_orders_around_the_schedules_that_led_to_errors_lead_to_none() {
    let scenario = |line: &str| line.split(" @").next().unwrap().parse::<Scenario>().unwrap();
    let scenarios = CORRECTED.iter().map(|(_, line)| scenario(line)).collect();
    let bounds = Bounds { schedules: 5, threads: 2, deviations: 1, random: 5, words: vec![] };
    let summary = explore(scenarios, &bounds, print_findings).unwrap();
    println!("{summary}");
    assert!(summary.findings.is_empty());
}

#[test]
fn the_first_orders_of_uncounted_items_lead_to_no_error() {
    let scenarios = SCENARIOS.clone();
    let bounds = Bounds { schedules: 4, threads: 2, deviations: 0, random: 0, words: vec!["hot:".to_owned()] };
    let summary = explore(scenarios, &bounds, print_findings).unwrap();
    println!("{summary}");
    assert!(summary.scenarios > 10 && summary.findings.is_empty());
}

/// A phone gets a message, and the judges see it.
#[test]
fn the_first_orders_of_pushes_lead_to_no_error() {
    let (trace, finding) =
        replay("pushed: ben PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart").expect("a schedule");
    let sent = trace.iter().filter(|line| line.contains(r#"SendMessages {"Addresses":{"phone-of-ada""#));
    assert!(sent.count() == 1 && finding.faults.is_empty(), "{finding}\n{}", trace.join("\n"));
    let bounds = Bounds { schedules: 2, threads: 2, deviations: 1, random: 2, words: vec!["pushed:".to_owned()] };
    let summary = explore(scenarios(&bounds.words).unwrap(), &bounds, print_findings).unwrap();
    println!("{summary}");
    assert!(summary.scenarios > 20 && summary.findings.is_empty());
}

/// A screen is told, and the judges see it.
#[test]
fn the_first_orders_of_live_screens_lead_to_no_error() {
    let (trace, finding) =
        replay("live: cara PUT /users/ada/photos/2024-04-01T12:00:00/reactions/heart").expect("a schedule");
    let told = |connection: &str| {
        let message = format!(r#"PostToConnection {{"ConnectionId":"{connection}""#);
        trace.iter().filter(|line| line.contains(&message)).count()
    };
    let told = ["window-of-ada", "window-of-ben", "window-of-cara"].map(told);
    assert!(told == [1; 3] && finding.faults.is_empty(), "{finding}\n{}", trace.join("\n"));
    let bounds = Bounds { schedules: 2, threads: 2, deviations: 1, random: 2, words: vec!["live:".to_owned()] };
    let summary = explore(scenarios(&bounds.words).unwrap(), &bounds, print_findings).unwrap();
    println!("{summary}");
    assert!(summary.scenarios > 20 && summary.findings.is_empty());
}

/// Returns the first scenario in which a function gets a request.
fn scenario_of(function: &String) -> Scenario {
    let has = |scenarios: &[Scenario]| functions(scenarios).expect("the functions").contains(function);
    let part = SCENARIOS.chunks(32).find(|part| has(part)).unwrap_or_default();
    let scenario = part.iter().find(|scenario| has(slice::from_ref(scenario)));
    scenario.unwrap_or_else(|| panic!("no scenario has {function}")).clone()
}

/// Takes every eighth scenario, and one of each function that writes and is in none of them. `cargo
/// run --release --bin explore` takes all of them.
#[test]
fn the_first_orders_of_requests_that_meet_lead_to_no_error() {
    let mut scenarios: Vec<_> = SCENARIOS.iter().skip(1).step_by(8).cloned().collect();
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let writes =
        |action: &String| ["Put", "Update", "Delete"].iter().any(|verb| action.ends_with(&format!("{verb}Item")));
    let writing = template.functions.iter().filter(|function| {
        !function.routes.is_empty() && function.statements.iter().flat_map(|statement| &statement.actions).any(writes)
    });
    let writing: BTreeSet<String> = writing.map(|function| function.name.clone()).collect();
    let explored = functions(&scenarios).unwrap();
    scenarios.extend(writing.difference(&explored).map(scenario_of));

    let bounds = Bounds { schedules: 3, threads: 2, deviations: 0, random: 0, words: vec![] };
    let summary = explore(scenarios, &bounds, print_findings).unwrap();
    println!("{summary}");
    assert!(summary.findings.is_empty());
}
