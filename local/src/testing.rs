//! What the tests of a function need: an engine of their own with the tables of template.yaml and the cast of
//! [`crate::sample`], events as the gateway makes them, and a record of what `DynamoDB` was asked.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::net::Ipv4Addr;
use std::path::Path;
use std::str::FromStr;

use aws_config::{BehaviorVersion, Region};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedHttpClient};
use axum::http::{HeaderMap, StatusCode, header};
use lambda_http::http::request::Parts;
use serde_json::{Value, json};
use shared::photos::{Friendship, Item, Key, PK, Photo, Reaction, SK, User, item, photo_sk};
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};
use time::OffsetDateTime;
use tokio::net::TcpListener;

pub use crate::wire::Fault;
use crate::dynamodb::{self, Engine};
use crate::router::Router;
use crate::sample::World;
use crate::template::Template;
use crate::wire::Wire;
use crate::event;

/// The stage on which one test plays.
pub struct Fixture {
    /// What a function is handed. Every request that goes through it is recorded.
    pub table: Table,
    function: &'static str,
    router: Router,
    wire: Wire,
    backstage: Client,
    _engine: Engine,
}

/// What a function answered.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The HTTP headers.
    pub headers: HeaderMap,
    /// The body; `null` when there is none.
    pub body: Value,
}

impl Answer {
    /// The fields that the problem names.
    #[must_use]
    pub fn fields(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().into_iter().flatten();
        errors.filter_map(|error| error["field"].as_str()).collect()
    }
}

/// A request that is yet to be sent.
#[derive(Debug, Clone)]
pub struct Ask {
    method: &'static str,
    uri: String,
    caller: Option<String>,
    content_type: Option<String>,
    body: Vec<u8>,
}

/// A request: `ask("GET", "/users/ada").by("ben")`.
pub fn ask(method: &'static str, uri: impl Into<String>) -> Ask {
    Ask { method, uri: uri.into(), caller: None, content_type: None, body: vec![] }
}

impl Ask {
    /// With a token of this user.
    #[must_use]
    pub fn by(mut self, caller: &str) -> Self {
        self.caller = Some(caller.to_owned());
        self
    }

    /// With a body of JSON.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// With any body.
    #[must_use]
    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.content_type = Some(content_type.to_owned());
        self.body = body.into();
        self
    }
}

impl Fixture {
    /// A stage for the tests of `function`, with the cast on it.
    pub async fn new(function: &'static str) -> Self {
        let path = Template::find().expect("template.yaml");
        let template = Template::read(&path).expect("template.yaml");
        let definition =
            template.functions.iter().find(|other| other.name == function).expect("function in template.yaml");
        let table = definition.environment["TABLE_NAME"].clone();

        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let engine = Engine::start(listener, None).expect("engine");
        dynamodb::create_tables(engine.database(), &template).expect("tables");

        let wire = Wire::new(shared::function::http_client().expect("client"));
        let fixture = Self {
            table: Table {
                client: client(&engine, SharedHttpClient::new(wire.clone())).await,
                name: table,
            },
            function,
            router: Router::new(&template).expect("routes"),
            wire,
            backstage: client(&engine, shared::function::http_client().expect("client")).await,
            _engine: engine,
        };
        for item in World::cast().items() {
            fixture.put(item).await;
        }
        fixture
    }

    /// Puts an item on the stage, past the record.
    pub async fn put(&self, item: Item) {
        let put = self.backstage.put_item().table_name(&self.table.name).set_item(Some(item));
        put.send().await.expect("put");
    }

    /// Takes an item off the stage, past the record.
    pub async fn delete(&self, key: Key) {
        let delete = self.backstage.delete_item().table_name(&self.table.name).set_key(Some(key.into()));
        delete.send().await.expect("delete");
    }

    /// An item as it is in the table, in plain JSON; `null` if it isn't there.
    pub async fn item(&self, key: Key) -> Value {
        let get = self.backstage.get_item().table_name(&self.table.name).set_key(Some(key.into()));
        let item = get.send().await.expect("get").item;
        item.map_or(Value::Null, |item| serde_dynamo::from_item(item).expect("an item is JSON"))
    }

    /// Every item of the table, by its key, in plain JSON.
    pub async fn everything(&self) -> BTreeMap<String, Value> {
        let mut items = self.backstage.scan().table_name(&self.table.name).into_paginator().items().send();
        let mut everything = BTreeMap::new();
        while let Some(item) = items.next().await {
            let item: Value = serde_dynamo::from_item(item.expect("scan")).expect("an item is JSON");
            everything.insert(format!("{} {}", item[PK], item[SK]), item);
        }
        everything
    }

