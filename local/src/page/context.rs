//! The state that the endpoints of the page share.

use std::path::PathBuf;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use dynoxide::Database;
use uuid::Uuid;

use crate::activity::Activity;
use crate::dynamodb_proxy::Upstream;
use crate::template::{CorsRule, Template};

/// The state of the page.
pub struct Page {
    /// The events of the stack.
    pub activity: Arc<Activity>,
    /// The database, whose tables the page can browse.
    pub(super) database: Database,
    /// The template of the stack.
    pub template: Template,
    /// The root of the project, which has the documents and the code.
    pub(super) root: PathBuf,
    /// The headers of every file.
    pub(super) headers: HeaderMap,
    /// The id of this run of the stack.
    pub(super) stack: String,
    /// The endpoint URL of DynamoDB.
    pub(super) dynamodb: String,
    /// DynamoDB behind the recorder, which publishes what the page writes.
    pub(super) recorded: Upstream,
    /// The endpoint URL of S3.
    pub(super) s3: String,
}

impl Page {
    /// Creates the page of a stack. `recorder` is the URL of the recorder of DynamoDB. `s3` is that
    /// of S3, at which the page uploads and shows pictures.
    #[must_use]
    pub fn new(
        activity: Arc<Activity>,
        database: Database,
        template: Template,
        root: PathBuf,
        dynamodb: &str,
        recorder: &str,
        s3: &str,
    ) -> Self {
        let headers = [
            (header::CONTENT_SECURITY_POLICY, content_security_policy(s3)),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
            (header::REFERRER_POLICY, "no-referrer".to_owned()),
            // A browser asks for each file again, so that a new build shows at once.
            (header::CACHE_CONTROL, "no-cache".to_owned()),
        ];
        let value = |(name, value): (HeaderName, String)| Some((name, HeaderValue::try_from(value).ok()?));
        let headers = headers.into_iter().filter_map(value).collect();
        Self {
            activity,
            database,
            template,
            root,
            headers,
            stack: Uuid::new_v4().to_string(),
            dynamodb: dynamodb.to_owned(),
            recorded: Upstream::new(recorder),
            s3: s3.to_owned(),
        }
    }
}

/// Returns the policy that allows the page nothing but this stack. S3 has two origins, because the
/// URLs that functions sign have `localhost` in place of 127.0.0.1.
fn content_security_policy(s3: &str) -> String {
    let s3 = format!("{s3} {}", s3.replace("127.0.0.1", "localhost"));
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: {s3}; \
         connect-src 'self' {s3}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Returns the rule that lets the page of this stack upload to a bucket. It has its own origin, by
/// either address or by name, and by any name if `any_host` is set.
pub(crate) fn cors_rule(api: &str, any_host: bool) -> CorsRule {
    let list = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let port = api.rsplit(':').next().unwrap_or_default();
    let hosts: &[&str] = if any_host { &["*"] } else { &["127.0.0.1", "localhost", "[::1]"] };
    CorsRule {
        allowed_methods: list(&["GET", "POST"]),
        allowed_origins: hosts.iter().map(|host| format!("http://{host}:{port}")).collect(),
        allowed_headers: list(&["*"]),
        exposed_headers: vec![],
        max_age: None,
    }
}
