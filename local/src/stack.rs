//! The stack as a whole: starts its parts in order, and stops them.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use aws_sdk_dynamodb::Client;
use dynoxide::Database;
use shared::document;
use shared::dynamodb::Item;
use tokio::{
    fs::read_to_string,
    sync::oneshot,
    task::{JoinHandle, JoinSet},
    time::timeout,
};

use crate::activity::{Activity, Writers};
use crate::data_dir::Lock;
use crate::dynamodb_proxy::Proxy;
use crate::gateway::Gateway;
use crate::gateway::router::Router;
use crate::lambda::event_queue::EventQueue;
use crate::lambda::message_queues::MessageQueues;
use crate::lambda::runtime::{Endpoints, Recording, Runtime};
use crate::lambda::{build, schedules};
use crate::listener::{self, Listener};
use crate::page::{Page, Recorded};
use crate::services::dynamodb::{self, Engine, public_endpoint};
use crate::services::identity::Identity;
use crate::services::live::Live;
use crate::services::outbox::Outbox;
use crate::services::push::Push;
use crate::services::s3::{Created, S3};
use crate::services::sqs::Sqs;
use crate::stack::data::{Objects, Prepared};
use crate::streams::Streams;
use crate::template::Template;
use crate::template::cloudformation::Parameters;
use crate::{data_dir, gateway, page, recorder, sample};

pub use crate::services::dynamodb::client;
pub use crate::stack::data::Data;

mod data;
#[cfg(test)]
mod tests;

/// The settings of a stack. The default is for tests: free ports, tables in memory, and the sample
/// data.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port of the HTTP API, where 0 means any free port.
    pub port: u16,
    /// The port of DynamoDB, where 0 means any free port.
    pub dynamodb_port: u16,
    /// The port of S3, where 0 means any free port.
    pub s3_port: u16,
    /// The directory that keeps the tables and the objects. Without it, they are gone when the
    /// stack stops.
    pub data_dir: Option<PathBuf>,
    /// The data of the tables, unless a data directory has them already.
    pub data: Data,
    /// Whether schedules start functions. In tests they do not, so that each test knows which functions run.
    pub schedules: bool,
    /// Whether to build the functions. If false, their binaries must exist.
    pub build: bool,
    /// The directory of the functions' binaries. The default is the directory of the running
    /// program.
    pub functions: Option<PathBuf>,
    /// The values of parameters of the template that do not have their defaults, by name.
    pub parameters: Parameters,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            dynamodb_port: 0,
            s3_port: 0,
            data_dir: None,
            data: Data::Sample,
            schedules: false,
            build: false,
            functions: None,
            parameters: Parameters::new(),
        }
    }
}

/// The time that a shutdown waits for open connections to the API.
const CONNECTIONS_TIMEOUT: Duration = Duration::from_secs(1);

/// A running stack.
pub struct Stack {
    api: String,
    gateway: Arc<Gateway>,
    engine: Engine,
    /// The endpoint of DynamoDB for tools.
    dynamodb: Proxy,
    recorder: Proxy,
    s3: S3,
    streams: Streams,
    /// The schedules, and the deletion of expired items.
    periodic: JoinSet<()>,
    messages: MessageQueues,
    table: String,
    stop: oneshot::Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
    /// The lock is the last field, so that it is released when everything else is closed.
    _data_dir: Option<Lock>,
}