    /// The operations that `DynamoDB` was asked for since the last look.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.wire.take_record()
    }

    /// What befalls the next requests, one each.
    pub fn befall(&self, faults: impl IntoIterator<Item = Fault>) {
        self.wire.befall(faults);
    }

    /// Hands the function the event that the gateway would make of the request.
    pub async fn call<F, A>(&self, handler: F, ask: Ask) -> Answer
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let event = self.event(&ask);
        let request = lambda_http::request::from_str(&event.to_string()).expect("the event is one of API Gateway's");
        self.respond(handler, request).await
    }

    /// Hands the function its event of `events/`.
    pub async fn call_with_sample_event<F, A>(&self, handler: F) -> Answer
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let root = Template::find().expect("template.yaml");
        let file = root.parent().unwrap_or(Path::new("")).join(format!("events/{}.json", self.function));
        let event = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let sent: Value = serde_json::from_str(&event).expect("the event is JSON");
        let path = sent["rawPath"].as_str().expect("rawPath");
        let method = sent["requestContext"]["http"]["method"].as_str().expect("method");
        assert_eq!(self.router.resolve(method, path).expect("route").function, self.function, "{}", file.display());
        let request = lambda_http::request::from_str(&event).expect("the event is one of API Gateway's");
        self.respond(handler, request).await
    }

    async fn respond<F, A>(&self, handler: F, request: Request) -> Answer
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let Ok(response) = shared::function::respond(handler, self.table.clone(), request).await;
        let (parts, body) = response.into_parts();
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).expect("a body is JSON") };
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    fn event(&self, ask: &Ask) -> Value {
        let mut request = axum::http::Request::builder()
            .method(ask.method)
            .uri(&ask.uri)
            .header(header::HOST, "localhost:3000");
        if let Some(content_type) = &ask.content_type {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        let (parts, ()): (Parts, ()) = request.body(()).expect("a well-formed request").into_parts();
        let route = self.router.resolve(ask.method, parts.uri.path()).expect("a route of template.yaml");
        assert_eq!(route.function, self.function, "{} {} is another function's", ask.method, ask.uri);
        let claims = ask.caller.iter().map(|caller| ("username".to_owned(), caller.clone())).collect();
        event::build(&event::Call {
            route_key: route.route_key,
            path_parameters: &route.path_parameters,
            parts: &parts,
            body: &ask.body,
            claims: &claims,
            source_ip: Ipv4Addr::LOCALHOST.into(),
            request_id: "test",
            time: OffsetDateTime::now_utc(),
        })
    }

    /// Asserts that the request is refused with a problem of this status, before `DynamoDB` is asked anything.
    pub async fn refuses<F, A>(&self, handler: F, ask: Ask, status: u16) -> Answer
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let _ = self.asked();
        let what = format!("{ask:.300?}");
        let answer = self.call(handler, ask).await;
        assert_eq!(answer.status, status, "{what}: {}", answer.body);
        assert_eq!(answer.headers[header::CONTENT_TYPE], "application/problem+json", "{what}");
        assert_eq!(answer.body["status"], status, "{what}");
        assert_eq!(answer.body["title"], json!(StatusCode::from_u16(status).unwrap().canonical_reason()), "{what}");
        assert!(self.asked().is_empty(), "{what}: DynamoDB was asked");
        answer
    }

    /// Asserts that the request is refused because of this field, before `DynamoDB` is asked anything.
    pub async fn refuses_field<F, A>(&self, handler: F, ask: Ask, field: &str)
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let what = format!("{ask:.300?}");
        let answer = self.refuses(handler, ask, 400).await;
        assert_eq!(answer.fields(), [field], "{what}: {}", answer.body);
    }

    /// Asserts what every route does: it needs a caller, whose name can be a user's.
    pub async fn needs_a_caller<F, A>(&self, handler: F, ask: Ask)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        self.refuses(handler, Ask { caller: None, ..ask.clone() }, 401).await;
        for name in ["", "Ada", "a#b", "USER$"] {
            self.refuses(handler, ask.clone().by(name), 403).await;
        }
    }

    /// Asserts what every route with a `{parameter}` does: it refuses names that can't be a user's, by `parameter`.
    pub async fn refuses_bad_usernames<F, A>(&self, handler: F, parameter: &str, ask: impl Fn(&str) -> Ask)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        for name in ["a", "Ada", "a%23b", "USER$", "a%00b", "%F0%9F%98%80", "..%2Fada", "-ada", &"a".repeat(33)] {
            self.refuses_field(handler, ask(name).by("ada"), parameter).await;
        }
    }

    /// Asserts what every route with a `{timestamp}` does: it refuses what can't be a photo's.
    pub async fn refuses_bad_timestamps<F, A>(&self, handler: F, ask: impl Fn(&str) -> Ask)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        for timestamp in ["yesterday", "2024-05-30", "2024-02-30T00:00:00", "2024-05-30T15:42:38Z", "PHOTO%23ada"] {
            self.refuses_field(handler, ask(timestamp).by("ada"), "timestamp").await;
        }
    }

    /// Asserts what every route with a body does: it refuses what isn't a JSON object with known fields.
    pub async fn refuses_bad_bodies<F, A>(&self, handler: F, ask: Ask)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
            self.refuses(handler, ask.clone().body(content_type, "{}"), 415).await;
        }
        let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for body in [
            "{", "null", "[]", "\"{}\"", "{}{}", r#"{"name": "\ud800"}"#, r#"{"name": 1, "name": 1}"#, &nested,
            &format!(r#"{{"name": {nested}}}"#),
        ] {
            self.refuses(handler, ask.clone().body("application/json", body), 400).await;
        }
        self.refuses(handler, ask.clone().body("application/json", *b"{\"name\": \"\xff\"}"), 400).await;
        let five_megabytes = format!(r#"{{"name": "{}"}}"#, "x".repeat(5 << 20));
        self.refuses(handler, ask.clone().body("application/json", five_megabytes), 413).await;
        for unknown in ["PK", "username2", "followers", ""] {
            let answer = self.refuses(handler, ask.clone().json(&json!({ unknown: 1 })), 400).await;
            assert!(answer.fields().contains(&unknown), "{unknown}: {}", answer.body);
        }
    }

    /// Asserts what every list does: `limit` is 1–100, and a cursor is good for the list of the owner that it was made
    /// for, and for no other. The list at `uri` must have two entries or more.
    pub async fn refuses_bad_pages<F, A>(&self, handler: F, uri: &str)
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};

        for limit in ["0", "101", "-1", "x", "", "1.5", "99999999999999999999"] {
            self.refuses_field(handler, ask("GET", format!("{uri}?limit={limit}")).by("ben"), "limit").await;
        }
        let first = self.call(handler, ask("GET", format!("{uri}?limit=1")).by("ben")).await;
        let cursor = first.body["nextCursor"].as_str().expect("a second page");
        let good: Value = serde_json::from_slice(&BASE64.decode(cursor).unwrap()).unwrap();
        let mut bad = vec![String::new(), "x".to_owned(), BASE64.encode("{}"), BASE64.encode("null"), cursor[1..].to_owned()];
        for (part, other) in [("list", "another"), ("owner", "cara"), ("last", "#"), ("PK", "USER#ada")] {
            let mut cursor = good.clone();
            cursor[part] = json!(other);
            bad.push(BASE64.encode(cursor.to_string()));
        }
        for cursor in bad {
            self.refuses_field(handler, ask("GET", format!("{uri}?cursor={cursor}")).by("ben"), "cursor").await;
        }
    }

    /// All entries of the list at `uri`, one to a page. After each page `meanwhile` is given the fixture, to write.
    pub async fn pages<F, A>(&self, handler: F, uri: &str, list: &str, meanwhile: impl AsyncFn(&Self)) -> Vec<Value>
    where
        F: Fn(Table, Request) -> A + Copy,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let mut entries = vec![];
        let mut cursor = String::new();
        loop {
            let page = self.call(handler, ask("GET", format!("{uri}?limit=1{cursor}")).by("ben")).await;
            assert_eq!(page.status, 200, "{}", page.body);
            let of_page = page.body[list].as_array().unwrap_or_else(|| panic!("no {list} in {}", page.body));
            assert!(of_page.len() <= 1, "{}", page.body);
            entries.extend(of_page.iter().cloned());
            match page.body["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return entries,
            }
            meanwhile(self).await;
        }
    }
}

