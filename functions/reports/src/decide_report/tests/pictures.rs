//! Some pictures of a photo of several.

use shared::entities::{Pictures, PinnedPicture, get_pictures};
use shared::values::ReportReason;
use testing::{Answer, numbered, several};

use super::*;

/// Returns a fixture in which a photo of ada of three pictures is reported.
async fn fixture_of_three() -> Fixture {
    let fixture = fixture().await;
    let several = several("ada", PHOTO, [ready(b"one"), ready(b"two"), ready(b"three")]);
    fixture.put_all(several.into());
    for number in 1..=3 {
        fixture.put_in(FEED, with(vector("ada", PHOTO, 1), "sk", format!("{PHOTO}#{number}"))).await;
    }
    let _ = fixture.operations();
    fixture
}

async fn decide(fixture: &Fixture, body: &Value) -> Answer {
    fixture.call(DecideReport::start, put(ID, body)).await
}

fn remove_these(numbers: &[u32]) -> Value {
    json!({"decision": "remove", "pictures": numbers})
}

async fn pictures(fixture: &Fixture) -> Pictures {
    let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    get_pictures(&table, &"ada".parse().unwrap(), &PHOTO.parse().unwrap()).await.unwrap().unwrap()
}

async fn photo_of_ada(fixture: &Fixture) -> Value {
    fixture.item(Key::photo(&"ada".parse().unwrap(), &PHOTO.parse().unwrap())).await
}

/// Returns the numbers of the pictures that are removed, and of those whose vectors are in the index.
async fn removed_and_indexed(fixture: &Fixture) -> [Vec<u32>; 2] {
    let entries = pictures(fixture).await.entries.into_iter();
    let removed = entries.filter(|entry| matches!(entry.picture, Picture::Removed { .. }));
    let prefix = format!("Vector#ada {PHOTO}#");
    let vectors = fixture.all_items_of(FEED).await.into_iter().filter(|(_, vector)| vector.get("vector").is_some());
    let indexed = vectors.filter_map(|(key, _)| key.strip_prefix(&prefix)?.parse().ok());
    [removed.map(|entry| entry.number.get()).collect(), indexed.collect()]
}

#[tokio::test]
async fn removes_some_pictures_and_the_next_decision_takes_them_back() {
    let fixture = fixture_of_three().await;
    let before = photo_of_ada(&fixture).await;
    let entries = pictures(&fixture).await.entries;
    let answer = decide(&fixture, &remove_these(&[2, 1])).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(fixture.operations(), ["BatchGetItem", "GetItem", "BatchGetItem", "TransactWriteItems"]);
    let shown = (&answer.body["state"], &answer.body["pictures"], &answer.body["reason"]);
    assert_eq!(shown, (&json!("partly-removed"), &json!([1, 2]), &json!("nudity")));
    assert_eq!(removed_and_indexed(&fixture).await, [vec![1, 2], vec![3]]);
    let photo = photo_of_ada(&fixture).await;
    assert_eq!((&photo["picture"]["status"], &photo["picture"]["sizes"]["number"]), (&json!("ready"), &json!(3)));
    assert_eq!((&photo["altText"], &photo["pictures"]), (&json!("Picture 3"), &json!(1)));
    assert_eq!(decisions(&fixture, ID).await[0]["pictures"], json!([1, 2]));
    // A repetition, and one whose answer is lost.
    let items = fixture.all_items().await;
    let _ = fixture.operations();
    assert_eq!(decide(&fixture, &remove_these(&[1, 2])).await.body, answer.body);
    assert_eq!(
        (fixture.operations().contains(&"TransactWriteItems".to_owned()), fixture.all_items().await),
        (false, items)
    );
    fixture.inject([Fault::None, Fault::None, Fault::None, Fault::AnswerLost]);
    assert_eq!(decide(&fixture, &remove_these(&[3])).await.status, 200);
    assert_eq!(removed_and_indexed(&fixture).await, [vec![3], vec![1, 2]]);
    for (body, state) in [(dismiss(), "dismissed"), (reopen(), "open")] {
        assert_eq!(decide(&fixture, &remove_these(&[1])).await.status, 200);
        let answer = decide(&fixture, &body).await;
        assert_eq!((&answer.body["state"], answer.body.get("pictures")), (&json!(state), None));
        assert_eq!(removed_and_indexed(&fixture).await, [vec![], vec![1, 2, 3]]);
        assert_eq!((pictures(&fixture).await.entries, photo_of_ada(&fixture).await), (entries.clone(), before.clone()));
    }
}

