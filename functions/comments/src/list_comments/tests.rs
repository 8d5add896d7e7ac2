use super::*;
use serde_json::{Value, json};
use shared::values::Level;
use testing::{
    Fixture, block, comment, comment_deletion, deletion, like, photo_deletion, reaction, reply, request, user, with,
    with_count,
};

const PHOTO_OF_ADA: &str = "2024-05-30T15:42:38";
const URI: &str = "/users/ada/photos/2024-05-30T15:42:38/comments";

/// Two of the requests are sent at the same time.
fn sorted(mut operations: Vec<String>) -> Vec<String> {
    operations.sort();
    operations
}

/// Returns the ids of comments.
fn ids(comments: &Value) -> Vec<&str> {
    comments.as_array().unwrap().iter().map(|comment| comment["id"].as_str().unwrap()).collect()
}

fn at(second: u32) -> String {
    format!("2024-06-03T10:00:{second:02}.000Z")
}

#[tokio::test]
async fn returns_the_comments_newest_first() {
    let fixture = Fixture::new("list-comments").await;
    let answer = fixture.call_with_sample_event(ListComments::start).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(
        answer.body,
        json!({
            "comments": [
                {
                    "id": "2024-06-02T18:30:12.500Z~ada", "username": "ada", "timestamp": "2024-06-02T18:30:12.500Z",
                    "text": "On the pier, @ben, just after nine", "mentions": ["ben"],
                    "edited": "2024-06-02T18:31:00.000Z",
                },
                {
                    "id": "2024-06-02T18:05:41.250Z~ben", "username": "ben", "timestamp": "2024-06-02T18:05:41.250Z",
                    "text": "Where is this, @ada?", "mentions": ["ada"],
                },
            ],
            "people": {},
            "nextCursor": null,
        })
    );
    assert_eq!(sorted(fixture.operations()), ["BatchGetItem", "Query"]);
}

#[tokio::test]
async fn the_order_can_be_reversed() {
    let fixture = Fixture::new("list-comments").await;
    let newest_first = ["2024-06-02T18:30:12.500Z~ada", "2024-06-02T18:05:41.250Z~ben"];
    let oldest_first = ["2024-06-02T18:05:41.250Z~ben", "2024-06-02T18:30:12.500Z~ada"];
    for (order, expected) in [("", newest_first), ("?order=desc", newest_first), ("?order=asc", oldest_first)] {
        let answer = fixture.call(ListComments::start, request("GET", format!("{URI}{order}")).by("cara")).await;
        assert_eq!(ids(&answer.body["comments"]), expected, "{order}");
    }
}

#[tokio::test]
async fn shows_neither_reactions_nor_comments_on_other_photos() {
    let fixture = Fixture::new("list-comments").await;
    let before = fixture.call_with_sample_event(ListComments::start).await.body;
    fixture.put(reaction("ben", "smiley", "ada", PHOTO_OF_ADA)).await;
    for (owner, id) in [("ada", "2024-06-09T13:49:13"), ("ben", PHOTO_OF_ADA), ("ada", "2024-05-30T15:42:38.000Z")] {
        fixture.put(comment("cara", &at(1), owner, id)).await;
    }
    assert_eq!(fixture.call_with_sample_event(ListComments::start).await.body, before);
}

#[tokio::test]
async fn an_unknown_photo_has_no_comments() {
    let fixture = Fixture::new("list-comments").await;
    for uri in ["/users/ada/photos/2020-01-01T00:00:00/comments", "/users/nobody/photos/2024-05-30T15:42:38/comments"] {
        let answer = fixture.call(ListComments::start, request("GET", uri).by("ben")).await;
        assert_eq!(
            (answer.status, answer.body),
            (200, json!({"comments": [], "people": {}, "nextCursor": null})),
            "{uri}"
        );
    }
}

#[tokio::test]
async fn a_photo_in_deletion_has_no_comments() {
    let fixture = Fixture::new("list-comments").await;
    fixture.put(photo_deletion("ada", PHOTO_OF_ADA, 1)).await;
    let answer = fixture.call_with_sample_event(ListComments::start).await;
    assert_eq!((answer.status, ids(&answer.body["comments"])), (200, vec![]));
}

