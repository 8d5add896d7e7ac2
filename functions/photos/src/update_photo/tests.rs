use super::*;
use serde_json::{Value, json};
use shared::entities::{LINKS, Picture, settle_picture};
use testing::{
    FEED, Fault, Fixture, TestRequest, comment, comment_deletion, expired_photo, hidden_vector, link, photo_deletion,
    photo_with, ready, request, user, vector, with, with_count,
};

mod numbered;

/// A photo of ada without a caption.
const PLAIN: &str = "2024-05-30T15:42:38";
/// A photo of ada with a caption and a description.
const DESCRIBED: &str = "2024-06-09T13:49:13";

fn patch(id: &str, body: &Value) -> TestRequest {
    request("PATCH", format!("/users/ada/photos/{id}")).by("ada").json(body)
}

async fn stored(fixture: &Fixture, id: &str) -> Value {
    fixture.item(Key::photo(&"ada".parse().unwrap(), &id.parse().unwrap())).await
}

#[tokio::test]
async fn sets_the_texts_and_the_time_of_the_change_and_nothing_else() {
    let fixture = Fixture::new("update-photo").await;
    let mut expected = fixture.all_items().await;
    let begin = Timestamp::now();
    let answer = fixture.call_with_sample_event(UpdatePhoto::start).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let edited = answer.body["edited"].as_str().unwrap();
    assert!(begin.as_ref() <= edited && edited <= Timestamp::now().as_ref());
    let texts = [("caption", "The pier after the storm"), ("altText", "A wooden pier, and waves that break over it")];
    let item = expected.get_mut(&format!("USER#ada PHOTO#ada#{PLAIN}")).unwrap();
    item["edited"] = edited.into();
    for (name, text) in texts {
        assert_eq!(answer.body[name], text);
        item[name] = text.into();
    }
    assert_eq!(fixture.all_items().await, expected);
    assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem"]);
    assert_eq!(answer.body["id"], PLAIN);
    assert_eq!((&answer.body["status"], &answer.body["comments"]), (&json!("ready"), &json!(2)));
    assert!(answer.body["urls"][0]["url"].is_string());
}

#[tokio::test]
async fn a_patch_keeps_replaces_and_removes() {
    let fixture = Fixture::new("update-photo").await;
    let before = stored(&fixture, DESCRIBED).await;
    assert!(before["caption"].is_string() && before["altText"].is_string());
    for (body, caption, alt_text) in [
        (json!({"caption": "Two\nlines"}), json!("Two\nlines"), before["altText"].clone()),
        (json!({"altText": "A pier"}), json!("Two\nlines"), json!("A pier")),
        (json!({"caption": null}), Value::Null, json!("A pier")),
        (json!({"caption": null, "altText": null}), Value::Null, Value::Null),
        (json!({"caption": "x", "altText": null}), json!("x"), Value::Null),
        (json!({"caption": "", "altText": "A pier"}), Value::Null, json!("A pier")),
        (json!({"altText": ""}), Value::Null, Value::Null),
        (json!({"altText": ""}), Value::Null, Value::Null),
    ] {
        let answer = fixture.call(UpdatePhoto::start, patch(DESCRIBED, &body)).await;
        assert_eq!(answer.status, 200, "{body}: {}", answer.body);
        let item = stored(&fixture, DESCRIBED).await;
        for shown in [&answer.body, &item] {
            assert_eq!((&shown["caption"], &shown["altText"]), (&caption, &alt_text), "{body}");
        }
        assert_eq!(answer.body["edited"], item["edited"]);
    }
}

#[tokio::test]
async fn an_empty_patch_changes_nothing() {
    let fixture = Fixture::new("update-photo").await;
    let before = fixture.all_items().await;
    let without_body = request("PATCH", format!("/users/ada/photos/{DESCRIBED}")).by("ada");
    for request in [patch(DESCRIBED, &json!({})), without_body] {
        let answer = fixture.call(UpdatePhoto::start, request).await;
        assert_eq!((answer.status, answer.body.get("edited")), (200, None));
        assert!(answer.body["caption"].is_string());
    }
    assert_eq!(fixture.all_items().await, before);
    let unknown = fixture.call(UpdatePhoto::start, patch("2020-01-01T00:00:00", &json!({}))).await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn a_repeated_patch_and_a_lost_answer_leave_the_same_texts() {
    let fixture = Fixture::new("update-photo").await;
    let conflict = Fault::TransactionCanceled("TransactionConflict");
    for faults in [vec![], vec![Fault::AnswerLost], vec![conflict, conflict], vec![Fault::None, Fault::AnswerLost]] {
        fixture.inject(faults);
        let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"caption": "Again"}))).await;
        assert_eq!((answer.status, &answer.body["caption"]), (200, &json!("Again")));
        assert_eq!(stored(&fixture, PLAIN).await["edited"], answer.body["edited"]);
    }
}

