//! The relation of a caller and another user, as answers show it.

use serde::{Deserialize, Serialize};

/// The relation of a caller and another user.
#[expect(clippy::struct_excessive_bools, reason = "they are the fields of an answer")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Relation {
    /// Whether the caller follows the user.
    pub follows: bool,
    /// Whether the user follows the caller.
    pub follows_you: bool,
    /// Whether the caller has asked the user, who approves followers. It is left out if it is
    /// false, and only an answer about the user and a search show it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requested: bool,
    /// Whether the caller follows the user and has muted them. It is left out if it is false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub muted: bool,
    /// Whether the caller follows the user and is told of new photos. It is left out if it is false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alerts: bool,
    /// Whether the caller blocks the user. It is left out if it is false, and only an answer about
    /// the user shows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocked: bool,
}
