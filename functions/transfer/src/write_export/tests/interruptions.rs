//! Attempts that end anywhere, and messages that come twice.

use std::iter::repeat_n;

use shared::entities::object::EXPORTS_PREFIX;
use testing::Fault;

use super::*;

/// The size of pictures that make an archive of four parts.
const LARGE: usize = 9 * 1024 * 1024;
/// The size of pictures that make an archive of two parts.
const MEDIUM: usize = 3 * 1024 * 1024;

/// Checks that the export is ready, and that nothing but its file is left.
async fn check(setup: &Setup, bytes: usize) {
    let (stored, zip) = (setup.stored().await, setup.zip().await);
    assert_eq!((&stored["state"], &stored["bytes"]), (&json!("ready"), &json!(zip.len())), "{stored}");
    assert_eq!((&stored["photos"], &stored["work"]), (&json!(3), &Value::Null));
    let files = unzip(&zip);
    for (index, time) in TIMES.iter().enumerate() {
        let name = format!("pictures/{}.jpg", time.replace(':', "-"));
        assert!(files[&name] == picture(index, bytes), "{name}");
    }
    assert_eq!(setup.objects().await, [format!("{EXPORTS_PREFIX}ada/{}.zip", setup.export.id)]);
}

#[tokio::test]
async fn continues_in_the_next_invocation() {
    let setup = Setup::new(LARGE).await;
    let (mut claimed, mut invocations) = (0, 0);
    loop {
        // No time is left after a part.
        setup.deliver(&format!("message {claimed}"), claimed, Duration::ZERO).await.unwrap();
        invocations += 1;
        let stored = setup.stored().await;
        let sent = setup.messages.take().await;
        let Some((_, body)) = sent.first() else { break };
        assert_eq!((&stored["state"], &stored["claimed"]), (&json!("running"), &body["claimed"]));
        assert_eq!(stored["of"], 2);
        claimed = serde_json::from_value(body["claimed"].clone()).unwrap();
    }
    assert_eq!(invocations, 4);
    check(&setup, LARGE).await;
}

/// A part ends with all pictures of a photo, so that the next one begins with another photo.
#[tokio::test]
async fn a_part_has_all_pictures_of_a_photo_or_none() {
    const TIME: &str = "2025-02-02T11:00:00.000Z";
    let setup = Setup::new(MEDIUM).await;
    let large: Vec<_> = [1, 2, 3].map(|number| (number, picture(number, LARGE))).into();
    let pictures = large.iter().map(|(_, file)| {
        let mut one = testing::ready(file);
        if let shared::entities::Picture::Ready(sizes) = &mut one {
            sizes.bytes = file.len() as u64;
        }
        one
    });
    setup.fixture.put_all(testing::several("ada", TIME, pictures).into());
    for (number, file) in &large {
        let shared::entities::Picture::Ready(sizes) = testing::ready(file) else { panic!() };
        let number = number.to_string().parse().ok();
        let key = picture_key(&ada(), &TIME.parse().unwrap(), number, &sizes.id, Size::Large);
        let object = Object { content_type: None, cache_control: None, bytes: file.clone().into() };
        setup.fixture.put_object(&key, object).await;
    }
    let mut claimed = 0;
    loop {
        setup.deliver(&format!("message {claimed}"), claimed, Duration::ZERO).await.unwrap();
        let sent = setup.messages.take().await;
        let Some((_, body)) = sent.first() else { break };
        claimed = serde_json::from_value(body["claimed"].clone()).unwrap();
    }
    let files = unzip(&setup.zip().await);
    for (number, file) in &large {
        assert!(files[&format!("pictures/{}-{number}.jpg", TIME.replace(':', "-"))] == *file, "{number}");
    }
    // The first part has two photos and all pictures of the third one, and the second part the last photo.
    assert_eq!((&setup.stored().await["photos"], claimed), (&json!(4), 1));
}

#[tokio::test]
async fn an_attempt_may_fail_at_any_request() {
    the_message_comes_again_after(Fault::Error("AccessDeniedException")).await;
}

#[tokio::test]
async fn any_answer_may_be_lost() {
    the_message_comes_again_after(Fault::AnswerLost).await;
}

