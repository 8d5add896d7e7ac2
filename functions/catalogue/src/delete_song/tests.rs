use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use shared::dynamodb::Item;
use shared::http::precondition::VERSION;
use testing::{Fault, Fixture, TestRequest, request};

const LOW_TIDE: &str = "/music/The~20Harbour~20Lights/Low~20Tide";
const UNKNOWN: &str = "/music/The~20Harbour~20Lights/Low";

fn delete(uri: &str) -> TestRequest {
    request("DELETE", uri).by("ben").of_group("editors")
}

fn low_tide() -> Item {
    song_key(&"The Harbour Lights".parse().unwrap(), &"Low Tide".parse().unwrap())
}

fn version(version: &str) -> Item {
    let mut song = low_tide();
    song.insert(VERSION.to_owned(), S(version.to_owned()));
    song
}

#[tokio::test]
async fn deletes_one_song() {
    let fixture = Fixture::new("delete-song").await;
    let mut expected = fixture.all_items().await;
    let answer = fixture.call_with_sample_event(DeleteSong::start).await;
    assert_eq!(answer.status, 204);
    assert!(answer.body.is_null());
    assert!(expected.remove("The Harbour Lights Low Tide").is_some());
    assert_eq!(fixture.all_items().await, expected);
}

/// API Gateway would cut the path at `%3F`.
#[tokio::test]
async fn a_question_mark_belongs_to_the_title() {
    let fixture = Fixture::new("delete-song").await;
    let key = |title: &str| song_key(&"Duo".parse().unwrap(), &title.parse().unwrap());
    fixture.put(key("What")).await;
    fixture.put(key("What?")).await;
    assert_eq!(fixture.call(DeleteSong::start, delete("/music/Duo/What~3F")).await.status, 204);
    assert!(fixture.item(key("What?")).await.is_null());
    assert!(!fixture.item(key("What")).await.is_null());
}

#[tokio::test]
async fn deletes_any_version_without_a_precondition() {
    let fixture = Fixture::new("delete-song").await;
    fixture.put(version("v-1")).await;
    assert_eq!(fixture.call(DeleteSong::start, delete(LOW_TIDE)).await.status, 204);
    assert!(fixture.item(low_tide()).await.is_null());
}

#[tokio::test]
async fn returns_204_for_an_unknown_song_whatever_the_precondition() {
    let fixture = Fixture::new("delete-song").await;
    let before = fixture.all_items().await;
    for request in [
        delete(UNKNOWN),
        delete(UNKNOWN).header("if-match", "*"),
        delete(UNKNOWN).header("if-match", "\"v-1\""),
        delete(UNKNOWN).header("if-match", "\"0\""),
        delete(UNKNOWN).header("if-none-match", "*"),
    ] {
        assert_eq!(fixture.call(DeleteSong::start, request).await.status, 204);
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn if_match_deletes_only_a_listed_version() {
    let fixture = Fixture::new("delete-song").await;
    let mut with_numeric_version = low_tide();
    with_numeric_version.insert(VERSION.to_owned(), N("3".to_owned()));
    for (song, other_tags, own_tags) in [
        (version("v-2"), ["\"v-1\"", "\"0\"", "\"v-1\", W/\"v-2\""], ["\"v-2\"", "\"v-1\", \"v-2\"", "*"]),
        (low_tide(), ["\"v-1\"", "\"1\"", "\"v-1\", W/\"0\""], ["\"0\"", "\"v-1\", \"0\"", "*"]),
        (with_numeric_version, ["\"v-1\"", "\"3\"", "\"v-1\", W/\"0\""], ["\"0\"", "\"v-1\", \"0\"", "*"]),
    ] {
        fixture.put(song.clone()).await;
        let before = fixture.all_items().await;
        for tags in other_tags {
            let answer = fixture.call(DeleteSong::start, delete(LOW_TIDE).header("if-match", tags)).await;
            assert_eq!((answer.status, answer.problem()), (412, "precondition-failed"), "{tags}");
        }
        let answer = fixture.call(DeleteSong::start, delete(LOW_TIDE).header("if-none-match", "*")).await;
        assert_eq!(answer.status, 412);
        assert_eq!(fixture.all_items().await, before);
        for tags in own_tags {
            fixture.put(song.clone()).await;
            let answer = fixture.call(DeleteSong::start, delete(LOW_TIDE).header("if-match", tags)).await;
            assert_eq!(answer.status, 204, "{tags}");
            assert!(fixture.item(low_tide()).await.is_null());
        }
    }
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("delete-song").await;
    for request in
        [delete(LOW_TIDE), delete(LOW_TIDE).header("if-match", "*"), delete(LOW_TIDE).header("if-match", "\"v-1\"")]
    {
        fixture.put(version("v-1")).await;
        fixture.inject([Fault::AnswerLost]);
        let answer = fixture.call(DeleteSong::start, request).await;
        assert_eq!((answer.status, fixture.operations()), (204, vec!["TransactWriteItems".to_owned(); 2]));
        assert!(fixture.item(low_tide()).await.is_null());
    }
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_keeps_a_song_that_was_put_in_between() {
    let fixture = Fixture::new("delete-song").await;
    fixture.put(version("v-1")).await;
    fixture.inject([Fault::AnswerLost]);
    fixture.write_concurrently(1, vec![version("v-2")], vec![]);
    assert_eq!(fixture.call(DeleteSong::start, delete(LOW_TIDE)).await.status, 204);
    assert!(!fixture.item(low_tide()).await.is_null());
}

#[tokio::test]
async fn keeps_a_version_that_is_put_concurrently() {
    let fixture = Fixture::new("delete-song").await;
    fixture.put(version("v-1")).await;
    fixture.write_concurrently(0, vec![version("v-2")], vec![]);
    let answer = fixture.call(DeleteSong::start, delete(LOW_TIDE).header("if-match", "\"v-1\"")).await;
    assert_eq!(answer.status, 412);
    assert_eq!(fixture.item(low_tide()).await[VERSION], "v-2");
}

#[tokio::test]
async fn refuses_callers_who_are_not_editors() {
    let fixture = Fixture::new("delete-song").await;
    fixture.refuses(DeleteSong::start, request("DELETE", LOW_TIDE).by("ben"), 403).await;
    for group in ["", "admins", "editor", "Editors", "editors2"] {
        fixture.refuses(DeleteSong::start, delete(LOW_TIDE).of_group(group), 403).await;
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("delete-song").await;
    fixture.needs_a_caller(DeleteSong::start, delete(LOW_TIDE)).await;
    for artist in ["~20", "a~0Ab", "a~00", &"a".repeat(2049), &"~C3~BC".repeat(1025), "a.b", "a%20b"] {
        fixture.refuses_field(DeleteSong::start, delete(&format!("/music/{artist}/a")), "artist").await;
    }
    for title in ["~20", "a~0Ab", "a~00", &"a".repeat(1025), &"~C3~BC".repeat(513), "a.b", "a%20b"] {
        fixture.refuses_field(DeleteSong::start, delete(&format!("/music/a/{title}")), "songTitle").await;
    }
    fixture.refuses_field(DeleteSong::start, delete(LOW_TIDE).header("if-match", "abc"), "if-match").await;
    fixture.refuses_field(DeleteSong::start, delete(LOW_TIDE).header("if-none-match", "\"0\""), "if-none-match").await;
    fixture.refuses(DeleteSong::start, delete(LOW_TIDE).header("if-match", "W/\"0\""), 412).await;
}
