//! TLS in front of DynamoDB. In the cloud the first request pays for a handshake; without one, a cold start would look
//! better than it is. The keys are of P-256, which is dearer to check than AWS's RSA and cheaper to sign with.

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use shared::runtime::https::AMAZON_ROOTS;
use tempfile::NamedTempFile;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use local::net;

#[cfg(test)]
mod tests;

/// Passes on what arrives through TLS. It ends when dropped.
pub(crate) struct Proxy {
    url: String,
    root: NamedTempFile,
    server: JoinHandle<()>,
}

impl Proxy {
    /// In front of the HTTP server at `upstream`.
    pub(crate) fn start(upstream: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let upstream = upstream.trim_start_matches("http://").to_owned();
        // As long a chain as that of AWS's endpoints: a root that the client has, an authority under it, the endpoint.
        let (root, root_key) = (authority("root"), KeyPair::generate()?);
        let root_certificate = root.self_signed(&root_key)?;
        let (middle, middle_key) = (authority("middle"), KeyPair::generate()?);
        let middle_certificate = middle.signed_by(&middle_key, &Issuer::from_params(&root, &root_key))?;
        let (end, end_key) = (CertificateParams::new(["localhost".to_owned()])?, KeyPair::generate()?);
        let end_certificate = end.signed_by(&end_key, &Issuer::from_params(&middle, &middle_key))?;

        let chain: Vec<CertificateDer<'static>> = vec![end_certificate.into(), middle_certificate.into()];
        let key = PrivateKeyDer::Pkcs8(end_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));

        let mut root = NamedTempFile::new()?;
        root.write_all(root_certificate.pem().as_bytes())?;
        // A function in the cloud reads those.
        root.write_all(AMAZON_ROOTS)?;
        let listener = net::bind(Ipv4Addr::LOCALHOST.into(), 0)?;
        let url = format!("https://localhost:{}", listener.local_addr()?.port());
        let server = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, acceptor.clone(), upstream.clone()));
            }
        });
        Ok(Self { url, root, server })
    }

    /// Where it is.
    #[must_use]
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The certificate that its own goes back to, among those of Amazon, in PEM.
    #[must_use]
    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// OpenSSL takes certificates of one name for one.
fn authority(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

/// A client that breaks off is no error: each function that was measured does.
async fn pass_on(client: TcpStream, acceptor: TlsAcceptor, upstream: String) -> std::io::Result<()> {
    let (mut upstream, mut client) = tokio::try_join!(TcpStream::connect(upstream), acceptor.accept(client))?;
    upstream.set_nodelay(true)?;
    copy_bidirectional(&mut client, &mut upstream).await?;
    Ok(())
}
