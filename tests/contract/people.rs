//! Tests that a search of people costs what it shows, however many people its words find.

use local::costs::Costs;
use local::sample::{FEED, QUICK_PHOTOS};
use shared::entities::Listing;
use testing::runner::Runner;

use crate::contract::import;

/// The number of people on a page.
const SHOWN: usize = 20;

/// Returns what a page of people costs whose name begins with `ma`, among so many.
async fn costs_among(number: usize) -> Costs {
    let runner = Runner::new().await.unwrap();
    let listings = (0..number).map(|number| Listing::new(&format!("ma{number:07}").parse().unwrap(), "Mara", 0));
    let first: Vec<_> = listings.clone().take(2 * SHOWN).collect();
    let users = first.iter().map(|listing| testing::with(testing::user(listing.username.as_ref()), "name", "Mara"));
    import(&runner, QUICK_PHOTOS, users.collect());
    let entries = listings.flat_map(|listing| listing.entries()).filter(|entry| entry.list == "ma");
    import(&runner, FEED, entries.map(|entry| entry.item().unwrap()).collect());
    runner.harness.snapshot().unwrap();
    let (function, event) = runner.request("GET", "ada", &format!("/users?q=ma&limit={SHOWN}")).unwrap();
    let run = runner.run(function, &event).await.unwrap();
    assert_eq!(run.entries(), SHOWN, "{}", run.body);
    run.costs()
}

#[tokio::test]
async fn a_search_costs_the_same_among_more_people() {
    assert_eq!(costs_among(20_000).await, costs_among(100).await);
}

/// ```sh
/// cargo test --workspace --test system -- --ignored --nocapture among_a_million
/// ```
#[tokio::test]
#[ignore = "it takes a minute"]
async fn a_search_costs_the_same_among_a_million_people() {
    let [million, hundred] = [costs_among(1_000_000).await, costs_among(100).await];
    println!("among a million people: {million}; among a hundred: {hundred}");
    assert_eq!(million, hundred);
}
