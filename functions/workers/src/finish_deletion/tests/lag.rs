//! Deletions while an index lags.

use super::*;

/// The index shows one of two users whom ada follows: the other one is written after the function
/// has searched it.
#[tokio::test]
async fn does_not_rest_while_the_index_does_not_show_whom_the_user_follows() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut deletion = deletion("zoe");
    deletion.insert("following".into(), count(2));
    fixture.put(deletion.clone()).await;
    for followed in ["ben", "cara"] {
        let mut user = user(followed);
        user.insert("followers".into(), count(1));
        fixture.put(user).await;
    }
    fixture.put(friendship("ben", "zoe")).await;
    let of_zoe = record(user("zoe"), deletion.clone());
    // GetItem of the Deletion and of the Latest, and the Queries of photos, followers and followed
    // users.
    fixture.write_concurrently(5, vec![friendship("cara", "zoe")], vec![]);
    handle_in_vain(&fixture, of_zoe.clone()).await;
    assert_eq!(fixture.item(Key::user(&"zoe".parse().unwrap())).await["following"], 1);

    handle(&fixture, of_zoe).await;
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
    for followed in ["ben", "cara"] {
        assert_eq!(fixture.item(Key::user(&followed.parse().unwrap())).await["followers"], 0, "{followed}");
    }
}

/// The index shows one of two requests: the other one is written after the function has searched
/// it.
#[tokio::test]
async fn does_not_rest_while_the_index_does_not_show_whom_the_user_has_asked() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut deletion = deletion("zoe");
    deletion.insert(REQUESTS_SENT.into(), count(2));
    fixture.put_all(vec![deletion.clone(), follow_request("ben", "zoe")]);
    let of_zoe = record(user("zoe"), deletion);
    // GetItem of the Deletion and of the Latest, and the Queries of photos, followers, followed
    // users and requests.
    fixture.write_concurrently(6, vec![follow_request("cara", "zoe")], vec![]);
    handle_in_vain(&fixture, of_zoe.clone()).await;
    assert_eq!(fixture.item(Key::user(&"zoe".parse().unwrap())).await[REQUESTS_SENT], 1);
    handle(&fixture, of_zoe).await;
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
}

#[tokio::test]
async fn does_not_rest_while_the_index_does_not_show_all_reactions_to_a_photo() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut photo = photo("zoe", ADAS_PHOTO);
    photo.insert("reactions".into(), AttributeValue::M([("heart".into(), count(1))].into()));
    fixture.put(photo).await;
    let deletion = deletion("zoe");
    fixture.put(deletion.clone()).await;
    let of_zoe = record(user("zoe"), deletion);
    // GetItem of the Deletion and of the Latest, Query of the photos, UpdateItem, Query of the
    // reactions.
    fixture.write_concurrently(5, vec![reaction("cara", "heart", "zoe", ADAS_PHOTO)], vec![]);
    handle_in_vain(&fixture, of_zoe.clone()).await;
    assert_eq!(fixture.item(Key::user(&"zoe".parse().unwrap())).await["erasing"], "zoe");

    handle(&fixture, of_zoe).await;
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new());
}

#[tokio::test]
async fn does_not_rest_while_the_index_does_not_show_who_blocks_the_user() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = testing::with_count(deletion("ada"), "blockedBy", 1);
    fixture.put(deletion.clone()).await;
    handle_in_vain(&fixture, deletion_record(&deletion)).await;
    fixture.put_all(vec![testing::with_count(user("cara"), "blocks", 1), block("cara", "ada", Level::Block)]);
    handle(&fixture, deletion_record(&deletion)).await;
    assert!(fixture.all_items().await.contains_key("REST#ada #REST#ada"));
}
