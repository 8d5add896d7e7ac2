use super::*;
use serde_json::{Value, json};
use testing::{Answer, Collection, Fixture, request};

async fn get(fixture: &Fixture, query: &str) -> Answer {
    fixture.call(ListTags::start, request("GET", format!("/users/ada/tags?{query}")).by("ada")).await
}

fn ids(tags: &Value) -> Vec<&str> {
    tags.as_array().unwrap().iter().map(|tag| tag["tagId"].as_str().unwrap()).collect()
}

/// The ids of all of ada's tags in this order, one per page. The items of `concurrent` are put
/// after each page.
async fn paged(fixture: &Fixture, order: &str, concurrent: Vec<Item>) -> Vec<String> {
    let mut all = vec![];
    let mut cursor = String::new();
    loop {
        let page = get(fixture, &format!("{order}&limit=1{cursor}")).await;
        assert_eq!(page.status, 200, "{}", page.body);
        all.extend(ids(&page.body["tags"]).into_iter().map(String::from));
        assert!(all.len() < 20, "the list does not end: {all:?}");
        match page.body["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
        fixture.put_all(concurrent.clone());
    }
}

/// One of ada's tags.
fn tag(tag_id: &str, name: &str, create_time: u64, last_access_time: u64) -> Vec<Item> {
    let mut ada = Collection::new("ada");
    ada.tag(tag_id, name, create_time, last_access_time);
    ada.into_foreign_items()
}

const ORDERS: [(&str, [&str; 5]); 6] = [
    ("sort=name&order=asc", ["recipes", "travel", "family", "songs", "reading"]),
    ("sort=name&order=desc", ["reading", "songs", "family", "travel", "recipes"]),
    ("sort=created&order=asc", ["travel", "recipes", "reading", "family", "songs"]),
    ("sort=created&order=desc", ["songs", "family", "reading", "recipes", "travel"]),
    ("sort=accessed&order=asc", ["songs", "reading", "family", "recipes", "travel"]),
    ("sort=accessed&order=desc", ["travel", "recipes", "family", "reading", "songs"]),
];

#[tokio::test]
async fn lists_the_last_used_tags_first() {
    let fixture = Fixture::new("list-tags").await;
    let answer = fixture.call_with_sample_event(ListTags::start).await;
    assert_eq!(answer.status, 200);
    let tag = |tag_id, name, create_time: &str, last_access_time: &str| json!({"tagId": tag_id, "tagName": name, "createTime": create_time, "lastAccessTime": last_access_time});
    assert_eq!(
        answer.body["tags"],
        json!([
            tag("travel", "Travel", "2024-06-01T00:10:00.000Z", "2024-06-07T06:00:00.000Z"),
            tag("recipes", "Küche", "2024-06-01T00:20:00.000Z", "2024-06-06T13:20:00.000Z"),
            tag("family", "Семья", "2024-06-01T00:40:00.000Z", "2024-06-05T20:40:00.000Z"),
        ])
    );
    assert!(answer.body["nextCursor"].is_string());
}

#[tokio::test]
async fn sorts_by_three_keys_in_two_directions() {
    let fixture = Fixture::new("list-tags").await;
    for (order, expected) in ORDERS {
        let answer = get(&fixture, order).await;
        assert_eq!(ids(&answer.body["tags"]), expected, "{order}");
        assert_eq!(answer.body["nextCursor"], Value::Null);
        assert_eq!(fixture.operations(), ["Query"]);
    }
    for (query, same) in [("", 0), ("order=desc", 1), ("sort=created", 2), ("sort=accessed", 4)] {
        assert_eq!(ids(&get(&fixture, query).await.body["tags"]), ORDERS[same].1, "{query}");
    }
}

#[tokio::test]
async fn pages_in_every_order() {
    let fixture = Fixture::new("list-tags").await;
    for (order, expected) in ORDERS {
        assert_eq!(paged(&fixture, order, vec![]).await, expected, "{order}");
    }
}

#[tokio::test]
async fn returns_every_tag_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-tags").await;
    let concurrent_writes = async |fixture: &Fixture| {
        let mut ben = Collection::new("ben");
        ben.tag("aaa", "Aaa", 1_500_000_000_000, 1_500_000_000_000);
        fixture.put_all(ben.into_items());
        fixture.delete(Key::tag(&"ben".parse().unwrap(), &"work".parse().unwrap())).await;
    };
    // The page that follows "work" starts after it, although the tag is deleted.
    let tags = fixture.pages(ListTags::start, "/users/ben/tags", "tags", concurrent_writes).await;
    assert_eq!(ids(&tags.into()), ["birds", "work", "later"]);
}

