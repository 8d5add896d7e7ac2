//! The judges of a schedule.
//!
//! - The answers and the items in the end are those of some serial order, in which every function
//!   runs to its end before the next one begins. The records of streams may come at any time
//!   between the requests. A request that got no answer may have been served or not, at any time
//!   before its repetition. Three kinds of answers count less: of a GET only the status, because
//!   lists are read from indexes, which lag; the same of a PATCH whose answer is read after the
//!   change, and of the photo in the answer of save-photo; and none of a user whose account is being deleted, because their data disappears step
//!   by step. An import makes one thing after the other, so another file may replace that of an
//!   import, and a favorite or a tag may be deleted, in the middle of it.
//! - The [audit](ops::audit) finds nothing that was not there before.
//! - In the worlds of feeds, every reader finds every photo of those whom they follow, and by the
//!   audit, the directory has the entries of the users and no others, and the lists of hashtags those of
//!   the photos. So have the popular photos in the world of rankings.
//! - No export or import is at work in the end.
//! - The inbox of every user has the events of what is there, and no others.
//! - The followers with alerts, and nobody else, are told of a new photo ([`alerts`]).
//! - A device gets nothing that its user has turned off, and nothing more than twice
//!   ([`pushes`]).
//! - Lists have no picture of a sensitive photo of somebody else ([`sensitive`]).
//! - Live screens are told of what changes ([`screens`]).
//! - No answer is a 500, every request gets an answer, no record is given up, and the picture of a
//!   photo does not change once it is not pending.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;
use serde_json::Value;
use shared::dynamodb::Item;
use shared::entities::ALERT_PREFIX;
use testing::inboxes;

use crate::alerts;
use crate::audit;
use crate::execution::execute;
use crate::feeds;
use crate::mask::Mask;
use crate::pushes;
use crate::run::{Answered, Run};
use crate::scenarios::{EXPORTS_PATH, IMPORTS_PATH};
use crate::schedule::{ApiRequest, Scenario};
use crate::screens;
use crate::search::Serial;
use crate::sensitive;
use crate::system::System;
use crate::world::World;

/// The answers of each session, and the items and objects in the end, without times and ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Outcome {
    answers: Vec<Vec<String>>,
    items: Vec<String>,
}

/// The time after which schedules make events. The data with which they begin is older, and its
/// inboxes have none.
const BEGIN: &str = "2026";

/// Judges the schedules of one scenario.
pub(crate) struct Judge<'a> {
    scenario: &'a Scenario,
    mask: Mask,
    /// The users whose account is deleted.
    leaving: Vec<String>,
    /// Whether an import ends with a part of what its file has: another file replaces it, or a
    /// favorite or a tag is deleted before the import has made all that belongs to it.
    is_in_parts: bool,
    /// The serial orders, by the number of unanswered attempts of each request.
    serial: HashMap<Vec<Vec<usize>>, SerialOrders>,
    /// The findings of the audit, by the items.
    audits: HashMap<Vec<String>, Vec<String>>,
    /// The findings at the beginning.
    accepted: Vec<String>,
    /// The items at the beginning.
    before: Vec<Item>,
}

/// Returns a fault if an item is an export or an import that is still at work in the end.
fn at_work(item: &Value) -> Option<String> {
    (item["state"]["S"] == "running").then(|| format!("{} is at work, and nobody continues it", item["pk"]["S"]))
}

/// Returns items from their JSON.
fn items_of<'v>(items: impl Iterator<Item = &'v Value>) -> Result<Vec<Item>> {
    items.map(|item| Ok(serde_json::from_value::<serde_dynamo::Item>(item.clone())?.into())).collect()
}

/// Returns whether a finding is what was put while the feed and the inbox of its user were being
/// deleted: an entry, an alert, or a notification, whose events end with their items.
/// docs/concurrency.md says that there may be one.
fn is_left_entry(finding: &str) -> bool {
    let may_be_left =
        |kind: &str| ["items of the feed", "items of the inbox", "alerts"].iter().any(|left| kind.ends_with(left));
    let left = finding.split_once("but there are ").map(|(_, left)| left);
    left.is_some_and(|left| left.split(", ").all(may_be_left))
}

impl<'a> Judge<'a> {
    pub(crate) async fn new(system: &mut System, scenario: &'a Scenario) -> Result<Self> {
        system.reset()?;
        let known: Vec<String> = system.store.items().values().map(Value::to_string).collect();
        let requests: Vec<String> = scenario.sessions.iter().flatten().map(ToString::to_string).collect();
        let mask = Mask::keeping(&format!("{} {}", known.join(" "), requests.join(" ")));
        let accepted = audit::findings(system).await?;
        let deletions = scenario.sessions.iter().flatten().filter(|request| request.deletes_account());
        let leaving = deletions.map(|request| request.caller.clone()).collect();
        let is_import = |request: &ApiRequest| request.method == "IMPORT";
        let deletes = |request: &ApiRequest| {
            request.method == "DELETE" && ["/favorites/", "/tags/"].iter().any(|part| request.path.contains(part))
        };
        let requests = scenario.sessions.iter().flatten();
        let imports = requests.clone().filter(|request| is_import(request)).count();
        let is_in_parts = imports > 1 || (imports == 1 && requests.clone().any(deletes));
        let before = items_of(system.store.items().values())?;
        let (serial, audits) = (HashMap::new(), HashMap::new());
        Ok(Self { scenario, mask, leaving, is_in_parts, serial, audits, accepted, before })
    }

