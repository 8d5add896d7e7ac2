//! What is wrong with live screens at the end of a schedule.
//!
//! - There is a watcher for each screen that shows a photo, and no other one. A user without a profile has
//!   no screens.
//! - A connection is noted in one screen at most, and a ticket opens one connection at most. A connection
//!   that is open is noted in its screen, as long as the screen is there.
//! - Every change is told or read: a screen that was connected before the change was written, and whose
//!   user may see it in the end, gets a message after that.
//! - Nobody hears of what they may not see: no message that begins after the answer to a block, a deletion
//!   or an unfollow goes to a user whom it shuts out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::pushes::may_be_undone;
use crate::run::{Answered, Run};
use crate::schedule::{ApiRequest, Scenario};
use crate::screen::{CONNECTIONS, Hint, TICKET};

/// The number of times that send-live looks for a photo in feeds: two seconds. After them, it gives up.
const MAX_FEED_READS: usize = 10;

/// A user and the id of one of their screens.
type ScreenKey = (String, String);
/// The owner and the id of a photo.
type PhotoKey = (String, String);

/// A screen at the end.
struct Screen {
    connection: Option<String>,
    photo: Option<PhotoKey>,
}

/// Returns what is wrong with the live screens of a schedule.
pub(crate) fn wrong(scenario: &Scenario, run: &Run) -> Vec<String> {
    let screens = screens(run);
    let mut wrong = wrong_items(run, &screens);
    wrong.extend(wrong_connections(scenario, run, &screens));
    if !run.has_late_effect {
        wrong.extend(untold(scenario, run, &screens));
    }
    for hint in &run.hints {
        let answers = run.answers.iter().flatten().filter(|answer| answer.status < 300);
        let shuts_out = answers.filter(|answer| answer.steps <= hint.begins && shuts_out(scenario, answer, hint));
        let shuts_out = shuts_out.filter(|answer| !may_be_undone(scenario, answer));
        wrong.extend(shuts_out.map(|answer| {
            let Hint { connection, kind, photo, .. } = hint;
            format!("{connection} is told of {kind} {photo:?} after {}", answer.request)
        }));
    }
    wrong
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns all screens of a run.
fn screens(run: &Run) -> BTreeMap<ScreenKey, Screen> {
    let items = run.items.values().filter_map(|item| {
        let user = item["pk"]["S"].as_str()?.strip_prefix("Live#")?;
        Some((user, item["screens"]["M"].as_object()?))
    });
    let screens = items.flat_map(|(user, screens)| {
        screens.iter().map(move |(id, screen)| {
            let screen = &screen["M"];
            let photo = screen["photo"]["M"].as_object();
            let photo = photo.map(|photo| (text(&photo["username"]["S"]), text(&photo["id"]["S"])));
            let connection = screen["connection"]["S"].as_str().map(str::to_owned);
            ((user.to_owned(), id.clone()), Screen { connection, photo })
        })
    });
    screens.collect()
}

/// Returns what is wrong with watchers, and with the screens of users who are not there.
fn wrong_items(run: &Run, screens: &BTreeMap<ScreenKey, Screen>) -> Vec<String> {
    let of_screens: BTreeSet<String> = screens
        .iter()
        .filter_map(|((user, id), screen)| {
            let (owner, photo) = screen.photo.as_ref()?;
            Some(format!("Watch#{owner}#{photo} SCREEN#{user}#{id}"))
        })
        .collect();
    let keys = run.items.values().map(|item| format!("{} {}", text(&item["pk"]["S"]), text(&item["sk"]["S"])));
    let watchers: BTreeSet<String> = keys.filter(|key| key.starts_with("Watch#") && key.contains(" SCREEN#")).collect();
    let missing = of_screens.difference(&watchers).map(|watcher| format!("the watcher {watcher} is missing"));
    let left = watchers.difference(&of_screens).map(|watcher| format!("the watcher {watcher} is no screen"));
    let users: BTreeSet<&str> = screens.keys().map(|(user, _)| user.as_str()).collect();
    let users = users.into_iter().filter(|user| !has_profile(run, user));
    missing.chain(left).chain(users.map(|user| format!("{user} has screens and no profile"))).collect()
}

fn has_profile(run: &Run, user: &str) -> bool {
    let is_profile = |item: &Value| item["SK"]["S"] == format!("#METADATA#{user}") && item.get("username").is_some();
    run.items.values().any(is_profile)
}

/// Returns what is wrong with connections.
fn wrong_connections(scenario: &Scenario, run: &Run, screens: &BTreeMap<ScreenKey, Screen>) -> Vec<String> {
    let mut wrong = vec![];
    let mut noted = BTreeSet::new();
    for connection in screens.values().filter_map(|screen| screen.connection.as_ref()) {
        if !noted.insert(connection) {
            wrong.push(format!("{connection} is noted twice"));
        }
    }
    let connected = |answer: &&Answered| answer.request.method == "CONNECT" && answer.status == 200;
    let with_ticket =
        run.answers.iter().flatten().filter(connected).filter(|answer| answer.request.body.contains(TICKET));
    if with_ticket.count() > 1 {
        wrong.push("a ticket has opened two connections".to_owned());
    }
    for connection in run.open.iter().filter(|connection| !noted.contains(connection)) {
        let Some((screen, _)) = beginning(run, connection) else { continue };
        // Another connection may have replaced it, and a screen that was deleted may have come again.
        let path = format!("/users/{}/screens/{}", screen.0, screen.1);
        let is_another = |request: &&ApiRequest| {
            let connects = request.method == "CONNECT" && request.json()["connection"] != **connection;
            request.path == path && (request.method == "DELETE" || connects)
        };
        if screens.contains_key(&screen) && !scenario.sessions.iter().flatten().any(|request| is_another(&request)) {
            wrong.push(format!("{connection} is open, and its screen does not have it"));
        }
    }
    wrong
}

/// Returns the screen of a connection, and the number of steps before the end of its handshake. After
/// that, the client reads what the screen shows.
fn beginning(run: &Run, connection: &str) -> Option<(ScreenKey, usize)> {
    let connects = |answer: &&Answered| {
        answer.request.method == "CONNECT" && answer.status == 200 && answer.request.json()["connection"] == connection
    };
    if let Some(answer) = run.answers.iter().flatten().find(connects) {
        let ["users", user, "screens", id] = answer.request.segments()[..] else { return None };
        return Some(((user.to_owned(), id.to_owned()), answer.steps - 1));
    }
    let (screen, user) = connection.split_once("-of-").filter(|_| CONNECTIONS.contains(&connection))?;
    Some(((user.to_owned(), screen.to_owned()), 0))
}

/// What screens have to be told of a change.
struct Change<'a> {
    kind: &'static str,
    /// The user who has changed something.
    actor: &'a str,
    owner: &'a str,
    photo: &'a str,
    /// Whether all screens of the owner are told, those that show the photo, or those of followers.
    reaches: Reach,
}

