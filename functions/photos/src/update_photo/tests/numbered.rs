//! Photos of several pictures.

use shared::entities::{Pictures, PinnedPicture, get_pictures};
use shared::values::{PictureNumber, ReportReason};
use testing::{Answer, numbered, rejected, several};

use super::*;

const ID: &str = "2026-01-01T00:00:00";
const PENDING: Picture = Picture::Pending;

/// Returns a fixture with a photo of ada with these pictures and their vectors, and another one with two.
async fn fixture_of(pictures: impl IntoIterator<Item = Picture>) -> Fixture {
    let fixture = Fixture::new("update-photo").await;
    let [photo, pictures] = several("ada", ID, pictures);
    let is_public = photo["picture"].as_m().unwrap()["status"].as_s().unwrap() == "ready";
    fixture.put(photo).await;
    fixture.put(pictures).await;
    for item in several("ada", PLAIN, [ready(b"one"), ready(b"two")]) {
        fixture.put(item).await;
    }
    for (index, entry) in found(&fixture).await.entries.iter().enumerate() {
        if entry.picture.sizes().is_some() {
            put_vector(&fixture, index + 1, is_public).await;
        }
    }
    fixture
}

async fn put_vector(fixture: &Fixture, number: usize, is_public: bool) {
    let vector = if is_public { vector("ada", ID, 1) } else { hidden_vector("ada", ID, 1) };
    fixture.put_in(FEED, with(vector, "sk", format!("{ID}#{number}"))).await;
}

async fn found(fixture: &Fixture) -> Pictures {
    let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    get_pictures(&table, &"ada".parse().unwrap(), &ID.parse().unwrap()).await.unwrap().unwrap()
}

async fn numbers(fixture: &Fixture) -> Vec<u32> {
    found(fixture).await.entries.iter().map(|entry| entry.number.get()).collect()
}

/// Returns the vectors of the photo: the numbers, each with whether it is in the index.
async fn vectors(fixture: &Fixture) -> Vec<(String, bool)> {
    let prefix = format!("Vector#ada {ID}#");
    let items = fixture.all_items_of(FEED).await;
    let own = items.iter().filter_map(|(key, item)| Some((key.strip_prefix(&prefix)?, item.get("vector").is_some())));
    own.map(|(number, is_public)| (number.to_owned(), is_public)).collect()
}

fn of(numbers: &[u32], is_public: bool) -> Vec<(String, bool)> {
    numbers.iter().map(|number| (number.to_string(), is_public)).collect()
}

/// Returns the numbers of the pictures whose files are to be deleted.
async fn deletions(fixture: &Fixture) -> Vec<u64> {
    let items = fixture.all_items().await.into_iter();
    let deletions = items.filter(|(key, _)| key.starts_with(&format!("USER#ada PICTURE#ada#{ID}#")));
    deletions.map(|(_, item)| item["number"].as_u64().unwrap()).collect()
}

async fn call(fixture: &Fixture, body: &Value) -> Answer {
    fixture.call(UpdatePhoto::start, patch(ID, body)).await
}