impl Stack {
    /// Starts the stack. Returns when the API answers.
    pub async fn start(options: Options) -> Result<Self> {
        let lock = options.data_dir.as_deref().map(Lock::acquire).transpose()?;
        let path = Template::find()?;
        let mut template = Template::read_with(&path, options.parameters.clone())?;
        let router = Router::new(&template)?;
        let table = template.table(sample::QUICK_PHOTOS)?.name.clone();
        let [listener, dynamodb, s3] = listen(&options)?;
        if let Data::Items(items) = &options.data {
            let failed = || format!("cannot read {}", items.display());
            // A pipe has its content once, so it is opened only to be read.
            if fs::metadata(items).with_context(failed)?.is_file() {
                File::open(items).with_context(failed)?;
            }
        }
        let api = listener.url()?;
        let any_host = !options.host.is_loopback();
        for bucket in &mut template.buckets {
            bucket.cors.push(page::cors_rule(&api, any_host));
        }
        let identity = Arc::new(Identity::new(&format!("{api}/local"))?);

        let root = path.parent().map(Path::to_owned).unwrap_or_default();
        let built = async { if options.build { build::functions(&root).await } else { Ok(()) } };
        let ((), (engine, objects)) = tokio::try_join!(built, start_dynamodb(&options, &template, &table))?;
        let dynamodb = public_endpoint::start(dynamodb, engine.endpoint(), any_host)?;

        let endpoints = Endpoints { dynamodb: engine.endpoint().to_owned(), s3: s3.url()?, api: api.clone() };
        let functions = options.functions.map_or_else(build::directory, Ok)?;
        let activity = Arc::new(Activity::new(Writers::new(&template.tables)));
        let recorder = recorder::start(engine.endpoint(), Recorded(activity.clone())).context("cannot record")?;
        let recording = Recording { activity: activity.clone(), dynamodb: recorder.url().to_owned() };
        let runtime = Arc::new(Runtime::new(&template, &functions, &endpoints, &recording));
        let outbox = Arc::new(Outbox::default());
        let push = Arc::new(Push::new(&api));
        let live = Arc::new(Live::new(activity.clone()));
        let events = EventQueue::new(&template, runtime.invoker(), outbox.clone());
        // The streams start before the first request, so that they miss no record.
        let data_dir = options.data_dir.as_deref();
        let messages = MessageQueues::new(&template, runtime.invoker(), outbox.clone(), data_dir)?;
        let queues = Sqs::new(&template, outbox.clone(), messages.clone());
        let streams = Streams::start(&template, engine.database(), &runtime.invoker(), &outbox, &activity, data_dir)?;
        let s3 = start_s3(s3, &template, &events, data_dir).await?;
        s3.publish(activity.clone());
        // No function gets an event of them.
        s3.import(&template.bucket(sample::PHOTOS_BUCKET)?.name, objects).await?;
        data_dir.map_or(Ok(()), data_dir::finish)?;
        let cors = template.cors.clone().map(Arc::new);
        let database = engine.database().clone();
        let mut periodic = if options.schedules { schedules::start(&template, &events) } else { JoinSet::new() };
        periodic.spawn(dynamodb::sweep_expired_items(database.clone()));
        let page = Page::new(activity, database, template, root.clone(), dynamodb.url(), recorder.url(), s3.endpoint());
        let page = Arc::new(page);
        let endpoints = Endpoints { dynamodb: dynamodb.url().to_owned(), ..endpoints };
        let gateway = Arc::new(Gateway {
            router,
            runtime,
            events,
            identity,
            outbox,
            push,
            live,
            queues,
            cors,
            root,
            page,
            endpoints,
            any_host,
        });
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(gateway::serve(listener, gateway.clone(), async {
            let _ = stopped.await;
        }));
        Ok(Self {
            api,
            gateway,
            engine,
            dynamodb,
            recorder,
            s3,
            streams,
            periodic,
            messages,
            table,
            stop,
            server,
            _data_dir: lock,
        })
    }

    /// Returns the URL of the HTTP API, without a slash at its end.
    #[must_use]
    pub fn api(&self) -> &str {
        &self.api
    }

    /// Returns the endpoint URL of DynamoDB.
    #[must_use]
    pub fn dynamodb(&self) -> &str {
        self.dynamodb.url()
    }

    /// Returns S3, with the objects of all buckets.
    #[must_use]
    pub fn s3(&self) -> &S3 {
        &self.s3
    }

    /// Issues a bearer token to a user.
    pub fn token(&self, username: &str) -> Result<String> {
        Ok(self.gateway.identity.token(username, &[]))
    }

    /// Issues a bearer token to a user who is a member of a group.
    pub fn token_in(&self, username: &str, group: &str) -> Result<String> {
        Ok(self.gateway.identity.token(username, &[group.to_owned()]))
    }

