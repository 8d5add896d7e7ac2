//! HTTPS for the SDK: hyper and rustls, and of both only what a function needs.
//!
//! The SDK's own, [`aws_smithy_http_client`](https://docs.rs/aws-smithy-http-client), links HTTP/2, proxies and the
//! system's trust store as well, twice over, which makes 4.3 MB of a binary of 3.6. DynamoDB and SES speak HTTP/1.1.
//!
//! More than half of what a first request takes is the handshake. What was tried on it, in one run each by `measure --beside`,
//! as times of get-user's cold start:
//!
//! - aws-lc, the SDK's default, instead of ring: 8.4 times. It gathers entropy at its first use.
//! - The system's 142 roots besides Amazon's five: 1.2 times.
//! - A handshake before the first event, so that the first request finds a connection: 1.0 times, since it only moves. It
//!   gains where a function has its share of CPU from the first event on and not before, and uses it up: 0.5 times with 128 MB
//!   (`--memory`), and with the template's 256 MB 0.6 times for unclip-favorite, which asks three things, but 1.0 for those that
//!   ask one; from 512 MB on nothing. AWS promises no full CPU for the start-up, so it is not done.
//! - Names looked up on the one thread instead of another one: 0.97 times, not worth that a lookup which hangs would stop
//!   the clock of all timeouts.

use std::sync::Arc;

use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect;
use hyper_util::rt::TokioExecutor;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use aws_sdk_dynamodb::config::SharedHttpClient;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The [roots that AWS endpoints chain to](https://www.amazontrust.com/repository/), in PEM.
///
/// Should AWS go over to others, which it announces long before, no endpoint is trusted any more: each request fails, and
/// the log says `UnknownIssuer`. `SSL_CERT_FILE` mends that without a new build.
pub const AMAZON_ROOTS: &[u8] = include_bytes!("amazon-roots.pem");

/// [`client`] with the [`AMAZON_ROOTS`], or with those in the file that `SSL_CERT_FILE` names.
pub fn from_environment() -> Result<SharedHttpClient, Failure> {
    match std::env::var_os("SSL_CERT_FILE") {
        Some(file) => client(&std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?),
        None => client(AMAZON_ROOTS),
    }
}

/// A client that trusts the certificates in `roots`, in PEM, and what chains to them. No other server is talked to.
/// `http:` goes in the clear, which is for local endpoints.
///
/// It has no timeouts of its own: those of the SDK for an attempt are what bounds it.
pub fn client(roots: &[u8]) -> Result<SharedHttpClient, Failure> {
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(roots) {
        store.add(certificate?)?;
    }
    // aws-lc, which the SDK would take, gathers entropy for 32 ms at its first use.
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(store)
        .with_no_client_auth();
    let mut tcp = connect::HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(tcp);
    let connector = SharedHttpConnector::new(Hyper(Client::builder(TokioExecutor::new()).build(https)));
    Ok(http_client_fn(move |_, _| connector.clone()))
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
            // Whatever befalls a connection, the SDK may try again on another one: each write bears repetition.
            let answer = answer.await.map_err(|error| ConnectorError::io(error.into()))?;
            HttpResponse::try_from(answer.map(SdkBody::from_body_1_x))
                .map_err(|error| ConnectorError::other(error.into(), None))
        })
    }
}
