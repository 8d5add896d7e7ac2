use super::*;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, N, S};
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::{DirectoryEntry, Key, PinnedPicture, photo_sk, user_from_item};
use shared::values::{Level, PictureId};
use testing::{FEED, Fixture, block, deletion, follow_request, friendship, request, user};

/// Returns the item of a user with a display name and a number of followers.
fn person(username: &str, name: &str, followers: u64) -> Item {
    let mut item = user(username);
    item.extend([("name".to_owned(), S(name.to_owned())), ("followers".to_owned(), N(followers.to_string()))]);
    item.insert("email".to_owned(), S(format!("{username}@example.com")));
    item
}

fn entries(item: &Item) -> Vec<DirectoryEntry> {
    let user = user_from_item(item.clone()).unwrap().unwrap();
    Listing::new(&user.username, &user.name, user.followers).entries().into_iter().collect()
}

/// Puts the entries of a user, but not the user.
async fn list(fixture: &Fixture, item: &Item) {
    for entry in entries(item) {
        fixture.put_in(FEED, entry.item().unwrap()).await;
    }
}

/// Puts users with their entries.
async fn put(fixture: &Fixture, people: &[(&str, &str, u64)]) {
    for (username, name, followers) in people {
        let item = person(username, name, *followers);
        list(fixture, &item).await;
        fixture.put(item).await;
    }
}

fn usernames(users: &Value) -> Vec<&str> {
    users.as_array().unwrap().iter().map(|user| user["username"].as_str().unwrap()).collect()
}