#[tokio::test]
async fn a_removal_of_the_photo_hides_all_pictures_and_takes_single_ones_back() {
    let fixture = fixture_of_three().await;
    let before = photo_of_ada(&fixture).await;
    assert_eq!(decide(&fixture, &remove_these(&[1])).await.status, 200);
    let answer = decide(&fixture, &remove()).await;
    assert_eq!((&answer.body["state"], answer.body.get("pictures")), (&json!("removed"), None));
    assert_eq!(removed_and_indexed(&fixture).await, [Vec::<u32>::new(), vec![]]);
    let picture = &photo_of_ada(&fixture).await["picture"];
    assert_eq!((&picture["status"], &picture["sizes"]["number"]), (&json!("removed"), &json!(1)));
    assert_eq!(decide(&fixture, &remove_these(&[1])).await.status, 200);
    assert_eq!(photo_of_ada(&fixture).await["picture"]["sizes"]["number"], 2);
    assert_eq!(removed_and_indexed(&fixture).await, [vec![1], vec![2, 3]]);
    assert_eq!(decide(&fixture, &dismiss()).await.status, 200);
    assert_eq!(photo_of_ada(&fixture).await, before);
}

#[tokio::test]
async fn the_vectors_of_a_restricted_photo_stay_out_of_the_index() {
    let fixture = fixture_of_three().await;
    let [photo, _] = several("ada", PHOTO, [ready(b"one"), ready(b"two"), ready(b"three")]);
    fixture.put(with(photo, "audience", "followers")).await;
    for body in [remove_these(&[1]), dismiss()] {
        assert_eq!(decide(&fixture, &body).await.status, 200);
        assert_eq!(removed_and_indexed(&fixture).await[1], Vec::<u32>::new());
    }
}

#[tokio::test]
async fn a_pinned_photo_stays_pinned_with_the_first_picture_that_is_left() {
    let fixture = fixture_of_three().await;
    let pinned = |of: &[u8], number| {
        let sizes = numbered(ready(of), number).sizes().cloned().unwrap();
        serde_dynamo::to_attribute_value::<_, AttributeValue>(PinnedPicture::from(sizes)).unwrap()
    };
    let mut ada = with(user("ada"), "pinnedImage", format!("PHOTO#ada#{PHOTO}"));
    ada.insert("pinnedPicture".to_owned(), pinned(b"one", 1));
    fixture.put(ada).await;
    for (body, number) in [(remove_these(&[2]), 1), (remove_these(&[1, 2]), 3), (dismiss(), 1)] {
        assert_eq!(decide(&fixture, &body).await.status, 200);
        let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
        let found = (&ada["pinnedPicture"]["number"], &ada["pinnedImage"]);
        assert_eq!(found, (&json!(number), &json!(format!("PHOTO#ada#{PHOTO}"))), "{body}");
    }
    assert_eq!(decide(&fixture, &remove()).await.status, 200);
    assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await.get("pinnedPicture"), None);
}

#[tokio::test]
async fn refuses_pictures_that_are_not_there_and_to_leave_none() {
    let fixture = fixture_of_three().await;
    let before = fixture.all_items().await;
    for bad in [json!([]), json!([0]), json!([1, 1]), json!("1"), json!(1)] {
        let body = json!({"decision": "remove", "pictures": bad});
        fixture.refuses_field(DecideReport::start, put(ID, &body), "pictures").await;
    }
    for bad in [&[4][..], &[1, 2, 3]] {
        refuses(&fixture, ID, bad).await;
    }
    for decision in [dismiss(), reopen(), json!({"decision": "mark", "sensitive": "nudity"})] {
        let body = with_pictures(decision);
        fixture.refuses_field(DecideReport::start, put(ID, &body), "pictures").await;
    }
    for id in [format!("{ID}~{TIME}~ben"), "ben".to_owned()] {
        fixture.refuses_field(DecideReport::start, put(&id, &remove_these(&[1])), "pictures").await;
    }
    // A photo of one picture, one that is not ready, and one that is gone.
    refuses(&fixture, &format!("ada~{OTHER_PHOTO}"), &[1]).await;
    assert_eq!(fixture.all_items().await, before);
    fixture.put_all(several("ada", PHOTO, [ready(b"one"), Picture::Pending]).into());
    refuses(&fixture, ID, &[1]).await;
    fixture.put_all(vec![photo_deletion("ada", PHOTO, 0)]);
    refuses(&fixture, ID, &[1]).await;
}

