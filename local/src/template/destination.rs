//! The on-failure destinations of template.yaml.

use serde::{Deserialize, Deserializer};

/// The destinations of what a function gives up.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub(super) struct DestinationConfig {
    /// The destination of a record of each failure.
    pub(super) on_failure: Destination,
}

/// An on-failure destination.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "Type", content = "Destination")]
pub enum Destination {
    /// The name of a function.
    #[serde(rename = "Lambda")]
    Function(#[serde(deserialize_with = "name_in_arn")] String),
    /// The name of an SQS queue.
    #[serde(rename = "SQS")]
    Queue(#[serde(deserialize_with = "name_in_arn")] String),
}

/// Reads the name at the end of an ARN, such as `arn:aws:sqs:<region>:<account>:<queue>`.
pub(super) fn name_in_arn<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let arn = String::deserialize(deserializer)?;
    let name = arn.strip_prefix("arn:").and_then(|rest| rest.rsplit_once(':'));
    name.map(|(_, name)| name.to_owned()).ok_or_else(|| serde::de::Error::custom(format!("{arn} is not an ARN")))
}
