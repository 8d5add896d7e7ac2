//! A TLS proxy in front of the local DynamoDB. On AWS the first request of a cold start includes a
//! TLS handshake, so a cold start over plain HTTP would look faster than it is.
//!
//! The certificates have P-256 keys. Checking their signatures takes more CPU time than with the
//! RSA keys of AWS, and signing takes less.

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use local::listener;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::NamedTempFile;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

#[cfg(test)]
mod tests;

/// An HTTPS endpoint of DynamoDB.
pub(crate) struct Endpoint {
    pub(crate) url: String,
    /// A PEM file with the root certificate of the endpoint.
    pub(crate) roots: PathBuf,
}

/// A proxy that accepts TLS connections and forwards their bytes to a plain HTTP server. It stops
/// when dropped.
pub(crate) struct Proxy {
    endpoint: Endpoint,
    /// Keeps the file of the roots until the proxy is dropped.
    _roots: NamedTempFile,
    server: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy in front of the HTTP server at the URL `upstream`.
    pub(crate) fn start(upstream: &str) -> Result<Self> {
        let upstream = upstream.trim_start_matches("http://").to_owned();
        // The chain is as long as that of an AWS endpoint: a root that the client has, an
        // intermediate, and the server.
        let (root, root_key) = (authority("root"), KeyPair::generate()?);
        let root_certificate = root.self_signed(&root_key)?;
        let (intermediate, intermediate_key) = (authority("intermediate"), KeyPair::generate()?);
        let intermediate_certificate =
            intermediate.signed_by(&intermediate_key, &Issuer::from_params(&root, &root_key))?;
        let (server, server_key) = (CertificateParams::new(["localhost".to_owned()])?, KeyPair::generate()?);
        let server_certificate =
            server.signed_by(&server_key, &Issuer::from_params(&intermediate, &intermediate_key))?;

        let chain: Vec<CertificateDer<'static>> = vec![server_certificate.into(), intermediate_certificate.into()];
        let key = PrivateKeyDer::Pkcs8(server_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));

        let mut roots = NamedTempFile::new()?;
        roots.write_all(root_certificate.pem().as_bytes())?;
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
        let url = format!("https://localhost:{}", listener.local_addr()?.port());
        let server = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, acceptor.clone(), upstream.clone()));
            }
        });
        Ok(Self { endpoint: Endpoint { url, roots: roots.path().to_owned() }, _roots: roots, server })
    }

    /// The address of the proxy and the roots that a client needs to trust it.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Returns a certificate authority. Each needs a name of its own, because OpenSSL takes two
/// certificates with one name for the same certificate.
fn authority(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

/// Forwards one connection. The result is not used: a function that is killed after its cold start
/// breaks its connection, which is no failure of the proxy.
async fn forward(client: TcpStream, acceptor: TlsAcceptor, upstream: String) -> std::io::Result<()> {
    let (mut upstream, mut client) = tokio::try_join!(TcpStream::connect(upstream), acceptor.accept(client))?;
    upstream.set_nodelay(true)?;
    copy_bidirectional(&mut client, &mut upstream).await?;
    Ok(())
}
