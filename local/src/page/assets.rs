//! `/local/page/…`: the files of the page. They are part of the program. A debug build reads them from `local/page` of the
//! project instead, at each request, so that a change shows when the page is loaded again.

use std::fs;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::context::Page;
use crate::gateway::errors::error;

/// The folder of the files, in the project.
const FOLDER: &str = "local/page";

/// Returns a list of files with their contents.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../page/", $name)))),*]
    };
}

/// The names and the contents of all files.
const FILES: &[(&str, &[u8])] = files![
    "api.js",
    "app/app.js",
    "app/blurhash.js",
    "app/catalogue.js",
    "app/data.js",
    "app/document.js",
    "app/favorites.js",
    "app/feed.js",
    "app/friends.js",
    "app/parts.js",
    "app/photo.js",
    "app/picture.js",
    "app/profile.js",
    "app/sign-in.js",
    "app/tags.js",
    "app/upload.js",
    "index.html",
    "inspect/collection.js",
    "inspect/copy.js",
    "inspect/events.js",
    "inspect/parts.js",
    "inspect/patterns.js",
    "inspect/range.js",
    "inspect/requests.js",
    "inspect/tables.js",
    "inspect/trace.js",
    "inspect/values.js",
    "inspector.css",
    "inspector.js",
    "main.js",
    "style.css",
    "vendor/preact.js",
];

/// Answers with the file of this name.
pub(super) async fn serve(State(page): State<Arc<Page>>, Path(name): Path<String>) -> Response {
    file(&page, &name)
}

/// Returns a file, or 404.
pub(super) fn file(page: &Page, name: &str) -> Response {
    // Only known names are read, so no name leads out of the folder.
    let Some((_, embedded)) = FILES.iter().find(|(known, _)| *known == name) else {
        return error(StatusCode::NOT_FOUND, "Not Found", "the page has no such file");
    };
    let current = cfg!(debug_assertions).then(|| fs::read(page.root.join(FOLDER).join(name)).ok()).flatten();
    let content = current.map_or(Bytes::from_static(embedded), Bytes::from);
    (page.headers.clone(), [(header::CONTENT_TYPE, content_type(name))], content).into_response()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("page")
    }

    /// Returns the names of all files below a directory of the folder but tests and licences.
    fn names(directory: &Path) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names.extend(self::names(&path));
            } else if !path.to_str().unwrap().ends_with(".test.js") && path.file_name().unwrap() != "LICENSE" {
                names.insert(path.strip_prefix(folder()).unwrap().to_str().unwrap().to_owned());
            }
        }
        names
    }

    fn text(name: &str) -> String {
        fs::read_to_string(folder().join(name)).unwrap()
    }

    #[test]
    fn every_file_is_embedded() {
        let embedded: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(embedded, names(&folder()), "list every file of {FOLDER} in FILES, and no other");
    }

    #[test]
    fn the_page_has_no_inline_script_or_style() {
        let page = text("index.html").to_lowercase();
        assert!(!page.contains("<style") && !page.contains("style="), "the policy of the page ignores inline styles");
        for script in page.split("<script").skip(1) {
            let (tag, rest) = script.split_once('>').unwrap();
            assert!(tag.contains("src=") && rest.starts_with("</script>"), "<script{tag}>");
        }
        let attributes = page.split(|letter: char| letter.is_whitespace() || letter == '"');
        let handlers: Vec<_> = attributes.filter(|text| text.starts_with("on") && text.ends_with('=')).collect();
        assert!(handlers.is_empty(), "{handlers:?}");
    }

    /// Returns the addresses that a file loads: of its scripts, its style sheets and the modules that it imports.
    fn loads(name: &str) -> Vec<String> {
        let text = text(name);
        let markers: &[&str] = match name.rsplit('.').next() {
            Some("html") => &["src=\"", "href=\""],
            Some("js") => &[" from \"", "import \"", "import(\""],
            Some("css") => &["@import \"", "url(\""],
            _ => &[],
        };
        let after = |marker: &&str| {
            let parts: Vec<_> = text.split(*marker).skip(1).map(str::to_owned).collect();
            parts.into_iter().filter_map(|part| part.split_once('"').map(|(address, _)| address.to_owned()))
        };
        markers.iter().flat_map(after).collect()
    }

    #[test]
    fn everything_that_a_file_loads_is_a_file() {
        for (name, _) in FILES {
            let base = url::Url::parse(&format!("http://localhost/local/page/{name}")).unwrap();
            for address in loads(name) {
                // The page links to other endpoints of the stack too.
                let target = base.join(&address).unwrap();
                if target.scheme() == "data" {
                    continue;
                }
                if content_type(name).starts_with("text/html") && !target.path().starts_with("/local/page/") {
                    assert_eq!(target.host_str(), Some("localhost"), "{name} loads {address}");
                    continue;
                }
                let file = target.path().strip_prefix("/local/page/").unwrap_or_default();
                assert!(FILES.iter().any(|(known, _)| *known == file), "{name} loads {address}, which is no file");
            }
        }
    }

    #[test]
    fn a_file_has_its_type() {
        for (name, kind) in [
            ("index.html", "text/html; charset=utf-8"),
            ("app/a.js", "text/javascript; charset=utf-8"),
            ("style.css", "text/css; charset=utf-8"),
            ("vendor/LICENSE", "text/plain; charset=utf-8"),
        ] {
            assert_eq!(content_type(name), kind);
        }
    }
}