#[tokio::test]
async fn reorders_and_removes_the_pictures_of_a_ready_photo() {
    let fixture = fixture_of([ready(b"one"), ready(b"two"), ready(b"three")]).await;
    let others = stored(&fixture, PLAIN).await;
    let _ = fixture.operations();
    let body = json!({"pictures": [{"number": 3, "altText": "Picture 3"}, {"number": 1, "altText": "Picture 1"}]});
    let answer = call(&fixture, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(fixture.operations(), ["BatchGetItem", "GetItem", "TransactWriteItems", "GetItem", "GetItem"]);
    let shown: Vec<&Value> =
        answer.body["pictures"].as_array().unwrap().iter().map(|picture| &picture["number"]).collect();
    assert_eq!((json!(shown), &answer.body["pictureCount"]), (json!([3, 1]), &json!(2)));
    assert_eq!(answer.body["altText"], "Picture 3");
    let item = stored(&fixture, ID).await;
    let sizes = &item["picture"]["sizes"];
    assert_eq!((&sizes["number"], &item["altText"], &item["pictures"]), (&json!(3), &json!("Picture 3"), &json!(2)));
    assert_eq!(item.get("edited"), None, "no text is another one");
    assert_eq!((numbers(&fixture).await, deletions(&fixture).await), (vec![3, 1], vec![2]));
    assert_eq!(vectors(&fixture).await, of(&[1, 3], true));
    assert_eq!(stored(&fixture, PLAIN).await, others);
    // A repetition, whose answer is lost, changes nothing.
    fixture.inject([Fault::None, Fault::None, Fault::AnswerLost]);
    assert_eq!(call(&fixture, &body).await.status, 200);
    assert_eq!((numbers(&fixture).await, stored(&fixture, ID).await), (vec![3, 1], item));
}

#[tokio::test]
async fn changes_the_text_alternatives_of_pictures() {
    let fixture = fixture_of([ready(b"one"), ready(b"two")]).await;
    let body = json!({"pictures": [{"number": 1, "altText": "A pier"}, {"number": 2}], "caption": "Both"});
    let answer = call(&fixture, &body).await;
    assert_eq!((&answer.body["altText"], &answer.body["caption"]), (&json!("A pier"), &json!("Both")));
    assert!(answer.body["edited"].is_string());
    let texts: Vec<_> = found(&fixture).await.entries.into_iter().map(|entry| entry.alt_text).collect();
    assert_eq!(texts, [Some("A pier".to_owned()), None]);
    // The field of the photo is that of the first picture.
    for (patched, expected) in
        [(json!("A boat"), Some("A boat")), (Value::Null, None), (json!("A pier"), Some("A pier"))]
    {
        let _ = fixture.operations();
        let answer = call(&fixture, &json!({ "altText": patched })).await;
        assert_eq!((answer.status, answer.body["altText"].as_str()), (200, expected));
        let read = ["BatchGetItem", "GetItem", "TransactWriteItems", "GetItem", "GetItem"];
        assert_eq!(fixture.operations(), [&["TransactWriteItems"][..], &read].concat());
        assert_eq!(found(&fixture).await.entries[0].alt_text.as_deref(), expected);
        assert_eq!(stored(&fixture, ID).await["altText"].as_str(), expected);
    }
    let _ = fixture.operations();
    assert_eq!(call(&fixture, &json!({"caption": "x"})).await.status, 200);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem", "GetItem"]);
}

#[tokio::test]
async fn one_patch_replaces_a_rejected_picture() {
    let fixture = fixture_of([rejected(), ready(b"two"), PENDING]).await;
    let body = json!({"pictures": [{"altText": "Again", "format": "jpeg"}, {"number": 2}, {"number": 3}]});
    let answer = call(&fixture, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let first = &answer.body["pictures"][0];
    assert_eq!((&first["number"], &first["status"]), (&json!(4), &json!("pending")));
    assert_eq!(first["upload"]["fields"]["key"], format!("incoming/ada/{ID}/4"));
    assert_eq!(first["upload"]["fields"]["Content-Type"], "image/jpeg");
    assert_eq!(answer.body["pictures"][2].get("upload"), None);
    assert_eq!((numbers(&fixture).await, deletions(&fixture).await), (vec![4, 2, 3], vec![1]));
    let item = stored(&fixture, ID).await;
    assert_eq!((&item["picture"]["status"], &item["altText"]), (&json!("pending"), &json!("Again")));
    assert_eq!(vectors(&fixture).await, of(&[2], false));
}

#[tokio::test]
async fn the_photo_becomes_ready_if_all_that_stay_are() {
    for (audience, is_public) in [(None, true), (Some("followers"), false)] {
        let fixture = fixture_of([rejected(), ready(b"two"), ready(b"three")]).await;
        if let Some(audience) = audience {
            let [photo, _] = several("ada", ID, [rejected(), ready(b"two"), ready(b"three")]);
            fixture.put(with(photo, "audience", audience)).await;
        }
        fixture.inject([Fault::None, Fault::None, Fault::AnswerLost]);
        let answer = call(&fixture, &json!({"pictures": [{"number": 2}, {"number": 3}]})).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!("ready")), "{}", answer.body);
        let item = stored(&fixture, ID).await;
        assert_eq!((item.get("ttl"), item.get("unready"), &item["pictures"]), (None, None, &json!(2)));
        assert_eq!(item["picture"]["sizes"]["number"], 2);
        assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await["photos"], 3, "it counts once");
        assert_eq!(vectors(&fixture).await, of(&[2, 3], is_public));
    }
    // The audience changes between the read and the write, or in the same patch.
    let fixture = fixture_of([rejected(), ready(b"two")]).await;
    let [photo, _] = several("ada", ID, [rejected(), ready(b"two")]);
    fixture.write_concurrently(2, vec![with(photo, "audience", "me")], vec![]);
    assert_eq!(call(&fixture, &json!({"pictures": [{"number": 2}]})).await.status, 200);
    assert_eq!(vectors(&fixture).await, of(&[2], false));
    let fixture = fixture_of([rejected(), ready(b"two")]).await;
    assert_eq!(call(&fixture, &json!({"pictures": [{"number": 2}], "audience": "me"})).await.status, 200);
    assert_eq!(
        (stored(&fixture, ID).await["picture"]["status"].clone(), vectors(&fixture).await),
        (json!("ready"), of(&[2], false))
    );
}

