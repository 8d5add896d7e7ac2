use super::*;
use serde_json::{Value, json};
use testing::{Fixture, comment, deletion, request};

const URI: &str = "/users/ben/comments";

/// Returns the time of a comment in this second.
fn at(second: u32) -> String {
    format!("2024-06-03T10:00:{second:02}.000Z")
}

/// Returns the ids of comments, each with the id of its photo.
fn ids(comments: &[Value]) -> Vec<[&str; 2]> {
    comments.iter().map(|comment| [&comment["id"], &comment["photo"]["id"]].map(|id| id.as_str().unwrap())).collect()
}

/// Puts three comments of ben, on photos of two users, beside the one in the seed data.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("list-comments-of-user").await;
    fixture.put(comment("ben", &at(1), "ada", "2024-05-30T15:42:38")).await;
    fixture.put(comment("ben", &at(3), "ada", "2024-06-09T13:49:13")).await;
    fixture.put(comment("ben", &at(2), "ben", "2024-06-26T03:59:33")).await;
    fixture.put(comment("cara", &at(2), "ada", "2024-05-30T15:42:38")).await;
    fixture
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("list-comments-of-user").await;
    let answer = fixture.call_with_sample_event(ListCommentsOfUser::start).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(
        answer.body,
        json!({
            "comments": [{
                "id": "2024-06-02T18:05:41.250Z~ben", "username": "ben", "timestamp": "2024-06-02T18:05:41.250Z",
                "text": "Where is this, @ada?", "mentions": ["ada"],
                "photo": {"username": "ada", "id": "2024-05-30T15:42:38"},
            }],
            "people": {},
            "nextCursor": null,
        })
    );
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn lists_the_comments_on_all_photos_newest_first() {
    let fixture = fixture().await;
    let answer = fixture.call(ListCommentsOfUser::start, request("GET", URI).by("ben")).await;
    let expected = [(3, "2024-06-09T13:49:13"), (2, "2024-06-26T03:59:33"), (1, "2024-05-30T15:42:38")];
    let expected = expected.map(|(second, photo)| (format!("{}~ben", at(second)), photo));
    let comments = answer.body["comments"].as_array().unwrap();
    assert_eq!(ids(&comments[..3]), expected.each_ref().map(|(id, photo)| [id.as_str(), *photo]));
    assert_eq!((comments.len(), &comments[1]["photo"]["username"]), (4, &json!("ben")));
}

#[tokio::test]
async fn includes_the_cards_of_the_caller_and_of_the_owners_who_are_in_no_block_with_the_caller() {
    let fixture = fixture().await;
    let counted = |name, count| testing::with_count(testing::user(name), count, 1);
    fixture.put_all(vec![counted("dora", "blocks"), testing::user("emil")]);
    fixture.put(testing::block("dora", "ben", shared::values::Level::Block)).await;
    for (second, owner) in [(5, "dora"), (6, "emil"), (7, "gone")] {
        fixture.put(comment("ben", &at(second), owner, "2024-06-09T13:49:13")).await;
    }
    let with_people = request("GET", URI).by("ben").query("include", "people");
    let answer = fixture.call(ListCommentsOfUser::start, with_people.clone()).await;
    assert_eq!(answer.body["comments"].as_array().unwrap().len(), 7, "the words of the caller stay");
    assert_eq!(answer.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), ["ada", "ben", "emil"]);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
    let first = fixture.call(ListCommentsOfUser::start, with_people.query("limit", "2")).await;
    assert_eq!(first.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), ["ben", "emil"]);
}

#[tokio::test]
async fn a_page_with_people_fits_into_one_batch() {
    let fixture = Fixture::new("list-comments-of-user").await;
    for second in 0..60 {
        fixture.put(comment("ben", &at(second), &format!("owner{second:02}"), "2024-06-09T13:49:13")).await;
    }
    for (query, length) in [("?include=people&limit=100", 49), ("?limit=100", 61)] {
        let answer = fixture.call(ListCommentsOfUser::start, request("GET", format!("{URI}{query}")).by("ben")).await;
        assert_eq!(answer.body["comments"].as_array().unwrap().len(), length, "{query}");
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    }
}

#[tokio::test]
async fn a_user_without_comments_has_an_empty_list() {
    let fixture = Fixture::new("list-comments-of-user").await;
    fixture.put(deletion("emil")).await;
    for user in ["cara", "emil", "nobody"] {
        let list = request("GET", format!("/users/{user}/comments")).by(user);
        let answer = fixture.call(ListCommentsOfUser::start, list).await;
        assert_eq!((answer.status, answer.body), (200, json!({"comments": [], "people": {}, "nextCursor": null})));
        assert_eq!(fixture.operations(), ["Query"]);
    }
}

#[tokio::test]
async fn leaves_out_a_comment_that_the_index_still_has() {
    let fixture = fixture().await;
    let id = format!("{}~ben", at(2)).parse().unwrap();
    let key = Key::comment(&id, &"ben".parse().unwrap(), &"2024-06-26T03:59:33".parse().unwrap());
    fixture.delete_concurrently(1, testing::QUICK_PHOTOS, key);
    let answer = fixture.call(ListCommentsOfUser::start, request("GET", format!("{URI}?limit=3")).by("ben")).await;
    let comments = answer.body["comments"].as_array().unwrap();
    assert_eq!(comments.len(), 2, "{}", answer.body);
    assert!(answer.body["nextCursor"].is_string());
}

#[tokio::test]
async fn pages_have_all_comments_once_while_others_come_and_go() {
    let fixture = fixture().await;
    let entries = fixture
        .pages(ListCommentsOfUser::start, URI, "comments", async |fixture| {
            fixture.put(comment("ben", &at(50), "ada", "2024-05-30T15:42:38")).await;
            let id = format!("{}~ben", at(3)).parse().unwrap();
            fixture.delete(Key::comment(&id, &"ada".parse().unwrap(), &"2024-06-09T13:49:13".parse().unwrap())).await;
        })
        .await;
    let times: Vec<&str> = entries.iter().map(|entry| entry["timestamp"].as_str().unwrap()).collect();
    assert_eq!(times, [at(3).as_str(), &at(2), &at(1), "2024-06-02T18:05:41.250Z"]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    fixture.needs_a_caller(ListCommentsOfUser::start, request("GET", URI).by("ben")).await;
    fixture.refuses_other_users(ListCommentsOfUser::start, request("GET", URI).by("ben")).await;
    fixture
        .refuses_bad_usernames(ListCommentsOfUser::start, "username", |name| {
            request("GET", format!("/users/{name}/comments"))
        })
        .await;
    fixture.refuses_bad_pages(ListCommentsOfUser::start, URI).await;
}
