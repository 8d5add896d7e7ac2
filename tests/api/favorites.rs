//! Favorites and tags together, in the whole system.

use aws_sdk_dynamodb::Client;
use local::sample;
use local::sample::favorites::Collection;
use local::template::Template;
use ops::{audit, client};
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::Key;
use shared::values::DataType;

use crate::api::{Api, problem};

fn favorite_table() -> String {
    Template::read(&Template::find().unwrap()).unwrap().table(sample::FAVORITE).unwrap().name.clone()
}

fn ids<'a>(answer: &'a Value, list: &str, id: &str) -> Vec<&'a str> {
    answer[list].as_array().unwrap().iter().map(|entry| entry[id].as_str().unwrap()).collect()
}

async fn exists(dynamodb: &Client, key: impl Into<Item>) -> bool {
    let get = dynamodb.get_item().table_name(favorite_table()).set_key(Some(key.into())).consistent_read(true);
    get.send().await.unwrap().item.is_some()
}

#[tokio::test]
async fn a_tag_put_on_a_favorite_during_its_removal_leaves_no_orphan() {
    let api = Api::start().await;
    let dynamodb = client::connect(Some(api.stack.dynamodb())).await.unwrap();
    let (favorite, tagged) = ("/users/ada/favorites/dinner", "/users/ada/favorites/dinner/tags/family");
    let entry = Key::favorite_tag(&"ada".parse().unwrap(), &"dinner".parse().unwrap(), &"family".parse().unwrap());
    let (mut first, mut last) = (0, 0);
    for round in 0..40 {
        // The two requests take turns at being sent first.
        let tag = async {
            if round % 2 == 0 {
                tokio::task::yield_now().await;
            }
            api.put("ada", tagged).await
        };
        let unclip = async { api.request("ada", "DELETE", favorite).send().await.unwrap().status() };
        let (tag, unclip) = tokio::join!(tag, unclip);
        assert_eq!(unclip, 204);
        assert!(!exists(&dynamodb, entry.clone()).await, "round {round}: an orphan is left, PUT answered {tag}");
        problem(api.request("ada", "GET", favorite).send().await.unwrap(), 404).await;

        // The history holds the tag exactly if it was acknowledged.
        let restored = api.request("ada", "POST", &format!("{favorite}/restore")).send().await.unwrap();
        assert_eq!(restored.status(), 201, "round {round}");
        let tags = api.get("ada", &format!("{favorite}/tags")).await;
        match tag {
            201 => {
                first += 1;
                assert_eq!(ids(&tags, "tags", "tagId"), ["family"], "round {round}");
            }
            404 => {
                last += 1;
                assert_eq!(tags["tags"], json!([]), "round {round}");
            }
            other => panic!("round {round}: {other}"),
        }
        assert_eq!(api.request("ada", "DELETE", tagged).send().await.unwrap().status(), 204);
    }
    eprintln!("the tag came first {first} times and last {last} times");
    let report = audit::run(&dynamodb, &favorite_table(), audit::Options::default(), |_| {}).await.unwrap();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn all_routes_work_on_favorites_that_another_program_wrote() {
    let api = Api::start().await;
    let mut zoe = Collection::new("zoe");
    zoe.tag("1", "Travel", 1_600_000_000_000, 1_600_000_000_000);
    zoe.tag("2", "旅行", 1_600_000_000_001, 1_600_000_000_001);
    zoe.clip("100", DataType::Image, "Harbour at night", 1_600_000_100_000, &["1", "2"]);
    zoe.clip("101", DataType::Video, "Ferry", 1_600_000_200_000, &["1"]);
    zoe.unclip("99", DataType::Link, "Timetable", 1_600_000_000_500, &["1"]);
    api.stack.import(sample::FAVORITE, zoe.into_foreign_items()).unwrap();
    let get = async |path: &str| api.get("zoe", &format!("/users/zoe/{path}")).await;
    let send = async |method: &str, path: &str, body: Value| {
        let answer = api.request("zoe", method, &format!("/users/zoe/{path}")).json(&body).send().await.unwrap();
        answer.status().as_u16()
    };

    assert_eq!(ids(&get("favorites").await, "favorites", "dataId"), ["101", "100"]);
    assert_eq!(ids(&get("favorites/types/image").await, "favorites", "dataId"), ["100"]);
    assert_eq!(ids(&get("tags/1/favorites").await, "favorites", "dataId"), ["101", "100"]);
    assert_eq!(ids(&get("tags/1/favorites/types/video").await, "favorites", "dataId"), ["101"]);
    assert_eq!(ids(&get("tags?order=desc").await, "tags", "tagName"), ["旅行", "Travel"]);
    assert_eq!(ids(&get("favorites/100/tags").await, "tags", "tagId"), ["1", "2"]);

    assert_eq!(send("PUT", "favorites/101/tags/2", json!({})).await, 201);
    assert_eq!(send("PATCH", "tags/1", json!({"tagName": "Journeys"})).await, 200);
    assert_eq!(send("POST", "tags", json!({"tagName": "New"})).await, 201);
    for id in ["100", "101"] {
        let mut favorite = get(&format!("favorites/{id}")).await;
        assert_eq!(send("DELETE", &format!("favorites/{id}"), json!({})).await, 204);
        assert_eq!(ids(&get("favorites").await, "favorites", "dataId").len(), 1);
        assert!(!ids(&get("tags/1/favorites").await, "favorites", "dataId").contains(&id));
        assert_eq!(send("POST", &format!("favorites/{id}/restore"), json!({})).await, 201);
        // The other program writes no ids of tags into a favorite. The favorite that is brought back has them.
        favorite["tags"] = json!(["1", "2"]);
        assert_eq!(get(&format!("favorites/{id}")).await, favorite);
        assert_eq!(ids(&get(&format!("favorites/{id}/tags")).await, "tags", "tagId"), ["1", "2"]);
    }
    assert_eq!(send("POST", "favorites/99/restore", json!({})).await, 201);
    assert_eq!(ids(&get("favorites").await, "favorites", "dataId"), ["101", "100", "99"]);
    assert_eq!(ids(&get("tags/1/favorites").await, "favorites", "dataId"), ["101", "100", "99"]);
    assert_eq!(send("DELETE", "tags/2", json!({})).await, 204);
    assert_eq!(ids(&get("favorites/100/tags").await, "tags", "tagId"), ["1"]);
    assert_eq!(send("DELETE", "favorites/100/tags/1", json!({})).await, 204);
    assert_eq!(get("favorites/100/tags").await["tags"], json!([]));
    api.stack.shutdown().await;
}

/// The items are imported without stream records, so no stream function indexes them.
#[tokio::test]
async fn search_finds_favorites_of_another_program_after_a_repair() {
    let api = Api::start().await;
    let dynamodb = client::connect(Some(api.stack.dynamodb())).await.unwrap();
    let mut zoe = Collection::new("zoe");
    zoe.tag("1", "Travel", 1_600_000_000_000, 1_600_000_000_000);
    zoe.clip("100", DataType::Image, "Harbour at night", 1_600_000_100_000, &["1"]);
    zoe.clip("101", DataType::Video, "港の夜景", 1_600_000_200_000, &[]);
    api.stack.import(sample::FAVORITE, zoe.into_foreign_items()).unwrap();

    let found = async |query: &str| {
        let found = api.get("zoe", &format!("/users/zoe/favorites/search?q={query}")).await;
        ids(&found, "favorites", "dataId").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let queries = [("harb", "100"), ("%E5%A4%9C%E6%99%AF", "101"), ("tag:travel", "100")];
    for (query, _) in queries {
        assert_eq!(found(query).await, Vec::<String>::new());
    }
    let options = audit::Options { repair: true, ..audit::Options::default() };
    let report = audit::run(&dynamodb, &favorite_table(), options, |_| {}).await.unwrap();
    assert_eq!(
        report.findings.len(),
        5,
        "two favorites without terms, one tag without a name reservation, one favorite without the ids of its tags, \
         and no count of favorites: {:#?}",
        report.findings
    );
    for (query, id) in queries {
        assert_eq!(found(query).await, [id]);
    }
    let created =
        api.request("zoe", "POST", "/users/zoe/tags").json(&json!({"tagName": "TRAVEL"})).send().await.unwrap();
    problem(created, 409).await;
    let report = audit::run(&dynamodb, &favorite_table(), audit::Options::default(), |_| {}).await.unwrap();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_deleted_tag_disappears_from_all_answers_at_once_and_from_the_table_later() {
    let api = Api::start().await;
    let dynamodb = client::connect(Some(api.stack.dynamodb())).await.unwrap();
    let deleted = api.request("ada", "DELETE", "/users/ada/tags/travel").send().await.unwrap();
    assert_eq!(deleted.status(), 204);

    problem(api.request("ada", "GET", "/users/ada/tags/travel/favorites").send().await.unwrap(), 404).await;
    problem(api.request("ada", "GET", "/users/ada/tags/travel/favorites/types/image").send().await.unwrap(), 404).await;
    let tagged = api.request("ada", "PUT", "/users/ada/favorites/dinner/tags/travel").send().await.unwrap();
    problem(tagged, 404).await;
    let of_viewpoint = api.get("ada", "/users/ada/favorites/viewpoint/tags").await;
    assert_eq!(ids(&of_viewpoint, "tags", "tagId"), ["family"]);
    for sort in ["name", "created", "accessed"] {
        let tags = api.get("ada", &format!("/users/ada/tags?sort={sort}")).await;
        assert!(!ids(&tags, "tags", "tagId").contains(&"travel"), "{sort}");
    }
    let found = api.get("ada", "/users/ada/favorites/search?q=tag:travel").await;
    assert_eq!(found["favorites"], json!([]));
    let restored = api.request("ada", "POST", "/users/ada/favorites/old-map/restore").send().await.unwrap();
    assert_eq!(restored.status(), 201);
    assert_eq!(api.get("ada", "/users/ada/favorites/old-map/tags").await["tags"], json!([]));

    api.stack.idle().await;
    let report = audit::run(&dynamodb, &favorite_table(), audit::Options::default(), |_| {}).await.unwrap();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    let listed = api.get("ada", "/users/ada/favorites?limit=100").await;
    let tags: Vec<&Value> = listed["favorites"].as_array().unwrap().iter().map(|favorite| &favorite["tags"]).collect();
    assert!(tags.contains(&&json!(["family"])) && !json!(tags).to_string().contains("travel"), "{tags:?}");
    for id in ["sunset", "viewpoint", "fado"] {
        let entry = Key::favorite_tag(&"ada".parse().unwrap(), &id.parse().unwrap(), &"travel".parse().unwrap());
        assert!(!exists(&dynamodb, entry).await, "{id}");
    }
    let again = api.request("ada", "POST", "/users/ada/tags").json(&json!({"tagName": "travel"})).send().await.unwrap();
    assert_eq!(again.status(), 201, "the name is free");
    api.stack.shutdown().await;
}

#[tokio::test]
async fn search_finds_a_new_favorite_and_no_removed_one() {
    let api = Api::start().await;
    let body = json!({"dataType": "note", "title": "Grüße aus Köln: 大聖堂"});
    let clipped = api.request("cara", "POST", "/users/cara/favorites").json(&body).send().await.unwrap();
    let location = clipped.headers()["location"].to_str().unwrap().to_owned();
    assert_eq!(api.get("cara", &location).await["title"], "Grüße aus Köln: 大聖堂");

    let search = "/users/cara/favorites/search?q=GRUESSE%20k%C3%B6ln";
    assert_eq!(api.get("cara", search).await["favorites"], json!([]), "ü is not ue");
    let search = "/users/cara/favorites/search?q=GR%C3%9CSSE%20%E8%81%96%E5%A0%82";
    api.stack.idle().await;
    assert_eq!(api.get("cara", search).await["favorites"].as_array().unwrap().len(), 1);
    assert_eq!(api.request("cara", "DELETE", &location).send().await.unwrap().status(), 204);
    assert_eq!(api.get("cara", search).await["favorites"], json!([]), "at once");
    let restore = format!("{location}/restore");
    assert_eq!(api.request("cara", "POST", &restore).send().await.unwrap().status(), 201);
    api.stack.idle().await;
    assert_eq!(api.get("cara", search).await["favorites"].as_array().unwrap().len(), 1);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn returns_409_for_one_of_two_concurrent_tags_with_the_same_name() {
    let api = Api::start().await;
    for round in 0..10 {
        let create = async |name: String| {
            let answer = api.request("cara", "POST", "/users/cara/tags").json(&json!({"tagName": name})).send().await;
            answer.unwrap().status().as_u16()
        };
        let mut answers: [u16; 2] =
            tokio::join!(create(format!("Straße {round}")), create(format!("STRASSE {round}"))).into();
        answers.sort_unstable();
        assert_eq!(answers, [201, 409], "round {round}");
    }
    let tags = api.get("cara", "/users/cara/tags").await;
    assert_eq!(ids(&tags, "tags", "tagId").len(), 10);
    api.stack.shutdown().await;
}