#[tokio::test]
async fn people_have_the_name_and_the_picture_of_each_author_once() {
    let fixture = Fixture::new("list-comments").await;
    fixture.put(comment("ben", &at(1), "ada", PHOTO_OF_ADA)).await;
    fixture.put(comment("zoe", &at(2), "ada", PHOTO_OF_ADA)).await;
    fixture.put(deletion("zoe")).await;
    let answer = fixture.call(ListComments::start, request("GET", format!("{URI}?include=people")).by("cara")).await;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    assert_eq!(answer.body["comments"].as_array().unwrap().len(), 4);
    let people = answer.body["people"].as_object().unwrap();
    assert_eq!(people.keys().collect::<Vec<_>>(), ["ada", "ben"], "zoe is being deleted");
    assert_eq!(people["ada"]["name"], "Ada Marsh");
    assert!(people["ada"]["picture"]["small"].as_str().unwrap().starts_with("http"), "{people:?}");
    assert_eq!(people["ben"], json!({"name": "Ben Okafor"}), "the photo that ben has pinned has no picture");

    let none = request("GET", "/users/ada/photos/2020-01-01T00:00:00/comments?include=people").by("ben");
    assert_eq!(fixture.call(ListComments::start, none).await.body["people"], json!({}));
    assert_eq!(sorted(fixture.operations()), ["BatchGetItem", "Query"]);
}

#[tokio::test]
async fn viewer_says_what_the_caller_may_do() {
    let fixture = Fixture::new("list-comments").await;
    for (caller, of_ada, of_ben) in [
        ("ada", [true, true], [false, true]),
        ("ben", [false, false], [true, true]),
        ("cara", [false, false], [false, false]),
        ("nobody", [false, false], [false, false]),
    ] {
        let answer =
            fixture.call(ListComments::start, request("GET", format!("{URI}?include=viewer")).by(caller)).await;
        let rights = |comment: &Value| ["canEdit", "canDelete"].map(|name| comment["viewer"][name].as_bool().unwrap());
        let comments = answer.body["comments"].as_array().unwrap();
        assert_eq!([rights(&comments[0]), rights(&comments[1])], [of_ada, of_ben], "{caller}");
        assert_eq!(answer.body["people"], json!({}));
    }
    let both =
        fixture.call(ListComments::start, request("GET", format!("{URI}?include=viewer,people")).by("ada")).await;
    assert!(both.body["people"]["ada"].is_object() && both.body["comments"][0]["viewer"].is_object());
}

#[tokio::test]
async fn pages_show_each_comment_once_while_others_write() {
    for (order, expected) in [("asc", 0..9), ("desc", 0..9)] {
        let fixture = Fixture::new("list-comments").await;
        for second in 0..9 {
            fixture.put(comment(if second % 2 == 0 { "ben" } else { "cara" }, &at(second), "ada", PHOTO_OF_ADA)).await;
        }
        let comments = fixture
            .pages(ListComments::start, &format!("{URI}?order={order}"), "comments", async |fixture| {
                // Newer and older ones, reactions, and comments on another photo.
                let second = 10 + fixture.all_items().await.len();
                fixture.put(comment("dora", &at(u32::try_from(second).unwrap()), "ada", PHOTO_OF_ADA)).await;
                fixture.put(comment("dora", "2024-06-01T00:00:00.000Z", "ada", PHOTO_OF_ADA)).await;
                fixture.put(reaction("dora", "heart", "ada", PHOTO_OF_ADA)).await;
                fixture.put(comment("dora", &at(5), "ada", "2024-06-09T13:49:13")).await;
            })
            .await;
        let times: Vec<&str> = comments.iter().map(|comment| comment["timestamp"].as_str().unwrap()).collect();
        assert!(times.is_sorted_by(|a, b| if order == "asc" { a < b } else { a > b }), "{times:?}");
        for second in expected {
            assert_eq!(times.iter().filter(|time| **time == at(second)).count(), 1, "{second}: {times:?}");
        }
    }
}

