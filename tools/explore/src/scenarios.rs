//! The scenarios: the requests that meet.
//!
//! No function is named here. The requests are those of events/, with the values of
//! [`crate::world`] in the place of their parameters. Each is run once alone, which shows the items
//! that it touches, together with the functions on the streams. Two requests meet if one of them
//! writes an item that the other one touches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, Result};
use local::template::Template;
use serde_json::Value;

use crate::execution::execute;
use crate::footprint::{Area, Footprint};
use crate::run::Run;
use crate::schedule::{ApiRequest, Scenario};
use crate::search::Serial;
use crate::store::ItemId;
use crate::system::System;
use crate::world::{World, values};

/// The scenarios that are written by hand, one a line, with comments.
const WRITTEN: &str = include_str!("scenarios/written.txt");

/// The end of the path of an export. Its work reads everything of a user and changes nothing of it,
/// so it would meet every other request. Its scenarios are written.
pub(crate) const EXPORTS_PATH: &str = "/exports";
/// The end of the path of an import.
pub(crate) const IMPORTS_PATH: &str = "/imports";

/// A request, and what it does alone.
pub(crate) struct Solo {
    pub(crate) function: String,
    pub(crate) request: ApiRequest,
    pub(crate) status: u16,
    pub(crate) footprint: Footprint,
    /// The items that it puts or deletes.
    changed: Vec<ItemId>,
}

impl Solo {
    /// Returns whether it may undo the change of another one: whether it touches all items that the
    /// other one puts or deletes. Others need not be run after it.
    fn may_undo(&self, change: &Self) -> bool {
        let touches = |(table, key): &ItemId| {
            let areas = self.footprint.reads.iter().chain(&self.footprint.writes);
            areas.into_iter().any(|area| area.overlaps(&Area::Item(table.clone(), String::new(), key.clone())))
        };
        change.changed.iter().all(touches)
    }
}

/// Returns the scenarios of a world: those that are derived, if it has any, and those that are written.
pub(crate) async fn derive(system: &mut System) -> Result<Vec<Scenario>> {
    let mut scenarios = if system.world.is_derived() { pairs(system).await? } else { vec![] };
    for line in WRITTEN.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let scenario: Scenario = line.parse()?;
        if scenario.world == system.world {
            scenarios.push(scenario);
        }
    }
    Ok(scenarios)
}

/// Returns the pairs that meet, and the pairs in which one session does something and undoes it while the
/// other one is under way.
async fn pairs(system: &mut System) -> Result<Vec<Scenario>> {
    let solos = solos(system).await?;
    let mut scenarios: Vec<Scenario> = vec![];
    let mut kinds = BTreeSet::new();
    for (position, one) in solos.iter().enumerate() {
        for other in &solos[position..] {
            let shared = shared_kinds(&one.footprint, &other.footprint);
            if shared.is_empty() || !is_of_interest(system.world, &shared) {
                continue;
            }
            if kinds.insert((&one.function, one.status, &other.function, other.status, shared)) {
                let sessions = vec![vec![one.request.clone()], vec![other.request.clone()]];
                scenarios.push(Scenario { world: system.world, skew: 0, sessions });
            }
        }
    }
    scenarios.extend(undone(system, &solos).await?);
    if system.world == World::Foreign {
        // docs/concurrency.md says why a count may be wrong after the deletion of such an account.
        scenarios.retain(|scenario| !scenario.sessions.iter().flatten().any(ApiRequest::deletes_account));
    }
    Ok(scenarios)
}

/// Returns the scenarios in which one session makes a change and undoes it. A function that reads
/// before and after sees no difference, although all its reads are out of date.
async fn undone(system: &mut System, solos: &[Solo]) -> Result<Vec<Scenario>> {
    let mut scenarios = vec![];
    let mut kinds = BTreeSet::new();
    for change in solos.iter().filter(|solo| solo.status < 300 && !solo.changed.is_empty()) {
        for back in solos.iter().filter(|solo| solo.may_undo(change)) {
            let session = vec![change.request.clone(), back.request.clone()];
            let scenario = Scenario { world: system.world, skew: 0, sessions: vec![session.clone()] };
            let run = execute(system, &scenario, &mut Serial::default()).await?;
            system.reset()?;
            let is_undone = run.items.keys().eq(system.store.items().keys());
            if !is_undone || run.answers[0].iter().any(|answer| answer.status >= 300) {
                continue;
            }
            for other in solos.iter().filter(|solo| solo.footprint.conflicts_with(&change.footprint)) {
                let shared = shared_kinds(&other.footprint, &change.footprint);
                let kind = (&change.function, &back.function, &other.function, other.status, shared.clone());
                if is_of_interest(system.world, &shared) && kinds.insert(kind) {
                    let sessions = vec![vec![other.request.clone()], session.clone()];
                    scenarios.push(Scenario { world: system.world, skew: 0, sessions });
                }
            }
        }
    }
    Ok(scenarios)
}

/// Returns whether requests that meet on items of these kinds behave differently in this world. In
/// that of another program, only the favorites do, and in those of requests to follow and of
/// blocks, these do.
fn is_of_interest(world: World, kinds: &BTreeSet<String>) -> bool {
    let has = |part: &str| kinds.iter().any(|kind| kind.contains(part));
    match world {
        World::Foreign => has("Favorite"),
        World::Asked => has("ASK"),
        World::Blocked => has("BLOCK"),
        _ => true,
    }
}

