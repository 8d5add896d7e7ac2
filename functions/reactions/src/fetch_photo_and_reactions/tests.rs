use super::*;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::entities::Picture;
use testing::{FEED, Fixture, comment, engagement, in_shard, photo_deletion, photo_with, reaction, ready, request};

mod pictures;

const URI: &str = "/users/ada/photos/2024-05-30T15:42:38";

#[tokio::test]
async fn returns_the_photo_and_its_reactions() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let mut answer = fixture.call_with_sample_event(FetchPhotoAndReactions::start).await;
    let urls = answer.body["photo"].as_object_mut().unwrap().remove("urls").unwrap();
    assert_eq!(testing::widths(&urls), [440, 800, 1600]);
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "photo": {
                "username": "ada", "id": "2024-05-30T15:42:38", "timestamp": "2024-05-30T15:42:38Z", "status": "ready", "width": 1600, "height": 1067, "blurhash": "LxJGc;t6RQof-Bj[azjZ0#R*kCjZ",
                "reactions": testing::counts(&[("heart", 1)]), "comments": 2,
            },
            "reactions": [
                {"username": "cara", "reactionType": "heart", "timestamp": "2024-06-02T09:30:00Z"},
            ],
            "people": {},
            "nextCursor": null,
        })
    );
}

#[tokio::test]
async fn returns_a_photo_without_reactions() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let uri = "/users/ada/photos/2024-06-09T13:49:13";
    let answer = fixture.call(FetchPhotoAndReactions::start, request("GET", uri).by("cara")).await;
    assert_eq!(answer.body["photo"]["id"], "2024-06-09T13:49:13");
    for (name, text) in [("caption", "New camera, old face #selfie"), ("altText", "Ada, smiling, with long red hair")] {
        assert_eq!(answer.body["photo"][name], text);
    }
    assert_eq!(answer.body["photo"]["hashtags"], json!(["selfie"]));
    assert_eq!(answer.body["reactions"], json!([]));
}

#[tokio::test]
async fn returns_every_reaction_once_during_concurrent_writes() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put(reaction("ben", "+1", "ada", "2024-05-30T15:42:38")).await;
    fixture.put(reaction("ben", "smiley", "ada", "2024-05-30T15:42:38")).await;
    let reactions = fixture
        .pages(FetchPhotoAndReactions::start, URI, "reactions", async |fixture: &Fixture| {
            fixture.put(reaction("zoe", "heart", "ada", "2024-05-30T15:42:38")).await;
            fixture.put(reaction("bob", "heart", "ada", "2024-06-09T13:49:13")).await;
            fixture.put(reaction("bob", "heart", "ben", "2024-06-26T03:59:33")).await;
        })
        .await;
    let mut seen: Vec<_> = reactions
        .iter()
        .map(|reaction| (reaction["username"].as_str().unwrap(), reaction["reactionType"].as_str().unwrap()))
        .filter(|(reacting, _)| *reacting != "zoe")
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, [("ben", "+1"), ("ben", "smiley"), ("cara", "heart")]);
}

/// Returns the photo of ada with so many hearts.
fn with_hearts(hearts: u32) -> Item {
    let counts = [("heart".to_owned(), AttributeValue::N(hearts.to_string()))];
    let photo = testing::photo("ada", "2024-05-30T15:42:38");
    photo.into_iter().chain([("reactions".to_owned(), AttributeValue::M(counts.into()))]).collect()
}