/// Asserts that the first page has exactly these people, and is the last one.
async fn assert_finds(fixture: &Fixture, q: &str, expected: &[&str]) {
    let answer = fixture.call(SearchPeople::start, request("GET", "/users").by("ben").query("q", q)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(
        (usernames(&answer.body["users"]), &answer.body["nextCursor"]),
        (expected.to_vec(), &Value::Null),
        "{q}"
    );
}

#[tokio::test]
async fn answers_the_sample_event_with_the_people_whose_names_begin_so() {
    let fixture = Fixture::new("search-people").await;
    let answer = fixture.call_with_sample_event(SearchPeople::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({"users": [{"username": "cara"}], "people": {"cara": {"name": "Cara Lindqvist"}}, "nextCursor": null})
    );
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn shows_the_pinned_picture_and_nothing_private() {
    let fixture = Fixture::new("search-people").await;
    let mut ada = user_from_item(person("ada", "Ada Marsh", 1)).unwrap().unwrap();
    let id = "2024-05-30T15:42:38".parse().unwrap();
    ada.pinned_image = Some(photo_sk(&ada.username, &id));
    ada.pinned_picture =
        Some(PinnedPicture { number: None, id: PictureId::from_file(b"file"), blurhash: "LEHV6nWB2yk8".to_owned() });
    fixture.put(entity::to_item(Key::user(&ada.username), &ada).unwrap()).await;
    for caller in ["ada", "ben"] {
        let answer = fixture.call(SearchPeople::start, request("GET", "/users?q=marsh").by(caller)).await;
        assert_eq!(answer.body["users"], json!([{"username": "ada"}]));
        let person = answer.body["people"]["ada"].as_object().unwrap();
        assert_eq!(person.keys().collect::<Vec<_>>(), ["name", "picture"]);
        assert_eq!(person["picture"]["blurhash"], "LEHV6nWB2yk8");
        let url = person["picture"]["small"].as_str().unwrap();
        assert!(url.contains("/photos/ada/") && url.contains("/small.jpg?"), "{url}");
    }
}

#[tokio::test]
async fn finds_usernames_and_words_of_names_by_their_beginnings() {
    let fixture = Fixture::new("search-people").await;
    let people =
        [("adam.marsh", "Élodie Straße", 0), ("wang", "王小明", 0), ("j.r.t", "★ ★", 0), ("ip", "İpek Işık", 0)];
    put(&fixture, &people).await;
    for (q, expected) in [
        ("ad", &["ada", "adam.marsh"][..]),
        ("a", &["ada", "adam.marsh"]),
        ("E", &["adam.marsh"]),
        ("%E7%8E%8B", &["wang"]),
        ("ADAM", &["adam.marsh"]),
        ("ada%20m", &["ada", "adam.marsh"]),
        ("marsh%20ada", &["ada", "adam.marsh"]),
        ("adam.m", &["adam.marsh"]),
        ("%C3%89LODIE%20strass", &["adam.marsh"]),
        ("elodie", &["adam.marsh"]),
        ("ipek", &["ip"]),
        ("IPEK%20ISIK", &["ip"]),
        ("%C4%B1%C5%9F%C4%B1k", &["ip"]),
        ("lindqvist", &["cara"]),
        ("lindqvisd", &[]),
        ("arsh", &[]),
        ("%E7%8E%8B%E5%B0%8F", &["wang"]),
        ("j.", &["j.r.t"]),
        ("j.r.t", &["j.r.t"]),
        ("a%20b", &[]),
        ("--", &[]),
        ("%20%20", &[]),
        ("a%23b", &[]),
    ] {
        assert_finds(&fixture, q, expected).await;
    }
}

#[tokio::test]
async fn the_most_followed_come_first_and_then_the_first_names() {
    let fixture = Fixture::new("search-people").await;
    put(
        &fixture,
        &[
            ("m1", "Nova Zorn", 999),
            ("m2", "Nova Berg", 100),
            ("m3", "Nova", 99),
            ("m4", "Nova", 10),
            ("m5", "Adam Nova", 12),
            ("m6", "Nova", 1_000_000),
            ("m7", "Nova", 0),
        ],
    )
    .await;
    assert_finds(&fixture, "nova", &["m6", "m2", "m1", "m5", "m3", "m4", "m7"]).await;
}

#[tokio::test]
async fn the_user_whose_username_is_the_query_comes_first_and_once() {
    let fixture = Fixture::new("search-people").await;
    put(&fixture, &[("mara", "Zoe", 0), ("maraa", "Mara", 1000), ("m3", "Mara", 10), ("m4", "Mara", 9)]).await;
    for q in ["mara", "MARA"] {
        assert_finds(&fixture, q, &["mara", "maraa", "m3", "m4"]).await;
    }
    for limit in 1..=5 {
        let first = request("GET", format!("/users?q=mara&limit={limit}")).by("ben");
        let (mut next, mut found) = (first.clone(), vec![]);
        loop {
            let page = fixture.call(SearchPeople::start, next).await;
            let names: Vec<String> = usernames(&page.body["users"]).iter().map(ToString::to_string).collect();
            assert!((1..=limit).contains(&names.len()), "{limit}: {}", page.body);
            found.extend(names);
            let Some(cursor) = page.body["nextCursor"].as_str() else { break };
            next = first.clone().query("cursor", cursor);
        }
        assert_eq!(found, ["mara", "maraa", "m3", "m4"], "{limit}");
    }
    let _ = fixture.operations();
    fixture.delete(Key::user(&"mara".parse().unwrap())).await;
    assert_finds(&fixture, "mara", &["maraa", "m3", "m4"]).await;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn returns_everybody_once_during_concurrent_writes() {
    let fixture = Fixture::new("search-people").await;
    put(&fixture, &[("p1", "Nova A", 5), ("p2", "Nova B", 5), ("p3", "Nova C", 0), ("p4", "Nova D", 0)]).await;
    put(&fixture, &[("p5", "Nova E", 0), ("nova", "Nova F", 0)]).await;
    let people = fixture
        .pages(SearchPeople::start, "/users?q=nova", "users", async |fixture: &Fixture| {
            put(fixture, &[("first", "Nova", 1000), ("novak", "Novak", 10), ("other", "Ada Nov", 0)]).await;
        })
        .await;
    assert_eq!(usernames(&people.into()), ["nova", "p1", "p2", "p3", "p4", "p5"]);
}

#[tokio::test]
async fn leaves_out_those_whom_only_stale_entries_name() {
    let fixture = Fixture::new("search-people").await;
    put(&fixture, &[("p1", "Nova A", 0), ("p2", "Nova B", 0), ("p3", "Nova C", 0), ("p4", "Nova D", 0)]).await;
    fixture.put(person("p1", "Renamed", 0)).await;
    fixture.put(deletion("p2")).await;
    // The entries of the old number of followers are still there.
    put(&fixture, &[("p4", "Nova D", 1)]).await;
    list(&fixture, &person("gone", "Nova E", 0)).await;
    assert_finds(&fixture, "nova", &["p4", "p3"]).await;

    // A page that only has such entries goes on.
    let first = request("GET", "/users?q=nova&limit=1").by("ben");
    let (mut next, mut pages) = (first.clone(), vec![]);
    loop {
        let page = fixture.call(SearchPeople::start, next).await;
        pages.push(usernames(&page.body["users"]).join(" "));
        let Some(cursor) = page.body["nextCursor"].as_str() else { break };
        next = first.clone().query("cursor", cursor);
    }
    assert_eq!(pages, ["p4", "", "", "p3", "p4", ""], "p4 has two entries until the old one is deleted");
}

#[tokio::test]
async fn shows_with_include_whether_they_follow_each_other() {
    let fixture = Fixture::new("search-people").await;
    put(&fixture, &[("ada", "Nova", 0), ("cara", "Nova", 0), ("ben", "Nova", 0), ("dora", "Nova", 0)]).await;
    fixture.put(friendship("ben", "cara")).await;
    fixture.put(friendship("dora", "ada")).await;
    let answer = fixture.call(SearchPeople::start, request("GET", "/users?q=nova&include=viewer").by("ben")).await;
    let viewers: Vec<_> = answer.body["users"].as_array().unwrap().iter().map(|person| &person["viewer"]).collect();
    let viewer = |follows, follows_you| json!({"follows": follows, "followsYou": follows_you});
    assert_eq!(usernames(&answer.body["users"]), ["ada", "ben", "cara", "dora"]);
    assert_eq!(viewers, [&viewer(true, false), &viewer(false, false), &viewer(false, true), &viewer(false, false)]);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

/// Ada and dora approve followers. Ben has asked dora, and follows ada.
#[tokio::test]
async fn shows_with_include_whom_the_caller_has_asked() {
    let fixture = Fixture::new("search-people").await;
    put(&fixture, &[("ada", "Nova", 0), ("cara", "Nova", 0), ("dora", "Nova", 0)]).await;
    for name in ["ada", "dora"] {
        let mut approving = person(name, "Nova", 0);
        approving.insert("approvesFollowers".to_owned(), Bool(true));
        fixture.put(approving).await;
    }
    fixture.put_all(vec![follow_request("dora", "ben"), follow_request("cara", "ben")]);
    let answer = fixture.call(SearchPeople::start, request("GET", "/users?q=nova&include=viewer").by("ben")).await;
    let people = answer.body["users"].as_array().unwrap().iter();
    let asked: Vec<_> =
        people.map(|person| (&person["username"], person["viewer"]["requested"].is_boolean())).collect();
    assert_eq!(asked, [(&json!("ada"), false), (&json!("cara"), false), (&json!("dora"), true)]);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
    let answer = fixture.call(SearchPeople::start, request("GET", "/users?q=nova").by("ben")).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["Query".to_owned(), "BatchGetItem".to_owned()]));
}

#[tokio::test]
async fn a_page_has_as_many_people_as_one_request_reads() {
    let fixture = Fixture::new("search-people").await;
    let people: Vec<Item> = (0..120).map(|number| person(&format!("p{number:03}"), "Nova", 0)).collect();
    for item in &people {
        list(&fixture, item).await;
    }
    fixture.put_all(people);
    put(&fixture, &[("nova", "Ada", 0)]).await;
    for (include, pages) in [("", &[100, 21][..]), ("&include=viewer", &[33, 33, 33, 22])] {
        let first = request("GET", format!("/users?q=nova&limit=100{include}")).by("ben");
        let (mut next, mut found) = (first.clone(), vec![]);
        loop {
            let page = fixture.call(SearchPeople::start, next).await;
            assert_eq!(page.status, 200, "{}", page.body);
            found.push(page.body["users"].as_array().unwrap().len());
            assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
            let Some(cursor) = page.body["nextCursor"].as_str() else { break };
            next = first.clone().query("cursor", cursor);
        }
        assert_eq!(found, pages);
    }
}

/// The list of the longest word has many who do not have the other one.
#[tokio::test]
async fn a_page_reads_a_bounded_number_of_entries() {
    let fixture = Fixture::new("search-people").await;
    let bound = MAX_ROUNDS * usize::try_from(ENTRIES_OF_ROUND).unwrap();
    let feed = fixture.unrecorded_table(FEED);
    let others = (0..bound).map(|number| person(&format!("p{number:04}"), "Nora Smithson", 0));
    let entries = others.flat_map(|item| entries(&item)).filter(|entry| entry.list == "smith");
    let puts = entries.map(|entry| batch::put(entry.item().unwrap()).unwrap()).collect();
    batch::write(&feed, puts).await.unwrap();
    put(&fixture, &[("zz", "Zora Smithson", 0), ("zy", "Zora Smithson", 0)]).await;

    let first = request("GET", "/users?q=zo%20smithson&limit=2").by("ben");
    let page = fixture.call(SearchPeople::start, first.clone()).await;
    assert_eq!((&page.body["users"], fixture.operations()), (&json!([]), vec!["Query".to_owned(); MAX_ROUNDS]));
    let cursor = page.body["nextCursor"].as_str().unwrap();
    let page = fixture.call(SearchPeople::start, first.query("cursor", cursor)).await;
    assert_eq!((usernames(&page.body["users"]), &page.body["nextCursor"]), (vec!["zy", "zz"], &Value::Null));
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

/// The page can end with somebody who blocks the caller.
#[tokio::test]
async fn the_length_of_a_cursor_does_not_tell_the_length_of_names() {
    let fixture = Fixture::new("search-people").await;
    let (long_username, long_name) = ("p".repeat(32), "\u{20000}".repeat(100));
    put(&fixture, &[(&long_username, &long_name, 100), ("ppo", "Nova", 10), ("ppp", "Nova", 0)]).await;
    let first = request("GET", "/users?q=pp&limit=1").by("ben");
    let page = fixture.call(SearchPeople::start, first.clone()).await;
    assert_eq!(usernames(&page.body["users"]), [long_username]);
    let cursor = page.body["nextCursor"].as_str().unwrap();
    let page = fixture.call(SearchPeople::start, first.query("cursor", cursor)).await;
    assert_eq!(usernames(&page.body["users"]), ["ppo"]);
    assert_eq!([cursor.len(), page.body["nextCursor"].as_str().unwrap().len()], [720; 2]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("search-people").await;
    put(&fixture, &[("p1", "Nova", 0), ("p2", "Nova", 0), ("nova", "Nova", 0)]).await;
    fixture.needs_a_caller(SearchPeople::start, request("GET", "/users?q=ada")).await;
    let list = request("GET", "/users").by("ben");
    fixture.refuses_field(SearchPeople::start, list.clone(), "q").await;
    for q in ["", &"a".repeat(51)] {
        fixture.refuses_field(SearchPeople::start, list.clone().query("q", q), "q").await;
    }
    fixture.refuses_field(SearchPeople::start, list.clone().query("q", "ada").query("q", "ben"), "q").await;
    for include in ["", "comments", "Viewer", "viewer,"] {
        fixture
            .refuses_field(SearchPeople::start, list.clone().query("q", "ada").query("include", include), "include")
            .await;
    }
    for q in ["nov", "nova"] {
        fixture.refuses_bad_pages(SearchPeople::start, &format!("/users?q={q}")).await;
    }
    let first = fixture.call(SearchPeople::start, list.query("q", "nov").query("limit", "1")).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let other = request("GET", "/users?q=nova").by("ben").query("cursor", cursor);
    fixture.refuses_field(SearchPeople::start, other, "cursor").await;
}

#[tokio::test]
async fn two_users_do_not_find_each_other_if_one_blocks_the_other() {
    let fixture = Fixture::new("search-people").await;
    put(&fixture, &[("ada", "Nova", 0), ("cara", "Nova", 0), ("dora", "Nova", 0), ("eve", "Nova", 0)]).await;
    let counted = |name, count| testing::with_count(person(name, "Nova", 0), count, 1);
    fixture.put_all(vec![counted("ada", "blocks"), counted("cara", "blockedBy"), counted("dora", "blocks")]);
    fixture.put_all(vec![block("ada", "ben", Level::Block), block("ben", "cara", Level::Block)]);
    fixture.put_all(vec![block("dora", "ada", Level::Block), block("eve", "ben", Level::Mute)]);
    let answer = fixture.call(SearchPeople::start, request("GET", "/users?q=nova").by("ben")).await;
    assert_eq!(usernames(&answer.body["users"]), ["dora", "eve"]);
    assert_eq!(answer.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), ["dora", "eve"]);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
    // The user whose username is the query is no exception.
    let answer = fixture.call(SearchPeople::start, request("GET", "/users?q=ada").by("ben")).await;
    assert_eq!((&answer.body["users"], &answer.body["people"]), (&json!([]), &json!({})));
}