async fn client(engine: &Engine, http: SharedHttpClient) -> Client {
    let config = aws_config::defaults(BehaviorVersion::latest())
        .region(Region::from_static("eu-west-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .endpoint_url(engine.endpoint());
    shared::function::client(config, http).await
}

/// A user to put on the stage.
#[must_use]
pub fn user(username: &str) -> Item {
    let username: Username = parse(username);
    let user = User {
        name: username.to_string(),
        email: None,
        birthdate: None,
        address: None,
        status: None,
        interests: vec![],
        pinned_image: None,
        followers: 0,
        following: 0,
        username,
    };
    item(Key::user(&user.username), &user).expect("an item")
}

/// A photo to put on the stage.
#[must_use]
pub fn photo(username: &str, timestamp: &str) -> Item {
    let photo = Photo {
        username: parse(username),
        timestamp: parse(timestamp),
        location: format!("s3://quick-photos/photos/{username}/{timestamp}.png"),
        reactions: ReactionType::ALL.iter().map(|&reaction| (reaction, 0)).collect(),
    };
    item(Key::photo(&photo.username, &photo.timestamp), &photo).expect("an item")
}

/// A reaction to put on the stage. It is not counted.
#[must_use]
pub fn reaction(reacting: &str, reaction: &str, username: &str, timestamp: &str) -> Item {
    let (username, photo): (Username, Timestamp) = (parse(username), parse(timestamp));
    let reaction = Reaction {
        reacting_user: parse(reacting),
        reaction_type: parse(reaction),
        photo: photo_sk(&username, &photo),
        timestamp: Timestamp::now(),
    };
    let key = Key::reaction(&reaction.reacting_user, reaction.reaction_type, &username, &photo);
    item(key, &reaction).expect("an item")
}

/// A friendship to put on the stage. It is not counted.
#[must_use]
pub fn friendship(followed: &str, following: &str) -> Item {
    let friendship = Friendship {
        followed_user: parse(followed),
        following_user: parse(following),
        timestamp: Timestamp::now(),
    };
    item(Key::friendship(&friendship.followed_user, &friendship.following_user), &friendship).expect("an item")
}

fn parse<T: FromStr<Err: Debug>>(text: &str) -> T {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}
