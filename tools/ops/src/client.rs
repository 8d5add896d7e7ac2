//! A client for the commands that work on a table of any DynamoDB.

use std::time::Duration;

use aws_config::BehaviorVersion;
use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::credentials::CredentialsProviderChain;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider};
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Credentials;
use http::Uri;

/// A client of the DynamoDB of AWS, or of the one at `endpoint_url`.
///
/// Region and credentials come from
/// [the usual places](https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html). An endpoint on this
/// machine needs neither.
pub async fn connect(endpoint_url: Option<&str>) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let https = shared::runtime::https::from_environment()?;
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(100));
    let mut config = aws_config::defaults(BehaviorVersion::latest()).http_client(https.clone()).retry_config(retries);
    if let Some(url) = endpoint_url {
        config = config.endpoint_url(url);
        if is_on_this_machine(url)? {
            let region = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
                .or_else(ProfileFileRegionProvider::new())
                .or_else("us-east-1");
            let to_assume_roles =
                ProviderConfig::without_region().with_region(region.region().await).with_http_client(https);
            let profile = ProfileFileCredentialsProvider::builder().configure(&to_assume_roles);
            let credentials =
                CredentialsProviderChain::first_try("environment", EnvironmentVariableCredentialsProvider::new())
                    .or_else("profile", profile.build())
                    .or_else("local", Credentials::new("local", "local", None, None, "local"));
            config = config.region(region).credentials_provider(credentials);
            if url.starts_with("http://") {
                // Reading the trusted roots would take longer than loading a small file.
                config = config.http_client(shared::runtime::https::client(b"")?);
            }
        }
    }
    Ok(Client::new(&config.load().await))
}

fn is_on_this_machine(url: &str) -> Result<bool, String> {
    let uri: Uri = url.parse().map_err(|error| format!("--endpoint-url {url}: {error}"))?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(host)) => {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            Ok(host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback()))
        }
        _ => Err(format!("--endpoint-url {url}: needs the form http://host:port")),
    }
}
