//! The stack as a whole: starts its pieces in order, and ends them.

use std::{
    fs::File,
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use aws_sdk_dynamodb::{
    Client,
    config::{BehaviorVersion, Credentials, Region},
};
use shared::dynamodb::Item;
use tokio::{
    net::TcpListener,
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, timeout_at},
};

use crate::gateway::Gateway;
use crate::gateway::router::Router;
use crate::lambda::build;
use crate::lambda::runtime::{Endpoints, Runtime};
use crate::services::dynamodb;
use crate::services::dynamodb::Engine;
use crate::services::identity::Identity;
use crate::services::outbox::{Outbox, SES_PATH};
use crate::streams::Streams;
use crate::template::Template;
use crate::template::cloudformation::REGION;
use crate::{gateway, net, sample};
use ::load;
use load::Event;

/// What a stack is started with. The default is one for tests: any free ports, in memory, with the sample data.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port of the API; 0 is any free one.
    pub port: u16,
    /// The port of DynamoDB; 0 is any free one.
    pub dynamodb_port: u16,
    /// Where the tables are kept; in memory if nowhere.
    pub data_dir: Option<PathBuf>,
    /// Items to load instead of the sample data.
    pub items: Option<PathBuf>,
    /// Whether to build the functions, which otherwise must have been built.
    pub build: bool,
    /// Where the functions' binaries are, if not beside the running program.
    pub functions: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            dynamodb_port: 0,
            data_dir: None,
            items: None,
            build: false,
            functions: None,
        }
    }
}

/// A running stack.
pub struct Stack {
    api: String,
    gateway: Arc<Gateway>,
    engine: Engine,
    streams: Streams,
    table: String,
    stop: oneshot::Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Stack {
    /// Starts everything; returns when the API answers. A failure is one line.
    pub async fn start(options: Options) -> Result<Self, String> {
        let listener = listen(options.host, options.port, "--port")?;
        let dynamodb = listen(options.host, options.dynamodb_port, "--dynamodb-port")?;
        let path = Template::find()?;
        let template = Template::read(&path)?;
        let router = Router::new(&template)?;
        let table = template.table(sample::QUICK_PHOTOS)?.name.clone();
        if let Some(items) = &options.items {
            File::open(items).map_err(|error| format!("cannot read {}: {error}", items.display()))?;
        }
        let api = net::url(&listener).map_err(|error| error.to_string())?;
        let identity = Identity::new(&format!("{api}/local"))?;

        let engine = Engine::start(dynamodb, options.data_dir.as_deref())?;
        let built = async {
            match path.parent() {
                Some(root) if options.build => build::functions(root).await,
                _ => Ok(()),
            }
        };
        let ((), ()) = tokio::try_join!(built, fill(&engine, &template, &table, options.items.as_deref()))?;

        let endpoints = Endpoints { dynamodb: engine.endpoint().to_owned(), ses: format!("{api}{SES_PATH}") };
        let functions = options.functions.map_or_else(build::directory, Ok)?;
        let runtime = Arc::new(Runtime::new(&template, &functions, &endpoints));
        let outbox = Arc::new(Outbox::default());
        // Before the first request, so that none is missed.
        let streams = Streams::start(&template, engine.database(), &runtime, &outbox, options.data_dir.as_deref())?;
        let gateway = Arc::new(Gateway { router, runtime, identity, outbox });
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(gateway::serve(listener, gateway.clone(), async {
            let _ = stopped.await;
        }));
        Ok(Self { api, gateway, engine, streams, table, stop, server })
    }

    /// Where the API is: a URL without a slash at its end.
    #[must_use]
    pub fn api(&self) -> &str {
        &self.api
    }

    /// Where DynamoDB is.
    #[must_use]
    pub fn dynamodb(&self) -> &str {
        self.engine.endpoint()
    }

    /// A bearer token of this user.
    pub fn token(&self, username: &str) -> Result<String, String> {
        self.gateway.identity.token(username, &[])
    }

    /// A bearer token of this user as a member of a group.
    pub fn token_in(&self, username: &str, group: &str) -> Result<String, String> {
        self.gateway.identity.token(username, &[group.to_owned()])
    }

    /// A user to try things as: the sample's ada, or whoever is there instead.
    pub async fn somebody(&self) -> String {
        let scan = client(self.dynamodb()).scan().table_name(&self.table).limit(2000).send().await;
        let items = scan.map(|page| page.items.unwrap_or_default()).unwrap_or_default();
        // Only a user has followers.
        let users = items.iter().filter(|item| item.contains_key("followers"));
        let mut names = users.filter_map(|item| item.get("username")?.as_s().ok());
        let first = names.next().cloned().unwrap_or_else(|| "ada".to_owned());
        if names.any(|name| name == "ada") { "ada".to_owned() } else { first }
    }

    /// What functions have sent.
    #[must_use]
    pub fn outbox(&self) -> Arc<Outbox> {
        self.gateway.outbox.clone()
    }

    /// Writes items into the table with this logical id as if they had always been there: no stream tells of them.
    pub fn import(&self, table: &str, items: Vec<Item>) -> Result<(), String> {
        let template = Template::read(&Template::find()?)?;
        dynamodb::import(self.engine.database(), &template.table(table)?.name, items)
    }

    /// Returns when the functions on the tables' streams are through with all that was written before, and with what
    /// that brought about.
    pub async fn streams_idle(&self) {
        self.streams.idle().await;
    }

    /// Ends every function and every listener.
    pub async fn shutdown(self) {
        self.streams.shutdown().await;
        drop(self.stop);
        self.gateway.runtime.shutdown().await;
        // Who was waiting for a function reads that it is gone; who sends nothing is not waited for.
        let soon = Instant::now() + Duration::from_secs(1);
        let _ = timeout_at(soon, self.server).await;
        self.engine.shutdown().await;
    }
}

fn listen(host: IpAddr, port: u16, flag: &str) -> Result<TcpListener, String> {
    net::bind(host, port).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => format!("port {port} is in use; choose another one with {flag} N"),
        _ => format!("cannot listen on {host}, port {port} ({flag}): {error}"),
    })
}

/// Creates the tables and loads what belongs into them: items of a file into `table`, or the sample data into all.
async fn fill(engine: &Engine, template: &Template, table: &str, items: Option<&Path>) -> Result<(), String> {
    let created = dynamodb::create_tables(engine.database(), template)?;
    match items {
        Some(path) if !created => {
            // What was counted since would be overwritten by the file's counts.
            net::log("local", &format!("the tables are there already: {} is not loaded", path.display()));
            Ok(())
        }
        Some(path) => {
            let watch = |event: Event| {
                if let Event::BadLine { line, reason } = event {
                    net::log("local", &format!("{}:{line}: {reason}", path.display()));
                }
            };
            let loaded = load::file(&client(engine.endpoint()), table, path, watch).await;
            loaded.map(|_| ()).map_err(|error| error.to_string())
        }
        None if created => template
            .tables
            .iter()
            .try_for_each(|table| dynamodb::import(engine.database(), &table.name, sample::items(&table.logical_id))),
        None => Ok(()),
    }
}

/// A client of the DynamoDB of this machine at `endpoint`.
#[must_use]
pub fn client(endpoint: &str) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::new(REGION))
        .credentials_provider(Credentials::new("local", "local", None, None, "local"))
        .http_client(shared::runtime::https::client(b"").expect("no root is none to refuse"))
        .build();
    Client::from_conf(config)
}
