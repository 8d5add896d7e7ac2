//! What the tests of a function need: an engine of their own with the tables of template.yaml and the cast of
//! [`local::sample`], events as the gateway makes them, and a record of what DynamoDB was asked.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::{Duration, SystemTime};

use aws_config::Region;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider, SharedHttpClient};
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::{HeaderMap, header};
use lambda_http::http::request::Parts;
use lambda_runtime::Context;
use lambda_runtime::LambdaEvent;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::model::keys;
use shared::runtime::stream;
use shared::runtime::stream::Record;
use shared::values::DocumentFormat;
use shared::{Error, Request, Response, Table, document};
use time::OffsetDateTime;

use local::gateway::event;
use local::gateway::router::Router;
use local::net;
use local::sample;
use local::services::dynamodb;
use local::services::dynamodb::Engine;
use local::template::Template;

use crate::fault_injection::{Fault, Wire};
use crate::permissions::Permissions;

/// The stage on which one test plays.
pub struct Fixture {
    /// What a function is handed. Every request that goes through it is recorded.
    pub table: Table,
    function: &'static str,
    router: Router,
    wire: Wire,
    backstage: Client,
    engine: Engine,
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
pub struct TestRequest {
    pub(crate) method: &'static str,
    pub(crate) uri: String,
    pub(crate) caller: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// A request: `request("GET", "/users/ada").by("ben")`.
pub fn request(method: &'static str, uri: impl Into<String>) -> TestRequest {
    TestRequest {
        method,
        uri: uri.into(),
        caller: None,
        group: None,
        headers: vec![],
        content_type: None,
        body: vec![],
    }
}

impl TestRequest {
    /// With a token of this user.
    #[must_use]
    pub fn by(mut self, caller: &str) -> Self {
        self.caller = Some(caller.to_owned());
        self
    }

    /// With a token of a member of this group.
    #[must_use]
    pub fn of_group(mut self, group: &str) -> Self {
        self.group = Some(group.to_owned());
        self
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
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
    #[expect(
        clippy::unused_async,
        reason = "the engine needs a runtime to be spawned on, which only async callers have"
    )]
    pub async fn new(function: &'static str) -> Self {
        let path = Template::find().expect("template.yaml");
        let template = Template::read(&path).expect("template.yaml");
        let definition =
            template.functions.iter().find(|other| other.name == function).expect("function in template.yaml");
        let table = definition.environment["TABLE_NAME"].clone();

        let listener = net::bind(Ipv4Addr::LOCALHOST.into(), 0).expect("a free port");
        let engine = Engine::start(listener, None).expect("engine");
        dynamodb::create_tables(engine.database(), &template).expect("tables");

        let permissions = Permissions::of(definition);
        let wire = Wire::new(shared::runtime::https::from_environment().expect("client"), permissions);
        let fixture = Self {
            table: Table { client: client(&engine, SharedHttpClient::new(wire.clone())), name: table },
            function,
            router: Router::new(&template).expect("routes"),
            wire,
            backstage: client(&engine, shared::runtime::https::from_environment().expect("client")),
            engine,
        };
        for table in &template.tables {
            dynamodb::import(fixture.engine.database(), &table.name, sample::cast(&table.logical_id)).expect("import");
        }
        fixture
    }

    /// The table with this logical id, seen past the record.
    #[must_use]
    pub fn unrecorded_table(&self, logical_id: &str) -> Table {
        let template = Template::read(&Template::find().expect("template.yaml")).expect("template.yaml");
        let name = template.table(logical_id).expect("a table of template.yaml").name.clone();
        Table { client: self.backstage.clone(), name }
    }

    /// Puts an item on the stage, past the record.
    pub async fn put(&self, item: Item) {
        let put = self.backstage.put_item().table_name(&self.table.name).set_item(Some(item));
        put.send().await.expect("put");
    }

    /// Puts many items on the stage, past the record and the stream.
    pub fn put_all(&self, items: Vec<Item>) {
        dynamodb::import(self.engine.database(), &self.table.name, items).expect("import");
    }

    /// Takes an item off the stage, past the record.
    pub async fn delete(&self, key: impl Into<Item>) {
        let delete = self.backstage.delete_item().table_name(&self.table.name).set_key(Some(key.into()));
        delete.send().await.expect("delete");
    }

    /// An item as it is in the table, in plain JSON; `null` if it isn't there.
    pub async fn item(&self, key: impl Into<Item>) -> Value {
        let get = self.backstage.get_item().table_name(&self.table.name).set_key(Some(key.into()));
        let item = get.send().await.expect("get").item;
        item.map_or(Value::Null, |item| plain(&item))
    }

    /// Every item of the table, by its key, in plain JSON.
    pub async fn all_items(&self) -> BTreeMap<String, Value> {
        self.scan(&self.table.name).await
    }

    /// Every item of the table with this logical id.
    pub async fn all_items_of(&self, logical_id: &str) -> BTreeMap<String, Value> {
        self.scan(&self.unrecorded_table(logical_id).name).await
    }

    async fn scan(&self, table: &str) -> BTreeMap<String, Value> {
        let mut items = self.backstage.scan().table_name(table).into_paginator().items().send();
        let mut everything = BTreeMap::new();
        while let Some(item) = items.next().await {
            let item = plain(&item.expect("scan"));
            let keys = keys::all().filter_map(|name| item.get(name));
            let keys: Vec<String> =
                keys.map(|key| key.as_str().map_or_else(|| key.to_string(), str::to_owned)).collect();
            everything.insert(keys.join(" "), item);
        }
        everything
    }

