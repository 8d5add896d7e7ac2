//! The live screens of a deleted user.

use super::*;
use shared::dynamodb::entity;
use shared::entities::{Screen, Screens, Watcher};
use shared::values::{PhotoReference, Timestamp, Username};

#[tokio::test]
async fn deletes_the_screens_of_a_deleted_user_and_the_watchers_that_they_are() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let photo = PhotoReference { username: "emil".parse().unwrap(), id: "2024-05-30T15:42:38".parse().unwrap() };
    for user in ["ada", "ben"] {
        let (username, id): (Username, _) = (user.parse().unwrap(), "1".parse().unwrap());
        let key = Key::watcher(&photo, &username, &id);
        let watcher = Watcher { username: username.clone(), screen: "1".parse().unwrap(), ttl: u32::MAX.into() };
        fixture.put_in(FEED, entity::to_item(key, &watcher).unwrap()).await;
        let screen = Screen { ticket: None, connection: None, photo: Some(photo.clone()), used: Timestamp::now() };
        let screens = Screens { screens: [(id, screen)].into(), revision: 1, ttl: u32::MAX.into(), told: None };
        fixture.put_in(FEED, entity::to_item(Key::screens(&username), &screens).unwrap()).await;
    }
    let deletion = seed_ada(&fixture).await;
    handle(&fixture, deletion_record(&deletion)).await;
    let left = fixture.all_items_of(FEED).await;
    let live: Vec<&String> = left.keys().filter(|key| key.starts_with("Live#") || key.starts_with("Watch#")).collect();
    assert_eq!(live, ["Live#ben Screens", "Watch#emil#2024-05-30T15:42:38 SCREEN#ben#1"]);
}
