use super::*;
use crate::samples::{followed, hide};
use testing::{Fault, Fixture, TestRequest, request};

fn follow(tag: &str, user: &str) -> TestRequest {
    request("PUT", format!("/tags/{tag}/followers/{user}")).by(user)
}

#[tokio::test]
async fn answers_the_sample_event_and_refuses_other_accounts() {
    let fixture = Fixture::new("follow-hashtag").await;
    let answer = fixture.call_with_sample_event(FollowHashtag::start).await;
    assert_eq!((answer.status, fixture.operations()), (204, vec!["TransactWriteItems".to_owned()]));
    assert_eq!(followed(&fixture, "ada").await, ["selfie"]);
    fixture.refuses_other_accounts(FollowHashtag::start).await;
}

#[tokio::test]
async fn adds_each_hashtag_once_however_it_is_written() {
    let fixture = Fixture::new("follow-hashtag").await;
    for tag in ["caf~C3~A9", "CAFE", "dawn"] {
        assert_eq!(fixture.call(FollowHashtag::start, follow(tag, "ben")).await.status, 204);
    }
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(FollowHashtag::start, follow("aurora", "ben")).await.status, 204);
    assert_eq!(followed(&fixture, "ben").await, ["aurora", "cafe", "dawn"]);
    assert!(followed(&fixture, "cara").await.is_empty());
    let me = request("PUT", "/tags/dusk/followers/me").by("cara");
    assert_eq!(fixture.call(FollowHashtag::start, me).await.status, 204);
    assert_eq!(followed(&fixture, "cara").await, ["dusk"]);
}

#[tokio::test]
async fn keeps_the_maximum_and_lets_a_followed_one_be_repeated() {
    let fixture = Fixture::new("follow-hashtag").await;
    for number in 0..MAX_FOLLOWED_HASHTAGS {
        assert_eq!(fixture.call(FollowHashtag::start, follow(&format!("t{number:02}"), "ben")).await.status, 204);
    }
    let answer = fixture.call(FollowHashtag::start, follow("another", "ben")).await;
    assert_eq!((answer.status, answer.problem()), (409, "too-many-followed-hashtags"));
    let detail = "You have reached the maximum of 20 followed hashtags. Unfollow one of them first.";
    assert_eq!(answer.body["detail"], detail);
    assert_eq!(fixture.call(FollowHashtag::start, follow("t07", "ben")).await.status, 204);
    let all = followed(&fixture, "ben").await;
    assert_eq!((all.len(), all.contains(&"another".to_owned())), (MAX_FOLLOWED_HASHTAGS, false));
}

#[tokio::test]
async fn does_not_tell_whether_a_hashtag_is_hidden() {
    let fixture = Fixture::new("follow-hashtag").await;
    hide(&fixture, "dawn").await;
    let answers = [
        fixture.call(FollowHashtag::start, follow("dawn", "ben")).await,
        fixture.call(FollowHashtag::start, follow("dusk", "ben")).await,
    ];
    assert_eq!(answers.each_ref().map(|answer| (answer.status, &answer.body)), [(204, &answers[1].body); 2]);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("follow-hashtag").await;
    fixture.needs_a_caller(FollowHashtag::start, follow("dawn", "ada")).await;
    fixture.refuses_other_users(FollowHashtag::start, follow("dawn", "ada")).await;
    let of = |user: &str| request("PUT", format!("/tags/dawn/followers/{user}")).by("ada");
    fixture.refuses_bad_usernames(FollowHashtag::start, "username", of).await;
    for tag in ["1", "a-b", "~23a", "a~20b", "a.b", &"a".repeat(51)] {
        fixture.refuses_field(FollowHashtag::start, follow(tag, "ada"), "tag").await;
    }
    let answer = fixture.call(FollowHashtag::start, follow("dawn", "nobody")).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
    assert!(followed(&fixture, "ada").await.is_empty() && followed(&fixture, "nobody").await.is_empty());
}
