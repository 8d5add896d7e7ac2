use super::*;
use shared::entities::{Key, LINKS};
use testing::{Fault, Fixture, TestRequest, link, request, user, with_count};

const PHOTO: &str = "2024-05-30T15:42:38";
const OTHER_PHOTO: &str = "2024-06-09T13:49:13";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";
const OTHER_TOKEN: &str = "YW5vdGhlci10b2tlbi4uLg";

fn delete(photo: &str) -> TestRequest {
    request("DELETE", format!("/users/ada/photos/{photo}/link")).by("ada")
}

/// Returns a fixture in which two photos of ada have links.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("delete-link").await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    fixture.put_all(link("ada", Some(OTHER_PHOTO), OTHER_TOKEN));
    fixture.put(with_count(user("ada"), LINKS, 2)).await;
    fixture
}

/// Returns the keys of links and targets, and the count of ada.
async fn links(fixture: &Fixture) -> (Vec<String>, u64) {
    let keys = fixture.all_items().await.into_keys().filter(|key| key.contains("SHARE#")).collect();
    let count = fixture.item(Key::user(&"ada".parse().unwrap())).await[LINKS].as_u64().unwrap();
    (keys, count)
}

#[tokio::test]
async fn deletes_the_link_with_its_target_and_no_other() {
    let fixture = fixture().await;
    assert_eq!(fixture.call(DeleteLink::start, delete(PHOTO)).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
    let left = [format!("SHARE#{OTHER_TOKEN} #SHARE#{OTHER_TOKEN}"), format!("USER#ada SHARE#ada#{OTHER_PHOTO}")];
    assert_eq!(links(&fixture).await, (left.to_vec(), 1));
    assert_eq!(fixture.call(DeleteLink::start, delete(PHOTO)).await.status, 204);
    assert_eq!(fixture.operations(), ["GetItem"], "a repetition writes nothing");
}

#[tokio::test]
async fn a_lost_answer_decrements_the_count_once() {
    let fixture = fixture().await;
    fixture.inject([Fault::None, Fault::AnswerLost]);
    let _ = fixture.call(DeleteLink::start, delete(PHOTO)).await;
    assert_eq!(fixture.call(DeleteLink::start, delete(PHOTO)).await.status, 204);
    assert_eq!(links(&fixture).await.1, 1);
}

/// The link gets another token between the read and the write. The deletion ends that one too.
#[tokio::test]
async fn deletes_a_link_that_is_renewed_meanwhile() {
    let fixture = fixture().await;
    let old = link("ada", Some(PHOTO), TOKEN).pop().unwrap();
    fixture.write_concurrently(1, link("ada", Some(PHOTO), "cmVuZXdlZC10b2tlbi4uLg"), vec![old]);
    assert_eq!(fixture.call(DeleteLink::start, delete(PHOTO)).await.status, 204);
    let (left, count) = links(&fixture).await;
    assert_eq!((left.len(), count), (2, 1), "{left:?}");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = fixture().await;
    assert_eq!(fixture.call_with_sample_event(DeleteLink::start).await.status, 204);
    assert_eq!(links(&fixture).await.1, 1);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = fixture().await;
    fixture.refuses_bad_photo_ids(DeleteLink::start, delete).await;
    fixture.needs_a_caller(DeleteLink::start, delete(PHOTO)).await;
    fixture.refuses_other_users(DeleteLink::start, delete(PHOTO)).await;
    fixture.refuses_other_accounts(DeleteLink::start).await;
}
