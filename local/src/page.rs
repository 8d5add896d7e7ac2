//! The page of the stack: the app, and what it asked of DynamoDB. `local/page` has its files.
//! Nothing of it is in a function or in a deployment.
//!
//! - [`assets`] serves the files.
//! - [`events`] sends what happens in the stack.
//! - [`tables`] shows the tables and indexes, by item and by partition. [`entities`] names their
//!   items.
//! - [`write`] changes an item.
//! - [`patterns`] says what the access patterns do and cost.
//! - [`users`] lists the users to sign in as.

mod answer;
mod assets;
mod context;
mod entities;
mod events;
mod patterns;
mod tables;
mod users;
mod write;

use std::sync::Arc;

use axum::response::Response;
use axum::{
    Router,
    routing::{get, post},
};
use tower_http::compression::CompressionLayer;

pub use self::context::Page;
pub(crate) use self::{context::cors_rule, events::Recorded};

/// Returns a router of the page and of its endpoints.
pub(crate) fn router(page: Arc<Page>) -> Router {
    Router::new()
        .route("/local/page/{*name}", get(assets::serve))
        .route("/local/events", get(events::stream))
        .route("/local/users", get(users::list))
        .route("/local/tables", get(tables::list))
        .route("/local/tables/{table}/rows", get(tables::rows))
        .route("/local/tables/{table}/items", get(tables::items))
        .route("/local/dynamodb", post(write::send))
        .route("/local/patterns", get(patterns::list))
        // It leaves the stream of events as it is.
        .layer(CompressionLayer::new())
        .with_state(page)
}

/// Returns the page itself.
pub(crate) fn index(page: &Page) -> Response {
    assets::file(page, "index.html")
}

#[cfg(test)]
mod tests {
    use dynoxide::Database;

    use crate::template::Template;
    use crate::{sample, services::dynamodb};

    /// Returns a database with the tables of the template and the sample data.
    pub(super) fn database() -> Database {
        let database = Database::memory().unwrap();
        let template = Template::read(&Template::find().unwrap()).unwrap();
        dynamodb::create_tables(&database, &template).unwrap();
        for table in &template.tables {
            dynamodb::import(&database, &table.name, sample::items(&table.logical_id, sample::TEST_START)).unwrap();
        }
        database
    }
}
