use super::*;
use shared::entities::{mark_alerts, mark_muted};
use testing::{Fault, Fixture, TestRequest, friendship, request, user};

fn name(username: &str) -> Username {
    username.parse().unwrap()
}

/// A table in which ben and cara follow ada, and cara follows ben, all with alerts.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("delete-alerts").await;
    let with_alerts = |followed: &str, following: &str| mark_alerts(friendship(followed, following), &name(followed));
    let friendships = [("ada", "ben"), ("ada", "cara"), ("ben", "cara")];
    let items = friendships.map(|(followed, following)| with_alerts(followed, following));
    fixture.put_all(items.into_iter().chain([user("cara")]).collect());
    fixture
}

fn delete(username: &str, follower: &str) -> TestRequest {
    request("DELETE", format!("/users/{username}/followers/{follower}/alerts")).by(follower)
}

/// Returns which of the three friendships have alerts.
async fn alerts(fixture: &Fixture) -> [bool; 3] {
    let mut found = [false; 3];
    for (found, (followed, following)) in found.iter_mut().zip([("ada", "ben"), ("ada", "cara"), ("ben", "cara")]) {
        *found = fixture.item(Key::friendship(&name(followed), &name(following))).await["alertsOf"] == followed;
    }
    found
}

#[tokio::test]
async fn unmarks_one_friendship_however_often() {
    let fixture = fixture().await;
    for _ in 0..2 {
        assert_eq!(fixture.call(DeleteAlerts::start, delete("ada", "cara")).await.status, 204);
        assert_eq!(fixture.operations(), ["TransactWriteItems"]);
        assert_eq!(alerts(&fixture).await, [true, false, true]);
    }
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(DeleteAlerts::start, delete("ben", "cara")).await.status, 204);
    assert_eq!(alerts(&fixture).await, [true, false, false]);
}

#[tokio::test]
async fn keeps_the_friendship_and_a_mute() {
    let fixture = fixture().await;
    let muted = mark_muted(friendship("ada", "cara"));
    fixture.put(muted.clone()).await;
    let before = fixture.all_items().await;
    fixture.put(mark_alerts(muted, &name("ada"))).await;
    assert_eq!(fixture.call(DeleteAlerts::start, delete("ada", "cara")).await.status, 204);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn makes_no_friendship() {
    let fixture = fixture().await;
    let before = fixture.all_items().await;
    for username in ["dora", "cara"] {
        assert_eq!(fixture.call(DeleteAlerts::start, delete(username, "cara")).await.status, 204);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn answers_the_sample_event_and_refuses_other_accounts() {
    let fixture = Fixture::new("delete-alerts").await;
    assert_eq!(fixture.call_with_sample_event(DeleteAlerts::start).await.status, 204);
    fixture.put(mark_alerts(friendship("rosa", "ada"), &name("rosa"))).await;
    fixture.refuses_other_accounts(DeleteAlerts::start).await;
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = fixture().await;
    fixture.needs_a_caller(DeleteAlerts::start, delete("ada", "ben")).await;
    fixture.refuses_other_users(DeleteAlerts::start, delete("ada", "ben")).await;
    fixture.refuses_bad_usernames(DeleteAlerts::start, "username", |username| delete(username, "ben")).await;
    let of_follower = |follower: &str| request("DELETE", format!("/users/ada/followers/{follower}/alerts")).by("ben");
    fixture.refuses_bad_usernames(DeleteAlerts::start, "follower", of_follower).await;
    assert_eq!(alerts(&fixture).await, [true; 3]);
}
