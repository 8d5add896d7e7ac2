//! The popular photos.

use aws_sdk_dynamodb::types::AttributeValue::{M, N};
use shared::entities::{PopularPhoto, Position};
use shared::values::{PhotoId, Timestamp};
use testing::{photo, reaction};

use super::*;

fn popular(level: u32, owner: &str, id: &str) -> PopularPhoto {
    PopularPhoto { level, photo: Position { id: id.parse().unwrap(), author: name(owner) } }
}

/// Puts a photo of cara with two hearts, and returns its id.
async fn put_liked(feeds: &Feeds) -> String {
    let id = PhotoId::from(Timestamp::now()).to_string();
    let mut item = photo("cara", &id);
    item.insert("reactions".to_owned(), M([("heart".to_owned(), N("2".to_owned()))].into()));
    let hearts = ["ada", "ben"].map(|reacting| reaction(reacting, "heart", "cara", &id));
    feeds.table.put([item].into_iter().chain(hearts)).await;
    id
}

async fn findings(feeds: &Feeds) -> Vec<String> {
    feeds.findings().await.into_iter().filter(|line| line.contains("popular photo")).collect()
}

#[tokio::test]
async fn makes_and_deletes_popular_photos_as_the_photos_are() {
    let feeds = Feeds::seed();
    let id = put_liked(&feeds).await;
    for stale in [popular(4, "cara", &id), popular(5, "nobody", &id)] {
        feeds.put(stale.item()).await;
    }
    let expected = [
        format!("photo {id} of cara: the popular photo of level 1 is missing"),
        format!("photo {id} of cara: the popular photo of level 4 is not one of the photo"),
        format!("photo {id} of nobody: the popular photo of level 5 is not one of the photo"),
    ];
    assert_eq!(findings(&feeds).await, expected);
    feeds.audit(true).await;
    assert_eq!(findings(&feeds).await, [""; 0]);
    let items = feeds.all_items().await;
    let popular: Vec<_> = items.keys().filter(|(pk, _)| pk.starts_with("Popular#")).collect();
    assert_eq!(popular, [&(format!("Popular#{}", &id[..10]), format!("01#{id}#cara"))]);
}

#[tokio::test]
async fn ignores_popular_photos_that_have_expired() {
    let feeds = Feeds::seed();
    feeds.put(popular(7, "ada", ADAS_NEWEST).item()).await;
    assert_eq!(findings(&feeds).await, [""; 0]);
}