#[tokio::test]
async fn returns_404_for_an_unknown_deleted_or_expired_photo() {
    let fixture = Fixture::new("update-photo").await;
    fixture.put(photo_deletion("ada", "2020-01-01T00:00:00", 1)).await;
    fixture.put(expired_photo("ada", "2021-01-01T00:00:00")).await;
    let before = fixture.all_items().await;
    for id in ["2019-01-01T00:00:00", "2020-01-01T00:00:00", "2021-01-01T00:00:00"] {
        for body in [json!({"caption": "x"}), json!({"caption": null}), json!({}), json!({"audience": "me"})] {
            let answer = fixture.call(UpdatePhoto::start, patch(id, &body)).await;
            let detail = format!("There is no photo {id} of ada.");
            assert_eq!((answer.status, &answer.body["hint"]), (404, &json!(detail)), "{body}");
        }
    }
    assert_eq!(fixture.all_items().await, before);
    // delete-photo comes between the two requests.
    fixture.write_concurrently(1, vec![photo_deletion("ada", PLAIN, 1)], vec![]);
    assert_eq!(fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"caption": "x"}))).await.status, 404);
}

#[tokio::test]
async fn the_owner_can_describe_a_photo_that_is_not_ready() {
    let fixture = Fixture::new("update-photo").await;
    for (picture, status) in [(Picture::Pending, "pending"), (testing::rejected(), "rejected")] {
        fixture.put(photo_with("ada", "2026-01-01T00:00:00", picture)).await;
        let answer = fixture.call(UpdatePhoto::start, patch("2026-01-01T00:00:00", &json!({"caption": "Soon"}))).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!(status)));
        assert_eq!(answer.body["caption"], "Soon");
    }
    // The texts stay when the picture becomes ready.
    fixture.put(photo_with("ada", "2026-01-01T00:00:00", Picture::Pending)).await;
    fixture
        .call(UpdatePhoto::start, patch("2026-01-01T00:00:00", &json!({"caption": "Soon", "altText": "A pier"})))
        .await;
    let table = fixture.unrecorded_table(testing::QUICK_PHOTOS);
    let (owner, id) = ("ada".parse().unwrap(), "2026-01-01T00:00:00".parse().unwrap());
    settle_picture(&table, &owner, &id, &ready(b"file")).unwrap().send().await.unwrap();
    let item = stored(&fixture, "2026-01-01T00:00:00").await;
    assert_eq!((&item["caption"], &item["altText"]), (&json!("Soon"), &json!("A pier")));
    assert!(item["picture"]["sizes"].is_object() && item["edited"].is_string());
}

#[tokio::test]
async fn only_the_owner_may_update() {
    let fixture = Fixture::new("update-photo").await;
    fixture.refuses_other_users(UpdatePhoto::start, patch(PLAIN, &json!({"caption": "x"}))).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("update-photo").await;
    let body = json!({"caption": "x"});
    fixture.needs_a_caller(UpdatePhoto::start, patch(PLAIN, &body)).await;
    fixture
        .refuses_bad_usernames(UpdatePhoto::start, "username", |name| {
            request("PATCH", format!("/users/{name}/photos/{PLAIN}")).json(&body)
        })
        .await;
    fixture
        .refuses_bad_photo_ids(UpdatePhoto::start, |id| request("PATCH", format!("/users/ada/photos/{id}")).json(&body))
        .await;
    fixture.refuses_bad_bodies(UpdatePhoto::start, patch(PLAIN, &body)).await;
    for (name, max) in [("caption", 1000), ("altText", 500)] {
        for text in [json!(" "), json!("\n"), json!("\u{200b}"), json!("x".repeat(max + 1)), json!(1), json!(["x"])] {
            fixture.refuses_field(UpdatePhoto::start, patch(PLAIN, &json!({ (name): text })), name).await;
        }
        let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({ (name): "ü".repeat(max) }))).await;
        assert_eq!(answer.status, 200, "{name}");
    }
}