#[derive(PartialEq, Eq)]
enum Reach {
    Owner,
    Watchers,
    Followers,
}

/// Returns what screens have to be told of a request that has changed something.
fn changes(request: &ApiRequest) -> Vec<Change<'_>> {
    let change = |kind, owner, photo, reaches| Change { kind, actor: &request.caller, owner, photo, reaches };
    match (request.method.as_str(), &request.segments()[..]) {
        ("POST", ["users", owner, "photos", photo, "comments"])
        | ("PUT", ["users", owner, "photos", photo, "reactions", _]) => {
            let mut changes = vec![change("photo", *owner, *photo, Reach::Watchers)];
            if request.caller != *owner {
                changes.push(change("notifications", *owner, *photo, Reach::Owner));
            }
            changes
        }
        ("PATCH", ["users", owner, "photos", photo]) => vec![change("photo", *owner, *photo, Reach::Watchers)],
        ("UPLOAD", ["users", owner, "photos", photo]) => {
            vec![change("photo", *owner, *photo, Reach::Owner), change("feed", *owner, *photo, Reach::Followers)]
        }
        _ => vec![],
    }
}

/// Returns the screens that were not told of a change.
fn untold(scenario: &Scenario, run: &Run, screens: &BTreeMap<ScreenKey, Screen>) -> Vec<String> {
    let mut wrong = vec![];
    for answer in run.answers.iter().flatten().filter(|answer| answer.status < 300) {
        // An upload writes to no table.
        let written = if answer.request.method == "UPLOAD" { Some(answer.begins) } else { answer.written };
        let Some(written) = written else { continue };
        for change in changes(&answer.request) {
            for connection in &run.open {
                let Some((key, connected)) = beginning(run, connection) else { continue };
                let Some(screen) = screens.get(&key) else { continue };
                let is_noted = screen.connection.as_ref() == Some(connection);
                let connected = connected.max(shown_since(run, &key).unwrap_or(usize::MAX));
                // What a session does before is before, too.
                if !is_noted
                    || (connected >= written && connected > 0)
                    || !has_to_be_told(scenario, run, &change, &key, screen)
                {
                    continue;
                }
                let is_it = |hint: &&Hint| {
                    let photo = (change.owner.to_owned(), change.photo.to_owned());
                    let is_about = hint.photo.as_ref().is_none_or(|other| *other == photo);
                    hint.connection == *connection && hint.kind == change.kind && is_about && hint.sent > written
                };
                if !run.hints.iter().any(|hint| is_it(&hint)) {
                    wrong.push(format!("{connection} is not told of {} after {}", change.kind, answer.request));
                }
            }
        }
    }
    wrong
}

