//! The routes of template.yaml.

use anyhow::Result;

use crate::template::cloudformation::{Document, Node, get};

/// A route of the HTTP API.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// The method in upper case.
    pub method: String,
    /// The path with its parameters in braces.
    pub path: String,
}

impl Route {
    /// Returns the route key of API Gateway, for example `GET /users/{username}`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Reads the route of an `HttpApi` event.
    pub(super) fn read(document: &Document, event: &Node) -> Result<Self> {
        let property = |name| {
            get(event, "Properties")
                .and_then(|all| get(all, name))
                .ok_or_else(|| document.error(event, format!("an HttpApi event needs a {name}")))
        };
        let method = document.text(property("Method")?)?.to_ascii_uppercase();
        let path = document.text(property("Path")?)?;
        let is_unsupported = method == "ANY" || path.contains('+') || !path.starts_with('/');
        if is_unsupported || get(event, "Properties").is_some_and(|all| get(all, "Auth").is_some()) {
            let message =
                "the local stack supports only routes with one method, plain parameters and the default authorizer";
            return Err(document.error(event, message));
        }
        Ok(Self { method, path })
    }
}
