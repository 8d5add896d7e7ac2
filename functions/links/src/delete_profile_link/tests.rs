use super::*;
use shared::entities::{Key, LINKS};
use testing::{Fixture, TestRequest, link, request, user, with_count};

const PHOTO: &str = "2024-05-30T15:42:38";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";
const OTHER_TOKEN: &str = "YW5vdGhlci10b2tlbi4uLg";

fn delete() -> TestRequest {
    request("DELETE", "/users/ada/link").by("ada")
}

/// Returns a fixture in which ada's profile and a photo have links.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("delete-profile-link").await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    fixture.put_all(link("ada", None, OTHER_TOKEN));
    fixture.put(with_count(user("ada"), LINKS, 2)).await;
    fixture
}

#[tokio::test]
async fn deletes_the_link_of_the_profile_and_no_other() {
    let fixture = fixture().await;
    for operations in [&["GetItem", "TransactWriteItems"][..], &["GetItem"]] {
        assert_eq!(fixture.call(DeleteProfileLink::start, delete()).await.status, 204);
        assert_eq!(fixture.operations(), operations);
        let items = fixture.all_items().await;
        let left: Vec<_> = items.keys().filter(|key| key.contains("SHARE#")).collect();
        assert_eq!(left, [&format!("SHARE#{TOKEN} #SHARE#{TOKEN}"), &format!("USER#ada SHARE#ada#{PHOTO}")]);
        assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await[LINKS], 1);
    }
}

/// The link gets another token between the read and the write. The deletion ends that one too.
#[tokio::test]
async fn deletes_a_link_that_is_renewed_meanwhile() {
    let fixture = fixture().await;
    let old = link("ada", None, OTHER_TOKEN).pop().unwrap();
    fixture.write_concurrently(1, link("ada", None, "cmVuZXdlZC10b2tlbi4uLg"), vec![old]);
    assert_eq!(fixture.call(DeleteProfileLink::start, delete()).await.status, 204);
    assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await[LINKS], 1);
    assert_eq!(fixture.all_items().await.into_keys().filter(|key| key.contains("SHARE#")).count(), 2);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = fixture().await;
    assert_eq!(fixture.call_with_sample_event(DeleteProfileLink::start).await.status, 204);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(DeleteProfileLink::start, delete()).await;
    fixture.refuses_other_users(DeleteProfileLink::start, delete()).await;
    fixture.refuses_other_accounts(DeleteProfileLink::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    fixture.refuses_field(DeleteProfileLink::start, delete().query("all", "true"), "all").await;
}