/// Returns the number of steps before the screen shows what it shows in the end, or `None` if several
/// requests say what it shows.
fn shown_since(run: &Run, (user, id): &ScreenKey) -> Option<usize> {
    let path = format!("/users/{user}/screens/{id}");
    let mut puts =
        run.answers.iter().flatten().filter(|answer| {
            answer.request.path == path && ["PUT", "DELETE"].contains(&answer.request.method.as_str())
        });
    match (puts.next(), puts.next()) {
        (None, _) => Some(0),
        (Some(put), None) => put.written,
        _ => None,
    }
}

/// Returns whether a screen has to be told of a change: whether its user may see the change, whatever the
/// order of the requests of the scenario is.
fn has_to_be_told(scenario: &Scenario, run: &Run, change: &Change<'_>, (user, _): &ScreenKey, screen: &Screen) -> bool {
    let Change { kind, actor, owner, photo, ref reaches } = *change;
    let is_reached = match reaches {
        Reach::Owner => user == owner,
        Reach::Watchers => screen.photo.as_ref() == Some(&(owner.to_owned(), photo.to_owned())),
        Reach::Followers => {
            let follows = |item: &Value| item["followedUser"]["S"] == owner && item["followingUser"]["S"] == **user;
            let entry = format!(r#""{photo}#{owner}""#);
            let reads = run.trace.iter().filter(|line| line.contains("  BatchGetItem ") && line.contains(&entry));
            reads.count() < MAX_FEED_READS && run.items.values().any(follows)
        }
    };
    let of_these = |one: &str, other: &str| {
        let people = [user.as_str(), owner, actor];
        people.contains(&one) && people.contains(&other)
    };
    let may_hide = |request: &ApiRequest| match (request.method.as_str(), &request.segments()[..]) {
        (_, ["users", one, "blocks", other]) => of_these(one, other),
        ("DELETE", ["users", other]) => of_these(other, other),
        ("DELETE", ["users", of, "photos", rest @ ..]) => *of == owner && rest.first() == Some(&photo),
        ("PATCH", ["users", of, "photos", _]) => *of == owner && user != owner && request.body.contains("audience"),
        ("PUT", ["users", of, "notifications", "seen"]) => kind == "notifications" && of == user,
        (_, ["users", of, "followers", _]) => kind == "feed" && *of == owner,
        _ => false,
    };
    is_reached && !scenario.sessions.iter().flatten().any(may_hide)
}

/// Returns whether the answer to a request says that nobody hears of this.
fn shuts_out(scenario: &Scenario, Answered { request, .. }: &Answered, hint: &Hint) -> bool {
    let Some((_, user)) = hint.connection.split_once("-of-") else { return false };
    let is_about = |owner: &str| hint.photo.as_ref().is_some_and(|(of, _)| of == owner);
    match (request.method.as_str(), &request.segments()[..]) {
        ("PUT", ["users", one, "blocks", other]) => {
            let is_block = request.json()["level"] == "block";
            let [one_of, other_of] = [(*one, *other), (*other, *one)].map(|(owner, hears)| {
                // Nobody else has made a bell ring.
                let mut others = scenario.sessions.iter().flatten().filter(|request| {
                    changes(request).iter().any(|change| change.kind == "notifications" && change.actor != owner)
                });
                // A user sees the photos of those whom they block.
                user == hears
                    && ((is_about(owner) && owner == *one) || (hint.kind == "notifications" && others.next().is_none()))
            });
            is_block && (one_of || other_of)
        }
        ("DELETE", ["users", other]) => user == *other || is_about(other),
        ("DELETE", ["users", owner, "photos", photo]) => {
            hint.photo.as_ref().is_some_and(|of| *of == ((*owner).to_owned(), (*photo).to_owned()))
        }
        ("DELETE", ["users", owner, "followers", other]) => {
            let uploads = |request: &&ApiRequest| request.method == "UPLOAD" && request.caller != *owner;
            user == *other
                && hint.kind == "feed"
                && !scenario.sessions.iter().flatten().any(|request| uploads(&request))
        }
        ("DELETE", ["users", owner, "screens", id]) => hint.connection == format!("{id}-of-{owner}"),
        ("PATCH", ["users", owner, "photos", _]) => {
            request.json()["audience"] == "me" && user != *owner && is_about(owner)
        }
        _ => false,
    }
}
