//! The test environment of one function.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use aws_config::{Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider, SharedHttpClient};
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::header;
use dynoxide::Database;
use local::gateway::router::Router;
use local::listener;
use local::sample;
use local::services::dynamodb::{self, Engine};
use local::services::s3::{self, Object, S3};
use local::template::Template;
use local::template::cloudformation::Parameters;
use serde_json::{Value, json};
use shared::dynamodb::{Item, key_attributes};
use shared::runtime::route::Service;
use shared::runtime::{client, https};
use shared::values::DocumentFormat;
use shared::{Process, Request, Route, StartError, Table, document};
use time::OffsetDateTime;

use crate::errors::Errors;
use crate::fault_injection::{Fault, FaultInjector};
use crate::gate::Gate;
use crate::gateway::event;
use crate::items::{LINKS_KEY, LINKS_URL, PICTURES_KEY, PICTURES_URL, VAPID_KEY};
use crate::permissions::Permissions;
use crate::test_request::{Answer, TestRequest};

mod events;

/// The start of a route or of another function, such as `GetUser::start`.
pub trait Start<F>: Fn(&Process) -> Result<F, StartError> + Copy {}

impl<F, S: Fn(&Process) -> Result<F, StartError> + Copy> Start<F> for S {}

/// The template and the data of fixtures with the same parameters of template.yaml.
struct Beginning {
    template: Template,
    /// The [`snapshot`](dynamodb::snapshot) of a database with the tables and the seed data.
    database: Vec<u8>,
}

impl Beginning {
    /// Returns the beginning with these values of parameters. A process makes it once, because it takes longer than
    /// most tests.
    fn with(parameters: Parameters) -> Arc<Self> {
        static MADE: Mutex<BTreeMap<Parameters, Arc<Beginning>>> = Mutex::new(BTreeMap::new());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let beginning = made.entry(parameters).or_insert_with_key(|parameters| {
            let path = Template::find().expect("template.yaml");
            Self::of(Template::read_with(&path, parameters.clone()).expect("template.yaml"))
        });
        Arc::clone(beginning)
    }

    fn of(template: Template) -> Arc<Self> {
        let database = dynamodb::in_memory().expect("a database");
        dynamodb::create_tables(&database, &template).expect("tables");
        for table in &template.tables {
            dynamodb::import(&database, &table.name, sample::seed(&table.logical_id)).expect("import");
        }
        let database = dynamodb::snapshot(&database).expect("a snapshot");
        Arc::new(Self { template, database })
    }
}

/// The test environment of one function: an engine with the tables of template.yaml, seed data,
/// fault injection, and a record of the requests that the function sends to DynamoDB and S3.
pub struct Fixture {
    /// The table that the function gets. Its client records requests and injects faults.
    pub table: Table,
    function: &'static str,
    beginning: Arc<Beginning>,
    router: Router,
    permissions: Permissions,
    errors: Errors,
    /// The configurations of clients of other services.
    services: Mutex<BTreeMap<&'static str, SdkConfig>>,
    injector: FaultInjector,
    unrecorded: Client,
    engine: Engine,
    /// S3, if the function uses it.
    s3: Option<S3>,
}

impl Fixture {
    /// Returns a test environment for `function`, with the seed data in the tables.
    pub async fn new(function: &'static str) -> Self {
        Self::with_parameters(function, &[]).await
    }

