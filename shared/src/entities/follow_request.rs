//! Requests to follow users who approve their followers.

use serde::{Deserialize, Serialize};

use super::key::{Key, PK, USER_PREFIX, user_pk};
use crate::Error;
use crate::dynamodb::Item;
use crate::values::{Timestamp, Username};

/// The prefix of the sort keys of requests to follow. It sorts before all of them, and they sort
/// before the friendships, so that no Query of followers reads them.
pub const ASK_PREFIX: &str = "#ASK#";
/// The maximum number of requests of one user that wait for an answer.
pub const MAX_REQUESTS_SENT: u64 = 1000;
/// The attribute of a user with the number of their requests that wait for an answer. Answers do
/// not show it. It keeps the requests of one user within [`MAX_REQUESTS_SENT`], and tells
/// finish-deletion how many it has to find.
pub const REQUESTS_SENT: &str = "requestsSent";

/// The attribute of a user with the number of requests that wait for their answer. Only the user
/// sees it, in `counts`.
pub const REQUESTS_RECEIVED: &str = "requestsReceived";

/// The wish of one user to follow another one, who approves followers. It exists until the other
/// one accepts or declines it, or the asking user withdraws it. There is never a
/// [`Friendship`](super::Friendship) of the same users beside it.
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

impl Key {
    /// Returns the key of a [`FollowRequest`](super::FollowRequest).
    #[must_use]
    pub fn follow_request(asked: &Username, asking: &Username) -> Self {
        Self::of_photos(user_pk(asked), ask_sk(asking))
    }
}

/// Returns the asked user of a request, from its key: the index does not have the attribute.
pub fn asked_user(request: &Item) -> Result<Username, Error> {
    let pk = request.get(PK).and_then(|pk| pk.as_s().ok()).and_then(|pk| pk.strip_prefix(USER_PREFIX));
    pk.and_then(|user| user.parse().ok()).ok_or_else(|| Error::internal("the key is not that of a request to follow"))
}

/// Returns the sort key of every request of a user to follow others.
#[must_use]
pub fn ask_sk(asking: &Username) -> String {
    format!("{ASK_PREFIX}{asking}")
}