#[tokio::test]
async fn returns_the_reactions_in_shards_after_the_others() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let names: Vec<String> = (10..40).map(|number| format!("fan{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        let item = reaction(name, "heart", "ada", "2024-05-30T15:42:38");
        fixture.put(if number < 25 { in_shard(item) } else { item }).await;
        fixture.put(in_shard(reaction(name, "heart", "ada", "2024-06-09T13:49:13"))).await;
    }
    fixture.put(with_hearts(31)).await;
    for limit in [1, 2, 3, 7, 26, 30, 31, 100] {
        let (mut seen, mut uri) = (vec![], format!("{URI}?limit={limit}"));
        loop {
            let page = fixture.call(FetchPhotoAndReactions::start, request("GET", uri.as_str()).by("ben")).await.body;
            let reactions = page["reactions"].as_array().unwrap();
            seen.extend(reactions.iter().map(|reaction| reaction["username"].as_str().unwrap().to_owned()));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            assert_eq!(reactions.len(), limit);
            uri = format!("{URI}?limit={limit}&cursor={cursor}");
        }
        assert_eq!(seen[..6], ["fan39", "fan38", "fan37", "fan36", "fan35", "cara"], "limit {limit}");
        seen.sort_unstable();
        let mut all = names.clone();
        all.insert(0, "cara".to_owned());
        assert_eq!(seen, all, "limit {limit}");
    }
}

#[tokio::test]
async fn reads_shards_only_of_a_photo_that_counts_more_reactions_than_it_has_seen() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let queries = |fixture: &Fixture| fixture.operations().iter().filter(|operation| *operation == "Query").count();
    for (hearts, expected) in [(1, 1), (2, 1 + 8)] {
        fixture.put(with_hearts(hearts)).await;
        assert_eq!(fixture.call(FetchPhotoAndReactions::start, request("GET", URI).by("ben")).await.status, 200);
        assert_eq!(queries(&fixture), expected, "{hearts} hearts");
    }
}

#[tokio::test]
async fn returns_404_for_a_photo_in_deletion() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put(photo_deletion("ada", "2024-05-30T15:42:38", 1)).await;
    let answer = fixture.call(FetchPhotoAndReactions::start, request("GET", URI).by("ada")).await;
    assert_eq!((answer.status, &answer.body["hint"]), (404, &json!("There is no photo 2024-05-30T15:42:38 of ada.")));
}

#[tokio::test]
async fn returns_404_for_an_unknown_photo() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put(reaction("ben", "heart", "ada", "2020-01-01T00:00:00")).await;
    for (user, id) in
        [("ada", "2020-01-01T00:00:00"), ("ben", "2024-05-30T15:42:38"), ("nobody", "2024-05-30T15:42:38")]
    {
        let uri = format!("/users/{user}/photos/{id}");
        let answer = fixture.call(FetchPhotoAndReactions::start, request("GET", uri).by("ada")).await;
        assert_eq!(answer.status, 404);
        assert_eq!(answer.body["hint"], format!("There is no photo {id} of {user}."));
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put(reaction("ben", "+1", "ada", "2024-05-30T15:42:38")).await;
    fixture.needs_a_caller(FetchPhotoAndReactions::start, request("GET", URI)).await;
    fixture
        .refuses_bad_usernames(FetchPhotoAndReactions::start, "username", |name| {
            request("GET", format!("/users/{name}/photos/2024-05-30T15:42:38"))
        })
        .await;
    fixture
        .refuses_bad_photo_ids(FetchPhotoAndReactions::start, |id| request("GET", format!("/users/ada/photos/{id}")))
        .await;
    fixture.refuses_bad_pages(FetchPhotoAndReactions::start, URI).await;
}

#[tokio::test]
async fn only_the_owner_sees_a_photo_that_is_not_ready() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let photo = |by| request("GET", "/users/ada/photos/2026-01-01T00:00:00").by(by);
    for (picture, status) in [
        (Picture::Pending, "pending"),
        (Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: None }, "removed"),
        (testing::rejected(), "rejected"),
    ] {
        fixture.put(photo_with("ada", "2026-01-01T00:00:00", picture)).await;
        let own = fixture.call(FetchPhotoAndReactions::start, photo("ada")).await;
        assert_eq!((own.status, &own.body["photo"]["status"]), (200, &json!(status)));
        let others = fixture.call(FetchPhotoAndReactions::start, photo("ben")).await;
        assert_eq!(
            (others.status, &others.body["hint"]),
            (404, &json!("There is no photo 2026-01-01T00:00:00 of ada."))
        );
    }
    assert_eq!(
        fixture.call(FetchPhotoAndReactions::start, photo("ada")).await.body["photo"]["problem"],
        "tag:quick-photos.example,2026:picture-damaged"
    );
}