    /// Returns a test environment like [`Fixture::new`], with these values of parameters of
    /// template.yaml.
    #[expect(
        clippy::unused_async,
        reason = "the engine needs a runtime to be spawned on, which only async callers have"
    )]
    pub async fn with_parameters(function: &'static str, parameters: &[(&str, &str)]) -> Self {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self::with_beginning(Beginning::with(parameters), function)
    }

    /// Returns a test environment like [`Fixture::new`] for a function that uses S3, with the
    /// buckets of template.yaml. They are empty, and the objects that are put into them start no
    /// function.
    ///
    /// It is a function of its own so that the tests of all other functions do not link S3.
    pub async fn with_s3(function: &'static str) -> Self {
        Self::new(function).await.start_s3()
    }

    fn start_s3(mut self) -> Self {
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).expect("a free port");
        self.s3 = Some(S3::start(listener, &self.beginning.template.buckets, None, |_| {}).expect("S3"));
        self
    }

    fn with_beginning(beginning: Arc<Beginning>, function: &'static str) -> Self {
        let template = &beginning.template;
        let definition = template.functions.iter().find(|other| other.name == function).unwrap_or_else(|| {
            panic!("no template has the function {function}: add a block with `CodeUri: ../../target/lambda/{function}/` to that of its noun")
        });
        let table = definition.environment.get("TABLE_NAME").cloned().unwrap_or_else(|| {
            panic!("template.yaml gives {function} no TABLE_NAME: add it to the function's Environment.Variables")
        });

        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).expect("a free port");
        let database = dynamodb::restore(&beginning.database).expect("a database");
        let engine = Engine::serve(listener, database).expect("engine");

        let permissions = Permissions::new(definition);
        let http = || https::from_environment().expect("client");
        let injector = FaultInjector::new(http(), permissions.clone());
        let client = |http| client::dynamodb(&sdk_config(http, engine.endpoint()));
        Self {
            table: Table { client: client(SharedHttpClient::new(injector.clone())), name: table },
            function,
            router: Router::new(template).expect("routes"),
            beginning,
            permissions,
            errors: Errors::new(function),
            services: Mutex::default(),
            injector,
            unrecorded: client(http()),
            engine,
            s3: None,
        }
    }

    /// Returns the table with this logical id of template.yaml. Its client neither records requests
    /// nor injects faults.
    #[must_use]
    pub fn unrecorded_table(&self, logical_id: &str) -> Table {
        let name = self.beginning.template.table(logical_id).expect("a table of template.yaml").name.clone();
        Table { client: self.unrecorded.clone(), name }
    }

    /// Returns a process like [`Fixture::process`], whose requests to DynamoDB wait at a gate. They
    /// are not recorded, and no permission is checked, so they may be those of another function.
    #[must_use]
    pub fn gated_process(&self) -> (Process, Gate) {
        let (http, gate) = Gate::in_front_of(https::from_environment().expect("client"));
        (self.process_with(client::dynamodb(&sdk_config(http, self.engine.endpoint()))), gate)
    }

    /// Returns the configuration of a client of another service at this endpoint, such as SQS or
    /// SES. A request that template.yaml does not allow the function is denied.
    #[must_use]
    pub fn config(&self, endpoint: &str) -> SdkConfig {
        let http = https::from_environment().expect("client");
        sdk_config(SharedHttpClient::new(FaultInjector::new(http, self.permissions.clone())), endpoint)
    }

    /// Returns an S3 client that the function gets. It records requests and injects faults in one
    /// sequence with those to DynamoDB.
    #[must_use]
    pub fn s3(&self) -> aws_sdk_s3::Client {
        aws_sdk_s3::Client::new(&self.s3_config())
    }

    fn s3_config(&self) -> SdkConfig {
        sdk_config(SharedHttpClient::new(self.injector.clone()), self.objects_of_s3().endpoint())
    }

    fn objects_of_s3(&self) -> &S3 {
        self.s3.as_ref().expect("S3: make the fixture with Fixture::with_s3")
    }

    /// Returns the name of the only bucket of template.yaml.
    #[must_use]
    pub fn bucket(&self) -> &str {
        match &self.beginning.template.buckets[..] {
            [bucket] => &bucket.name,
            other => panic!("template.yaml has {} buckets", other.len()),
        }
    }

    /// Puts an object into the bucket without recording it.
    pub async fn put_object(&self, key: &str, object: Object) {
        self.objects_of_s3().import(self.bucket(), vec![(key.to_owned(), object)]).await.expect("put object");
    }

    /// Returns the objects of the bucket by key.
    pub async fn objects(&self) -> BTreeMap<String, Object> {
        self.objects_of_s3().objects(self.bucket()).await.expect("objects")
    }

    /// Deletes the expired items of all tables, as DynamoDB does.
    pub async fn delete_expired_items(&self) {
        dynamodb::delete_expired_items(self.engine.database().clone()).await.expect("delete expired items");
    }

    /// Puts an item into the function's table without recording it.
    pub async fn put(&self, item: Item) {
        let put = self.unrecorded.put_item().table_name(&self.table.name).set_item(Some(item));
        put.send().await.expect("put");
    }

    /// Puts an item into the table with this logical id without recording it.
    pub async fn put_in(&self, logical_id: &str, item: Item) {
        let table = self.unrecorded_table(logical_id);
        table.client.put_item().table_name(table.name).set_item(Some(item)).send().await.expect("put");
    }

    /// Puts items into the function's table without recording them and without stream records.
    pub fn put_all(&self, items: Vec<Item>) {
        dynamodb::import(self.engine.database(), &self.table.name, items).expect("import");
    }

    /// Sets the time to live (`ttl`) of an item, in seconds since 1970, without recording it. The
    /// table has this logical id.
    pub async fn set_ttl(&self, logical_id: &str, key: impl Into<Item>, seconds: u64) {
        let table = self.unrecorded_table(logical_id);
        let update = table.client.update_item().table_name(table.name).set_key(Some(key.into()));
        let update = update.update_expression("SET #ttl = :ttl").expression_attribute_names("#ttl", "ttl");
        let update = update.expression_attribute_values(":ttl", AttributeValue::N(seconds.to_string()));
        update.send().await.expect("set the time to live");
    }

    /// Deletes an item of the function's table without recording it.
    pub async fn delete(&self, key: impl Into<Item>) {
        let delete = self.unrecorded.delete_item().table_name(&self.table.name).set_key(Some(key.into()));
        delete.send().await.expect("delete");
    }

    /// Returns an item of the function's table as plain JSON, or `null` if it does not exist.
    pub async fn item(&self, key: impl Into<Item>) -> Value {
        let get = self.unrecorded.get_item().table_name(&self.table.name).set_key(Some(key.into()));
        let item = get.send().await.expect("get").item;
        item.map_or(Value::Null, |item| plain(&item))
    }

    /// Returns all items of the function's table as plain JSON. The key of the map is the item's
    /// key, `<pk> <sk>`.
    pub async fn all_items(&self) -> BTreeMap<String, Value> {
        self.scan(&self.table.name).await
    }

    /// Returns all items of the table with this logical id, as [`Fixture::all_items`] does.
    pub async fn all_items_of(&self, logical_id: &str) -> BTreeMap<String, Value> {
        self.scan(&self.unrecorded_table(logical_id).name).await
    }

    async fn scan(&self, table: &str) -> BTreeMap<String, Value> {
        let mut items = self.unrecorded.scan().table_name(table).into_paginator().items().send();
        let mut everything = BTreeMap::new();
        while let Some(item) = items.next().await {
            let item = plain(&item.expect("scan"));
            let keys = key_attributes::all().filter_map(|name| item.get(name));
            let keys: Vec<String> =
                keys.map(|key| key.as_str().map_or_else(|| key.to_string(), str::to_owned)).collect();
            everything.insert(keys.join(" "), item);
        }
        everything
    }

    /// Returns the operations that the function requested since the last call, for example
    /// `["GetItem"]`.
    #[must_use]
    pub fn operations(&self) -> Vec<String> {
        self.injector.take_record().into_iter().map(|request| request.operation).collect()
    }

    /// Injects one fault into each of the next requests.
    pub fn inject(&self, faults: impl IntoIterator<Item = Fault>) {
        self.injector.inject(faults);
    }

    /// Puts and deletes items in the function's table, as a concurrent writer would: after the
    /// function has sent `requests` requests, just before it sends the next one. Of the items to
    /// delete, only the keys count.
    pub fn write_concurrently(&self, requests: usize, puts: Vec<Item>, deletes: Vec<Item>) {
        let (database, table) = (self.engine.database().clone(), self.table.name.clone());
        self.injector.write_concurrently(requests, move || {
            dynamodb::import(&database, &table, puts).expect("import");
            for item in deletes {
                delete_now(&database, &table, item);
            }
        });
    }

    /// Puts an item into the table with this logical id, as a concurrent writer would: after the
    /// function has sent `requests` requests, just before it sends the next one.
    pub fn put_concurrently(&self, requests: usize, logical_id: &str, item: Item) {
        let database = self.engine.database().clone();
        let table = self.unrecorded_table(logical_id).name;
        self.injector.write_concurrently(requests, move || {
            dynamodb::import(&database, &table, vec![item]).expect("import");
        });
    }

    /// Deletes an item of the table with this logical id, as a concurrent writer would: after the
    /// function has sent `requests` requests, just before it sends the next one.
    pub fn delete_concurrently(&self, requests: usize, logical_id: &str, key: impl Into<Item>) {
        let (database, key) = (self.engine.database().clone(), key.into());
        let table = self.unrecorded_table(logical_id).name;
        self.injector.write_concurrently(requests, move || delete_now(&database, &table, key));
    }

    /// Updates an item of the function's table, as a concurrent writer would: after the function
    /// has sent `requests` requests, just before it sends the next one. `update` is the JSON of an
    /// `UpdateItem` without its table.
    pub fn update_concurrently(&self, requests: usize, mut update: Value) {
        let database = self.engine.database().clone();
        update["TableName"] = json!(self.table.name);
        self.injector.write_concurrently(requests, move || {
            database.update_item(serde_json::from_value(update).expect("a request")).expect("update");
        });
    }

    /// Removes the faults that are still queued.
    pub fn clear_faults(&self) {
        self.injector.clear_faults();
    }

    /// Returns what the function finds when it starts: the environment that template.yaml gives it,
    /// and clients that record requests, inject faults and check permissions.
    #[must_use]
    pub fn process(&self) -> Process {
        self.process_with(self.table.client.clone())
    }

    fn process_with(&self, dynamodb: Client) -> Process {
        let function =
            self.beginning.template.functions.iter().find(|other| other.name == self.function).expect("the function");
        let mut variables = function.environment.clone();
        // What Lambda sets.
        let set = [("AWS_ACCESS_KEY_ID", s3::KEY), ("AWS_SECRET_ACCESS_KEY", s3::KEY), ("AWS_REGION", "eu-west-1")];
        variables.extend(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
        for (name, value) in [
            ("PICTURES_URL", PICTURES_URL),
            ("PICTURES_KEY", PICTURES_KEY),
            ("LINKS_URL", LINKS_URL),
            ("LINKS_KEY", LINKS_KEY),
            ("VAPID_KEY", VAPID_KEY),
        ] {
            variables.entry(name.to_owned()).and_modify(|of_template| value.clone_into(of_template));
        }
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if self.s3.is_some() {
            services.insert("S3", self.s3_config());
        }
        Process::new(variables, dynamodb, move |service| {
            services.get(service).cloned().ok_or_else(|| format!("connect the fixture with {service}").into())
        })
    }

    /// Has the function find another service, such as `SES`, at this endpoint. A request that
    /// template.yaml does not allow the function is denied.
    pub fn connect(&self, service: &'static str, endpoint: &str) {
        let config = self.config(endpoint);
        self.services.lock().unwrap_or_else(PoisonError::into_inner).insert(service, config);
    }

    /// Starts the route, for requests that go to the same process.
    pub fn service<R: Route>(&self, start: impl Start<R>) -> Service<R> {
        assert_eq!(R::NAME, self.function, "the fixture is one of another function");
        Service::with(&self.process(), start).expect("the function starts")
    }

    /// Sends a request to a route that has started.
    pub async fn send<R: Route>(&self, service: &Service<R>, request: TestRequest) -> Answer {
        let event = self.event(&request);
        let request = lambda_http::request::from_str(&event.to_string()).expect("the event is one of API Gateway's");
        self.respond(service, request).await
    }

    /// Starts the route, and sends it the event that API Gateway would build from the request.
    pub async fn call<R: Route>(&self, start: impl Start<R>, request: TestRequest) -> Answer {
        let event = self.event(&request);
        let request = lambda_http::request::from_str(&event.to_string()).expect("the event is one of API Gateway's");
        self.respond(&self.service(start), request).await
    }

    /// Returns the function's sample event, `events/<function>.json`.
    #[must_use]
    pub fn sample_event(&self) -> Value {
        let template = Template::find().expect("template.yaml");
        let file = template.with_file_name(format!("events/{}.json", self.function));
        let event = std::fs::read(&file)
            .unwrap_or_else(|error| panic!("add {}, a sample event of the function: {error}", file.display()));
        serde_json::from_slice(&event).expect("the event is JSON")
    }

    /// Calls the function with its sample event.
    pub async fn call_with_sample_event<R: Route>(&self, start: impl Start<R>) -> Answer {
        let event = self.sample_event();
        let path = event["rawPath"].as_str().expect("rawPath");
        let method = event["requestContext"]["http"]["method"].as_str().expect("method");
        assert_eq!(self.router.resolve(method, path).expect("route").function, self.function);
        let request = lambda_http::request::from_str(&event.to_string()).expect("the event is one of API Gateway's");
        self.respond(&self.service(start), request).await
    }

    async fn respond<R: Route>(&self, service: &Service<R>, request: Request) -> Answer {
        // Boxed to keep the futures of tests small.
        let Ok(response) = Box::pin(service.respond(request)).await;
        let (parts, body) = response.into_parts();
        let is_page = parts.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/html; charset=utf-8");
        let body = match &body[..] {
            [] => Value::Null,
            page if is_page => Value::String(String::from_utf8(page.to_vec()).expect("a page in UTF-8")),
            json => serde_json::from_slice(json).expect("a body is JSON or a page"),
        };
        let is_stored = parts.headers.get(header::CACHE_CONTROL).is_none_or(|control| control != "no-store");
        assert!(!(is_stored && has_private_field(&body)), "nobody may keep {body}");
        assert_eq!(parts.headers.len(), parts.headers.keys_len(), "API Gateway takes one value of each header");
        let answer = Answer { status: parts.status.as_u16(), headers: parts.headers, body };
        self.errors.check::<R>(&answer);
        answer
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
        let caller = request.caller.iter().map(|caller| ("username".to_owned(), caller.clone()));
        let group = request.group.iter().map(|group| ("cognito:groups".to_owned(), format!("[{group}]")));
        let account = request.account.iter().map(|account| ("sub".to_owned(), account.clone()));
        let claims = caller.chain(account).chain(group).collect();
        let sent = builder.body(request.body.clone()).expect("a well-formed request");
        let (function, event) = event(&self.router, sent, &claims, OffsetDateTime::now_utc()).expect("a route");
        assert_eq!(function, self.function, "{} {} belongs to another function", request.method, request.uri);
        event
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.permissions.write_used();
        self.errors.write();
    }
}