#[tokio::test]
async fn lists_tags_with_equal_sort_values_once_each() {
    let fixture = Fixture::new("list-tags").await;
    let mut expected = vec![];
    for number in 0..5 {
        let tag_id = format!("same{number}");
        fixture.put_all(tag(&tag_id, "A name", 1_500_000_000_000, 1_500_000_000_000));
        expected.push(tag_id);
    }
    for sort in ["name", "created", "accessed"] {
        let all = paged(&fixture, &format!("sort={sort}"), vec![]).await;
        assert_eq!((&all[..5], all.len()), (&expected[..], 10), "{sort}");
        let all = paged(&fixture, &format!("sort={sort}&order=desc"), vec![]).await;
        let last: Vec<&String> = all.iter().rev().take(5).collect();
        assert_eq!(last, expected.iter().collect::<Vec<_>>(), "{sort}");
    }
}

#[tokio::test]
async fn a_tag_that_is_used_concurrently_moves_only_in_the_order_of_last_use() {
    let moved = |tag_id, name, minutes: u64| tag(tag_id, name, 1_717_200_000_000 + minutes * 60_000, 1_800_000_000_000);
    for (order, expected) in ORDERS {
        let fixture = Fixture::new("list-tags").await;
        let all = match order {
            "sort=accessed&order=desc" => {
                let all = paged(&fixture, order, moved("songs", "موسيقى", 50)).await;
                assert_eq!(all, &expected[..4], "it moved to an earlier page");
                continue;
            }
            "sort=accessed&order=asc" => {
                let all = paged(&fixture, order, moved("songs", "موسيقى", 50)).await;
                assert_eq!(all[5], "songs", "it is listed a second time");
                all[..5].to_vec()
            }
            _ => paged(&fixture, order, moved("songs", "موسيقى", 50)).await,
        };
        assert_eq!(all, expected, "{order}");
    }
}

#[tokio::test]
async fn returns_an_empty_list_for_a_user_without_tags() {
    let fixture = Fixture::new("list-tags").await;
    let answer = fixture.call(ListTags::start, request("GET", "/users/cara/tags").by("cara")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"tags": [], "nextCursor": null})));
}

#[tokio::test]
async fn reads_tags_that_another_program_wrote() {
    let fixture = Fixture::new("list-tags").await;
    // These names are invalid here: one begins and ends with spaces, and the other is too long.
    let (long, spaces) = ("x".repeat(1000), " a  ");
    let named = |tag_id: &str, name: &str| Tag {
        tag_id: tag_id.parse().unwrap(),
        tag_name: name.to_owned(),
        create_time: 1_600_000_000_000.into(),
        last_access_time: 1_600_000_000_000.into(),
    };
    let cara = "cara".parse().unwrap();
    fixture.put_all(vec![named("1", spaces).item(&cara), named("2", &long).item(&cara), named("3", "y").item(&cara)]);
    let mut cursor = String::new();
    for name in [spaces, &long, "y"] {
        let page = request("GET", format!("/users/cara/tags?limit=1{cursor}")).by("cara");
        let page = fixture.call(ListTags::start, page).await;
        assert_eq!(page.body["tags"][0]["tagName"], name);
        cursor = format!("&cursor={}", page.body["nextCursor"].as_str().unwrap_or_default());
    }
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("list-tags").await;
    let own = request("GET", "/users/ben/tags").by("ben");
    fixture.needs_a_caller(ListTags::start, own.clone()).await;
    fixture.refuses_other_users(ListTags::start, own).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-tags").await;
    fixture
        .refuses_bad_usernames(ListTags::start, "username", |name| request("GET", format!("/users/{name}/tags")))
        .await;
    fixture.refuses_bad_pages(ListTags::start, "/users/ben/tags").await;
    let of_ben = |query: &str| request("GET", format!("/users/ben/tags?{query}")).by("ben");
    for (field, values) in [("sort", ["", "Name", "tagName", "lsiOne"]), ("order", ["", "ASC", "descending", "1"])] {
        for value in values {
            fixture.refuses_field(ListTags::start, of_ben(&format!("{field}={value}")), field).await;
        }
    }
    fixture.refuses_field(ListTags::start, of_ben("sort=name&sort=name"), "sort").await;
    fixture.refuses_field(ListTags::start, of_ben("order=asc&order=desc"), "order").await;
}

#[tokio::test]
async fn refuses_the_cursor_of_another_order() {
    let fixture = Fixture::new("list-tags").await;
    for (order, _) in ORDERS {
        let page = get(&fixture, &format!("{order}&limit=1")).await;
        let cursor = page.body["nextCursor"].as_str().unwrap();
        for (other, _) in ORDERS {
            if other != order {
                let request = request("GET", format!("/users/ada/tags?{other}&cursor={cursor}")).by("ada");
                fixture.refuses_field(ListTags::start, request, "cursor").await;
            }
        }
    }
}