#[tokio::test]
async fn refuses_other_accounts() {
    Fixture::new("update-photo").await.refuses_other_accounts(UpdatePhoto::start).await;
}

#[tokio::test]
async fn changes_the_audience_and_not_the_time_of_the_texts() {
    let fixture = Fixture::new("update-photo").await;
    let before = stored(&fixture, PLAIN).await;
    for (audience, expected) in
        [(json!("followers"), json!("followers")), (json!("me"), json!("me")), (json!("everyone"), Value::Null)]
    {
        let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": audience}))).await;
        assert_eq!((answer.status, &answer.body["audience"]), (200, &expected));
        let item = stored(&fixture, PLAIN).await;
        assert_eq!((&item["audience"], &item["edited"]), (&expected, &before["edited"]));
    }
    assert_eq!(stored(&fixture, PLAIN).await, before);
    let both = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": "me", "caption": "x"}))).await;
    assert!(both.body["edited"].is_string() && both.body["audience"] == "me", "{}", both.body);
    let removed = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": null}))).await;
    assert_eq!((removed.status, removed.body.get("audience")), (200, None));
    fixture.refuses_field(UpdatePhoto::start, patch(PLAIN, &json!({"audience": "ben"})), "audience").await;
}

#[tokio::test]
async fn the_picture_of_a_profile_stays_for_everyone() {
    let fixture = Fixture::new("update-photo").await;
    let before = fixture.all_items().await;
    assert_eq!(before["USER#ada #METADATA#ada"]["pinnedImage"], format!("PHOTO#ada#{DESCRIBED}"));
    let answer = fixture.call(UpdatePhoto::start, patch(DESCRIBED, &json!({"audience": "followers"}))).await;
    assert_eq!(answer.problem(), "photo-pinned", "{}", answer.body);
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.call(UpdatePhoto::start, patch(DESCRIBED, &json!({"audience": "everyone"}))).await.status, 200);
    assert_eq!(fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": "followers"}))).await.status, 200);
}

/// Returns the attribute that has the vector of a photo of ada, and the vector.
async fn stored_vector(fixture: &Fixture, id: &str) -> (&'static str, Value) {
    let item = fixture.all_items_of(FEED).await.remove(&format!("Vector#ada {id}")).unwrap_or_default();
    match (item.get("vector"), item.get("hidden")) {
        (Some(vector), None) => ("vector", vector.clone()),
        (None, Some(vector)) => ("hidden", vector.clone()),
        _ => panic!("{item}"),
    }
}

#[tokio::test]
async fn only_the_vector_of_a_photo_for_everyone_is_in_the_index() {
    let fixture = Fixture::new("update-photo").await;
    let (_, elements) = stored_vector(&fixture, PLAIN).await;
    let other = stored_vector(&fixture, DESCRIBED).await;
    for (audience, attribute) in [
        (json!("followers"), "hidden"),
        (json!("me"), "hidden"),
        (json!("everyone"), "vector"),
        (json!("everyone"), "vector"),
        (json!("me"), "hidden"),
        (Value::Null, "vector"),
    ] {
        let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": audience}))).await;
        assert_eq!(
            (answer.status, fixture.operations().join(" ")),
            (200, "BatchGetItem TransactWriteItems GetItem".to_owned())
        );
        assert_eq!(stored_vector(&fixture, PLAIN).await, (attribute, elements.clone()), "{audience}");
        assert_eq!(stored_vector(&fixture, DESCRIBED).await, other);
    }
    // The audience of a removed photo is that of a photo that may be shown again.
    let removed =
        Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
    fixture.put(photo_with("ada", PLAIN, removed)).await;
    for audience in ["me", "everyone"] {
        assert_eq!(fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": audience}))).await.status, 200);
        assert_eq!(stored_vector(&fixture, PLAIN).await.0, "hidden");
    }
}

#[tokio::test]
async fn the_vector_follows_a_photo_that_changes_between_the_read_and_the_write() {
    let retried = ["BatchGetItem", "TransactWriteItems", "BatchGetItem", "TransactWriteItems", "GetItem"];
    // It becomes ready.
    let fixture = Fixture::new("update-photo").await;
    fixture.put(photo_with("ada", PLAIN, Picture::Pending)).await;
    fixture.write_concurrently(1, vec![photo_with("ada", PLAIN, ready(b"file"))], vec![]);
    assert_eq!(fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": "me"}))).await.status, 200);
    assert_eq!(fixture.operations(), retried);
    assert_eq!(stored_vector(&fixture, PLAIN).await.0, "hidden");
    // It is removed.
    let removed =
        Picture::Removed { reason: shared::values::ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
    fixture.put(with(photo_with("ada", PLAIN, ready(b"file")), "audience", "me")).await;
    let removed = with(photo_with("ada", PLAIN, removed), "audience", "me");
    fixture.write_concurrently(1, vec![removed], vec![]);
    assert_eq!(fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": "everyone"}))).await.status, 200);
    assert_eq!(fixture.operations(), retried);
    assert_eq!(stored_vector(&fixture, PLAIN).await.0, "hidden");
    // The audit makes a vector that was missing.
    let time = "2026-01-01T00:00:00";
    fixture.put(photo_with("ada", time, ready(b"file"))).await;
    fixture.put_concurrently(1, FEED, vector("ada", time, 1));
    assert_eq!(fixture.call(UpdatePhoto::start, patch(time, &json!({"audience": "followers"}))).await.status, 200);
    assert_eq!(fixture.operations(), retried);
    assert_eq!(stored_vector(&fixture, time).await.0, "hidden");
    // It is deleted.
    fixture.write_concurrently(1, vec![photo_deletion("ada", PLAIN, 0)], vec![]);
    assert_eq!(fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"audience": "me"}))).await.status, 404);
}

