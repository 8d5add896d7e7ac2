//! The connections of screens, and the requests that API Gateway takes for them.

use std::time::Duration;

use aws_config::timeout::TimeoutConfig;
use aws_sdk_apigatewaymanagement::error::SdkError;
use aws_sdk_apigatewaymanagement::operation::delete_connection::DeleteConnectionError;
use aws_sdk_apigatewaymanagement::operation::post_to_connection::PostToConnectionError;
use aws_sdk_apigatewaymanagement::primitives::Blob;
use aws_sdk_apigatewaymanagement::{Client, config};
use serde::Serialize;
use shared::values::PhotoReference;
use shared::{Error, Process, StartError};

/// The time that API Gateway has for one request.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// A message that says what to read again.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Hint<'a> {
    /// The bell has something new.
    Notifications,
    /// The feed has a new photo.
    Feed,
    /// The photo has changed.
    Photo {
        /// The photo.
        photo: &'a PhotoReference,
    },
}

/// The client of the connections.
pub(crate) struct Connections(Client);

impl Connections {
    pub(crate) fn from_process(process: &Process) -> Result<Self, StartError> {
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT_TIMEOUT).build();
        let configuration = config::Builder::from(&process.configuration("APIGATEWAYMANAGEMENTAPI")?);
        Ok(Self(Client::from_conf(configuration.timeout_config(timeouts).build())))
    }

    /// Sends a hint by `PostToConnection`. Returns whether the connection is there.
    pub(crate) async fn send(&self, connection: &str, hint: Hint<'_>) -> Result<bool, Error> {
        let message = serde_json::to_vec(&hint).map_err(Error::internal)?;
        let post = self.0.post_to_connection().connection_id(connection).data(Blob::new(message));
        match post.send().await {
            Ok(_) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends a connection by `DeleteConnection`. One that stays hears nothing, and ends within two hours.
    pub(crate) async fn close(&self, connection: &str) {
        if let Err(error) = self.0.delete_connection().connection_id(connection).send().await
            && !error.as_service_error().is_some_and(DeleteConnectionError::is_gone_exception)
        {
            tracing::warn!(cause = ?Error::from(error), "a connection was not closed");
        }
    }
}

fn is_gone(error: &SdkError<PostToConnectionError>) -> bool {
    error.as_service_error().is_some_and(PostToConnectionError::is_gone_exception)
}