    /// The operations that DynamoDB was asked for since the last look.
    #[must_use]
    pub fn operations(&self) -> Vec<String> {
        self.wire.take_record().into_iter().map(|asked| asked.operation).collect()
    }

    /// What befalls the next requests, one each.
    pub fn inject(&self, faults: impl IntoIterator<Item = Fault>) {
        self.wire.inject(faults);
    }

    /// Others put and delete these items (of the latter, the keys do) in the function's table when it has asked for so
    /// many things, just before it asks for the next.
    pub fn write_concurrently(&self, requests: usize, puts: Vec<Item>, deletes: Vec<Item>) {
        let (database, table) = (self.engine.database().clone(), self.table.name.clone());
        self.wire.write_concurrently(requests, move || {
            dynamodb::import(&database, &table, puts).expect("import");
            for mut item in deletes {
                item.retain(|name, _| keys::all().any(|key| key == name));
                let key: BTreeMap<_, _> = item
                    .iter()
                    .map(|(name, value)| {
                        (
                            name,
                            match value {
                                AttributeValue::N(number) => json!({"N": number}),
                                other => json!({"S": other.as_s().expect("a key")}),
                            },
                        )
                    })
                    .collect();
                let request = json!({"TableName": table, "Key": key});
                database.delete_item(serde_json::from_value(request).expect("a request")).expect("delete");
            }
        });
    }

    /// Nothing befalls any request any more.
    pub fn clear_faults(&self) {
        self.wire.clear_faults();
    }

    /// Hands the function the event that the gateway would make of the request.
    pub async fn call<F, A>(&self, handler: F, request: TestRequest) -> Answer
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let event = self.event(&request);
        let request = lambda_http::request::from_str(&event.to_string()).expect("the event is one of API Gateway's");
        self.respond(handler, request).await
    }

    /// The function's event of `events/`.
    #[must_use]
    pub fn sample_event(&self) -> Value {
        let template = Template::find().expect("template.yaml");
        let file = template.with_file_name(format!("events/{}.json", self.function));
        let event = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        serde_json::from_slice(&event).expect("the event is JSON")
    }

    /// Hands the function its event of `events/`.
    pub async fn call_with_sample_event<F, A>(&self, handler: F) -> Answer
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        let event = self.sample_event();
        let path = event["rawPath"].as_str().expect("rawPath");
        let method = event["requestContext"]["http"]["method"].as_str().expect("method");
        assert_eq!(self.router.resolve(method, path).expect("route").function, self.function);
        let request = lambda_http::request::from_str(&event.to_string()).expect("the event is one of API Gateway's");
        self.respond(handler, request).await
    }

    /// Hands a stream function a batch of records, and tells which of them failed.
    pub async fn deliver<F, A>(&self, handler: F, batch: Value) -> Vec<String>
    where
        F: Fn(Table, Record) -> A,
        A: Future<Output = Result<(), Error>>,
    {
        let deadline = SystemTime::now() + Duration::from_mins(5);
        let since_epoch = deadline.duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970");
        let mut context = Context::default();
        context.deadline = since_epoch.as_millis().try_into().expect("a time");
        let batch = serde_json::from_value(batch).expect("the batch is one of Lambda's");
        let failures = stream::respond(handler, &self.table, LambdaEvent::new(batch, context)).await;
        failures.batch_item_failures.into_iter().map(|failure| failure.item_identifier).collect()
    }

    async fn respond<F, A>(&self, handler: F, request: Request) -> Answer
    where
        F: Fn(Table, Request) -> A,
        A: Future<Output = Result<Response, Error>> + Send,
    {
        // On the heap, so that the futures of tests stay small, whatever the handler is.
        let Ok(response) = Box::pin(shared::runtime::function::respond(handler, self.table.clone(), request)).await;
        let (parts, body) = response.into_parts();
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).expect("a body is JSON") };
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    fn event(&self, request: &TestRequest) -> Value {
        let mut builder = axum::http::Request::builder()
            .method(request.method)
            .uri(&request.uri)
            .header(header::HOST, "localhost:3000");
        if let Some(content_type) = &request.content_type {
            builder = builder.header(header::CONTENT_TYPE, content_type);
        }
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        let (parts, ()): (Parts, ()) = builder.body(()).expect("a well-formed request").into_parts();
        let route = self.router.resolve(request.method, parts.uri.path()).expect("a route of template.yaml");
        assert_eq!(route.function, self.function, "{} {} is another function's", request.method, request.uri);
        let caller = request.caller.iter().map(|caller| ("username".to_owned(), caller.clone()));
        let group = request.group.iter().map(|group| ("cognito:groups".to_owned(), format!("[{group}]")));
        let claims = caller.chain(group).collect();
        event::build(&event::Call {
            route_key: route.route_key,
            path_parameters: &route.path_parameters,
            parts: &parts,
            body: &request.body,
            claims: &claims,
            source_ip: Ipv4Addr::LOCALHOST.into(),
            request_id: "test",
            time: OffsetDateTime::now_utc(),
        })
    }
}

fn plain(item: &Item) -> Value {
    let json = document::write(DocumentFormat::Json, item).expect("an item is JSON");
    serde_json::from_str(json.get()).expect("an item is JSON")
}

fn client(engine: &Engine, http: SharedHttpClient) -> Client {
    let config = shared::runtime::client::config(http)
        .into_builder()
        .region(Region::from_static("eu-west-1"))
        .credentials_provider(SharedCredentialsProvider::new(Credentials::new("test", "test", None, None, "test")))
        .endpoint_url(engine.endpoint());
    shared::runtime::client::dynamodb(&config.build())
}
