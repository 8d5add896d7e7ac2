//! A delivery that stalls while another one finishes the deletion, the trace expires, and an import
//! puts another photo at the key. The trace keeps an import away for two days; without it, the
//! conditions of the writes have to suffice.

use shared::entities::LINKS;
use shared::entities::object::{Size, incoming_key, picture_key};
use shared::values::{PhotoId, PictureId, Username};
use testing::{Object, PNG, comment, link, photo_with, ready, vector, with, with_count};

use super::*;

/// Puts everything that a photo of ada can have. `file` is the uploaded file, and `time` the time
/// of the comment.
async fn put_responses(fixture: &Fixture, file: &[u8], time: &str) {
    let (ada, photo): (Username, PhotoId) = ("ada".parse().unwrap(), ADAS_PHOTO.parse().unwrap());
    let id = PictureId::from_file(file);
    let sizes = Size::ALL.map(|size| picture_key(&ada, &photo, None, &id, size));
    for key in sizes.into_iter().chain([incoming_key(&ada, &photo, None)]) {
        fixture.put_object(&key, Object { content_type: None, cache_control: None, bytes: PNG.into() }).await;
    }
    let sk = format!("PHOTO#ada#{ADAS_PHOTO}");
    let ada = with_count(with_count(with_count(user("ada"), "photos", 3), "uploads", 3), LINKS, 3);
    fixture.put(with(ada, "pinnedImage", sk)).await;
    fixture.put(with_count(user("ben"), "commentsWritten", 1)).await;
    fixture.put(comment("ben", time, "ada", ADAS_PHOTO)).await;
    for caller in ["ben", "cara"] {
        fixture.put(reaction(caller, "heart", "ada", ADAS_PHOTO)).await;
        fixture.put_in(FEED, engagement(caller, "ada", ADAS_PHOTO, &["heart"])).await;
    }
    fixture.put_in(FEED, vector("ada", ADAS_PHOTO, 1)).await;
    // A token never comes again.
    let token = format!("the-link-of-file-{}AA", String::from_utf8_lossy(file));
    fixture.put_all(link("ada", Some(ADAS_PHOTO), &token));
}

/// Returns everything that a deletion can change.
async fn everything(fixture: &Fixture) -> (BTreeMap<String, Value>, BTreeMap<String, Value>, Vec<String>) {
    let objects = fixture.objects().await.into_keys().collect();
    (fixture.all_items().await, fixture.all_items_of(FEED).await, objects)
}

#[tokio::test]
async fn a_delivery_that_stalls_at_any_request_changes_nothing_of_a_later_photo() {
    for served in 0.. {
        let fixture = Fixture::with_s3("finish-deletion").await;
        put_responses(&fixture, b"one", "2024-06-01T10:00:00.000Z").await;
        let mut deletion = photo_deletion("ada", ADAS_PHOTO, 2);
        deletion.insert("comments".into(), count(1));
        fixture.put(deletion.clone()).await;
        let record = photo_record(deletion);

        let (process, mut gate) = fixture.gated_process();
        // The gate knows by the end of the process that there is no further request.
        let stalled_record = record.clone();
        let stalled = async move { FinishDeletion::start(&process).unwrap().handle(stalled_record).await };
        let stall = async {
            for _ in 0..served {
                gate.serve().await;
            }
            handle(&fixture, record).await;
            let key = Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap());
            let is_over = fixture.operations().last().is_some_and(|last| last == "BatchGetItem");
            fixture.delete(key).await;
            let mut photo = photo_with("ada", ADAS_PHOTO, ready(b"two"));
            photo.insert("reactions".into(), AttributeValue::M([("heart".into(), count(2))].into()));
            photo.insert("comments".into(), count(1));
            fixture.put(photo).await;
            put_responses(&fixture, b"two", "2024-08-01T10:00:00.000Z").await;
            let expected = everything(&fixture).await;
            gate.open();
            (expected, is_over)
        };
        let (outcome, (mut expected, is_over)) = tokio::join!(stalled, stall);
        // The uploaded file goes with the picture that the photo shows, if it goes at all.
        let mut after = everything(&fixture).await;
        for objects in [&mut expected.2, &mut after.2] {
            objects.retain(|key| !key.starts_with("incoming/"));
        }
        assert_eq!(after, expected, "after {served} requests");
        assert!(outcome.is_ok() || matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
        if is_over {
            assert!(served > 5, "{served}");
            return;
        }
    }
}
