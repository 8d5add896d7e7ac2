use super::*;
use serde_json::{Value, json};
use shared::values::Level;
use testing::{
    Fixture, block, comment, comment_deletion, like, photo, reaction, reply, request, user, with, with_count,
};

const PHOTO_OF_ADA: &str = "2024-05-30T15:42:38";
const URI: &str = "/users/ada/photos/2024-05-30T15:42:38/comments/top";
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";

fn at(second: u32) -> String {
    format!("2024-06-03T10:00:{second:02}.000Z")
}

/// Returns the ids of comments.
fn ids(comments: &Value) -> Vec<&str> {
    comments.as_array().unwrap().iter().map(|comment| comment["id"].as_str().unwrap()).collect()
}

/// Puts a comment on the photo, and says how many likes it has.
async fn put(fixture: &Fixture, author: &str, second: u32, likes: u64) {
    let comment = comment(author, &at(second), "ada", PHOTO_OF_ADA);
    fixture.put(if likes > 0 { with_count(comment, "likes", likes) } else { comment }).await;
}

async fn pages(fixture: &Fixture, caller: &str, query: &str) -> Vec<Value> {
    let (mut pages, mut cursor) = (vec![], None);
    loop {
        let request = request("GET", format!("{URI}?{query}")).by(caller);
        let request = cursor.iter().fold(request, |request, cursor: &String| request.query("cursor", cursor));
        let answer = fixture.call(ListTopComments::start, request).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        cursor = answer.body["nextCursor"].as_str().map(ToOwned::to_owned);
        pages.push(answer.body);
        if cursor.is_none() {
            return pages;
        }
    }
}

#[tokio::test]
async fn the_comments_with_the_most_likes_come_first() {
    let fixture = Fixture::new("list-top-comments").await;
    for (second, likes) in [(1, 2), (2, 0), (3, 11), (4, 3)] {
        put(&fixture, "cara", second, likes).await;
    }
    // What belongs to another photo, a reply, and a comment whose like was taken back.
    fixture.put(with_count(comment("cara", &at(9), "ada", "2024-06-09T13:49:13"), "likes", 5)).await;
    fixture.put(with_count(reply("ben", &at(9), COMMENT_OF_BEN, "ada", PHOTO_OF_ADA), "likes", 5)).await;
    fixture.put(with_count(comment("cara", &at(8), "ada", PHOTO_OF_ADA), "likes", 0)).await;
    fixture.put(reaction("ben", "smiley", "ada", PHOTO_OF_ADA)).await;

    let answer = fixture.call_with_sample_event(ListTopComments::start).await;
    let expected = [3, 4, 1].map(|second| format!("{}~cara", at(second)));
    assert_eq!(ids(&answer.body["comments"]), expected);
    assert_eq!(answer.body["comments"][0]["likes"], 11);
    let mut operations = fixture.operations();
    operations.sort();
    assert_eq!(operations, ["BatchGetItem", "Query"]);

    for limit in [1, 2, 3, 100] {
        let pages = pages(&fixture, "ben", &format!("limit={limit}")).await;
        let all: Vec<&str> = pages.iter().flat_map(|page| ids(&page["comments"])).collect();
        assert_eq!(all, expected.each_ref().map(String::as_str), "{limit}");
    }
}

#[tokio::test]
async fn a_comment_whose_likes_do_not_change_shows_once_while_others_write() {
    let fixture = Fixture::new("list-top-comments").await;
    for second in 0..9 {
        put(&fixture, "cara", second, u64::from(second + 1)).await;
    }
    let comments = fixture
        .pages(ListTopComments::start, URI, "comments", async |fixture| {
            let second = u32::try_from(10 + fixture.all_items().await.len() % 50).unwrap();
            put(fixture, "dora", second, u64::from(20 - second % 3)).await;
            fixture.put(comment("dora", "2024-06-01T00:00:00.000Z", "ada", PHOTO_OF_ADA)).await;
        })
        .await;
    let ids: Vec<&str> = comments.iter().map(|comment| comment["id"].as_str().unwrap()).collect();
    for second in 0..9 {
        let id = format!("{}~cara", at(second));
        assert_eq!(ids.iter().filter(|found| **found == id).count(), 1, "{second}: {ids:?}");
    }
}

