use super::*;
use crate::world::{Gateway, put_screens, reference, screens, watchers};
use testing::{FEED, Fault, request};

const PHOTO: &str = "2024-05-30T15:42:38";

fn delete(user: &str, id: &str) -> testing::TestRequest {
    request("DELETE", format!("/users/{user}/screens/{id}")).by(user)
}

#[tokio::test]
async fn ends_one_screen_of_one_user_however_often() {
    let (fixture, gateway) = Gateway::beside("delete-screen").await;
    let photo = || Some(reference("cara", PHOTO));
    put_screens(&fixture, "ada", &[("1", "c1", photo()), ("2", "c2", photo())]).await;
    put_screens(&fixture, "ben", &[("1", "c3", photo())]).await;
    for closed in [vec!["c1"], vec![]] {
        assert_eq!(fixture.call(DeleteScreen::start, delete("ada", "1")).await.status, 204);
        assert_eq!(fixture.operations(), ["GetItem", "TransactWriteItems"]);
        assert_eq!(gateway.closed(), closed);
        assert_eq!((screens(&fixture, "ada").await.len(), screens(&fixture, "ben").await.len()), (1, 1));
        assert_eq!(
            watchers(&fixture).await,
            [format!("Watch#cara#{PHOTO} SCREEN#ada#2"), format!("Watch#cara#{PHOTO} SCREEN#ben#1")]
        );
    }
    fixture.inject([Fault::None, Fault::AnswerLost]);
    assert_eq!(fixture.call(DeleteScreen::start, delete("ada", "2")).await.status, 204);
    assert!(screens(&fixture, "ada").await.is_empty());

    assert_eq!(fixture.call(DeleteScreen::start, delete("cara", "1")).await.status, 204);
    assert!(!fixture.all_items_of(FEED).await.contains_key("Live#cara Screens"), "it makes no item");
}

#[tokio::test]
async fn answers_the_sample_event() {
    let (fixture, _) = Gateway::beside("delete-screen").await;
    assert_eq!(fixture.call_with_sample_event(DeleteScreen::start).await.status, 204);
}

#[tokio::test]
async fn refuses_a_user_who_does_not_exist_and_another_account() {
    let (fixture, _) = Gateway::beside("delete-screen").await;
    assert_eq!(fixture.call(DeleteScreen::start, delete("dora", "1")).await.status, 404);
    fixture.put(testing::with(testing::user("dora"), "subject", "another")).await;
    put_screens(&fixture, "dora", &[("1", "c1", None)]).await;
    assert_eq!(fixture.call(DeleteScreen::start, delete("dora", "1")).await.status, 403);
    assert_eq!(screens(&fixture, "dora").await.len(), 1);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let (fixture, _) = Gateway::beside("delete-screen").await;
    let good = |user: &str| request("DELETE", format!("/users/{user}/screens/1")).by("ada");
    fixture.needs_a_caller(DeleteScreen::start, good("ada")).await;
    fixture.refuses(DeleteScreen::start, good("ben"), 403).await;
    fixture.refuses_bad_usernames(DeleteScreen::start, "username", good).await;
    for id in [".", "a%20b", "a%23b", &"a".repeat(65)] {
        fixture.refuses_field(DeleteScreen::start, delete("ada", id), "id").await;
    }
}