    /// Returns a user for examples: ada if she exists, or else any user.
    pub async fn example_user(&self) -> String {
        let scan = client(self.engine.endpoint()).scan().table_name(&self.table).limit(2000).send().await;
        let items = scan.map(|page| page.items.unwrap_or_default()).unwrap_or_default();
        // Only user items have the attribute `followers`.
        let users = items.iter().filter(|item| item.contains_key("followers"));
        let mut names = users.filter_map(|item| item.get("username")?.as_s().ok());
        let first = names.next().cloned().unwrap_or_else(|| "ada".to_owned());
        if names.any(|name| name == "ada") { "ada".to_owned() } else { first }
    }

    /// Returns the e-mails and pushes to phones that functions have sent, and the messages about
    /// batches that were given up.
    #[must_use]
    pub fn outbox(&self) -> Arc<Outbox> {
        self.gateway.outbox.clone()
    }

    /// Returns the push service, with the messages that browsers got.
    #[must_use]
    pub fn push(&self) -> Arc<Push> {
        self.gateway.push.clone()
    }

    /// Returns the open connections of the WebSocket API.
    #[must_use]
    pub fn live(&self) -> Arc<Live> {
        self.gateway.live.clone()
    }

    /// Writes items into the table with this logical id. The stream of the table gets no records of
    /// this.
    pub fn import(&self, table: &str, items: Vec<Item>) -> Result<()> {
        let table = self.gateway.page.template.table(table)?;
        dynamodb::import(self.engine.database(), &table.name, items)
    }

    /// Waits until the functions that events start have processed all writes so far, in tables and
    /// in buckets, including the writes that these functions caused.
    pub async fn idle(&self) {
        let (events, messages) = (&self.gateway.events, &self.messages);
        loop {
            events.idle().await;
            messages.idle().await;
            let sent = (events.sent(), messages.sent());
            self.streams.idle().await;
            // Nothing was sent while the streams became idle, so all are idle at once.
            if (events.sent(), messages.sent()) == sent {
                return;
            }
        }
    }

    /// Deletes the expired items of all tables now. Otherwise they stay for up to 5 seconds.
    pub async fn delete_expired_items(&self) -> Result<()> {
        dynamodb::delete_expired_items(self.engine.database().clone()).await
    }

    /// Stops all functions and closes all listeners.
    pub async fn shutdown(mut self) {
        self.periodic.shutdown().await;
        self.gateway.page.activity.close();
        self.gateway.push.close();
        self.gateway.live.close();
        self.streams.shutdown().await;
        self.gateway.events.shutdown().await;
        self.messages.shutdown().await;
        drop(self.stop);
        self.gateway.runtime.shutdown().await;
        // Clients that wait for a function get an answer now. Idle connections are closed at the
        // timeout.
        let _ = timeout(CONNECTIONS_TIMEOUT, self.server).await;
        self.s3.shutdown().await;
        drop(self.recorder);
        drop(self.dynamodb);
        self.engine.shutdown().await;
    }
}

/// Listens on the ports of the API, DynamoDB and S3. An error names each port that fails, with the
/// flag by which the caller can choose another one.
fn listen(options: &Options) -> Result<[Listener; 3]> {
    let host = options.host;
    let ports = [("--port", options.port), ("--dynamodb-port", options.dynamodb_port), ("--s3-port", options.s3_port)];
    let mut problems = vec![];
    let listeners = ports.map(|(flag, port)| {
        let problem = |error: io::Error| match error.kind() {
            ErrorKind::AddrInUse => format!("port {port} is in use (choose another one with {flag} N)"),
            _ => format!("cannot listen on {host}, port {port} ({flag}): {error}"),
        };
        Listener::bind(host, port).map_err(|error| problems.push(problem(error))).ok()
    });
    match listeners {
        [Some(api), Some(dynamodb), Some(s3)] => Ok([api, dynamodb, s3]),
        _ => bail!("{}", problems.join(", ")),
    }
}