#[tokio::test]
async fn viewer_says_what_the_caller_likes() {
    let fixture = Fixture::new("list-top-comments").await;
    for second in 1..=3 {
        put(&fixture, "ben", second, 2).await;
    }
    for (liking, second) in [("cara", 1), ("dora", 1), ("dora", 2)] {
        fixture.put(like(liking, &format!("{}~ben", at(second)), "ada", PHOTO_OF_ADA)).await;
    }
    let liked = async |caller: &str, query: &str| {
        let _ = fixture.operations();
        let body = fixture.call(ListTopComments::start, request("GET", format!("{URI}?{query}")).by(caller)).await.body;
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
        let mut liked: Vec<(String, bool)> = body["comments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["id"].as_str().unwrap()[17..19].to_owned(), one["viewer"]["liked"] == true))
            .collect();
        liked.sort();
        (liked.into_iter().map(|(_, liked)| liked).collect::<Vec<bool>>(), body["people"].clone())
    };
    assert_eq!(liked("cara", "include=viewer").await, (vec![true, false, false], json!({})));
    let (of_dora, people) = liked("dora", "include=viewer,people").await;
    assert_eq!((of_dora, &people["ben"]["name"]), (vec![true, true, false], &json!("Ben Okafor")));
}

#[tokio::test]
async fn a_page_fits_into_one_batch() {
    let fixture = Fixture::new("list-top-comments").await;
    for number in 0..100 {
        put(&fixture, &format!("person{number:02}"), number % 60, 1).await;
    }
    for (query, expected) in [("", 100), ("include=people", 98), ("include=viewer,people", 49)] {
        let request = request("GET", format!("{URI}?limit=100&{query}")).by("zoe");
        let answer = fixture.call(ListTopComments::start, request).await;
        assert_eq!(ids(&answer.body["comments"]).len(), expected, "{query}");
    }
}

#[tokio::test]
async fn shows_what_the_caller_may_see() {
    let fixture = Fixture::new("list-top-comments").await;
    put(&fixture, "ben", 1, 3).await;
    put(&fixture, "cara", 2, 2).await;
    fixture.put(with_count(comment_deletion("cara", &at(3), "ada", PHOTO_OF_ADA, 0), "likes", 9)).await;
    fixture.put(with_count(with(comment("cara", &at(4), "ada", PHOTO_OF_ADA), "removed", "spam"), "likes", 8)).await;
    fixture.put(with_count(user("dora"), "blockedBy", 1)).await;
    fixture.put(block("ben", "dora", Level::Block)).await;
    let seen = async |caller: &str| {
        let body = fixture.call(ListTopComments::start, request("GET", URI).by(caller)).await.body;
        ids(&body["comments"]).iter().map(|id| id[25..].to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!([seen("ada").await, seen("cara").await, seen("dora").await], ["ben cara", "cara ben cara", "cara"]);
    fixture.put(block("ada", "dora", Level::Block)).await;
    assert_eq!(seen("dora").await, "", "the owner of the photo");
    fixture.put(with(photo("ada", PHOTO_OF_ADA), "audience", "followers")).await;
    assert_eq!([seen("ada").await, seen("ben").await, seen("cara").await], ["ben cara", "ben cara", ""]);
    let unknown = request("GET", "/users/ada/photos/2020-01-01T00:00:00/comments/top").by("ben");
    let answer = fixture.call(ListTopComments::start, unknown).await;
    assert_eq!((answer.status, answer.body), (200, json!({"comments": [], "people": {}, "nextCursor": null})));
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-top-comments").await;
    put(&fixture, "ben", 1, 3).await;
    put(&fixture, "ben", 2, 3).await;
    fixture.needs_a_caller(ListTopComments::start, request("GET", URI).by("ben")).await;
    fixture.refuses_bad_pages(ListTopComments::start, URI).await;
    fixture
        .refuses_bad_usernames(ListTopComments::start, "username", |name| {
            request("GET", format!("/users/{name}/photos/{PHOTO_OF_ADA}/comments/top"))
        })
        .await;
    fixture
        .refuses_bad_photo_ids(ListTopComments::start, |id| {
            request("GET", format!("/users/ada/photos/{id}/comments/top"))
        })
        .await;
    for value in ["", "photos", "people,"] {
        let request = request("GET", URI).by("ben").query("include", value);
        fixture.refuses_field(ListTopComments::start, request, "include").await;
    }
}
