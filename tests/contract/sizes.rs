//! Tests that a page of a long list costs as much as a page of a short one.

use local::sample::{FAVORITE, FEED, QUICK_PHOTOS};
use shared::dynamodb::Item;
use shared::entities::{Position, entry_item};
use shared::values::{DataType, Timestamp};
use testing::Collection;
use testing::runner::Runner;
use tests::costs::patterns;

use crate::contract::{import, rules};

/// Two owners, and the number of favorites that each has.
const OWNERS: [(&str, u64); 2] = [("few", 20), ("many", 20_000)];

/// The number of entries in the shorter feed. A page of a feed reads references ahead, which a
/// shorter feed does not have.
pub(crate) const LEAST_ENTRIES: u64 = 100;

#[tokio::test]
async fn a_page_costs_the_same_among_20_000_favorites_as_among_20() {
    let runner = Runner::new().await.unwrap();
    for (owner, favorites) in OWNERS {
        import(&runner, FAVORITE, collection(owner, favorites).into_items());
        let (photos, feed) = feed_of(owner, favorites.max(LEAST_ENTRIES), 1);
        import(&runner, QUICK_PHOTOS, photos);
        import(&runner, FEED, feed);
    }
    runner.harness.snapshot().unwrap();

    let mut failures = vec![];
    let mut pages = 0;
    for (name, pattern) in patterns() {
        for (page, costs) in &pattern.pages {
            pages += 1;
            for (owner, favorites) in OWNERS {
                let (function, event) = runner.request("GET", owner, &format!("/users/{owner}{page}")).unwrap();
                assert_eq!(function.name, name, "the function of {page}");
                let run = runner.run(function, &event).await.unwrap();
                let entries = if page.contains("q=needle") { 10 } else { 20 };
                assert_eq!(run.entries(), entries, "entries of {page} among {favorites} favorites");
                let page = format!("{page} among {favorites} favorites");
                failures.extend(rules::failure(&page, &pattern, costs, &run));
            }
        }
    }
    assert_eq!(pages, 12);
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Returns a collection of images that all have the tag `t0`. The first image has 20 tags. The
/// first ten images are called "Needle" and all others "Hay". The owner has as many tags as
/// favorites, up to the maximum of 1,000.
fn collection(owner: &str, favorites: u64) -> Collection {
    let mut collection = Collection::new(owner);
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

/// Returns the items of authors whom the owner follows, and the feed of the owner with all of their
/// photos.
pub(crate) fn feed_of(owner: &str, photos: u64, authors: u64) -> (Vec<Item>, Vec<Item>) {
    let author = |number: u64| format!("author{}-of-{owner}", number % authors);
    let positions: Vec<Position> = (0..photos)
        .map(|number| Position {
            id: Timestamp::from_epoch_millis(1_700_000_000_000 + number.cast_signed()).unwrap().into(),
            author: author(number).parse().unwrap(),
        })
        .collect();
    let entries = positions.iter().map(|position| entry_item(&owner.parse().unwrap(), position));
    let photos = positions.iter().map(|position| testing::photo(position.author.as_ref(), position.id.as_ref()));
    let people =
        (0..authors).map(author).flat_map(|author| [testing::user(&author), testing::friendship(&author, owner)]);
    (photos.chain(people).collect(), entries.collect())
}