#[tokio::test]
async fn a_photo_for_its_owner_alone_has_no_link_unless_the_owner_keeps_it() {
    const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";
    const OTHER_TOKEN: &str = "YW5vdGhlci10b2tlbi4uLg";
    let fixture = Fixture::new("update-photo").await;
    for (id, body, is_left) in [
        (PLAIN, json!({"audience": "followers"}), true),
        (PLAIN, json!({"audience": "me", "keepLink": true}), true),
        (PLAIN, json!({"caption": "Dusk"}), true),
        (PLAIN, json!({"audience": "me"}), false),
        (PLAIN, json!({"audience": "me"}), false),
    ] {
        if is_left {
            fixture.put_all(link("ada", Some(PLAIN), TOKEN));
            fixture.put_all(link("ada", Some(DESCRIBED), OTHER_TOKEN));
            fixture.put(with_count(user("ada"), LINKS, 2)).await;
        }
        assert_eq!(fixture.call(UpdatePhoto::start, patch(id, &body)).await.status, 200, "{body}");
        let items = fixture.all_items().await;
        let links: Vec<_> = items.keys().filter(|key| key.contains("SHARE#")).collect();
        let count = fixture.item(Key::user(&"ada".parse().unwrap())).await[LINKS].as_u64();
        assert_eq!((links.len(), count), if is_left { (4, Some(2)) } else { (2, Some(1)) }, "{body}: {links:?}");
        assert!(links[0].contains(OTHER_TOKEN) || is_left, "{links:?}");
    }
}

const COMMENT_OF_ADA: &str = "2024-06-02T18:30:12.500Z~ada";
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";

/// Returns the pinned comment of the photo, and which comments say that they are pinned.
async fn pinned(fixture: &Fixture) -> (Value, Vec<String>) {
    let items = fixture.all_items().await.into_iter();
    let comments = items.filter(|(key, item)| key.starts_with("COMMENT#") && item["pinned"].is_string());
    let authors = comments.map(|(_, item)| item["author"].as_str().unwrap_or("nobody").to_owned()).collect();
    (stored(fixture, PLAIN).await["pinnedComment"].take(), authors)
}

#[tokio::test]
async fn pins_one_comment() {
    let fixture = Fixture::new("update-photo").await;
    for (body, photo, comments) in [
        (json!({"pinnedComment": COMMENT_OF_BEN}), json!(COMMENT_OF_BEN), vec!["ben"]),
        (json!({"pinnedComment": COMMENT_OF_BEN}), json!(COMMENT_OF_BEN), vec!["ben"]),
        (json!({"pinnedComment": COMMENT_OF_ADA, "caption": "Both"}), json!(COMMENT_OF_ADA), vec!["ada"]),
        (json!({"caption": "Not the pin"}), json!(COMMENT_OF_ADA), vec!["ada"]),
        (json!({"pinnedComment": null}), Value::Null, vec![]),
        (json!({"pinnedComment": null}), Value::Null, vec![]),
    ] {
        let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &body)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.body.get("pinnedComment"), None, "its id names its author, whom some must not see");
        assert_eq!(pinned(&fixture).await, (photo, comments.into_iter().map(ToOwned::to_owned).collect()), "{body}");
    }
    assert_eq!(stored(&fixture, DESCRIBED).await.get("pinnedComment"), None);
}

