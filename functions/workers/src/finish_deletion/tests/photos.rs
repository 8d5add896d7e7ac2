//! A photo that is deleted by itself.

use shared::entities::mark_uncounted;

use super::*;

#[tokio::test]
async fn deletes_the_reactions_and_the_pin_of_a_deleted_photo() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let pinned = fixture.item(Key::user(&"ada".parse().unwrap())).await["pinnedImage"].take();
    let id = pinned.as_str().unwrap().trim_start_matches("PHOTO#ada#");
    for number in 0..120 {
        let name = format!("u{number}");
        fixture.put(reaction(&name, "heart", "ada", id)).await;
        fixture.put_in(FEED, engagement(&name, "ada", id, &["heart"])).await;
    }
    // Nothing counts this one.
    fixture.put(reaction("cara", "smiley", "ada", id)).await;
    let deletion = photo_deletion("ada", id, 120);
    fixture.put(deletion.clone()).await;
    handle(&fixture, photo_record(deletion.clone())).await;
    let operations = [
        // The second one removes the pin.
        vec!["BatchGetItem", "TransactWriteItems", "Query"],
        // 49, 49 and 22 hearts with their engagements, and at the third attempt one smiley, which
        // neither a count nor an engagement includes.
        vec!["TransactWriteItems"; 6],
        vec!["ListObjectVersions"; 2],
        vec!["TransactWriteItems"],
    ];
    assert_eq!(fixture.operations(), operations.concat());
    let everything = fixture.all_items().await;
    assert_eq!(left_of_photo(&everything, id), Vec::<&String>::new());
    assert!(everything.values().all(|item| item["pinnedImage"] != pinned));

    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(fixture.operations(), ["BatchGetItem"]);
    assert_eq!(fixture.all_items().await, everything);
}

#[tokio::test]
async fn deletes_the_vector_of_a_deleted_photo_and_no_other() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let id = "2024-06-09T13:49:13";
    for (owner, id) in [("ada", id), ("ada", "2024-06-09T13:49:13.000Z"), ("ben", id)] {
        fixture.put_in(FEED, testing::vector(owner, id, 1)).await;
    }
    let mut expected = fixture.all_items_of(FEED).await;
    expected.remove(&format!("Vector#ada {id}")).unwrap();
    let deletion = photo_deletion("ada", id, 0);
    fixture.put(deletion.clone()).await;
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(fixture.all_items_of(FEED).await, expected);
}

#[tokio::test]
async fn keeps_the_reactions_and_the_pin_of_other_photos() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    fixture.put(reaction("cara", "heart", "ben", "2024-07-14T10:21:01")).await;
    let mut expected = fixture.all_items().await;
    let deletion = photo_deletion("ben", "2024-07-14T10:21:02", 0);
    fixture.put(deletion.clone()).await;
    handle(&fixture, photo_record(deletion)).await;
    expected.get_mut("USER#ben #METADATA#ben").unwrap()["photos"] = Value::from(1);
    expected.get_mut("USER#ben #METADATA#ben").unwrap()["uploads"] = Value::from(1);
    let mut after = fixture.all_items().await;
    assert!(after.remove("USER#ben PHOTO#ben#2024-07-14T10:21:02").is_some(), "the trace");
    assert_eq!(after, expected);
}

#[tokio::test]
async fn decrements_the_count_of_photos_once() {
    let photos = async |fixture: &Fixture| fixture.item(Key::user(&"ada".parse().unwrap())).await["photos"].clone();
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = photo_deletion("ada", ADAS_PHOTO, 0);
    fixture.put(deletion.clone()).await;
    // BatchGetItem, Query and two lists of objects come first.
    fixture.inject([Fault::None, Fault::None, Fault::None, Fault::None, Fault::AnswerLost]);
    for _ in 0..2 {
        handle(&fixture, photo_record(deletion.clone())).await;
        assert_eq!(photos(&fixture).await, 1);
    }
    // A user without a count, one whose count is too low, and one who is being deleted have nothing
    // to decrement.
    let (mut without_count, mut too_low) = (user("ada"), user("ada"));
    without_count.remove("photos");
    without_count.remove("uploads");
    too_low.insert("photos".into(), count(0));
    for owner in [without_count, too_low, testing::deletion("ada")] {
        fixture.put(owner.clone()).await;
        fixture.put(deletion.clone()).await;
        let before = fixture.item(Key::user(&"ada".parse().unwrap())).await;
        handle(&fixture, photo_record(deletion.clone())).await;
        assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await, before);
        assert_eq!(left_of_photo(&fixture.all_items().await, ADAS_PHOTO), Vec::<&String>::new());
    }
}

#[tokio::test]
async fn the_deletion_of_a_photo_that_was_never_ready_leaves_the_count_of_photos() {
    for (is_unready, photos) in [(false, 1), (true, 2)] {
        let fixture = Fixture::with_s3("finish-deletion").await;
        let mut deletion = photo_deletion("ada", ADAS_PHOTO, 0);
        if is_unready {
            deletion.insert("unready".into(), aws_sdk_dynamodb::types::AttributeValue::Bool(true));
        }
        fixture.put(deletion.clone()).await;
        for _ in 0..2 {
            handle(&fixture, photo_record(deletion.clone())).await;
            let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
            assert_eq!((&ada["photos"], &ada["uploads"]), (&Value::from(photos), &Value::from(1)), "{is_unready}");
        }
    }
}

