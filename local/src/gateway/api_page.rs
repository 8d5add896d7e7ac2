//! The API page: `/local/docs` shows `docs/openapi.json` with
//! [Scalar](https://github.com/scalar/scalar), and sends requests to this stack. Scalar has new
//! releases each month, sends requests without a proxy, and needs neither `eval` nor another host
//! under the content security policy below. The others that were tried lack something: Redoc sends
//! no requests, and Stoplight Elements has no dark colors and faults that axe-core finds.
//!
//! `local/assets/scalar.js.gz` is `dist/browser/standalone.js` of the package
//! `@scalar/api-reference`, compressed by `gzip -9n`.

use std::{
    collections::BTreeMap,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{
    json,
    value::{RawValue, to_raw_value},
};
use tokio::fs;

use crate::gateway::errors::error;

/// Allows the page only what this stack serves. Scalar styles its elements inline.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns a router of the page, its scripts and what it shows. They are read from the project at
/// `root` at each request, so that a change shows when the page is loaded again.
pub(super) fn router(root: &Path) -> Router {
    let file = |path: &'static str, kind: &'static str| {
        get(move |State(root): State<Arc<PathBuf>>| async move {
            let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY)];
            let is_compressed = Path::new(path).extension().is_some_and(|extension| extension == "gz");
            let encoding = is_compressed.then_some([(header::CONTENT_ENCODING, "gzip")]);
            match fs::read(root.join(path)).await {
                Ok(content) => (headers, encoding, content).into_response(),
                Err(cause) => unreadable(path, &cause),
            }
        })
    };
    Router::new()
        .route("/local/docs", file("local/assets/docs.html", "text/html;charset=utf-8"))
        .route("/local/docs/docs.js", file("local/assets/docs.js", "text/javascript"))
        .route("/local/docs/scalar.js", file("local/assets/scalar.js.gz", "text/javascript"))
        .route("/local/docs/api.md", file("docs/api.md", "text/plain;charset=utf-8"))
        .route("/local/docs/problems.md", file("docs/problems.md", "text/plain;charset=utf-8"))
        .route("/local/openapi.json", get(openapi))
        .with_state(Arc::new(root.to_owned()))
}

/// Returns the `OpenAPI` document with the address at which the caller reached this stack as its
/// only server.
async fn openapi(State(root): State<Arc<PathBuf>>, headers: HeaderMap) -> Response {
    const FILE: &str = "docs/openapi.json";
    let text = match fs::read(root.join(FILE)).await {
        Ok(text) => text,
        Err(cause) => return unreadable(FILE, &cause),
    };
    // Raw values keep the order of the paths.
    let Ok(mut document) = serde_json::from_slice::<BTreeMap<String, Box<RawValue>>>(&text) else {
        let detail = format!("{FILE} is not a JSON object");
        return error(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error", &detail);
    };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    // Without a Host header, the address of the document itself.
    let server = host.map_or("/".to_owned(), |host| format!("http://{host}"));
    let servers = json!([{"url": server, "description": "The local stack"}]);
    document.insert("servers".to_owned(), to_raw_value(&servers).expect("JSON is JSON"));
    Json(document).into_response()
}

fn unreadable(file: &str, cause: &std::io::Error) -> Response {
    let detail = format!("cannot read {file}: {cause}");
    match cause.kind() {
        ErrorKind::NotFound => error(StatusCode::NOT_FOUND, "Not Found", &detail),
        _ => error(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error", &detail),
    }
}
