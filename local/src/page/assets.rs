//! `/local/page/…`: the files of the page. They are read from `local/page` at each request, so that
//! a change shows when the page is loaded again.

use std::path::{self, Component};
use std::{fs, sync::Arc};

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::context::Page;
use crate::gateway::errors::error;

/// The folder of the files, in the project.
const FOLDER: &str = "local/page";

/// Answers with the file of this name.
pub(super) async fn serve(State(page): State<Arc<Page>>, Path(name): Path<String>) -> Response {
    file(&page, &name)
}

/// Returns a file, or 404. No name leads out of the folder: another file may have no end.
pub(super) fn file(page: &Page, name: &str) -> Response {
    let is_inside = path::Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let content = is_inside.then(|| fs::read(page.root.join(FOLDER).join(name)).ok()).flatten();
    content.map_or_else(
        || error(StatusCode::NOT_FOUND, "Not Found", "the page has no such file"),
        |content| (page.headers.clone(), [(header::CONTENT_TYPE, content_type(name))], content).into_response(),
    )
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}