/// DynamoDB deletes an expired item some days later.
#[tokio::test]
async fn a_pending_photo_that_has_expired_does_not_exist() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let ids = ["2026-01-01T00:00:00", "2026-01-02T00:00:00"];
    for id in ids {
        fixture.put(photo_with("ada", id, Picture::Pending)).await;
    }
    let key = Key::photo(&"ada".parse().unwrap(), &ids[0].parse().unwrap());
    fixture.set_ttl(testing::QUICK_PHOTOS, key, 1).await;
    for (id, status) in [(ids[0], 404), (ids[1], 200)] {
        let get = request("GET", format!("/users/ada/photos/{id}"));
        assert_eq!(fixture.call(FetchPhotoAndReactions::start, get.clone().by("ada")).await.status, status, "{id}");
        assert_eq!(fixture.operations().len(), 3, "the Query, the caller, and the photo from the table");
        assert_eq!(fixture.call(FetchPhotoAndReactions::start, get.by("ben")).await.status, 404, "{id}");
        assert_eq!(fixture.operations().len(), 2, "{id}");
    }
}

#[tokio::test]
async fn everybody_sees_the_picture_of_a_photo_that_is_ready() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put(photo_with("ada", "2026-01-01T00:00:00", ready(b"file"))).await;
    let answer = fixture
        .call(FetchPhotoAndReactions::start, request("GET", "/users/ada/photos/2026-01-01T00:00:00").by("ben"))
        .await;
    let mut photo = answer.body["photo"].clone();
    let urls = photo.as_object_mut().unwrap().remove("urls").unwrap();
    assert_eq!(
        photo,
        json!({
            "username": "ada", "id": "2026-01-01T00:00:00", "timestamp": "2026-01-01T00:00:00Z", "status": "ready", "width": 1600, "height": 1200,
            "blurhash": "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
            "reactions": testing::counts(&[]), "comments": 0,
        })
    );
    // printf file | sha256sum
    let prefix = "https://pictures.example/photos/ada/2026-01-01T00%3A00%3A00/3b9c358f36f0a31b";
    assert_eq!(testing::widths(&urls), [440, 800, 1600]);
    for (url, size) in urls.as_array().unwrap().iter().zip(["small", "medium", "large"]) {
        assert!(url["url"].as_str().unwrap().starts_with(&format!("{prefix}/{size}.jpg?until=")), "{urls}");
    }
}

#[tokio::test]
async fn includes_people_and_what_the_caller_did_by_one_more_request() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put_in(FEED, engagement("ben", "ada", "2024-05-30T15:42:38", &["smiley"])).await;
    let answer = fixture
        .call(FetchPhotoAndReactions::start, request("GET", format!("{URI}?include=people,viewer")).by("ben"))
        .await;
    assert_eq!(answer.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), ["ada", "cara"]);
    assert_eq!(answer.body["people"]["cara"], json!({"name": "Cara Lindqvist"}), "cara has pinned nothing");
    assert_eq!(answer.body["photo"]["viewer"], json!({"reactions": ["smiley"], "saved": false}));
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    fixture
        .refuses_field(
            FetchPhotoAndReactions::start,
            request("GET", format!("{URI}?include=likes")).by("ben"),
            "include",
        )
        .await;
}

