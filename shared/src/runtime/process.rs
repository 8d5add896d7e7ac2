//! The environment of a process that starts: its variables, and its way to AWS.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;

use super::client;
use super::usage::MeasureUsage;
use crate::Table;

/// The reason why a process cannot start.
pub type StartError = lambda_http::Error;

type Variables = Box<dyn Fn(&str) -> Option<String>>;
type Configuration = Box<dyn Fn(&str) -> Result<SdkConfig, StartError>>;

/// The environment of a process that starts. A function takes from it all that it keeps for its
/// events, and reads no environment variable elsewhere.
pub struct Process {
    variables: Variables,
    configuration: Configuration,
    dynamodb: Client,
}

impl Process {
    /// Returns the process that Lambda has started.
    pub fn from_environment() -> Result<Self, StartError> {
        let dynamodb = client::builder(&client::environment("DYNAMODB")?).interceptor(MeasureUsage).build();
        Ok(Self {
            variables: Box::new(|name| std::env::var(name).ok()),
            configuration: Box::new(client::environment),
            dynamodb: Client::from_conf(dynamodb),
        })
    }

    /// Returns a process in a test: with these environment variables and this client of DynamoDB.
    /// `configuration` returns that of the client of another service, such as `S3`.
    pub fn new(
        variables: BTreeMap<String, String>,
        dynamodb: Client,
        configuration: impl Fn(&str) -> Result<SdkConfig, StartError> + 'static,
    ) -> Self {
        Self {
            variables: Box::new(move |name| variables.get(name).cloned()),
            configuration: Box::new(configuration),
            dynamodb,
        }
    }

    /// Returns an environment variable.
    pub fn variable(&self, name: &str) -> Result<String, StartError> {
        (self.variables)(name).ok_or_else(|| format!("the environment variable {name} is not set").into())
    }

    /// Returns an environment variable, such as a number.
    pub fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T, StartError> {
        let value = self.variable(name)?;
        value.parse().map_err(|error| format!("the environment variable {name} is {value:?}: {error}").into())
    }

    /// Returns the table that an environment variable names. All tables share one client.
    pub fn table(&self, variable: &str) -> Result<Table, StartError> {
        Ok(Table { client: self.dynamodb.clone(), name: self.variable(variable)? })
    }

    /// Returns the configuration of the client of a service, such as `SQS`.
    pub fn configuration(&self, service: &str) -> Result<SdkConfig, StartError> {
        (self.configuration)(service)
    }

    /// Returns the bucket that the environment variable `PHOTO_BUCKET` names, with an S3 client.
    #[cfg(feature = "s3")]
    pub fn bucket(&self) -> Result<crate::Bucket, StartError> {
        Ok(crate::Bucket { client: client::s3(&self.configuration("S3")?), name: self.variable("PHOTO_BUCKET")? })
    }
}
