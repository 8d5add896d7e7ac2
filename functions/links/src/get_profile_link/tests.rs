use super::*;
use testing::{Fixture, TestRequest, link, link_until, request};

const TOKEN: &str = "cHJvZmlsZS1vZi1hZGEtMQ";

fn get() -> TestRequest {
    request("GET", "/users/ada/link").by("ada")
}

#[tokio::test]
async fn returns_the_link_of_the_profile_to_its_owner_alone() {
    let fixture = Fixture::new("get-profile-link").await;
    fixture.put_all(link("ada", Some("2024-05-30T15:42:38"), "Zm9yLW9ubHktdGVzdGluZw"));
    assert_eq!(fixture.call(GetProfileLink::start, get()).await.problem(), "no-link");
    let _ = fixture.operations();
    fixture.put_all(link("ada", None, TOKEN));
    let answer = fixture.call(GetProfileLink::start, get()).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["GetItem".to_owned()]));
    assert!(answer.body["token"] == TOKEN && answer.body.get("photo").is_none());
    fixture.needs_a_caller(GetProfileLink::start, get()).await;
    fixture.refuses_other_users(GetProfileLink::start, get()).await;
}

#[tokio::test]
async fn a_link_is_gone_when_its_time_is_over() {
    let fixture = Fixture::new("get-profile-link").await;
    fixture.put_all(link_until("ada", None, TOKEN, Some("2024-06-01T00:00:00.000Z".parse().unwrap())));
    assert_eq!(fixture.call(GetProfileLink::start, get()).await.problem(), "no-link");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("get-profile-link").await;
    fixture.put_all(link("ada", None, TOKEN));
    assert_eq!(fixture.call_with_sample_event(GetProfileLink::start).await.body["token"], TOKEN);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("get-profile-link").await;
    fixture.refuses_field(GetProfileLink::start, get().query("include", "people"), "include").await;
}
