//! A page costs what README.md says, among few as among many.

use std::net::Ipv4Addr;

use axum::http::{Request, header};
use local::gateway::event;
use local::gateway::router::Router;
use local::sample::FAVORITE;
use local::services::dynamodb;
use local::template::Function;
use serde_json::Value;
use shared::values::DataType;
use testing::Collection;
use time::OffsetDateTime;

use crate::bed::Bed;
use crate::{readme, rules};

/// How many favorites they have.
const OWNERS: [(&str, u64); 2] = [("few", 20), ("many", 20_000)];

#[tokio::test]
async fn a_page_costs_the_same_among_20_000_favorites_as_among_20() {
    let bed = Bed::new().await;
    let table = &bed.template().table(FAVORITE).unwrap().name;
    for (owner, favorites) in OWNERS {
        dynamodb::import(bed.bench.database(), table, collection(owner, favorites).into_items()).unwrap();
    }
    bed.bench.keep().unwrap();

    let mut wrong = vec![];
    for (page, costs) in readme::pages() {
        for (owner, favorites) in OWNERS {
            let (function, event) = ask(&bed, owner, &page.replace('…', &format!("/users/{owner}")));
            let run = bed.run(function, &event).await;
            let entries = if page.contains("q=needle") { 10 } else { 20 };
            assert_eq!(run.entries(), entries, "entries of {page} among {favorites}");
            let broken = costs.against(&rules::costs(&run.asked));
            wrong.extend(broken.map(|broken| format!("{page} among {favorites}: {broken}.\n{}", rules::listed(&run))));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// So many images with the tag `t0`, the first of them with 20 tags, the first ten called "Needle" and all others "Hay"; and
/// as many tags, if a user may have so many.
fn collection(owner: &str, favorites: u64) -> Collection {
    let mut collection = Collection::of(owner);
    for tag in 0..favorites.min(1000) {
        let created = 1_700_000_000_000 + tag;
        collection.tag(&format!("t{tag}"), &format!("Tag{tag}"), created, 1_700_000_000_000);
    }
    let tags: Vec<String> = (0..20).map(|tag| format!("t{tag}")).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    for number in 0..favorites {
        let title = if number < 10 { "Needle" } else { "Hay" };
        let tags = if number == 0 { &tags } else { &tags[..1] };
        collection.clip(&format!("f{number}"), DataType::Image, title, 1_700_000_000_000 + number, tags);
    }
    collection
}

/// The function of a GET by its caller, and the event that the gateway makes of it.
fn ask<'a>(bed: &'a Bed, caller: &str, uri: &str) -> (&'a Function, Value) {
    let request = Request::get(uri).header(header::HOST, "localhost:3000").body(()).unwrap();
    let (parts, ()) = request.into_parts();
    let router = Router::new(bed.template()).unwrap();
    let route = router.resolve("GET", parts.uri.path()).unwrap();
    let event = event::build(&event::Call {
        route_key: route.route_key,
        path_parameters: &route.path_parameters,
        parts: &parts,
        body: b"",
        claims: &[("username".to_owned(), caller.to_owned())].into(),
        source_ip: Ipv4Addr::LOCALHOST.into(),
        request_id: "test",
        time: OffsetDateTime::now_utc(),
    });
    (bed.template().functions.iter().find(|function| function.name == route.function).unwrap(), event)
}