#[tokio::test]
async fn includes_the_newest_comments_and_their_authors() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    for number in 0..25 {
        let time = format!("2026-01-01T00:00:{number:02}.000Z");
        fixture.put(comment(if number == 24 { "ben" } else { "cara" }, &time, "ada", "2024-05-30T15:42:38")).await;
        fixture.put(comment("ben", &time, "ada", "2024-06-09T13:49:13")).await;
    }
    let uri = format!("{URI}?include=comments,people,viewer&limit=1");
    let answer = fixture.call(FetchPhotoAndReactions::start, request("GET", uri).by("ben")).await;
    let comments = answer.body["comments"]["comments"].as_array().unwrap();
    assert_eq!(comments.len(), 20);
    assert!(answer.body["comments"]["nextCursor"].is_string(), "five comments follow");
    assert_eq!(
        (&comments[0]["username"], &comments[0]["timestamp"]),
        (&json!("ben"), &json!("2026-01-01T00:00:24.000Z"))
    );
    assert_eq!(comments[0]["viewer"], json!({"canEdit": true, "canDelete": true, "liked": false}));
    assert_eq!(comments[1]["viewer"], json!({"canEdit": false, "canDelete": false, "liked": false}));
    assert_eq!(answer.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), ["ada", "ben", "cara"]);
    assert_eq!(answer.body["reactions"].as_array().unwrap().len(), 1);
    let mut operations = fixture.operations();
    operations.sort();
    assert_eq!(operations, ["BatchGetItem", "Query", "Query"]);
    let plain = fixture.call(FetchPhotoAndReactions::start, request("GET", URI).by("ben")).await;
    assert!(plain.body.get("comments").is_none() && plain.body["reactions"].as_array().unwrap().len() == 1);
}

#[tokio::test]
async fn the_newest_comments_have_the_pinned_one_beside_them() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let of_ben = "2024-06-02T18:05:41.250Z~ben";
    let pinned = comment("ben", "2024-06-02T18:05:41.250Z", "ada", "2024-05-30T15:42:38");
    fixture.put(testing::with(pinned, "pinned", "2024-06-03T10:00:00.000Z")).await;
    fixture.put(testing::like("cara", of_ben, "ada", "2024-05-30T15:42:38")).await;
    fixture.put(testing::with(testing::photo("ada", "2024-05-30T15:42:38"), "pinnedComment", of_ben)).await;
    for number in 0..25 {
        fixture.put(comment("cara", &format!("2026-01-01T00:00:{number:02}.000Z"), "ada", "2024-05-30T15:42:38")).await;
    }
    let get = async |query: &str| {
        let uri = format!("{URI}?include={query}");
        fixture.call(FetchPhotoAndReactions::start, request("GET", uri).by("cara")).await.body
    };
    let all = get("comments,people,viewer").await;
    let pinned = &all["comments"]["pinned"];
    assert_eq!((&pinned["id"], &pinned["viewer"]["liked"]), (&json!(of_ben), &json!(true)));
    assert_eq!((&all["people"]["ben"]["name"], all["photo"].get("pinnedComment")), (&json!("Ben Okafor"), None));
    assert_eq!(get("comments").await["comments"]["pinned"]["id"], of_ben);
    assert_eq!(get("people,viewer").await.get("comments"), None);
    fixture.put(testing::with_count(testing::user("cara"), "blocks", 1)).await;
    fixture.put(testing::with_count(testing::user("ben"), "blockedBy", 1)).await;
    fixture.put(testing::block("cara", "ben", shared::values::Level::Block)).await;
    for query in ["comments", "comments,people,viewer"] {
        assert_eq!(get(query).await["comments"].get("pinned"), None, "{query}");
    }
}

#[tokio::test]
async fn the_author_of_a_comment_that_does_not_show_has_no_card() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let of_ben = "2024-06-02T18:05:41.250Z~ben";
    let removed = comment("ben", "2024-06-02T18:05:41.250Z", "ada", "2024-05-30T15:42:38");
    fixture.put(testing::with(removed, "removed", "spam")).await;
    let photo = testing::photo("ada", "2024-05-30T15:42:38");
    for photo in [photo.clone(), testing::with(photo, "pinnedComment", of_ben)] {
        fixture.put(photo).await;
        for (caller, expected) in [("cara", &["ada", "cara"][..]), ("ben", &["ada", "ben", "cara"])] {
            let uri = format!("{URI}?include=comments,people");
            let answer = fixture.call(FetchPhotoAndReactions::start, request("GET", uri).by(caller)).await;
            let people = answer.body["people"].as_object().unwrap();
            assert_eq!(people.keys().collect::<Vec<_>>(), expected, "{caller}: {}", answer.body);
        }
    }
}

