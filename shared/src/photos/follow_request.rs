//! Requests to follow users who approve their followers.

use serde::{Deserialize, Serialize};

use crate::values::{Timestamp, Username};

/// The maximum number of requests of one user that wait for an answer.
pub const MAX_REQUESTS_SENT: u64 = 1000;

/// The attribute of a user with the number of their requests that wait for an answer. Answers do
/// not show it. It keeps the requests of one user within [`MAX_REQUESTS_SENT`], and tells
/// finish-deletion how many it has to find.
pub const REQUESTS_SENT: &str = "requestsSent";

/// The wish of one user to follow another one, who approves followers. It exists until the other
/// one accepts or declines it, or the asking user withdraws it. There is never a
/// [`Friendship`](super::Friendship) of the same users beside it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FollowRequest {
    /// The user who is asked.
    pub asked_user: Username,
    /// The user who wants to follow.
    pub asking_user: Username,
    /// The time of the request.
    pub timestamp: Timestamp,
}
