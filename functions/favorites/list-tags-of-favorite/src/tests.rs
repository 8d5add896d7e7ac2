use super::*;
use serde_json::{Value, json};
use shared::values::DataType;
use testing::{Collection, Fault, Fixture, request};

fn ids(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|tag| tag["tagId"].as_str().unwrap()).collect()
}

/// Ben's note "n" with these tags, which he has.
fn note(tags: &[&str]) -> Collection {
    let mut ben = Collection::of("ben");
    for tag in tags {
        ben.tag(tag, tag, 1_700_000_000_000, 1_700_000_000_000);
    }
    ben.clip("n", DataType::Note, "Note", 1_700_000_000_000, tags);
    ben
}

#[tokio::test]
async fn lists_the_tags_on_a_favorite() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    let answer = fixture.call_with_sample_event(list_tags_of_favorite).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "tags": [
                {
                    "tagId": "family", "tagName": "Семья",
                    "createTime": 1_717_202_400_000_u64, "lastAccessTime": 1_717_620_000_000_u64,
                },
                {
                    "tagId": "travel", "tagName": "Travel",
                    "createTime": 1_717_200_600_000_u64, "lastAccessTime": 1_717_740_000_000_u64,
                },
            ],
            "nextCursor": null,
        })
    );
}

#[tokio::test]
async fn without_tags_or_without_the_favorite_the_list_is_empty() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    // The last is ada's.
    for data_id in ["starlings", "nothing", "viewpoint"] {
        let uri = format!("/users/ben/favorites/{data_id}/tags");
        let answer = fixture.call(list_tags_of_favorite, request("GET", uri).by("ben")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"tags": [], "nextCursor": null})));
        assert_eq!(fixture.operations(), ["Query"]);
    }
}

#[tokio::test]
async fn a_deleted_tag_is_gone_at_once() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    fixture.put_all(note(&["a", "b", "c", "d"]).into_items());
    // The one before the Query, the other between it and the BatchGetItem.
    for (deleted, requests, left) in [("b", 0, ["a", "c", "d"].as_slice()), ("d", 1, &["a", "c"])] {
        let deleted = Key::tag(&"ben".parse().unwrap(), &deleted.parse().unwrap());
        fixture.write_concurrently(requests, vec![], vec![deleted.into()]);
        let answer = fixture.call(list_tags_of_favorite, request("GET", "/users/ben/favorites/n/tags").by("ben")).await;
        assert_eq!(ids(answer.body["tags"].as_array().unwrap()), left);
    }
}

#[tokio::test]
async fn pages_while_others_write() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    fixture.put_all(note(&["b", "c", "d", "e", "f"]).into_items());
    // The second page is then without one of its two, and the list goes on.
    let others = async |fixture: &Fixture| {
        fixture.put_all(note(&["a"]).into_items());
        fixture.delete(Key::tag(&"ben".parse().unwrap(), &"e".parse().unwrap())).await;
    };
    let pages = fixture.pages(list_tags_of_favorite, "/users/ben/favorites/n/tags", "tags", others).await;
    assert_eq!(ids(&pages), ["b", "c", "d", "f"]);
}

#[tokio::test]
async fn a_page_of_which_all_tags_are_deleted_leads_to_the_next() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    fixture.put_all(note(&["a", "b", "c"]).into_items());
    for deleted in ["a", "b"] {
        fixture.delete(Key::tag(&"ben".parse().unwrap(), &deleted.parse().unwrap())).await;
    }
    let pages = fixture.pages(list_tags_of_favorite, "/users/ben/favorites/n/tags", "tags", async |_| {}).await;
    assert_eq!(ids(&pages), ["c"]);
}

#[tokio::test]
async fn a_page_may_be_a_hundred_long() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    let tags: Vec<String> = (0..110).map(|tag| format!("t{tag:03}")).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    // Only another program puts so many on one.
    fixture.put_all(note(&tags).into_foreign_items());
    let uri = "/users/ben/favorites/n/tags?limit=100";
    let first = fixture.call(list_tags_of_favorite, request("GET", uri).by("ben")).await;
    assert_eq!(ids(first.body["tags"].as_array().unwrap()), tags[..100]);
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second = fixture.call(list_tags_of_favorite, request("GET", format!("{uri}&cursor={cursor}")).by("ben")).await;
    assert_eq!(ids(second.body["tags"].as_array().unwrap()), tags[100..]);
    assert_eq!(second.body["nextCursor"], json!(null));
}

#[tokio::test]
async fn asks_again_for_keys_that_were_left_unprocessed() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    fixture.inject([Fault::None, Fault::Unprocessed]);
    let answer =
        fixture.call(list_tags_of_favorite, request("GET", "/users/ben/favorites/kestrel/tags").by("ben")).await;
    assert_eq!(ids(answer.body["tags"].as_array().unwrap()), ["birds", "later"]);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
}

#[tokio::test]
async fn a_cursor_is_good_for_one_favorite_of_one_owner() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    let first = request("GET", "/users/ben/favorites/kestrel/tags?limit=1").by("ben");
    let first = fixture.call(list_tags_of_favorite, first).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    for (owner, data_id) in [("ben", "waders"), ("cara", "kestrel")] {
        let other = request("GET", format!("/users/{owner}/favorites/{data_id}/tags?cursor={cursor}")).by(owner);
        fixture.refuses_field(list_tags_of_favorite, other, "cursor").await;
    }
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-tags-of-favorite").await;
    let own = request("GET", "/users/ben/favorites/kestrel/tags").by("ben");
    fixture.needs_a_caller(list_tags_of_favorite, own.clone()).await;
    fixture.refuses_other_users(list_tags_of_favorite, own).await;
    fixture
        .refuses_bad_usernames(list_tags_of_favorite, "username", |name| {
            request("GET", format!("/users/{name}/favorites/kestrel/tags"))
        })
        .await;
    fixture
        .refuses_bad_ids(list_tags_of_favorite, "dataId", |id| {
            request("GET", format!("/users/ben/favorites/{id}/tags"))
        })
        .await;
    fixture.refuses_bad_pages(list_tags_of_favorite, "/users/ben/favorites/kestrel/tags").await;
}