/// The message comes again after an attempt with this fault: at every third of its requests, and
/// at each of the last ones, when the file is complete.
async fn the_message_comes_again_after(fault: Fault) {
    let mut setup = Setup::new(MEDIUM).await;
    setup.deliver("a", 0, LONG).await.unwrap();
    let requests = setup.fixture.operations().len();
    assert!((30..100).contains(&requests), "{requests} requests");
    for request in (0..requests).filter(|request| request % 3 == 0 || requests - request <= 6) {
        delete_versions(&setup.function().stores.bucket, EXPORTS_PREFIX, |_| false).await.unwrap();
        setup.export = Export::new("ada".parse().unwrap());
        setup.put_export(&setup.export).await;
        setup.fixture.inject(repeat_n(Fault::None, request).chain([fault]));
        if setup.deliver("a", 0, LONG).await.is_err() {
            setup.fixture.clear_faults();
            setup.deliver("a", 0, LONG).await.unwrap_or_else(|error| panic!("{request}: {}", error.causes()));
        }
        check(&setup, MEDIUM).await;
    }
}

#[tokio::test]
async fn a_message_that_comes_twice_at_a_time_makes_one_file() {
    let setup = Setup::new(MEDIUM).await;
    let (one, other) = tokio::join!(setup.deliver("a", 0, LONG), setup.deliver("b", 0, LONG));
    assert!(one.is_ok() && other.is_ok());
    check(&setup, MEDIUM).await;
}

/// Both attempts are those of one message, so each may take the work over from the other one.
#[tokio::test]
async fn two_attempts_of_one_message_make_one_file() {
    let setup = Setup::new(MEDIUM).await;
    let _ = setup.fixture.operations();
    let late = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        setup.deliver("a", 0, LONG).await
    };
    let (one, other) = tokio::join!(setup.deliver("a", 0, LONG), late);
    assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    check(&setup, MEDIUM).await;
}

#[tokio::test]
async fn another_message_does_not_disturb_an_attempt() {
    let setup = Setup::new(LARGE).await;
    setup.deliver("a", 0, Duration::ZERO).await.unwrap();
    let before = setup.stored().await;
    let _ = setup.fixture.operations();
    setup.deliver("b", 0, LONG).await.unwrap();
    assert_eq!(setup.fixture.operations(), ["GetItem"]);
    assert_eq!(setup.stored().await, before);
}

#[tokio::test]
async fn the_deletion_of_the_user_ends_the_work() {
    let requests = {
        let whole = Setup::new(MEDIUM).await;
        whole.deliver("a", 0, LONG).await.unwrap();
        whole.fixture.operations().len()
    };
    for request in (1..requests).step_by(5) {
        let setup = Setup::new(MEDIUM).await;
        setup.fixture.delete_concurrently(request, FEED, Key::export(&ada()));
        setup.deliver("a", 0, LONG).await.unwrap();
        if setup.stored().await == Value::Null {
            let complete = export_key(&ada(), &setup.export.id);
            assert!(!setup.objects().await.contains(&complete), "{request}");
        }
    }
}

#[tokio::test]
async fn an_export_that_is_over_starts_nothing() {
    let setup = Setup::new(10).await;
    for over in [
        Export { ttl: 1, ..setup.export.clone() },
        Export { state: ExportState::Ready, ..setup.export.clone() },
        Export { state: ExportState::Failed, ..setup.export.clone() },
        Export::new("ada".parse().unwrap()),
    ] {
        setup.put_export(&over).await;
        let _ = setup.fixture.operations();
        setup.deliver("a", 0, LONG).await.unwrap();
        assert_eq!(setup.fixture.operations(), ["GetItem"]);
    }
}

#[tokio::test]
async fn a_file_that_would_be_too_large_fails_with_the_reason() {
    let setup = Setup::new(LARGE).await;
    setup.put_export(&Export { bytes: MAX_EXPORT_BYTES - 1000, ..setup.export.clone() }).await;
    setup.deliver("a", 0, LONG).await.unwrap();
    let stored = setup.stored().await;
    assert_eq!(stored["state"], "failed");
    assert!(stored["reason"].as_str().unwrap().contains("50000000000"), "{stored}");
    assert!(setup.objects().await.is_empty());
}

#[tokio::test]
async fn an_upload_that_was_ended_fails_with_the_reason() {
    let setup = Setup::new(LARGE).await;
    setup.deliver("a", 0, Duration::ZERO).await.unwrap();
    let mut export: Export = serde_json::from_value(setup.stored().await).unwrap();
    export.work.as_mut().unwrap().upload_id = "01942205-8a10-4c3e-9f52-6b1d0c7e4a93".to_owned();
    setup.put_export(&export).await;
    setup.deliver("b", 1, LONG).await.unwrap();
    let stored = setup.stored().await;
    assert_eq!(stored["state"], "failed", "{stored}");
    assert!(setup.objects().await.is_empty());
}
