//! Cursors over HTTP: what they tell, and which requests they fit.

use std::collections::{BTreeSet, HashMap};
use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use local::services::dynamodb;
use local::stack::{Data, Options};
use local::template::Template;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::stack::root;

use crate::api::{Api, problem};

/// A list, and a caller who may read it.
struct List {
    caller: String,
    /// The group that the caller has to be in, if any.
    group: Option<String>,
    uri: String,
}

impl List {
    fn new(caller: &str, uri: impl Into<String>) -> Self {
        Self { caller: caller.to_owned(), group: None, uri: uri.into() }
    }

    /// Returns a request of this list by `caller` with other parameters in its query string.
    fn request(&self, api: &Api, caller: &str, parameters: &str) -> RequestBuilder {
        let separator = if self.uri.contains('?') { '&' } else { '?' };
        let token = match &self.group {
            Some(group) => api.stack.token_in(caller, group).unwrap(),
            None => api.stack.token(caller).unwrap(),
        };
        api.anonymous("GET", &format!("{}{separator}{parameters}", self.uri)).bearer_auth(token)
    }

    /// Returns a page.
    async fn page(&self, api: &Api, parameters: &str) -> Value {
        let answer = self.request(api, &self.caller, parameters).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{} {parameters}", self.uri);
        answer.json().await.unwrap()
    }

    /// Returns the cursor of the first page of one entry.
    async fn cursor(&self, api: &Api) -> String {
        let page = self.page(api, "limit=1").await;
        page["nextCursor"].as_str().unwrap_or_else(|| panic!("{} has one page", self.uri)).to_owned()
    }

    /// Returns the cursors of all pages of one entry, at most 50.
    async fn cursors(&self, api: &Api) -> Vec<String> {
        let (mut cursors, mut parameters) = (vec![], "limit=1".to_owned());
        while let Some(cursor) = self.page(api, &parameters).await["nextCursor"].as_str()
            && cursors.len() < 50
        {
            parameters = format!("limit=1&cursor={cursor}");
            cursors.push(cursor.to_owned());
        }
        cursors
    }
}

/// Returns the list of every route with a parameter `cursor`, as the sample event of its function
/// requests it.
fn lists_of_events() -> Vec<List> {
    let document = fs::read(root().join("docs/openapi.json")).unwrap();
    let document: Value = serde_json::from_slice(&document).unwrap();
    let has_cursor = |path: &str| {
        let parameters = document["paths"][path]["get"]["parameters"].as_array();
        parameters.into_iter().flatten().any(|parameter| parameter["name"] == "cursor")
    };
    let mut lists = vec![];
    for function in Template::read(&Template::find().unwrap()).unwrap().functions {
        if !function.routes.iter().any(|route| route.method == "GET" && has_cursor(&route.path)) {
            continue;
        }
        let event = fs::read(root().join(format!("events/{}.json", function.name))).unwrap();
        let event: Value = serde_json::from_slice(&event).unwrap();
        let claims = &event["requestContext"]["authorizer"]["jwt"]["claims"];
        let query = event["rawQueryString"].as_str().unwrap_or_default().split('&');
        let query: Vec<&str> = query.filter(|part| !part.is_empty() && !part.starts_with("limit=")).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        let caller = claims["username"].as_str().unwrap();
        let group = claims["cognito:groups"].as_str().map(|groups| groups.trim_matches(['[', ']']).to_owned());
        let uri = format!("{}{query}", event["rawPath"].as_str().unwrap());
        lists.push(List { group, ..List::new(caller, uri) });
    }
    assert!(lists.len() > 20, "docs/openapi.json has {} lists", lists.len());
    lists
}