#[tokio::test]
async fn only_a_comment_that_is_there_is_pinned() {
    let fixture = Fixture::new("update-photo").await;
    assert_eq!(
        fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"pinnedComment": COMMENT_OF_ADA}))).await.status,
        200
    );
    let removed = with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", PLAIN), "removed", "spam");
    let tombstone = comment_deletion("ben", "2024-06-02T18:05:41.250Z", "ada", PLAIN, 1);
    for item in [removed, tombstone] {
        fixture.put(item).await;
        for id in [COMMENT_OF_BEN, "2024-06-02T18:05:41.251Z~ben"] {
            let before = fixture.all_items().await;
            let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"pinnedComment": id}))).await;
            assert_eq!((answer.status, answer.problem()), (404, "no-comment"), "{id}");
            assert_eq!(fixture.all_items().await, before);
        }
    }
    let reply = format!("{COMMENT_OF_BEN}~2024-06-02T19:00:00.000Z~ada");
    fixture.refuses_field(UpdatePhoto::start, patch(PLAIN, &json!({"pinnedComment": reply})), "pinnedComment").await;
    let answer =
        fixture.call(UpdatePhoto::start, patch("2020-01-01T00:00:00", &json!({"pinnedComment": COMMENT_OF_BEN}))).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-photo"));
}

/// The answer must not tell whether there is a comment that a list does not show to the owner.
#[tokio::test]
async fn a_comment_of_somebody_in_a_block_with_the_owner_is_not_pinned() {
    for (blocking, blocked) in [("ada", "ben"), ("ben", "ada")] {
        let fixture = Fixture::new("update-photo").await;
        let pin = || patch(PLAIN, &json!({"pinnedComment": COMMENT_OF_BEN}));
        fixture.put(testing::block(blocking, blocked, shared::values::Level::Block)).await;
        let before = fixture.all_items().await;
        let answer = fixture.call(UpdatePhoto::start, pin()).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-comment"), "{blocking}");
        assert_eq!(fixture.all_items().await, before);
        fixture.put(testing::block(blocking, blocked, shared::values::Level::Mute)).await;
        assert_eq!(fixture.call(UpdatePhoto::start, pin()).await.status, 200);
    }
}

#[tokio::test]
async fn a_lost_answer_and_a_change_meanwhile_leave_one_pinned_comment() {
    let fixture = Fixture::new("update-photo").await;
    fixture.inject([Fault::None, Fault::AnswerLost]);
    let pin = |id: &str| patch(PLAIN, &json!({"pinnedComment": id}));
    assert_eq!(fixture.call(UpdatePhoto::start, pin(COMMENT_OF_BEN)).await.status, 200);
    assert_eq!(pinned(&fixture).await, (json!(COMMENT_OF_BEN), vec!["ben".to_owned()]));

    // Another request pins the comment of ada between the read and the write.
    let photo = with(testing::photo("ada", PLAIN), "pinnedComment", COMMENT_OF_ADA);
    let (of_ada, of_ben) = (comment("ada", "2024-06-02T18:30:12.500Z", "ada", PLAIN), "2024-06-02T18:05:41.250Z");
    let of_ada = with(of_ada, "pinned", of_ben);
    fixture.write_concurrently(1, vec![photo, of_ada, comment("ben", of_ben, "ada", PLAIN)], vec![]);
    assert_eq!(fixture.call(UpdatePhoto::start, pin(COMMENT_OF_BEN)).await.status, 200);
    assert_eq!(pinned(&fixture).await, (json!(COMMENT_OF_BEN), vec!["ben".to_owned()]));
}