/// The fields of a user that nobody else sees.
const PRIVATE_FIELDS: [&str; 7] =
    ["email", "birthdate", "address", "pushOff", "quietHours", "lockScreen", "sensitivePhotos"];

/// Returns whether a body has a field of a user that nobody else sees.
fn has_private_field(body: &Value) -> bool {
    match body {
        Value::Object(fields) => {
            PRIVATE_FIELDS.iter().any(|name| fields.contains_key(*name)) || fields.values().any(has_private_field)
        }
        Value::Array(values) => values.iter().any(has_private_field),
        _ => false,
    }
}

/// Deletes an item. Of the attributes, only the key counts.
fn delete_now(database: &Database, table: &str, mut item: Item) {
    item.retain(|name, _| key_attributes::all().any(|key| key == name));
    let value = |value: AttributeValue| match value {
        AttributeValue::N(number) => json!({"N": number}),
        other => json!({"S": other.as_s().expect("a key")}),
    };
    let key: BTreeMap<_, _> = item.into_iter().map(|(name, key)| (name, value(key))).collect();
    let request = json!({"TableName": table, "Key": key});
    database.delete_item(serde_json::from_value(request).expect("a request")).expect("delete");
}

fn plain(item: &Item) -> Value {
    let json = document::write(DocumentFormat::Json, item).expect("an item is JSON");
    serde_json::from_str(json.get()).expect("an item is JSON")
}

/// Returns the configuration of a client that sends its requests to this endpoint.
#[must_use]
pub fn sdk_config(http: SharedHttpClient, endpoint: &str) -> SdkConfig {
    let credentials = Credentials::new(s3::KEY, s3::KEY, None, None, "test");
    client::config(http)
        .into_builder()
        .region(Region::from_static("eu-west-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .endpoint_url(endpoint)
        .build()
}

#[cfg(test)]
mod tests;
