use super::*;
use crate::samples::{follow, followed};
use testing::{Fault, Fixture, TestRequest, request};

fn unfollow(tag: &str, user: &str) -> TestRequest {
    request("DELETE", format!("/tags/{tag}/followers/{user}")).by(user)
}

#[tokio::test]
async fn answers_the_sample_event_and_refuses_other_accounts() {
    let fixture = Fixture::new("unfollow-hashtag").await;
    follow(&fixture, "cara", &["selfie"]).await;
    let answer = fixture.call_with_sample_event(UnfollowHashtag::start).await;
    assert_eq!((answer.status, fixture.operations()), (204, vec!["TransactWriteItems".to_owned()]));
    assert!(followed(&fixture, "cara").await.is_empty());
    fixture.refuses_other_accounts(UnfollowHashtag::start).await;
}

#[tokio::test]
async fn takes_out_one_hashtag_of_one_user_however_often() {
    let fixture = Fixture::new("unfollow-hashtag").await;
    for user in ["ada", "ben"] {
        follow(&fixture, user, &["cafe", "dawn", "dusk"]).await;
    }
    for _ in 0..2 {
        assert_eq!(fixture.call(UnfollowHashtag::start, unfollow("CAF~C3~A9", "ben")).await.status, 204);
        assert_eq!(followed(&fixture, "ben").await, ["dawn", "dusk"]);
    }
    for tag in ["dawn", "dusk"] {
        fixture.inject([Fault::AnswerLost]);
        assert_eq!(fixture.call(UnfollowHashtag::start, unfollow(tag, "ben")).await.status, 204);
    }
    assert!(followed(&fixture, "ben").await.is_empty());
    assert_eq!(followed(&fixture, "ada").await, ["cafe", "dawn", "dusk"]);

    let before = fixture.all_items().await;
    assert_eq!(fixture.call(UnfollowHashtag::start, unfollow("dawn", "cara")).await.status, 204);
    assert_eq!(fixture.all_items().await, before, "it makes no item");
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("unfollow-hashtag").await;
    follow(&fixture, "ada", &["dawn"]).await;
    fixture.needs_a_caller(UnfollowHashtag::start, unfollow("dawn", "ada")).await;
    fixture.refuses_other_users(UnfollowHashtag::start, unfollow("dawn", "ada")).await;
    let of = |user: &str| request("DELETE", format!("/tags/dusk/followers/{user}")).by("ada");
    fixture.refuses_bad_usernames(UnfollowHashtag::start, "username", of).await;
    for tag in ["1", "a-b", "~23a", "a~20b", "a.b", &"a".repeat(51)] {
        fixture.refuses_field(UnfollowHashtag::start, unfollow(tag, "ada"), "tag").await;
    }
    let answer = fixture.call(UnfollowHashtag::start, unfollow("dawn", "nobody")).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
    assert_eq!(followed(&fixture, "ada").await, ["dawn"]);
}
