//! The routes of template.yaml, each of which has a row in the table, or needs none.

use std::collections::BTreeSet;

use local::costs::Callers;
use local::template::{Route, Template};
use tests::costs::patterns;

use super::*;

/// Routes of songs and people, which are no users.
const CATALOGUES: &[&str] = &[
    "PUT /music/{artist}/{songTitle}",
    "GET /music/{artist}/{songTitle}",
    "DELETE /music/{artist}/{songTitle}",
    "GET /music/{artist}",
    "GET /genres/{genre}/albums",
    "PUT /people/{personId}",
    "GET /people/{personId}",
    "PATCH /people/{personId}",
    "DELETE /people/{personId}",
];

/// Returns the route of a row or of template.yaml, without its query and with one name for all
/// parameters.
fn without_names(route: &str) -> String {
    let path = route.split('?').next().unwrap();
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

#[test]
fn every_route_has_a_row_or_needs_none() {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let routes = template.functions.iter().flat_map(|function| function.routes.iter().map(Route::key));
    let routes: BTreeSet<String> = routes.collect();
    let patterns = patterns();
    let shows_own = template.functions.iter().filter(|function| patterns[&function.name].shows_own);
    assert!(shows_own.clone().all(|function| matches!(patterns[&function.name].who, Some(Callers::Owner(_)))));
    let own = shows_own.flat_map(|function| function.routes.iter().map(Route::key));
    // What a link shows does not depend on who opens it.
    let for_nobody = template.functions.iter().filter(|function| patterns[&function.name].who == Some(Callers::Nobody));
    let own = own.chain(for_nobody.flat_map(|function| function.routes.iter().map(Route::key)));
    let without_row: BTreeSet<String> = own.chain(CATALOGUES.iter().map(|route| (*route).to_owned())).collect();
    let rows: BTreeSet<String> = table().iter().map(|(row, _)| without_names(row)).collect();
    for route in &routes {
        let has_row = rows.contains(&without_names(route));
        assert!(has_row != without_row.contains(route), "{route}: add a row to the table, or say `shows-own = true`");
    }
}

/// A route without an authorizer shows what it shows to the whole world, so none gets in by accident.
#[test]
fn only_these_routes_need_no_token() {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let patterns = patterns();
    let mut open = BTreeSet::new();
    for function in &template.functions {
        for route in &function.routes {
            let is_for_nobody = patterns[&function.name].who == Some(Callers::Nobody);
            assert_eq!(!route.needs_token, is_for_nobody, "{}: `who` of {}", route.key(), function.name);
            open.extend(is_for_nobody.then(|| route.key()));
        }
    }
    let expected = ["GET /oembed", "GET /s/{token}", "GET /s/{token}/picture", "POST /s/{token}/report"];
    assert_eq!(open, expected.map(str::to_owned).into());
}

/// The routes are those for one user, for one of two, or for a group, as `costs.toml` says.
#[tokio::test]
async fn a_route_that_is_not_for_everybody_refuses_everybody_else() {
    let world = World::start().await;
    let patterns = patterns();
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let mut requests = 0;
    for function in template.functions.iter().filter(|function| !function.routes.is_empty()) {
        let event = fs::read_to_string(root().join(format!("events/{}.json", function.name))).unwrap();
        let event: Value = serde_json::from_str(&event).unwrap();
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let others: Vec<&str> = match patterns[&function.name].who {
            Some(Callers::Owner(_) | Callers::Either(_)) => {
                CALLERS.into_iter().filter(|caller| *caller != "owner").collect()
            }
            Some(Callers::Editors | Callers::Moderators) => {
                let groups = text("/requestContext/authorizer/jwt/claims/cognito:groups");
                CALLERS.into_iter().filter(|caller| *caller != MODERATOR || !groups.contains("moderators")).collect()
            }
            _ => vec![],
        };
        // Everybody whom the request names is the owner.
        let (method, mut path) = (text("/requestContext/http/method"), function.routes[0].path.clone());
        for (name, value) in event["pathParameters"].as_object().into_iter().flatten() {
            let value = match name.as_str() {
                "username" | "follower" | "other" => "owner".to_owned(),
                "comment" => format!("{}~owner", value.as_str().unwrap().split('~').next().unwrap()),
                _ => value.as_str().unwrap().to_owned(),
            };
            path = path.replace(&format!("{{{name}}}"), &value);
        }
        let mut body: Value = serde_json::from_str(text("/body")).unwrap_or_default();
        if body["username"].is_string() {
            body["username"] = "owner".into();
        }
        for caller in others {
            let path = format!("{path}?{}", text("/rawQueryString"));
            let request = world.request(caller, method, &path);
            let request = if body.is_null() { request } else { request.json(&body) };
            assert_eq!(request.send().await.unwrap().status(), 403, "{caller}: {method} {path}");
            requests += 1;
        }
    }
    assert!(requests > 300, "only {requests} requests");
    world.api.stack.shutdown().await;
}
