use super::*;
use crate::samples::hidden_key;
use testing::{Fixture, TestRequest, request};

fn hide(tag: &str) -> TestRequest {
    request("PUT", format!("/tags/{tag}/hidden")).by("mona").of_group("moderators")
}

#[tokio::test]
async fn answers_the_sample_event_and_hides_the_hashtag() {
    let fixture = Fixture::new("hide-hashtag").await;
    let answer = fixture.call_with_sample_event(HideHashtag::start).await;
    assert_eq!((answer.status, fixture.operations()), (204, vec!["PutItem".to_owned()]));
    let hidden = &fixture.all_items().await[&hidden_key("selfie")];
    assert_eq!(hidden["hashtag"], "selfie");
}

#[tokio::test]
async fn a_repeated_request_leaves_the_time_of_the_first_one() {
    let fixture = Fixture::new("hide-hashtag").await;
    let mut items = vec![];
    for tag in ["caf~C3~A9", "CAFE"] {
        assert_eq!(fixture.call(HideHashtag::start, hide(tag)).await.status, 204);
        items.push(fixture.all_items().await[&hidden_key("cafe")].clone());
    }
    assert_eq!(items[0], items[1]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("hide-hashtag").await;
    fixture.needs_a_caller(HideHashtag::start, hide("dawn")).await;
    for tag in ["1", "a-b", "~23a", "a~20b", "a.b", &"a".repeat(51)] {
        fixture.refuses_field(HideHashtag::start, hide(tag), "tag").await;
    }
    fixture.refuses(HideHashtag::start, request("PUT", "/tags/dawn/hidden").by("ada"), 403).await;
    fixture.refuses(HideHashtag::start, request("PUT", "/tags/dawn/hidden").by("ada").of_group("editors"), 403).await;
}
