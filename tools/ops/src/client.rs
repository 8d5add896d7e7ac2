//! The DynamoDB and S3 clients of the command-line tools.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::credentials::CredentialsProviderChain;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider};
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::{BehaviorVersion, SdkConfig};
use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, ProvideCredentials as _};
use http::Uri;
use shared::Bucket;
use shared::error::chain;

/// The end of the help of every tool: where it gets its region and its credentials.
pub const CREDENTIALS: &str = "\
The region and the credentials come from the environment or from ~/.aws, and on AWS also from the
container or instance. SSO and credential_process are not supported; `aws configure
export-credentials --format env` exports such credentials to the environment. An endpoint on this
machine needs neither.";

/// The advice for a caller without a region.
const NO_REGION: &str = "there is no AWS region: set AWS_REGION, or `region` in ~/.aws/config";

/// The advice for a caller without credentials. The tools link no client of IAM Identity Center,
/// which would add two SDK crates to each of them, because the AWS CLI exports what it has.
const NO_CREDENTIALS: &str = "there are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or sign in \
    with `aws sso login` or `aws login` and run `eval \"$(aws configure export-credentials --format env)\"`";

/// Returns a client of AWS, or of the DynamoDB at `endpoint_url`.
///
/// The region and the credentials come from [the usual
/// places](https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html), except
/// those of IAM Identity Center, which have to be exported. An endpoint on this machine needs
/// neither.
pub async fn connect(endpoint_url: Option<&str>) -> anyhow::Result<Client> {
    Ok(Client::new(&config("--endpoint-url", endpoint_url).await?))
}

/// Returns the bucket with this name in AWS, or in the S3 at `endpoint_url`. Region and credentials
/// come from where those of [`connect`] come from.
pub async fn bucket(name: &str, endpoint_url: Option<&str>) -> anyhow::Result<Bucket> {
    let config = config("--s3-endpoint-url", endpoint_url).await?;
    // The name of the bucket is in the path, because the host of an endpoint may have no
    // subdomains.
    let config = aws_sdk_s3::config::Builder::from(&config).force_path_style(endpoint_url.is_some()).build();
    Ok(Bucket { client: aws_sdk_s3::Client::from_conf(config), name: name.to_owned() })
}

/// Returns the configuration of a client of AWS, or of the endpoint that the argument `argument`
/// names.
async fn config(argument: &str, endpoint_url: Option<&str>) -> anyhow::Result<SdkConfig> {
    let https = shared::runtime::https::from_environment().map_err(anyhow::Error::from_boxed)?;
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(100));
    let mut config = aws_config::defaults(BehaviorVersion::latest()).http_client(https.clone()).retry_config(retries);
    if let Some(url) = endpoint_url {
        config = config.endpoint_url(url);
        if is_on_this_machine(url).with_context(|| format!("{argument} {url}"))? {
            let region = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
                .or_else(ProfileFileRegionProvider::new())
                .or_else("us-east-1");
            let provider_config =
                ProviderConfig::without_region().with_region(region.region().await).with_http_client(https);
            let profile = ProfileFileCredentialsProvider::builder().configure(&provider_config);
            let credentials =
                CredentialsProviderChain::first_try("environment", EnvironmentVariableCredentialsProvider::new())
                    .or_else("profile", profile.build())
                    .or_else("local", Credentials::new("local", "local", None, None, "local"));
            config = config.region(region).credentials_provider(credentials);
            if url.starts_with("http://") {
                // Parsing the trusted root certificates would take longer than loading a small
                // file.
                let http = shared::runtime::https::client(b"").map_err(anyhow::Error::from_boxed)?;
                config = config.http_client(http);
            }
        }
    }
    let config = config.load().await;
    ensure!(config.region().is_some(), NO_REGION);
    if let Some(provider) = config.credentials_provider() {
        match provider.provide_credentials().await {
            Ok(_) => {}
            // Its text lists each place that has none.
            Err(CredentialsError::CredentialsNotLoaded(_)) => bail!(NO_CREDENTIALS),
            Err(error) => bail!("{NO_CREDENTIALS}; {}", chain(&error).trim_end_matches(['.', ' ']).replace('\n', " ")),
        }
    }
    Ok(config)
}

fn is_on_this_machine(url: &str) -> anyhow::Result<bool> {
    let uri: Uri = url.parse()?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(host)) => {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            Ok(host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback()))
        }
        _ => bail!("the form has to be http://host:port"),
    }
}