#[tokio::test]
async fn refuses_lists_that_break_a_rule() {
    let fixture = fixture_of([ready(b"one"), ready(b"two")]).await;
    let before = fixture.all_items().await;
    for (body, field) in [
        (json!([]), "pictures"),
        (json!(null), "pictures"),
        (json!(vec![json!({"number": 1}); 11]), "pictures"),
        (json!([{"number": 0}]), "pictures[0].number"),
        (json!([{"number": "1"}]), "pictures[0].number"),
        (json!([{"number": 1, "format": "png"}]), "pictures[0].format"),
        (json!([{"number": 1, "altText": " "}]), "pictures[0].altText"),
    ] {
        fixture.refuses_field(UpdatePhoto::start, patch(ID, &json!({ "pictures": body })), field).await;
    }
    let both = json!({"pictures": [{"number": 1}], "altText": "A pier"});
    fixture.refuses_field(UpdatePhoto::start, patch(ID, &both), "altText").await;
    for (body, field) in [
        (json!([{"number": 1}, {"number": 1}]), "pictures[1].number"),
        (json!([{"number": 3}]), "pictures[0].number"),
        (json!([{"number": 1}, {}]), "pictures[1].number"),
    ] {
        let answer = call(&fixture, &json!({ "pictures": body })).await;
        assert_eq!((answer.status, &answer.body["errors"][0]["field"]), (400, &json!(field)), "{body}");
    }
    // A photo that was made with one picture.
    let one = fixture.call(UpdatePhoto::start, patch(DESCRIBED, &json!({"pictures": [{"number": 1}]}))).await;
    assert_eq!((one.status, &one.body["errors"][0]["field"]), (400, &json!("pictures")));
    // What a moderator has removed does not show the photo.
    let removed = Picture::Removed { reason: ReportReason::Spam, sizes: numbered(ready(b"one"), 1).sizes().cloned() };
    let hidden = fixture_of([removed, ready(b"two")]).await;
    let answer = call(&hidden, &json!({"pictures": [{"number": 1}]})).await;
    assert_eq!((answer.status, &answer.body["errors"][0]["field"]), (400, &json!("pictures")));
    assert_eq!(fixture.all_items().await, before);
    let unknown =
        fixture.call(UpdatePhoto::start, patch("2020-01-01T00:00:00", &json!({"pictures": [{"number": 1}]}))).await;
    assert_eq!((unknown.status, unknown.problem()), (404, "no-photo"));
    fixture.refuses_other_users(UpdatePhoto::start, patch(ID, &json!({"pictures": [{"number": 1}]}))).await;
    // Another account with the name does not learn which pictures there are.
    fixture.put(with(user("ada"), "subject", "another-account")).await;
    for body in [json!([{"number": 1}]), json!([{"number": 3}])] {
        assert_eq!(call(&fixture, &json!({ "pictures": body })).await.problem(), "other-account");
    }
}