    /// Returns what is wrong with a schedule.
    pub(crate) async fn judge(&mut self, system: &mut System, run: &Run) -> Result<Vec<String>> {
        let mut faults = run.failures.clone();
        let outcome = self.outcome(&run.answers, run);
        let items = self.items(run, |_| true);
        let findings = if let Some(findings) = self.audits.get(&items) {
            findings.clone()
        } else {
            let mut findings = audit::findings(system).await?;
            findings.retain(|finding| !self.accepted.contains(finding) && !is_left_entry(finding));
            self.audits.insert(items, findings.clone());
            findings
        };
        let is_finished =
            run.answers.iter().zip(&self.scenario.sessions).all(|(answers, all)| answers.len() == all.len());
        let unanswered: Vec<Vec<usize>> =
            run.answers.iter().map(|answers| answers.iter().map(|answer| answer.unanswered.min(2)).collect()).collect();
        let is_serial = is_finished && self.is_serial(system, unanswered, &outcome).await?;
        // Names and counts of another program can be wrong without any concurrency.
        if !(is_serial && self.scenario.world == World::Foreign) {
            faults.extend(findings.iter().map(|finding| format!("audit: {finding}")));
        }
        faults.extend(pushes::wrong(self.scenario, run));
        faults.extend(sensitive::shown(run));
        if self.scenario.world == World::Live {
            faults.extend(screens::wrong(self.scenario, run));
        }
        if matches!(self.scenario.world, World::Feeds | World::Pulled | World::Pushed | World::Told | World::Live) {
            faults.extend(feeds::missing(run.items.values()));
        }
        let items = items_of(run.items.values())?;
        if self.scenario.world == World::Told {
            faults.extend(alerts::wrong(self.scenario, &self.before, &items)?);
        }
        faults.extend(inboxes::wrong(items.into_iter(), BEGIN)?);
        faults.extend(run.items.values().filter_map(at_work));
        if is_finished && !is_serial && !run.has_late_effect && !self.is_in_parts {
            let statuses: Vec<Vec<u16>> =
                run.answers.iter().map(|answers| answers.iter().map(|answer| answer.status).collect()).collect();
            faults.push(format!("no serial order has these answers and items: {statuses:?}"));
        }
        Ok(faults)
    }

    /// Returns how the outcome of a schedule differs from that of the serial order that is nearest
    /// to it.
    pub(crate) fn difference(&self, run: &Run) -> Vec<String> {
        let outcome = self.outcome(&run.answers, run);
        let lines = |outcome: &Outcome| -> BTreeSet<String> {
            outcome.answers.iter().flatten().chain(&outcome.items).cloned().collect()
        };
        let actual = lines(&outcome);
        let all = self.serial.values().flat_map(|orders| &orders.outcomes);
        let nearest = all.map(lines).min_by_key(|lines| lines.symmetric_difference(&actual).count());
        let nearest = nearest.unwrap_or_default();
        let more = actual.difference(&nearest).map(|line| format!("+ {line}"));
        more.chain(nearest.difference(&actual).map(|line| format!("- {line}"))).collect()
    }

    /// Returns the outcome of a run with these answers.
    fn outcome(&self, answers: &[Vec<Answered>], run: &Run) -> Outcome {
        let answer = |answer: &Answered| {
            let Answered { request, status, body, .. } = answer;
            if self.leaving.contains(&request.caller) {
                return request.to_string();
            }
            let mut body = body.clone();
            // The signature of a form depends on the time.
            body.as_object_mut().and_then(|body| body.remove("upload"));
            // save-photo reads the photo after it has saved it.
            if request.path.contains("/saved/") {
                body.as_object_mut().and_then(|body| body.remove("photo"));
            }
            let body = if is_read_apart(request) { String::new() } else { self.mask.apply(&body.to_string()) };
            format!("{request} -> {status} {body}")
        };
        // Of the home feeds and the alerts, the other judges decide: what nobody sees may be left.
        let items = self.items(run, |table| !table.ends_with(".Feed"));
        Outcome { answers: answers.iter().map(|session| session.iter().map(answer).collect()).collect(), items }
    }

