//! An HTTP client that denies the requests which template.yaml does not allow a function.

use aws_sdk_dynamodb::config::{HttpClient, RuntimeComponents, SharedHttpClient};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::http::StatusCode;
use serde_json::json;

use crate::permissions::Permissions;
use crate::recorded_request::RecordedRequest;

/// A client that passes on what the permissions allow.
#[derive(Debug)]
pub(crate) struct CheckedClient<T> {
    inner: T,
    permissions: Permissions,
}

impl CheckedClient<SharedHttpClient> {
    pub(crate) const fn new(inner: SharedHttpClient, permissions: Permissions) -> Self {
        Self { inner, permissions }
    }
}

impl HttpClient for CheckedClient<SharedHttpClient> {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(CheckedClient { inner, permissions: self.permissions.clone() })
    }
}

impl HttpConnector for CheckedClient<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let Some(missing) = self.permissions.missing(&RecordedRequest::new(&request)) else {
            return self.inner.call(request);
        };
        eprintln!("{missing}");
        let body = json!({"__type": "AccessDeniedException", "message": missing}).to_string();
        let mut answer = HttpResponse::new(StatusCode::try_from(403).expect("a status"), body.into());
        answer.headers_mut().insert("x-amzn-errortype", "AccessDeniedException");
        HttpConnectorFuture::ready(Ok(answer))
    }
}
