//! The HTTPS client of the SDK: hyper and rustls, with only the features that a function needs.
//!
//! The default of the SDK, [`aws_smithy_http_client`](https://docs.rs/aws-smithy-http-client), also
//! links HTTP/2, proxies and the trust store of the system, all of it twice: a binary of 3.6 MB
//! grows to 4.3 MB. DynamoDB and SES support HTTP/1.1.
//!
//! The TLS handshake takes more than half of the time of a first request. `measure --beside`
//! measured these alternatives in one run each, as multiples of the time of a cold start of
//! get-user:
//!
//! - aws-lc, the default of the SDK, instead of ring: 8.4 times. It gathers entropy at its first
//!   use.
//! - The 142 roots of the system in addition to the five of Amazon: 1.2 times.
//! - A handshake before the first event, so that the first request finds a connection: 1.0 times,
//!   because the work only moves. It helps only if the CPU is throttled from the first event on and
//!   not before, and the function uses up its share: 0.5 times with 128 MB (`--memory`). With the
//!   256 MB of the template it is 0.6 times for unclip-favorite, which sends three requests, but
//!   1.0 times for functions that send one. From 512 MB on it gains nothing. AWS does not promise
//!   the full CPU during start-up, so this is not done.
//! - DNS lookups on the only thread instead of another one: 0.97 times. But a lookup that hangs
//!   would then stop the clock of all timeouts.

use std::sync::Arc;

use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use http_body_util::BodyExt;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect;
use hyper_util::rt::TokioExecutor;
use lambda_http::http::{HeaderMap, Response};
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use rustls::{ClientConfig, RootCertStore};

use aws_sdk_dynamodb::config::SharedHttpClient;

type StartupError = Box<dyn std::error::Error + Send + Sync>;

/// The [roots that AWS endpoints chain to](https://www.amazontrust.com/repository/), in DER. To
/// decode them from PEM took a tenth of the instructions of a cold start.
///
/// If AWS changes to other roots, which it announces long before, no endpoint is trusted: each
/// request fails, and the log shows `UnknownIssuer`. The environment variable `SSL_CERT_FILE`
/// repairs that without a new build.
const AMAZON_ROOTS: [&[u8]; 5] = [
    include_bytes!("amazon-roots/amazon-root-ca-1.der"),
    include_bytes!("amazon-roots/amazon-root-ca-2.der"),
    include_bytes!("amazon-roots/amazon-root-ca-3.der"),
    include_bytes!("amazon-roots/amazon-root-ca-4.der"),
    include_bytes!("amazon-roots/starfield-services-root-g2.der"),
];

/// Returns a client that trusts the roots of Amazon, or those in the PEM file that the environment
/// variable `SSL_CERT_FILE` names.
pub fn from_environment() -> Result<SharedHttpClient, StartupError> {
    match std::env::var_os("SSL_CERT_FILE") {
        Some(file) => client(&std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?),
        None => trusting(AMAZON_ROOTS.map(|root| Ok(root.into()))),
    }
}

/// Returns a client that trusts the root certificates in `roots`, in PEM, and no others. It does
/// not encrypt `http:` URLs, which local endpoints have.
///
/// It has no timeouts of its own. The SDK limits the time of an attempt.
pub fn client(roots: &[u8]) -> Result<SharedHttpClient, StartupError> {
    trusting(CertificateDer::pem_slice_iter(roots))
}

fn trusting<'a>(
    roots: impl IntoIterator<Item = Result<CertificateDer<'a>, pem::Error>>,
) -> Result<SharedHttpClient, StartupError> {
    let mut store = RootCertStore::empty();
    for root in roots {
        store.add(root?)?;
    }
    let connector = SharedHttpConnector::new(Hyper(Client::builder(TokioExecutor::new()).build(connector(store)?)));
    Ok(http_client_fn(move |_, _| connector.clone()))
}

/// Returns what connects to servers with a certificate of these roots, and to `http:` URLs.
pub fn connector(roots: RootCertStore) -> Result<HttpsConnector<connect::HttpConnector>, StartupError> {
    // aws-lc, the default of the SDK, gathers entropy for 32 ms at its first use.
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut tcp = connect::HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    Ok(HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(tcp))
}

#[derive(Debug)]
struct Hyper(Client<HttpsConnector<connect::HttpConnector>, SdkBody>);

impl HttpConnector for Hyper {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let request = match request.try_into_http1x() {
            Ok(request) => request,
            Err(error) => return HttpConnectorFuture::ready(Err(ConnectorError::user(error.into()))),
        };
        let answer = self.0.request(request);
        HttpConnectorFuture::new(async move {
            // The SDK may retry on a new connection after any connection error, because every write
            // is idempotent. The body is read here, so that an error in it is a connection error as
            // well.
            let (head, body) = answer.await.map_err(|error| ConnectorError::io(error.into()))?.into_parts();
            let body = body.collect().await.map_err(|error| ConnectorError::io(error.into()))?.to_bytes();
            check_crc32(&head.headers, &body)?;
            HttpResponse::try_from(Response::from_parts(head, SdkBody::from(body)))
                .map_err(|error| ConnectorError::other(error.into(), None))
        })
    }
}

/// Checks a body against the checksum that DynamoDB [sends with
/// it](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html).
/// SES sends none.
fn check_crc32(headers: &HeaderMap, body: &[u8]) -> Result<(), ConnectorError> {
    let Some(expected) = headers.get("x-amz-crc32").and_then(|value| value.to_str().ok()) else { return Ok(()) };
    let actual = crc32fast::hash(body).to_string();
    if actual == expected {
        return Ok(());
    }
    Err(ConnectorError::io(format!("the body has the checksum {actual} instead of {expected}").into()))
}

#[cfg(test)]
mod tests;