    /// Returns the items of these tables and the objects at the end of a run.
    fn items(&self, run: &Run, is_of_interest: impl Fn(&str) -> bool) -> Vec<String> {
        let is_alert = |item: &Value| item["SK"]["S"].as_str().is_some_and(|sk| sk.starts_with(ALERT_PREFIX));
        let items = run.items.iter().filter(|((table, _), item)| is_of_interest(table) && !is_alert(item));
        let items = items.map(|(_, item)| item);
        let mut items: Vec<String> = items
            .map(|item| {
                let mut item = item.clone();
                // finish-deletion starts itself once more as often as it needs to, and the claim of a picture that
                // is removed is one version more.
                for name in ["passes", "version"] {
                    item.as_object_mut().and_then(|item| item.remove(name));
                }
                self.mask.apply(&item.to_string())
            })
            .collect();
        items.extend(run.objects.iter().map(|object| self.mask.apply(object)));
        items.sort();
        items
    }

    /// Returns whether a serial order has an outcome. Runs only as many orders as it needs.
    async fn is_serial(&mut self, system: &mut System, unanswered: Vec<Vec<usize>>, wanted: &Outcome) -> Result<bool> {
        let mut orders = self.serial.remove(&unanswered).unwrap_or_else(|| SerialOrders {
            outcomes: BTreeSet::new(),
            left: attempts(self.scenario, &unanswered),
            serial: Serial::default(),
        });
        while !orders.outcomes.contains(wanted) {
            let Some(sessions) = orders.left.last() else { break };
            let outcome = self.serial_outcome(system, sessions, &mut orders.serial).await?;
            orders.outcomes.insert(outcome);
            if !orders.serial.advance() {
                orders.left.pop();
            }
        }
        let is_serial = orders.outcomes.contains(wanted);
        self.serial.insert(unanswered, orders);
        Ok(is_serial)
    }

    /// Runs attempts in a serial order.
    async fn serial_outcome(
        &self,
        system: &mut System,
        sessions: &[Vec<Attempt>],
        serial: &mut Serial,
    ) -> Result<Outcome> {
        let requests = |session: &Vec<Attempt>| session.iter().map(|attempt| attempt.request.clone()).collect();
        let Scenario { world, skew, .. } = *self.scenario;
        let scenario = Scenario { world, skew, sessions: sessions.iter().map(requests).collect() };
        let run = execute(system, &scenario, serial).await?;
        let answered = |(answers, session): (&Vec<Answered>, &Vec<Attempt>)| {
            let of_session = answers.iter().zip(session).filter(|(_, attempt)| attempt.is_answered);
            of_session.map(|(answer, _)| answer.clone()).collect()
        };
        let answers: Vec<Vec<Answered>> = run.answers.iter().zip(sessions).map(answered).collect();
        Ok(self.outcome(&answers, &run))
    }
}

/// Returns whether the body of an answer is read apart from the change, so that another change may
/// come in between. docs/concurrency.md names these functions.
fn is_read_apart(request: &ApiRequest) -> bool {
    let reads_after = request.path.contains("/photos/") || request.body.contains("pinnedImage");
    // The state of an export or an import changes while it is at work.
    let is_at_work = request.path.ends_with(EXPORTS_PATH) || request.path.ends_with(IMPORTS_PATH);
    request.method == "GET" || (request.method == "PATCH" && reads_after) || is_at_work
}

/// The serial orders of some attempts, as far as they have been run.
struct SerialOrders {
    outcomes: BTreeSet<Outcome>,
    /// The attempts whose orders are left.
    left: Vec<Vec<Vec<Attempt>>>,
    /// The orders of the last of them.
    serial: Serial,
}

/// An attempt of a request.
#[derive(Debug, Clone)]
struct Attempt {
    request: ApiRequest,
    is_answered: bool,
}

/// Returns the attempts of each session that may have been served: each unanswered one or not.
fn attempts(scenario: &Scenario, unanswered: &[Vec<usize>]) -> Vec<Vec<Vec<Attempt>>> {
    let mut all: Vec<Vec<Vec<Attempt>>> = vec![vec![]];
    for (requests, unanswered) in scenario.sessions.iter().zip(unanswered) {
        let mut of_session: Vec<Vec<Attempt>> = vec![vec![]];
        for (request, &unanswered) in requests.iter().zip(unanswered) {
            let attempt = |is_answered| Attempt { request: request.clone(), is_answered };
            of_session = of_session
                .iter()
                .flat_map(|before| {
                    (0..=unanswered).map(move |served| {
                        let mut attempts = before.clone();
                        attempts.extend(std::iter::repeat_n(attempt(false), served));
                        attempts.push(attempt(true));
                        attempts
                    })
                })
                .collect();
        }
        all = all
            .iter()
            .flat_map(|before| {
                of_session.iter().map(move |session| before.iter().cloned().chain([session.clone()]).collect())
            })
            .collect();
    }
    all
}