/// A pin changes neither the audience nor what depends on it.
#[tokio::test]
async fn the_vector_of_a_restricted_photo_stays_out_of_the_index() {
    let fixture = Fixture::new("update-photo").await;
    fixture.put(with(photo_with("ada", PLAIN, ready(b"file")), "audience", "followers")).await;
    fixture.put_in(FEED, hidden_vector("ada", PLAIN, 3)).await;
    let before = stored_vector(&fixture, PLAIN).await;
    let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"pinnedComment": COMMENT_OF_BEN}))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(stored_vector(&fixture, PLAIN).await, before);
}

#[tokio::test]
async fn the_owner_marks_and_unmarks_a_photo_as_sensitive() {
    let fixture = Fixture::new("update-photo").await;
    let before = fixture.all_items().await;
    for (value, expected) in [
        (json!("nudity"), json!({"reason": "nudity", "by": "owner"})),
        (json!("nudity"), json!({"reason": "nudity", "by": "owner"})),
        (json!("other"), json!({"reason": "other", "by": "owner"})),
        (Value::Null, Value::Null),
        (Value::Null, Value::Null),
    ] {
        fixture.inject([Fault::AnswerLost]);
        let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"sensitive": value}))).await;
        assert_eq!((answer.status, &answer.body["sensitive"]), (200, &expected), "{}", answer.body);
        assert_eq!(stored(&fixture, PLAIN).await["sensitive"], expected["reason"]);
        assert!(answer.body["urls"][0]["url"].is_string(), "the owner sees it");
    }
    assert_eq!(fixture.all_items().await, before, "not even the time of the texts");
    let _ = fixture.operations();
    let both = json!({"sensitive": "violence", "audience": "followers", "caption": "x"});
    let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &both)).await;
    assert_eq!((&answer.body["sensitive"]["reason"], &answer.body["caption"]), (&json!("violence"), &json!("x")));
    for bad in [json!("ugly"), json!(true), json!({"reason": "nudity", "by": "owner"})] {
        fixture.refuses_field(UpdatePhoto::start, patch(PLAIN, &json!({"sensitive": bad})), "sensitive").await;
    }
    fixture.refuses_other_users(UpdatePhoto::start, patch(PLAIN, &json!({"sensitive": null}))).await;
}

#[tokio::test]
async fn the_picture_of_a_profile_cannot_be_sensitive() {
    let fixture = Fixture::new("update-photo").await;
    let before = fixture.all_items().await;
    let answer = fixture.call(UpdatePhoto::start, patch(DESCRIBED, &json!({"sensitive": "nudity"}))).await;
    assert_eq!((answer.status, answer.problem()), (409, "photo-pinned"), "{}", answer.body);
    assert_eq!(fixture.all_items().await, before);
    assert_eq!(fixture.call(UpdatePhoto::start, patch(DESCRIBED, &json!({"sensitive": null}))).await.status, 200);
}

#[tokio::test]
async fn the_owner_cannot_change_the_mark_of_a_moderator() {
    let fixture = Fixture::new("update-photo").await;
    let sensitive = with(photo_with("ada", PLAIN, ready(b"file")), "sensitive", "violence");
    let marked = with(sensitive.clone(), "sensitiveBy", "moderator");
    fixture.put(marked.clone()).await;
    let before = fixture.all_items().await;
    for body in [
        json!({"sensitive": null}),
        json!({"sensitive": "spoiler"}),
        json!({"sensitive": "violence"}),
        json!({"sensitive": null, "audience": "followers"}),
    ] {
        let answer = fixture.call(UpdatePhoto::start, patch(PLAIN, &body)).await;
        assert_eq!((answer.status, answer.problem()), (409, "photo-marked"), "{body}: {}", answer.body);
    }
    assert_eq!(fixture.all_items().await, before);
    let texts = fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"caption": "x", "audience": "me"}))).await;
    let by_moderator = json!({"reason": "violence", "by": "moderator"});
    assert_eq!((texts.status, &texts.body["sensitive"]), (200, &by_moderator));
    // The moderator comes before the write.
    fixture.put(sensitive).await;
    let _ = fixture.operations();
    fixture.write_concurrently(0, vec![marked], vec![]);
    assert_eq!(fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"sensitive": null}))).await.status, 409);
    // A photo that is gone is unknown, whoever has marked it.
    fixture.put(with(with(expired_photo("ada", PLAIN), "sensitive", "other"), "sensitiveBy", "moderator")).await;
    assert_eq!(fixture.call(UpdatePhoto::start, patch(PLAIN, &json!({"sensitive": null}))).await.status, 404);
}