async fn refuses(fixture: &Fixture, id: &str, numbers: &[u32]) {
    let answer = fixture.call(DecideReport::start, put(id, &remove_these(numbers))).await;
    assert_eq!((answer.status, &answer.body["errors"][0]["field"]), (400, &json!("pictures")), "{}", answer.body);
}

fn with_pictures(mut decision: Value) -> Value {
    decision["pictures"] = json!([1]);
    decision
}

/// To dismiss the report instead would allow an import to bring the picture back.
#[tokio::test]
async fn a_removal_can_be_confirmed_after_the_owner_has_left_the_pictures_out() {
    let fixture = fixture_of_three().await;
    assert_eq!(decide(&fixture, &remove_these(&[1, 2])).await.status, 200);
    let mut left = pictures(&fixture).await.next_version();
    left.entries.retain(|entry| entry.number.get() != 2);
    fixture.put(left.put_new("table", &"ada".parse().unwrap()).unwrap().item).await;
    let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    for (numbers, removed) in [(&[1, 2][..], vec![1]), (&[2], vec![])] {
        // A complaint opens the report again.
        let update = table.client.update_item().table_name(&table.name);
        let update = update.set_key(Some(Key::report(&ID.parse().unwrap()).into()));
        let update = update.update_expression("SET reportState = :open");
        update.expression_attribute_values(":open", AttributeValue::S("open".to_owned())).send().await.unwrap();
        let answer = decide(&fixture, &remove_these(numbers)).await;
        let shown = (answer.status, &answer.body["state"], &answer.body["pictures"]);
        assert_eq!(shown, (200, &json!("partly-removed"), &json!(numbers)), "{}", answer.body);
        assert_eq!(removed_and_indexed(&fixture).await[0], removed);
    }
    // Only what the report names, and a picture has to be left.
    for bad in [&[1, 4][..], &[1, 2, 3]] {
        refuses(&fixture, ID, bad).await;
    }
}

#[tokio::test]
async fn pictures_that_the_owner_arranges_meanwhile_are_read_again() {
    let fixture = fixture_of_three().await;
    let owner = "ada".parse().unwrap();
    let mut arranged = pictures(&fixture).await.next_version();
    arranged.entries.rotate_left(1);
    let [mut photo, _] = several("ada", PHOTO, [ready(b"one"), ready(b"two"), ready(b"three")]);
    let copy = arranged.copy(&ready(b"one"));
    photo.insert("picture".to_owned(), serde_dynamo::to_attribute_value(copy).unwrap());
    let item = arranged.put_new("table", &owner).unwrap().item;
    fixture.write_concurrently(3, vec![photo, item], vec![]);
    assert_eq!(decide(&fixture, &remove_these(&[2])).await.status, 200);
    let after = pictures(&fixture).await;
    assert_eq!(after.entries.iter().map(|entry| entry.number.get()).collect::<Vec<_>>(), [2, 3, 1]);
    assert_eq!(photo_of_ada(&fixture).await["picture"]["sizes"]["number"], 3);
    // A removal of a pending photo of several rejects it, as one of one picture.
    fixture.put_all(several("ada", PHOTO, [ready(b"one"), Picture::Pending]).into());
    let removed = json!({"decision": "remove", "reason": ReportReason::Hate});
    assert_eq!(decide(&fixture, &removed).await.status, 200);
    let photo = photo_of_ada(&fixture).await;
    assert_eq!((&photo["picture"]["status"], &photo["rejected"]), (&json!("rejected"), &json!(true)));
}