/// The index shows one of two reactions: the other one is written only after the function has
/// searched the index.
#[tokio::test]
async fn fails_while_the_index_does_not_show_all_reactions_to_a_photo() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = photo_deletion("ada", ADAS_PHOTO, 2);
    fixture.put(deletion.clone()).await;
    fixture.put(reaction("cara", "heart", "ada", ADAS_PHOTO)).await;
    fixture.write_concurrently(2, vec![reaction("ben", "heart", "ada", ADAS_PHOTO)], vec![]);
    handle_in_vain(&fixture, photo_record(deletion.clone())).await;
    let photo = fixture.item(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await;
    assert_eq!(photo["reactions"]["heart"], 1, "the reaction of ben is left");

    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(left_of_photo(&fixture.all_items().await, ADAS_PHOTO), Vec::<&String>::new());
}

#[tokio::test]
async fn counts_once_when_a_reaction_is_removed_concurrently() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = photo_deletion("ada", ADAS_PHOTO, 3);
    fixture.put(deletion.clone()).await;
    for name in ["ben", "cara", "dora"] {
        fixture.put(reaction(name, "heart", "ada", ADAS_PHOTO)).await;
    }
    // remove-reaction deletes the reaction of ben after the Query has found it.
    let mut decremented = photo_deletion("ada", ADAS_PHOTO, 2);
    decremented.insert("since".into(), deletion["since"].clone());
    fixture.write_concurrently(2, vec![decremented], vec![reaction("ben", "heart", "ada", ADAS_PHOTO)]);
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(left_of_photo(&fixture.all_items().await, ADAS_PHOTO), Vec::<&String>::new());
}

#[tokio::test]
async fn deletes_one_by_one_what_a_wrong_count_does_not_include() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = photo_deletion("ada", ADAS_PHOTO, 1);
    fixture.put(deletion.clone()).await;
    for name in ["ben", "cara", "dora"] {
        fixture.put(reaction(name, "heart", "ada", ADAS_PHOTO)).await;
    }
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(left_of_photo(&fixture.all_items().await, ADAS_PHOTO), Vec::<&String>::new());
}

#[tokio::test]
async fn starts_again_after_the_audit_has_touched_a_deletion() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = photo_deletion("ada", ADAS_PHOTO, 1);
    let mut touched = deletion.clone();
    touched.insert("passes".into(), count(1));
    fixture.put(touched.clone()).await;
    handle(&fixture, record(deletion, touched)).await;
    assert_eq!(left_of_photo(&fixture.all_items().await, ADAS_PHOTO), Vec::<&String>::new());
}

#[tokio::test]
async fn deletes_the_engagements_with_the_photo_alone() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    for (caller, id) in
        [("cara", "2024-06-09T13:49:13"), ("ben", "2024-05-30T15:42:38"), ("ben", "2024-06-09T13:49:13")]
    {
        fixture.put_in(FEED, engagement(caller, "ada", id, &["heart"])).await;
        fixture.put(reaction(caller, "heart", "ada", id)).await;
    }
    let deletion = photo_deletion("ada", "2024-05-30T15:42:38", 2);
    fixture.put(deletion.clone()).await;
    handle(&fixture, photo_record(deletion)).await;
    let feeds = fixture.all_items_of(FEED).await;
    let left: Vec<&String> = feeds.keys().filter(|key| key.starts_with("Engagement#")).collect();
    assert_eq!(left, ["Engagement#ben ada#2024-06-09T13:49:13", "Engagement#cara ada#2024-06-09T13:49:13"]);
}

/// The favorite stays when its photo is deleted, and shows the photo again after an import.
#[tokio::test]
async fn the_engagement_of_a_saved_photo_loses_its_reactions_alone() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    for (caller, is_saved) in [("ben", true), ("dora", false)] {
        let mut engagement = engagement(caller, "ada", ADAS_PHOTO, &["heart", "smiley"]);
        if is_saved {
            engagement.insert("saved".into(), AttributeValue::Bool(true));
        }
        fixture.put_in(FEED, engagement).await;
        fixture.put(reaction(caller, "heart", "ada", ADAS_PHOTO)).await;
        fixture.put(mark_uncounted(reaction(caller, "smiley", "ada", ADAS_PHOTO))).await;
    }
    // The seed data has a heart of cara, which her engagement has too.
    let deletion = photo_deletion("ada", ADAS_PHOTO, 3);
    fixture.put(deletion.clone()).await;
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(left_of_photo(&fixture.all_items().await, ADAS_PHOTO), Vec::<&String>::new());
    let mut feeds = fixture.all_items_of(FEED).await;
    feeds.retain(|key, _| key.starts_with("Engagement#") && key.ends_with(ADAS_PHOTO));
    let pk = "Engagement#ben";
    let saved = serde_json::json!({"pk": pk, "sk": format!("ada#{ADAS_PHOTO}"), "saved": true});
    assert_eq!(feeds.into_values().collect::<Vec<_>>(), [saved]);
}