/// The comment that a cursor names may be deleted before the next page.
#[tokio::test]
async fn a_page_goes_on_after_a_deleted_comment() {
    let fixture = Fixture::new("list-comments").await;
    let first = fixture.call(ListComments::start, request("GET", format!("{URI}?limit=1")).by("ben")).await;
    let id: CommentId = first.body["comments"][0]["id"].as_str().unwrap().parse().unwrap();
    fixture.delete(Key::comment(&id, &"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap())).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second = fixture.call(ListComments::start, request("GET", URI).by("ben").query("cursor", cursor)).await;
    assert_eq!(ids(&second.body["comments"]), ["2024-06-02T18:05:41.250Z~ben"]);
}

#[tokio::test]
async fn refuses_bad_pages() {
    let fixture = Fixture::new("list-comments").await;
    for uri in [URI.to_owned(), format!("{URI}?order=asc&include=people,viewer")] {
        fixture.refuses_bad_pages(ListComments::start, &uri).await;
    }
    // A cursor belongs to one photo and one order.
    let first = fixture.call(ListComments::start, request("GET", format!("{URI}?limit=1")).by("ben")).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    for uri in ["/users/ada/photos/2024-06-09T13:49:13/comments".to_owned(), format!("{URI}?order=asc")] {
        fixture
            .refuses_field(ListComments::start, request("GET", uri).by("ben").query("cursor", cursor), "cursor")
            .await;
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-comments").await;
    fixture.needs_a_caller(ListComments::start, request("GET", URI).by("ben")).await;
    fixture
        .refuses_bad_usernames(ListComments::start, "username", |name| {
            request("GET", format!("/users/{name}/photos/{PHOTO_OF_ADA}/comments"))
        })
        .await;
    fixture
        .refuses_bad_photo_ids(ListComments::start, |id| request("GET", format!("/users/ada/photos/{id}/comments")))
        .await;
    for (name, values) in [("order", &["", "up", "ASC"][..]), ("include", &["", "photos", "people,", "People"])] {
        for value in values {
            fixture.refuses_field(ListComments::start, request("GET", URI).by("ben").query(name, value), name).await;
        }
    }
}

#[tokio::test]
async fn only_those_who_may_see_the_photo_see_the_comments() {
    let fixture = Fixture::new("list-comments").await;
    let photo = testing::photo("ada", PHOTO_OF_ADA);
    for (audience, seen_by) in [("followers", vec!["ada", "ben"]), ("me", vec!["ada"])] {
        fixture.put(testing::with(photo.clone(), "audience", audience)).await;
        for caller in ["ada", "ben", "cara"] {
            let answer = fixture.call(ListComments::start, request("GET", URI).by(caller)).await;
            let expected = if seen_by.contains(&caller) { 2 } else { 0 };
            assert_eq!((answer.status, ids(&answer.body["comments"]).len()), (200, expected), "{audience} {caller}");
        }
    }
}

#[tokio::test]
async fn leaves_out_the_comments_of_those_who_block_the_caller_or_whom_the_caller_blocks() {
    let fixture = Fixture::new("list-comments").await;
    let texts = async |caller: &str| {
        let answer =
            fixture.call(ListComments::start, request("GET", format!("{URI}?include=people")).by(caller)).await;
        let people: Vec<String> = answer.body["people"].as_object().unwrap().keys().cloned().collect();
        (ids(&answer.body["comments"]).len(), people.join(" "))
    };
    fixture.put(testing::with_count(testing::user("cara"), "blocks", 1)).await;
    fixture.put(testing::block("cara", "ben", shared::values::Level::Block)).await;
    assert_eq!(texts("cara").await, (1, "ada".to_owned()));
    fixture.put(testing::with_count(testing::user("ben"), "blockedBy", 1)).await;
    fixture.put(comment("cara", &at(1), "ada", PHOTO_OF_ADA)).await;
    assert_eq!(texts("ben").await, (2, "ada ben".to_owned()));
    assert_eq!(texts("ada").await, (3, "ada ben cara".to_owned()));
    // The photo of somebody who blocks the caller does not exist.
    fixture.put(testing::block("ada", "ben", shared::values::Level::Block)).await;
    assert_eq!(texts("ben").await, (0, String::new()));
}

#[tokio::test]
async fn only_the_author_sees_a_removed_comment_and_why_it_is_removed() {
    let fixture = Fixture::new("list-comments").await;
    fixture
        .put(testing::with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "removed", "spam"))
        .await;
    for (caller, seen) in [("ben", 2), ("ada", 1), ("cara", 1)] {
        let answer = fixture.call(ListComments::start, request("GET", URI).by(caller)).await;
        let comments = answer.body["comments"].as_array().unwrap();
        let removed: Vec<&str> = comments.iter().filter_map(|comment| comment.get("removed")?.as_str()).collect();
        let expected = if caller == "ben" { vec!["spam"] } else { vec![] };
        assert_eq!((comments.len(), removed), (seen, expected), "{caller}");
    }
}

#[tokio::test]
async fn a_page_with_people_fits_into_one_batch() {
    let fixture = Fixture::new("list-comments").await;
    for number in 0..100 {
        fixture.put(comment(&format!("person{number:02}"), &at(number % 60), "ada", PHOTO_OF_ADA)).await;
    }
    let answer =
        fixture.call(ListComments::start, request("GET", format!("{URI}?include=people&limit=100")).by("zoe")).await;
    assert_eq!((ids(&answer.body["comments"]).len(), answer.body["nextCursor"].is_string()), (97, true));
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn the_replies_to_a_comment_are_a_list_of_their_own() {
    let fixture = Fixture::new("list-comments").await;
    let (of_ada, of_ben) = ("2024-06-02T18:30:12.500Z~ada", "2024-06-02T18:05:41.250Z~ben");
    let answered = comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    fixture.put(with_count(answered, "replies", 3)).await;
    for second in 1..=3 {
        fixture.put(reply("cara", &at(second), of_ben, "ada", PHOTO_OF_ADA)).await;
    }
    fixture.put(reply("ben", &at(1), of_ada, "ada", PHOTO_OF_ADA)).await;
    fixture.put(reply("ben", &at(1), of_ben, "ada", "2024-06-09T13:49:13")).await;
    let list =
        async |query: &str| fixture.call(ListComments::start, request("GET", format!("{URI}{query}")).by("ada")).await;
    let comments = list("").await.body;
    assert_eq!(ids(&comments["comments"]), [of_ada, of_ben], "no replies");
    assert_eq!((&comments["comments"][0]["replies"], &comments["comments"][1]["replies"]), (&json!(null), &json!(3)));

    let replies = [1, 2, 3].map(|second| format!("{of_ben}~{}~cara", at(second)));
    let _ = fixture.operations();
    let answer = list(&format!("?replyTo={of_ben}&order=asc&include=viewer")).await;
    assert_eq!(sorted(fixture.operations()), ["BatchGetItem", "Query"]);
    assert_eq!(ids(&answer.body["comments"]), replies.each_ref().map(String::as_str));
    let first = &answer.body["comments"][0];
    assert_eq!((&first["replyTo"], &first["viewer"]["canDelete"]), (&json!(of_ben), &json!(true)));

    let page = list(&format!("?replyTo={of_ben}&order=asc&limit=2")).await.body;
    let cursor = page["nextCursor"].as_str().unwrap();
    let next = list(&format!("?replyTo={of_ben}&order=asc&limit=2&cursor={cursor}")).await.body;
    assert_eq!([ids(&page["comments"]), ids(&next["comments"])].concat(), replies);
    let other = list(&format!("?replyTo={of_ada}&order=asc&cursor={cursor}")).await;
    assert_eq!((other.status, other.fields()), (400, vec!["cursor"]), "the cursor is of another list");
    let refused = list(&format!("?replyTo={}", replies[0])).await;
    assert_eq!((refused.status, refused.fields()), (400, vec!["replyTo"]));
}

#[tokio::test]
async fn the_replies_to_a_comment_that_one_does_not_see_are_hidden() {
    let of_ben = "2024-06-02T18:05:41.250Z~ben";
    let comment = || comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA);
    let tombstone = comment_deletion("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA, 1);
    for (answered, block_of_ben, sees) in [
        (comment(), false, true),
        (comment(), true, false),
        (with(comment(), "removed", "spam"), false, false),
        (tombstone, false, false),
    ] {
        let fixture = Fixture::new("list-comments").await;
        fixture.put(answered).await;
        fixture.put(reply("ada", &at(1), of_ben, "ada", PHOTO_OF_ADA)).await;
        if block_of_ben {
            fixture.put(with_count(user("cara"), "blockedBy", 1)).await;
            fixture.put(block("ben", "cara", Level::Block)).await;
        }
        let request = request("GET", format!("{URI}?replyTo={of_ben}")).by("cara");
        let answer = fixture.call(ListComments::start, request).await;
        assert_eq!((answer.status, !ids(&answer.body["comments"]).is_empty()), (200, sees));
    }
}

/// A tombstone takes a place on its page.
#[tokio::test]
async fn tombstones_are_no_comments() {
    let fixture = Fixture::new("list-comments").await;
    fixture.put(comment_deletion("ada", "2024-06-02T18:30:12.500Z", "ada", PHOTO_OF_ADA, 1)).await;
    let first = fixture.call(ListComments::start, request("GET", format!("{URI}?limit=1")).by("cara")).await.body;
    assert_eq!(ids(&first["comments"]), [""; 0]);
    let cursor = first["nextCursor"].as_str().unwrap();
    let request = request("GET", format!("{URI}?limit=1&cursor={cursor}")).by("cara");
    let second = fixture.call(ListComments::start, request).await.body;
    assert_eq!(ids(&second["comments"]), ["2024-06-02T18:05:41.250Z~ben"]);
}

/// Cara likes a comment and one of two replies, of which each has likes.
#[tokio::test]
async fn viewer_says_what_the_caller_likes() {
    let fixture = Fixture::new("list-comments").await;
    let of_ben = "2024-06-02T18:05:41.250Z~ben";
    let answers = [1, 2].map(|second| format!("{of_ben}~{}~ada", at(second)));
    fixture.put(with_count(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "likes", 1)).await;
    for second in [1, 2] {
        fixture.put(with_count(reply("ada", &at(second), of_ben, "ada", PHOTO_OF_ADA), "likes", 1)).await;
    }
    for (liking, comment) in [("cara", of_ben), ("cara", &*answers[1]), ("dora", &*answers[0])] {
        fixture.put(like(liking, comment, "ada", PHOTO_OF_ADA)).await;
    }
    fixture.put(like("cara", of_ben, "ada", "2024-06-09T13:49:13")).await;
    for (query, caller, expected) in [
        ("", "cara", vec![false, true]),
        ("&order=asc", "cara", vec![true, false]),
        ("", "dora", vec![false, false]),
        (&*format!("&replyTo={of_ben}&order=asc"), "cara", vec![false, true]),
        (&*format!("&replyTo={of_ben}"), "dora", vec![false, true]),
    ] {
        let _ = fixture.operations();
        let uri = format!("{URI}?include=viewer,people{query}");
        let answer = fixture.call(ListComments::start, request("GET", uri).by(caller)).await;
        let comments = answer.body["comments"].as_array().unwrap();
        let liked: Vec<bool> = comments.iter().map(|comment| comment["viewer"]["liked"] == true).collect();
        assert_eq!(liked, expected, "{query} {caller}");
        assert_eq!(sorted(fixture.operations()), ["BatchGetItem", "Query", "Query"]);
    }
    let without = fixture.call(ListComments::start, request("GET", URI).by("cara")).await;
    assert_eq!(without.body["comments"][1].get("viewer"), None);
    assert_eq!(sorted(fixture.operations()), ["BatchGetItem", "Query"], "one reads no likes that nobody sees");
}

#[tokio::test]
async fn the_first_page_has_the_pinned_comment() {
    let fixture = Fixture::new("list-comments").await;
    let of_ben = "2024-06-02T18:05:41.250Z~ben";
    let pinned = with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PHOTO_OF_ADA), "pinned", at(9));
    fixture.put(with_count(pinned, "likes", 1)).await;
    fixture.put(like("cara", of_ben, "ada", PHOTO_OF_ADA)).await;
    fixture.put(with(testing::photo("ada", PHOTO_OF_ADA), "pinnedComment", of_ben)).await;
    let list = async |query: &str, caller: &str| {
        fixture.call(ListComments::start, request("GET", format!("{URI}?{query}")).by(caller)).await.body
    };
    let first = list("limit=1&include=viewer,people", "cara").await;
    assert_eq!(
        (ids(&first["comments"]), &first["pinned"]["id"]),
        (vec!["2024-06-02T18:30:12.500Z~ada"], &json!(of_ben))
    );
    assert_eq!((&first["pinned"]["pinned"], &first["pinned"]["viewer"]["liked"]), (&json!(true), &json!(true)));
    assert_eq!(first["people"]["ben"]["name"], "Ben Okafor");
    let whole = list("", "cara").await;
    assert_eq!((&whole["comments"][1]["pinned"], whole["comments"][0].get("pinned")), (&json!(true), None));

    let cursor = first["nextCursor"].as_str().unwrap();
    assert_eq!(list(&format!("limit=1&cursor={cursor}"), "cara").await.get("pinned"), None);
    assert_eq!(list(&format!("replyTo={of_ben}"), "cara").await.get("pinned"), None);
    fixture.put(with_count(user("cara"), "blockedBy", 1)).await;
    fixture.put(block("ben", "cara", Level::Block)).await;
    let hidden = list("include=people,viewer", "cara").await;
    assert_eq!((hidden.get("pinned"), hidden["people"].get("ben")), (None, None));
    fixture
        .delete(Key::comment(&of_ben.parse().unwrap(), &"ada".parse().unwrap(), &PHOTO_OF_ADA.parse().unwrap()))
        .await;
    assert_eq!(list("", "ada").await.get("pinned"), None);
}