/// Returns the requests of all functions that write something, each with what it does alone. Of
/// those that change nothing, one for each function and status is enough.
async fn solos(system: &mut System) -> Result<Vec<Solo>> {
    let mut solos: Vec<Solo> = vec![];
    let mut kinds = BTreeSet::new();
    let requests = requests(&system.template)?;
    for request in requests.into_iter().filter(|request| !request.path.ends_with(EXPORTS_PATH)) {
        let function = system.function_of(&request)?.name.clone();
        let scenario = Scenario { world: system.world, skew: 0, sessions: vec![vec![request.clone()]] };
        let run: Run = execute(system, &scenario, &mut Serial::default()).await?;
        system.reset()?;
        let Some(answer) = run.answers[0].first() else { continue };
        let before = system.store.items();
        let put = run.items.keys().filter(|item| !before.contains_key(*item));
        let deleted = before.keys().filter(|item| !run.items.contains_key(*item));
        let changed = put.chain(deleted).cloned().collect();
        let is_changed = run.items != *system.store.items();
        if run.footprint.writes.is_empty() || answer.status == 400 || answer.status == 403 {
            continue;
        }
        if is_changed || kinds.insert((function.clone(), answer.status)) {
            let (status, footprint) = (answer.status, run.footprint);
            solos.push(Solo { function, request, status, footprint, changed });
        }
    }
    // Small ones first, so that the scenarios are short.
    solos.sort_by_key(|solo| (solo.function.clone(), solo.footprint.writes.len() + solo.footprint.reads.len()));
    Ok(solos)
}

/// Returns the kinds of items on which two requests meet.
fn shared_kinds(one: &Footprint, other: &Footprint) -> BTreeSet<String> {
    let touched =
        |footprint: &Footprint| -> BTreeSet<Area> { footprint.reads.union(&footprint.writes).cloned().collect() };
    let meet = |writes: &BTreeSet<Area>, touched: &BTreeSet<Area>| -> BTreeSet<String> {
        let met = writes.iter().filter(|write| touched.iter().any(|area| write.overlaps(area)));
        // Requests that meet on objects meet on their photo too.
        let met = met.filter(|area| !area.is_of_bucket());
        met.map(Area::kind).collect()
    };
    meet(&one.writes, &touched(other)).union(&meet(&other.writes, &touched(one))).cloned().collect()
}

/// Returns the requests of all routes: the sample event of each function, with all values of its
/// parameters.
fn requests(template: &Template) -> Result<Vec<ApiRequest>> {
    let root = Template::find()?;
    let mut samples: Vec<(String, Value)> = vec![];
    for function in template.functions.iter().filter(|function| !function.routes.is_empty()) {
        let file = root.with_file_name(format!("events/{}.json", function.name));
        let text = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let table = function.environment.get("TABLE_NAME").cloned().unwrap_or_default();
        samples.push((table, serde_json::from_slice(&text)?));
    }
    // The values of parameters that the world does not list are those of the sample events of the
    // same table.
    let mut others: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (table, event) in &samples {
        for (name, value) in event["pathParameters"].as_object().into_iter().flatten() {
            let value = value.as_str().unwrap_or_default().to_owned();
            others.entry((table.clone(), name.clone())).or_default().insert(value);
        }
    }
    let mut requests = vec![];
    for (table, event) in &samples {
        let values_of = |name: &str| -> Vec<String> {
            let listed = values(name).map(|values| values.iter().map(ToString::to_string).collect());
            listed
                .or_else(|| Some(others.get(&(table.clone(), name.to_owned()))?.iter().cloned().collect()))
                .unwrap_or_default()
        };
        requests.extend(variants(event, values_of)?);
    }
    Ok(requests)
}

/// Returns a sample event as requests with all values of its parameters.
fn variants(event: &Value, values_of: impl Fn(&str) -> Vec<String>) -> Result<Vec<ApiRequest>> {
    let context = &event["requestContext"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let route = text(&event["routeKey"]);
    let (method, template) = route.split_once(' ').context("a route key has a method and a path")?;
    let caller = text(&context["authorizer"]["jwt"]["claims"]["username"]);
    // A form has no fields of which the world lists values.
    let body: Value = event["body"].as_str().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();

    // The parameters of the path and the listed fields of the body, each with its value in the
    // sample.
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in event["pathParameters"].as_object().into_iter().flatten() {
        names.insert(name.clone(), text(value));
    }
    for (name, value) in body.as_object().into_iter().flatten() {
        if values(name).is_some() && value.is_string() {
            names.insert(name.clone(), text(value));
        }
    }
    // The owner is the caller where the sample says so. Other callers are ada and ben.
    let owner = names.iter().rev().find(|(_, value)| **value == caller).map(|(name, _)| name.clone());
    let callers = if owner.is_some() { vec![String::new()] } else { vec!["ada".to_owned(), "ben".to_owned()] };

    let mut bindings: Vec<BTreeMap<String, String>> = vec![BTreeMap::new()];
    for name in names.keys() {
        let values = values_of(name);
        bindings = bindings
            .iter()
            .flat_map(|binding| {
                values.iter().map(move |value| {
                    let mut binding = binding.clone();
                    binding.insert(name.clone(), value.clone());
                    binding
                })
            })
            .collect();
    }
    let mut requests = vec![];
    for binding in &bindings {
        for other in &callers {
            let caller = owner.as_ref().map_or(other, |owner| &binding[owner]).clone();
            let mut path = template.to_owned();
            let mut body = body.clone();
            for (name, value) in binding {
                path = path.replace(&format!("{{{name}}}"), &percent_encoded(value));
                if let Some(field) = body.get_mut(name) {
                    *field = value.clone().into();
                }
            }
            let query = text(&event["rawQueryString"]);
            if !query.is_empty() {
                path = format!("{path}?{query}");
            }
            let body = if body.is_null() { String::new() } else { body.to_string() };
            requests.push(ApiRequest { caller, method: method.to_owned(), path, body });
        }
    }
    Ok(requests)
}

fn percent_encoded(value: &str) -> String {
    value.replace(' ', "%20")
}
