use super::*;
use serde_json::{Value, json};
use shared::values::DataType;
use testing::{Collection, Fixture, request};

fn ids(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|tag| tag["tagId"].as_str().unwrap()).collect()
}

/// Ben's note "n", and these tags on it.
fn note(tags: &[&str]) -> Collection {
    let mut ben = Collection::new("ben");
    for tag in tags {
        ben.tag(tag, tag, 1_700_000_000_000, 1_700_000_000_000);
    }
    ben.clip("n", DataType::Note, "Note", 1_700_000_000_000, tags);
    ben
}

#[tokio::test]
async fn lists_the_tags_on_a_favorite() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    let answer = fixture.call_with_sample_event(ListTagsOfFavorite::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "tags": [
                {
                    "tagId": "family", "tagName": "Семья",
                    "createTime": "2024-06-01T00:40:00.000Z", "lastAccessTime": "2024-06-05T20:40:00.000Z",
                },
                {
                    "tagId": "travel", "tagName": "Travel",
                    "createTime": "2024-06-01T00:10:00.000Z", "lastAccessTime": "2024-06-07T06:00:00.000Z",
                },
            ],
            "nextCursor": null,
        })
    );
}

#[tokio::test]
async fn returns_an_empty_list_without_tags_or_without_the_favorite() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    // The last one belongs to ada.
    for data_id in ["starlings", "nothing", "viewpoint"] {
        let uri = format!("/users/ben/favorites/{data_id}/tags");
        let answer = fixture.call(ListTagsOfFavorite::start, request("GET", uri).by("ben")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"tags": [], "nextCursor": null})));
        assert_eq!(fixture.operations(), ["Query"]);
    }
}

#[tokio::test]
async fn leaves_out_a_deleted_tag_at_once() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    fixture.put_all(note(&["a", "b", "c", "d"]).into_items());
    // The first tag is deleted before the Query, and the other between the Query and the
    // BatchGetItem.
    for (deleted, requests, remaining) in [("b", 0, ["a", "c", "d"].as_slice()), ("d", 1, &["a", "c"])] {
        let deleted = Key::tag(&"ben".parse().unwrap(), &deleted.parse().unwrap());
        fixture.write_concurrently(requests, vec![], vec![deleted.into()]);
        let answer =
            fixture.call(ListTagsOfFavorite::start, request("GET", "/users/ben/favorites/n/tags").by("ben")).await;
        assert_eq!(ids(answer.body["tags"].as_array().unwrap()), remaining);
    }
}

#[tokio::test]
async fn returns_every_remaining_tag_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    fixture.put_all(note(&["b", "c", "d", "e", "f"]).into_items());
    // The second page then lacks one of its two tags, and the list continues.
    let concurrent_writes = async |fixture: &Fixture| {
        fixture.put_all(note(&["a"]).into_items());
        fixture.delete(Key::tag(&"ben".parse().unwrap(), &"e".parse().unwrap())).await;
    };
    let pages =
        fixture.pages(ListTagsOfFavorite::start, "/users/ben/favorites/n/tags", "tags", concurrent_writes).await;
    assert_eq!(ids(&pages), ["b", "c", "d", "f"]);
}

#[tokio::test]
async fn a_page_whose_tags_are_all_deleted_leads_to_the_next() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    fixture.put_all(note(&["a", "b", "c"]).into_items());
    for deleted in ["a", "b"] {
        fixture.delete(Key::tag(&"ben".parse().unwrap(), &deleted.parse().unwrap())).await;
    }
    let pages = fixture.pages(ListTagsOfFavorite::start, "/users/ben/favorites/n/tags", "tags", async |_| {}).await;
    assert_eq!(ids(&pages), ["c"]);
}

#[tokio::test]
async fn a_page_can_have_100_tags() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    let tags: Vec<String> = (0..110).map(|tag| format!("t{tag:03}")).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    // Only another program puts more than 50 tags on a favorite.
    fixture.put_all(note(&tags).into_foreign_items());
    let uri = "/users/ben/favorites/n/tags?limit=100";
    let first = fixture.call(ListTagsOfFavorite::start, request("GET", uri).by("ben")).await;
    assert_eq!(ids(first.body["tags"].as_array().unwrap()), tags[..100]);
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second =
        fixture.call(ListTagsOfFavorite::start, request("GET", format!("{uri}&cursor={cursor}")).by("ben")).await;
    assert_eq!(ids(second.body["tags"].as_array().unwrap()), tags[100..]);
    assert_eq!(second.body["nextCursor"], json!(null));
}

#[tokio::test]
async fn refuses_the_cursor_of_another_favorite_or_owner() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    let first = request("GET", "/users/ben/favorites/kestrel/tags?limit=1").by("ben");
    let first = fixture.call(ListTagsOfFavorite::start, first).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    for (owner, data_id) in [("ben", "waders"), ("cara", "kestrel")] {
        let other = request("GET", format!("/users/{owner}/favorites/{data_id}/tags?cursor={cursor}")).by(owner);
        fixture.refuses_field(ListTagsOfFavorite::start, other, "cursor").await;
    }
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    let own = request("GET", "/users/ben/favorites/kestrel/tags").by("ben");
    fixture.needs_a_caller(ListTagsOfFavorite::start, own.clone()).await;
    fixture.refuses_other_users(ListTagsOfFavorite::start, own).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    fixture
        .refuses_bad_usernames(ListTagsOfFavorite::start, "username", |name| {
            request("GET", format!("/users/{name}/favorites/kestrel/tags"))
        })
        .await;
    fixture
        .refuses_bad_ids(ListTagsOfFavorite::start, "dataId", |id| {
            request("GET", format!("/users/ben/favorites/{id}/tags"))
        })
        .await;
    fixture.refuses_bad_pages(ListTagsOfFavorite::start, "/users/ben/favorites/kestrel/tags").await;
}