#[tokio::test]
async fn viewer_says_which_of_the_newest_comments_the_caller_likes() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let of_ben = "2024-06-02T18:05:41.250Z~ben";
    let comment = comment("ben", "2024-06-02T18:05:41.250Z", "ada", "2024-05-30T15:42:38");
    fixture.put(testing::with_count(comment, "likes", 2)).await;
    for liking in ["cara", "ada"] {
        fixture.put(testing::like(liking, of_ben, "ada", "2024-05-30T15:42:38")).await;
    }
    for (caller, likes) in [("cara", true), ("ben", false)] {
        let uri = format!("{URI}?include=comments,viewer");
        let answer = fixture.call(FetchPhotoAndReactions::start, request("GET", uri).by(caller)).await;
        let comments = answer.body["comments"]["comments"].as_array().unwrap();
        let liked = comments.iter().map(|comment| comment["viewer"]["liked"] == true);
        assert_eq!(liked.collect::<Vec<_>>(), [false, likes], "{caller}");
        assert_eq!(comments[1]["likes"], 2);
        let queries = fixture.operations().into_iter().filter(|operation| operation == "Query").count();
        assert_eq!(queries, 3, "reactions, comments and likes");
    }
}

#[tokio::test]
async fn only_those_who_may_see_the_photo_see_it_and_the_reactions() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put(reaction("ben", "+1", "ada", "2024-05-30T15:42:38")).await;
    let mut callers = vec![];
    for caller in ["ada", "ben", "cara"] {
        let first =
            fixture.call(FetchPhotoAndReactions::start, request("GET", format!("{URI}?limit=1")).by(caller)).await;
        callers.push((caller, format!("?limit=1&cursor={}", first.body["nextCursor"].as_str().unwrap())));
    }
    let photo = photo_with("ada", "2024-05-30T15:42:38", ready(b"file"));
    for (audience, seen_by) in [("followers", vec!["ada", "ben"]), ("me", vec!["ada"])] {
        fixture.put(testing::with(photo.clone(), "audience", audience)).await;
        for (caller, cursor) in &callers {
            for query in ["", "?include=people,comments,viewer", cursor] {
                let answer = fixture
                    .call(FetchPhotoAndReactions::start, request("GET", format!("{URI}{query}")).by(caller))
                    .await;
                let expected = if seen_by.contains(caller) { 200 } else { 404 };
                assert_eq!(answer.status, expected, "{audience} {caller} {query}: {}", answer.body);
            }
        }
    }
}

