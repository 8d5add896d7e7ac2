//! The DynamoDB that a stack uses: the embedded engine, or another one.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use aws_sdk_dynamodb::Client;
use dynoxide::Database;
use shared::dynamodb::Item;

use super::external::ExternalDynamoDb;
use super::{Engine, public_endpoint};
use crate::activity::Activity;
use crate::dynamodb_proxy::Proxy;
use crate::lambda::runtime::Runtime;
use crate::listener::{self, Listener};
use crate::services::outbox::Outbox;
use crate::streams::Streams;
use crate::streams::remote::RemoteStreams;
use crate::streams::source::Store;
use crate::template::{Table, Template};

/// The DynamoDB of a stack.
pub(crate) enum Backend {
    /// The embedded engine, with its endpoint for tools.
    Embedded { engine: Engine, proxy: Proxy },
    /// Another engine, which the stack neither starts nor stops.
    External(ExternalDynamoDb),
}

impl Backend {
    /// Starts the embedded engine. Tools reach it on `listener`, by any name if `any_host` is set.
    pub(crate) fn embedded(listener: Listener, any_host: bool, data_dir: Option<&Path>) -> Result<Self> {
        let engine = Engine::start(listener::bind(Ipv4Addr::LOCALHOST.into(), 0)?, data_dir)?;
        let proxy = public_endpoint::start(listener, engine.endpoint(), any_host)?;
        Ok(Self::Embedded { engine, proxy })
    }

    /// Returns the endpoint URL for tools.
    pub(crate) fn url(&self) -> &str {
        match self {
            Self::Embedded { proxy, .. } => proxy.url(),
            Self::External(other) => other.url(),
        }
    }

    /// Returns the endpoint URL for functions.
    pub(crate) fn endpoint(&self) -> &str {
        match self {
            Self::Embedded { engine, .. } => engine.endpoint(),
            Self::External(other) => other.url(),
        }
    }

    /// Returns the database of the embedded engine.
    pub(crate) fn database(&self) -> Option<&Database> {
        match self {
            Self::Embedded { engine, .. } => Some(engine.database()),
            Self::External(_) => None,
        }
    }

    /// Returns the database of the embedded engine, or an error that says why there is none.
    pub(crate) fn embedded_database(&self) -> Result<&Database> {
        self.database().context("this needs the embedded DynamoDB, so it does not work with --dynamodb-endpoint")
    }

    /// Returns a client.
    pub(crate) fn client(&self) -> Client {
        match self {
            Self::Embedded { engine, .. } => super::client(engine.endpoint()),
            Self::External(other) => other.client(),
        }
    }

    /// Creates the tables that don't exist yet, and returns them.
    pub(crate) async fn create_tables<'a>(&self, template: &'a Template) -> Result<Vec<&'a Table>> {
        match self {
            Self::Embedded { engine, .. } => super::create_tables(engine.database(), template),
            Self::External(other) => other.create_tables(template).await,
        }
    }

    /// Deletes tables with their items.
    pub(crate) async fn delete_tables(&self, tables: &[&Table]) -> Result<()> {
        match self {
            Self::Embedded { engine, .. } => super::delete_tables(engine.database(), tables),
            Self::External(other) => other.delete_tables(tables).await,
        }
    }

    /// Writes items into a new table.
    pub(crate) async fn import(&self, table: &str, items: Vec<Item>) -> Result<()> {
        match self {
            Self::Embedded { engine, .. } => super::import(engine.database(), table, items),
            Self::External(other) => other.import(table, items).await,
        }
    }

    /// Returns whether a recorder can stand before the endpoint for functions.
    pub(crate) fn is_recordable(&self) -> bool {
        match self {
            Self::Embedded { .. } => true,
            Self::External(other) => other.is_recordable(),
        }
    }

    /// Returns the template with the credentials that functions need, in the variables of each
    /// function.
    pub(crate) fn credited(&self, template: &Template) -> Template {
        let mut template = template.clone();
        if let Self::External(other) = self {
            for function in &mut template.functions {
                function.environment.extend(other.variables());
            }
        }
        template
    }

    /// Starts the event source mappings. If another engine has no streams, stream functions get no
    /// records.
    pub(crate) async fn start_streams(
        &self,
        template: &Template,
        runtime: &Arc<Runtime>,
        outbox: &Arc<Outbox>,
        activity: &Arc<Activity>,
        data_dir: Option<&Path>,
    ) -> Result<Streams> {
        let store = match self {
            Self::Embedded { engine, .. } => Store::from(engine.database().clone()),
            Self::External(other) => {
                let mappings = template.functions.iter().flat_map(|function| &function.mappings);
                match RemoteStreams::open(other, mappings.map(|mapping| mapping.table.as_str()).collect()).await {
                    Ok(streams) => Store::Remote(Arc::new(streams)),
                    Err(error) => {
                        let message =
                            format!("no function gets stream records, because streams do not work: {error:#}");
                        terminal::log("streams", &message);
                        return Ok(Streams::default());
                    }
                }
            }
        };
        Streams::start(template, &store, runtime, outbox, activity, data_dir)
    }

    /// Stops the embedded engine.
    pub(crate) async fn shutdown(self) {
        if let Self::Embedded { engine, proxy } = self {
            drop(proxy);
            engine.shutdown().await;
        }
    }
}