/// Serves the buckets of the template. Each object that is created is an event for the functions
/// that want it, and at the start each object that is there, because an earlier stack may have
/// stopped before a function had processed its event.
async fn start_s3(listener: Listener, template: &Template, events: &EventQueue, data_dir: Option<&Path>) -> Result<S3> {
    let (functions, events) = (template.functions.clone(), events.clone());
    let notify = move |created: &Created| {
        for function in &functions {
            let mut notifications = function.notifications.iter();
            if notifications.any(|notification| notification.matches(&created.bucket, &created.key)) {
                events.send(&function.name, created.notification(&function.name).to_string().into());
            }
        }
    };
    let s3 = S3::start(listener, &template.buckets, data_dir, notify.clone())?;
    for bucket in &template.buckets {
        s3.creations(&bucket.name).await?.iter().for_each(&notify);
    }
    Ok(s3)
}

/// Starts DynamoDB with its data. Returns the objects of the sample data that the tables have now, too.
async fn start_dynamodb(options: &Options, template: &Template, table: &str) -> Result<(Engine, Objects)> {
    let Options { data, data_dir, parameters, .. } = options;
    let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
    if matches!((data, data_dir), (Data::Sample | Data::Seed, None)) {
        let prepared = Prepared::recent(data, parameters, template)?;
        let engine = Engine::serve(listener, dynamodb::restore(&prepared.database)?)?;
        return Ok((engine, prepared.objects.clone()));
    }
    let engine = Engine::start(listener, data_dir.as_deref())?;
    let mut template = template.clone();
    template.tables.retain(|table| *data != Data::Empty || table.logical_id != sample::QUICK_PHOTOS);
    if let Some(directory) = data_dir {
        begin_anew(directory, engine.database(), &template)?;
    }
    let objects = fill(&engine, &template, table, data).await?;
    Ok((engine, objects))
}

/// Deletes what a stack that was interrupted has left in a data directory before all data was there. Notes which
/// tables are missing then.
fn begin_anew(directory: &Path, database: &Database, template: &Template) -> Result<()> {
    let unfinished = data_dir::unfinished(directory)?;
    let (left, kept): (Vec<String>, Vec<String>) =
        dynamodb::table_names(database)?.into_iter().partition(|name| unfinished.contains(name));
    left.iter().try_for_each(|name| dynamodb::delete_table(database, name))?;
    if kept.is_empty() && !unfinished.is_empty() {
        data_dir::delete_beside_tables(directory)?;
    }
    let names = template.tables.iter().map(|table| &table.name).filter(|name| !kept.contains(name));
    let missing: Vec<&str> = names.map(String::as_str).collect();
    if missing.is_empty() { data_dir::finish(directory) } else { data_dir::begin(directory, &missing) }
}

/// Creates the tables and fills them. A table that is there already keeps its items, and then the sample data goes
/// into none. Returns the objects of the sample data that the tables have now.
async fn fill(engine: &Engine, template: &Template, table: &str, data: &Data) -> Result<Objects> {
    let created = dynamodb::create_tables(engine.database(), template)?;
    match data {
        Data::Items(path) if created.iter().any(|created| created.name == table) => {
            load_items(&client(engine.endpoint()), table, path).await.map(|()| vec![])
        }
        Data::Items(path) => {
            // The file would overwrite counts that have changed since.
            terminal::log("local", &format!("{table} exists already, so {} is not loaded", path.display()));
            Ok(vec![])
        }
        Data::Sample | Data::Seed if created.len() == template.tables.len() => {
            data::import(data, engine.database(), template)
        }
        _ => Ok(vec![]),
    }
}

/// Puts the items of a file (JSON Lines) into a table, in their order.
async fn load_items(client: &Client, table: &str, path: &Path) -> Result<()> {
    let text = read_to_string(path).await.with_context(|| format!("cannot read {}", path.display()))?;
    let mut loaded = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start_matches('\u{feff}');
        if line.trim().is_empty() {
            continue;
        }
        let failed = || format!("{}:{number}", path.display());
        let item = document::read_line(line).with_context(failed)?;
        client.put_item().table_name(table).set_item(Some(item)).send().await.with_context(failed)?;
        loaded += 1;
    }
    ensure!(loaded > 0, "{} has no item", path.display());
    terminal::log("local", &format!("{}: items loaded: {loaded}", path.display()));
    Ok(())
}