/// Returns lists that a cursor of another owner, another sort order or another query must not fit.
async fn similar_lists(api: &Api) -> Vec<List> {
    let mut lists = vec![];
    for user in ["ines", "tara"] {
        for list in ["profile", "photos", "followers", "following", "following/profiles"] {
            lists.push(List::new("ben", format!("/users/{user}/{list}")));
        }
    }
    let photos = api.get("ben", "/users/jonas/photos").await;
    for photo in photos["photos"].as_array().unwrap() {
        let count: u64 = photo["reactions"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        if count > 1 {
            lists.push(List::new("ben", format!("/users/jonas/photos/{}", photo["id"].as_str().unwrap())));
        }
    }
    assert!(lists.len() > 11, "two photos with two reactions each: {photos}");
    for list in [
        "favorites",
        "favorites/types/image",
        "favorites/search?q=tag:birds",
        "favorites/search?q=s",
        "favorites/kestrel/tags",
        "tags",
        "tags?sort=created",
        "tags?order=desc",
        "tags/birds/favorites",
        "tags/later/favorites",
        "tags/birds/favorites/types/image",
    ] {
        lists.push(List::new("ben", format!("/users/ben/{list}")));
    }
    lists
}

#[tokio::test]
async fn a_cursor_is_valid_only_for_the_list_the_owner_and_the_caller_that_it_was_made_for() {
    let api = Api::start().await;
    let mut lists = lists_of_events();
    for list in similar_lists(&api).await {
        if lists.iter().all(|other| other.uri != list.uri) {
            lists.push(list);
        }
    }
    for made_for in &lists {
        let cursor = made_for.cursor(&api).await;
        let parameters = format!("cursor={cursor}");
        for list in &lists {
            let answer = list.request(&api, &list.caller, &parameters).send().await.unwrap();
            let expected = if made_for.uri == list.uri { 200 } else { 400 };
            assert_eq!(answer.status(), expected, "the cursor of {} at {}", made_for.uri, list.uri);
        }
        // Some lists are the caller's own, whatever cursor another one sends.
        let by_another = |parameters: &str| made_for.request(&api, "zoe", parameters).send();
        if by_another("limit=1").await.unwrap().status() == 403 {
            continue;
        }
        let refused = problem(by_another(&parameters).await.unwrap(), 400).await;
        assert_eq!(refused["errors"][0]["field"], "cursor", "{}", made_for.uri);
    }
    api.stack.shutdown().await;
}

#[tokio::test]
async fn the_cursor_beside_a_photo_goes_on_after_its_newest_comments() {
    let api = Api::start().await;
    let photo = "/users/ada/photos/2024-05-30T15:42:38";
    let list = format!("{photo}/comments");
    for number in 0..22 {
        let author = if number % 2 == 0 { "ben" } else { "cara" };
        let comment = api.request(author, "POST", &list).json(&json!({"text": format!("Number {number}")}));
        assert_eq!(comment.send().await.unwrap().status(), 201);
    }
    let ids = |page: &Value| -> Vec<String> {
        page["comments"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = api.get("ben", &format!("{list}?limit=100")).await;
    assert_eq!((ids(&all).len() > 22, &all["nextCursor"]), (true, &Value::Null));
    let beside = api.get("ben", &format!("{photo}?include=comments")).await["comments"].take();
    let cursor = beside["nextCursor"].as_str().unwrap();
    let rest = api.get("ben", &format!("{list}?include=people,viewer&cursor={cursor}")).await;
    assert_eq!([ids(&beside), ids(&rest)], [ids(&all)[..20].to_vec(), ids(&all)[20..].to_vec()]);

    let other = api.upload("ada", testing::PNG).await;
    for (caller, list) in [
        ("cara", list.clone()),
        ("ben", format!("{list}?order=asc")),
        ("ben", format!("{other}/comments")),
        ("ben", photo.to_owned()),
    ] {
        let separator = if list.contains('?') { '&' } else { '?' };
        let answer = api.request(caller, "GET", &format!("{list}{separator}cursor={cursor}")).send().await.unwrap();
        assert_eq!(problem(answer, 400).await["errors"][0]["field"], "cursor", "{caller} {list}");
    }
    let short = api.get("ben", "/users/ada/photos/2024-06-09T13:49:13?include=comments").await;
    assert_eq!(short["comments"]["nextCursor"], Value::Null);
    api.stack.shutdown().await;
}

/// Words that no cursor may have, by their first bytes.
struct Words(HashMap<[u8; SHORTEST], BTreeSet<String>>);

/// The length of the shortest word, in bytes: a username of three letters in quotes. In the 540
/// random bytes of a cursor, one occurs by chance once in two billion cursors.
const SHORTEST: usize = 5;

impl Words {
    /// Returns the words of items: each text and its parts, those of three letters in quotes.
    fn of(items: &[Value]) -> Self {
        let mut words = Self(HashMap::new());
        for item in items {
            words.add(item);
        }
        words
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                for part in text.split(['#', '~', ' ']).chain([text.as_str()]) {
                    let word = if part.len() > SHORTEST { part.to_owned() } else { format!("\"{part}\"") };
                    if let Some(first) = word.as_bytes().first_chunk() {
                        self.0.entry(*first).or_default().insert(word);
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.add(value)),
            Value::Object(fields) => fields.values().for_each(|value| self.add(value)),
            _ => {}
        }
    }

    /// Returns the words that the holder of a cursor can read in it. A cursor that is text as a
    /// whole is such a word itself.
    fn in_cursor(&self, cursor: &str) -> Vec<String> {
        let decoded = BASE64.decode(cursor).unwrap();
        let mut found: Vec<String> = String::from_utf8(decoded.clone()).into_iter().collect();
        for at in 0..decoded.len() {
            let words = decoded[at..].first_chunk().and_then(|first| self.0.get(first));
            let words = words.into_iter().flatten();
            found.extend(words.filter(|word| decoded[at..].starts_with(word.as_bytes())).cloned());
        }
        found
    }
}

#[test]
fn an_encoded_position_is_readable() {
    let words = Words::of(&[json!("2024-06-09T13:49:13"), json!("ada"), json!("USER#benjamin")]);
    let position = BASE64.encode(r#"{"photoOwner":"ada","photoTimestamp":"2024-06-09T13:49:13"}"#);
    assert_eq!(words.in_cursor(&position)[1..], ["\"ada\"", "2024-06-09T13:49:13"]);
    assert_eq!(words.in_cursor(&BASE64.encode(b"\xff~benjamin~\xfe")), ["benjamin"]);
    assert_eq!(words.in_cursor(&BASE64.encode(b"\xff 13:49 \xfe")), [""; 0]);
}

#[tokio::test]
async fn no_cursor_of_any_list_can_be_read() {
    let api = Api::start().await;
    let (dynamodb, mut items) = (dynamodb::client(api.stack.dynamodb()), vec![]);
    for table in ["quick-photos", "dev.Favorite", "dev.Feed", "dev.Music"] {
        let page = dynamodb.scan().table_name(table).send().await.unwrap();
        items.extend(page.items.unwrap().into_iter().map(|item| serde_dynamo::from_item(item).unwrap()));
    }
    let words = Words::of(&items);
    assert!(words.0.len() > 300, "{} beginnings of words", words.0.len());
    let mut lengths = BTreeSet::new();
    for list in lists_of_events() {
        for caller in [list.caller.as_str(), "zoe"] {
            let list = List { caller: caller.to_owned(), group: list.group.clone(), uri: list.uri.clone() };
            if list.request(&api, caller, "limit=1").send().await.unwrap().status() == 403 {
                continue;
            }
            for cursor in list.cursors(&api).await {
                assert_eq!(words.in_cursor(&cursor), [""; 0], "{} for {caller}", list.uri);
                // The length tells nothing but, in a feed, how many the caller follows.
                if !list.uri.ends_with("/feed") {
                    lengths.insert(cursor.len());
                }
            }
        }
    }
    assert_eq!(lengths, BTreeSet::from([720]));
    api.stack.shutdown().await;
}

/// Dorothy blocks friedrich, and a photo of ada is for ada alone.
#[tokio::test]
async fn a_cursor_hides_what_the_answer_hides() {
    let api = Api::with(Options { data: Data::Seed, ..Options::default() }).await;
    let send = async |caller: &str, method: &str, path: &str, body: Value| {
        let answer = api.request(caller, method, path).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{method} {path}: {}", answer.status());
    };
    let (photo, hidden) = ("/users/ada/photos/2024-06-09T13:49:13", "2024-05-30T15:42:38");
    for name in ["bertha", "dorothy", "friedrich"] {
        send(name, "POST", "/users", json!({"username": name, "name": format!("Nova {name}")})).await;
        send(name, "PUT", &format!("{photo}/reactions/heart"), json!({})).await;
        send(name, "POST", &format!("{photo}/comments"), json!({"text": "Nice"})).await;
    }
    let hidden_photo = format!("/users/ada/photos/{hidden}");
    for photo in ["/users/ben/photos/2024-06-26T03:59:33", &hidden_photo] {
        send("bertha", "PUT", &format!("{photo}/reactions/smiley"), json!({})).await;
    }
    send("ada", "PATCH", &hidden_photo, json!({"audience": "me"})).await;
    send("dorothy", "PUT", "/users/dorothy/blocks/friedrich", json!({"level": "block"})).await;
    api.stack.idle().await;

    for (uri, secret) in [
        ("/users/bertha/reactions", hidden),
        (&format!("{photo}/comments"), "dorothy"),
        (photo, "dorothy"),
        ("/users?q=nova", "dorothy"),
    ] {
        let (list, words) = (List::new("friedrich", uri), Words::of(&[json!(secret)]));
        assert!(!list.page(&api, "limit=100").await.to_string().contains(secret), "{uri}");
        let cursors = list.cursors(&api).await;
        assert!(!cursors.is_empty(), "{uri}");
        for cursor in cursors {
            assert_eq!(words.in_cursor(&cursor), [""; 0], "{uri}");
        }
    }
    api.stack.shutdown().await;
}