#[tokio::test]
async fn leaves_out_those_who_block_the_caller_or_whom_the_caller_blocks() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put(reaction("dora", "+1", "ada", "2024-05-30T15:42:38")).await;
    let counted = |name, count| testing::with_count(testing::user(name), count, 1);
    fixture.put_all(vec![counted("ben", "blockedBy"), counted("dora", "blocks"), testing::user("zoe")]);
    fixture.put(testing::block("dora", "ben", shared::values::Level::Block)).await;
    for (caller, expected) in [("ben", vec!["cara"]), ("dora", vec!["dora", "cara"]), ("zoe", vec!["dora", "cara"])] {
        for query in ["", "?include=people,comments"] {
            let answer =
                fixture.call(FetchPhotoAndReactions::start, request("GET", format!("{URI}{query}")).by(caller)).await;
            let reactions = answer.body["reactions"].as_array().unwrap();
            let names: Vec<_> = reactions.iter().map(|reaction| reaction["username"].as_str().unwrap()).collect();
            assert_eq!(names, expected, "{caller} {query}");
            let people = &answer.body["people"];
            if !query.is_empty() {
                let comments = answer.body["comments"]["comments"].as_array().unwrap();
                let others = comments.iter().any(|one| one["username"] == "ben");
                assert_eq!(people.get("dora").is_some(), expected.contains(&"dora"), "{caller}");
                assert_eq!((people.get("ben").is_some(), others), (caller != "dora", caller != "dora"), "{caller}");
            }
        }
    }
    // The photo of somebody who blocks the caller does not exist.
    fixture.put(testing::with_count(testing::user("ada"), "blocks", 1)).await;
    fixture.put(testing::block("ada", "ben", shared::values::Level::Block)).await;
    for query in ["", "?include=people"] {
        assert_eq!(
            fixture.call(FetchPhotoAndReactions::start, request("GET", format!("{URI}{query}")).by("ben")).await.status,
            404,
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_process_remembers_for_a_second_a_page_that_many_read() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let process = fixture.service(FetchPhotoAndReactions::start);
    let page = |caller| request("GET", format!("{URI}?include=people,comments,viewer")).by(caller);
    for _ in 0..OFTEN {
        assert_eq!(fixture.send(&process, page("cara")).await.status, 200);
        assert_eq!(fixture.operations().len(), 3);
    }
    fixture.put_in(FEED, engagement("ben", "ada", "2024-05-30T15:42:38", &["heart"])).await;
    let answer = fixture.send(&process, page("ben")).await;
    assert_eq!(fixture.operations(), ["BatchGetItem"], "the engagement of the caller is not remembered");
    let [photo, people] = ["photo", "people"].map(|part| &answer.body[part]);
    assert_eq!((&photo["viewer"]["reactions"], &people["ada"]["name"]), (&json!(["heart"]), &json!("Ada Marsh")));

    // Another photo, and what only followers see of the remembered one.
    let other = request("GET", "/users/ada/photos/2024-06-09T13:49:13").by("cara");
    assert_eq!(fixture.send(&process, other).await.body["photo"]["id"], "2024-06-09T13:49:13");
    let photo = photo_with("ada", "2024-05-30T15:42:38", ready(b"file"));
    fixture.put(testing::with(photo, "audience", "followers")).await;
    assert_eq!(fixture.send(&process, page("cara")).await.status, 200);
    testing::pass(MEMORY).await;
    assert_eq!(fixture.send(&process, page("cara")).await.status, 404);
}

/// This answer is the photo that the caller opens.
#[tokio::test]
async fn a_sensitive_photo_has_its_picture_whatever_the_setting_is() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    let sensitive = testing::with(photo_with("ada", "2024-05-30T15:42:38", ready(b"file")), "sensitive", "medical");
    for (by, item) in
        [("owner", sensitive.clone()), ("moderator", testing::with(sensitive, "sensitiveBy", "moderator"))]
    {
        fixture.put(item).await;
        for caller in ["ada", "ben"] {
            let photo = fixture.call(FetchPhotoAndReactions::start, request("GET", URI).by(caller)).await.body;
            let photo = &photo["photo"];
            assert_eq!(photo["sensitive"], json!({"reason": "medical", "by": by}));
            assert_eq!(testing::widths(&photo["urls"]), [440, 800, 1600]);
        }
    }
}

/// The index does not have it.
#[tokio::test]
async fn a_photo_of_another_program_has_its_location() {
    let fixture = Fixture::new("fetch-photo-and-reactions").await;
    fixture.put(testing::photo("ada", "2024-01-01T00:00:00")).await;
    let get = request("GET", "/users/ada/photos/2024-01-01T00:00:00").by("ben");
    let body = fixture.call(FetchPhotoAndReactions::start, get).await.body;
    assert_eq!(body["photo"]["location"], "s3://quick-photos/photos/ada/2024-01-01T00:00:00.png", "{body}");
}