#[tokio::test]
async fn a_picture_that_is_settled_meanwhile_is_kept() {
    let fixture = fixture_of([PENDING, ready(b"two")]).await;
    let settled = found(&fixture).await;
    let picture = numbered(ready(b"one"), 1);
    let settled = settled.settled(PictureNumber::FIRST, picture.clone(), None).unwrap();
    let item = settled.put_new("table", &"ada".parse().unwrap()).unwrap().item;
    fixture.write_concurrently(2, vec![item], vec![]);
    put_vector(&fixture, 1, false).await;
    assert_eq!(call(&fixture, &json!({"pictures": [{"number": 2}, {"number": 1}]})).await.status, 200);
    assert_eq!(found(&fixture).await.entries[1].picture, picture);
    assert_eq!(stored(&fixture, ID).await["picture"]["sizes"]["number"], 2, "the patch has made the photo ready");
    assert_eq!(vectors(&fixture).await, of(&[1, 2], true));
}

#[tokio::test]
async fn a_pinned_photo_stays_pinned_with_its_new_first_picture() {
    let fixture = fixture_of([ready(b"one"), ready(b"two")]).await;
    let pinned = |of: &[u8], number| {
        let sizes = numbered(ready(of), number).sizes().cloned().unwrap();
        serde_dynamo::to_attribute_value(PinnedPicture::from(sizes)).unwrap()
    };
    let mut ada = with(user("ada"), "pinnedImage", format!("PHOTO#ada#{ID}"));
    ada.insert("pinnedPicture".to_owned(), pinned(b"one", 1));
    fixture.put(ada).await;
    let _ = fixture.operations();
    assert_eq!(call(&fixture, &json!({"pictures": [{"number": 2}, {"number": 1}]})).await.status, 200);
    let reads = ["BatchGetItem", "GetItem", "TransactWriteItems"];
    assert_eq!(fixture.operations(), [&reads[..], &reads, &["GetItem", "GetItem"]].concat());
    let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    let expected = json!({"number": 2, "id": shared::values::PictureId::from_file(b"two"), "blurhash": ada["pinnedPicture"]["blurhash"]});
    assert_eq!((&ada["pinnedPicture"], &ada["pinnedImage"]), (&expected, &json!(format!("PHOTO#ada#{ID}"))));
    // A photo that is not pinned does not touch the profile.
    let before = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    let other = patch(PLAIN, &json!({"pictures": [{"number": 2}, {"number": 1}]}));
    assert_eq!(fixture.call(UpdatePhoto::start, other).await.status, 200);
    assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await, before);
    let both = json!({"pictures": [{"number": 1}, {"number": 2}], "audience": "me"});
    assert_eq!(call(&fixture, &both).await.problem(), "photo-pinned");
}

#[tokio::test]
async fn a_change_of_the_audience_moves_all_vectors() {
    let fixture = fixture_of([ready(b"one"), ready(b"two"), ready(b"three")]).await;
    for (audience, is_public) in [("me", false), ("followers", false), ("everyone", true), ("everyone", true)] {
        let _ = fixture.operations();
        assert_eq!(call(&fixture, &json!({ "audience": audience })).await.status, 200);
        let reads = ["BatchGetItem", "GetItem", "BatchGetItem", "TransactWriteItems", "GetItem", "GetItem"];
        assert_eq!(fixture.operations(), reads);
        assert_eq!(vectors(&fixture).await, of(&[1, 2, 3], is_public), "{audience}");
    }
    // The vectors of a pending photo and of a removed picture stay out of the index.
    let fixture = fixture_of([PENDING, ready(b"two")]).await;
    for audience in ["me", "everyone"] {
        assert_eq!(call(&fixture, &json!({ "audience": audience })).await.status, 200);
        assert_eq!(vectors(&fixture).await, of(&[2], false));
    }
    let removed = Picture::Removed { reason: ReportReason::Spam, sizes: numbered(ready(b"two"), 2).sizes().cloned() };
    let fixture = fixture_of([ready(b"one"), removed]).await;
    put_vector(&fixture, 2, false).await;
    for (audience, is_public) in [("me", false), ("everyone", true)] {
        assert_eq!(call(&fixture, &json!({ "audience": audience })).await.status, 200);
        assert_eq!(vectors(&fixture).await, [of(&[1], is_public), of(&[2], false)].concat());
    }
}
