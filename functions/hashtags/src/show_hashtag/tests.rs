use super::*;
use crate::samples::{hidden_key, hide};
use testing::{Fixture, TestRequest, request};

fn show(tag: &str) -> TestRequest {
    request("DELETE", format!("/tags/{tag}/hidden")).by("mona").of_group("moderators")
}

#[tokio::test]
async fn answers_the_sample_event_and_shows_the_hashtag() {
    let fixture = Fixture::new("show-hashtag").await;
    for hashtag in ["followback", "dawn"] {
        hide(&fixture, hashtag).await;
    }
    let mut expected = fixture.all_items().await;
    expected.remove(&hidden_key("followback")).unwrap();
    for _ in 0..2 {
        let answer = fixture.call_with_sample_event(ShowHashtag::start).await;
        assert_eq!((answer.status, fixture.operations()), (204, vec!["DeleteItem".to_owned()]));
        assert_eq!(fixture.all_items().await, expected);
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("show-hashtag").await;
    fixture.needs_a_caller(ShowHashtag::start, show("dawn")).await;
    for tag in ["1", "a-b", "~23a"] {
        fixture.refuses_field(ShowHashtag::start, show(tag), "tag").await;
    }
    fixture.refuses(ShowHashtag::start, request("DELETE", "/tags/dawn/hidden").by("ada"), 403).await;
}
