//! Reactions and friendships that no count includes yet.

use super::*;
use shared::entities::mark_uncounted;

#[tokio::test]
async fn deletes_uncounted_reactions_to_a_deleted_photo_without_a_decrement() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deleted = photo_deletion("ada", ADAS_PHOTO, 2);
    fixture.put(deleted.clone()).await;
    for (name, is_counted) in [("ben", true), ("cara", false), ("dora", true), ("emil", false)] {
        let reaction = reaction(name, "heart", "ada", ADAS_PHOTO);
        fixture.put(if is_counted { reaction } else { mark_uncounted(reaction) }).await;
    }
    // The seed data has a reaction of cara to this photo, which is one of the four.
    handle(&fixture, photo_record(deleted)).await;
    let everything = fixture.all_items().await;
    assert_eq!(left_of_photo(&everything, ADAS_PHOTO), Vec::<&String>::new());
}

#[tokio::test]
async fn a_photo_in_deletion_waits_for_counted_reactions_and_not_for_uncounted_ones() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deleted = photo_deletion("ada", ADAS_PHOTO, 2);
    fixture.put(deleted.clone()).await;
    fixture.put(mark_uncounted(reaction("ben", "heart", "ada", ADAS_PHOTO))).await;
    // Two are counted, and the index shows only that of cara, of the seed data.
    handle_in_vain(&fixture, photo_record(deleted.clone())).await;
    let key = Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap());
    assert_eq!(fixture.item(key).await["reactions"]["heart"], 1);
    fixture.put(reaction("dora", "heart", "ada", ADAS_PHOTO)).await;
    handle(&fixture, photo_record(deleted)).await;
    assert_eq!(left_of_photo(&fixture.all_items().await, ADAS_PHOTO), Vec::<&String>::new());
}

#[tokio::test]
async fn deletes_the_uncounted_items_of_a_deleted_user_without_a_decrement() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = seed_ada(&fixture).await;
    // The counts of the others include none of these.
    let mut ben = user("ben");
    ben.extend([("followers".into(), count(3)), ("following".into(), count(1))]);
    fixture.put(ben).await;
    fixture.put(mark_uncounted(friendship("ben", "ada"))).await;
    fixture.put(mark_uncounted(friendship("ada", "ben"))).await;
    fixture.put(mark_uncounted(reaction("ada", "smiley", "ben", "2024-06-26T03:59:33"))).await;
    handle(&fixture, deletion_record(&deletion)).await;
    assert_eq!(left_of(&fixture.all_items().await, "ada"), Vec::<&String>::new());
    let ben = fixture.item(Key::user(&"ben".parse().unwrap())).await;
    assert_eq!((&ben["followers"], &ben["following"]), (&Value::from(3), &Value::from(0)));
    let photo_of_ben = fixture.item(Key::photo(&"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap())).await;
    assert_eq!(photo_of_ben["reactions"]["smiley"], 2);
}
