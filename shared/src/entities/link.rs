//! Links, which show a photo or a profile to people without an account.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Delete;
use serde::{Deserialize, Serialize};

use super::key::{Key, user_pk};
use crate::dynamodb::counter::{Decrement, Guard, delete_and_decrement};
use crate::dynamodb::expiry;
use crate::values::{LinkToken, PhotoId, Timestamp, Username};
use crate::{Error, Table};

/// The prefix of the sort keys of links, and of the keys of their targets. Links sort after the
/// photos of their owner, so that no Query of photos reads them.
pub const SHARE_PREFIX: &str = "SHARE#";
/// The maximum number of links of a user.
pub const MAX_LINKS: u64 = 1000;
/// The attribute of a user with the number of their links. Answers do not show it. It keeps the
/// links within [`MAX_LINKS`].
pub const LINKS: &str = "links";

/// The link of a photo or of a profile, as its owner has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The user who shares.
    pub owner: Username,
    /// The photo. Absent for the link of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo: Option<PhotoId>,
    /// The token.
    pub token: LinkToken,
    /// The time at which the link got its token.
    pub created: Timestamp,
    /// The time from which on the link does not open any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Whether search engines may list the page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub indexed: bool,
}

/// The target of a link: what its token opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkTarget {
    /// The user who shares.
    pub owner: Username,
    /// The photo. Absent for the link of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo: Option<PhotoId>,
    /// Whether search engines may list the page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub indexed: bool,
    /// The time from which on the link does not open any more, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

impl Link {
    /// Returns whether the link has ended by its time. Its items may be there for some days more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.until.as_ref().is_some_and(|until| expiry::is_over(until.seconds()))
    }

    /// Returns the target of the link.
    #[must_use]
    pub fn target(&self) -> LinkTarget {
        LinkTarget {
            owner: self.owner.clone(),
            photo: self.photo.clone(),
            indexed: self.indexed,
            ttl: self.until.as_ref().map(Timestamp::seconds),
        }
    }

    /// Deletes the link with its target and decrements the owner's count of links, in one
    /// transaction. Returns `false` if the link is gone or has got another token since.
    pub async fn delete(&self, table: &Table, guard: Option<&Guard<'_>>) -> Result<bool, Error> {
        let [link, target] = self.deletes(&table.name)?;
        let count = Decrement::new(&table.name, Key::user(&self.owner), LINKS);
        let deleted = delete_and_decrement(&table.client, vec![(link, vec![count]), (target, vec![])], guard).await?;
        Ok(deleted.number == 2)
    }

    /// Returns the delete of the link, on the condition that it still has this token, and that of its
    /// target.
    pub fn deletes(&self, table_name: &str) -> Result<[Delete; 2], Error> {
        let link = Delete::builder()
            .table_name(table_name)
            .set_key(Some(Key::link(&self.owner, self.photo.as_ref()).into()))
            .condition_expression("#token = :token")
            .expression_attribute_names("#token", "token")
            .expression_attribute_values(":token", S(self.token.to_string()))
            .build()?;
        let target =
            Delete::builder().table_name(table_name).set_key(Some(Key::link_target(&self.token).into())).build()?;
        Ok([link, target])
    }
}

impl LinkTarget {
    /// Returns whether the link has ended by its time.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ttl.is_some_and(expiry::is_over)
    }
}

impl Key {
    /// Returns the key of the [`Link`](super::Link) of a photo, or of the profile of its owner.
    #[must_use]
    pub fn link(owner: &Username, photo: Option<&PhotoId>) -> Self {
        let sk = match photo {
            Some(photo) => format!("{}{photo}", links_of_photos(owner)),
            None => format!("{SHARE_PREFIX}{owner}"),
        };
        Self::of_photos(user_pk(owner), sk)
    }

    /// Returns the key of a [`LinkTarget`](super::LinkTarget).
    #[must_use]
    pub fn link_target(token: &LinkToken) -> Self {
        Self::of_photos(format!("{SHARE_PREFIX}{token}"), format!("#{SHARE_PREFIX}{token}"))
    }
}

/// Returns the prefix of the sort keys of the links of all photos of a user.
fn links_of_photos(owner: &Username) -> String {
    format!("{SHARE_PREFIX}{owner}#")
}
