//! Users.

use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use aws_sdk_dynamodb::types::ConditionCheck;
use serde::{Deserialize, Serialize};

use super::key::{Key, SK, user_pk};
use super::photo::photo_sk_prefix;
use super::picture::Sizes;
use crate::dynamodb::Item;
use crate::dynamodb::entity::{from_item, to_item};
use crate::values::{
    Audience, LockScreen, PhotoId, PictureId, PictureNumber, PushOff, QuietHours, SensitivePhotos, Subject, Username,
};
use crate::{Error, document};

/// The prefix of the sort keys of users. The username follows.
pub(super) const METADATA_PREFIX: &str = "#METADATA#";
/// The maximum size of the attributes of a user in bytes, [as DynamoDB counts it](document::size).
pub const MAX_ATTRIBUTES_BYTES: usize = 32 * 1024;

/// A user. It deserializes from an item by [`user_from_item`]; [`User::seen_by`] returns the JSON
/// of an answer.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// The id of the user.
    pub username: Username,
    /// The display name.
    pub name: String,
    /// The e-mail address, which only the user sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The date of birth, which only the user sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub birthdate: Option<String>,
    /// The postal address, which only the user sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The status message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The interests.
    #[serde(default)]
    pub interests: Vec<String>,
    /// The sort key of a photo of the user. The photo may not exist. [`Profile`](crate::show::Profile)
    /// shows it as a reference.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_image: Option<String>,
    /// The picture of the pinned photo, so that no answer about the user reads the photo.
    /// [`Profile`](crate::show::Profile) shows its URLs. A user whom another program or an earlier
    /// version wrote has none.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_picture: Option<PinnedPicture>,
    /// Whether the user approves each follower: who wants to follow them then has to ask. It is
    /// left out if it is false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approves_followers: bool,
    /// The audience of the user's new photos, which only the user sees. It is left out if it is
    /// `everyone`.
    #[serde(default, skip_serializing_if = "Audience::is_everyone")]
    pub default_audience: Audience,
    /// The kinds of notifications of which the user, who alone sees this, wants no push. It is left
    /// out if the user wants all.
    #[serde(default, skip_serializing_if = "PushOff::is_empty")]
    pub push_off: PushOff,
    /// The hours in which the user, who alone sees them, gets no push.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
    /// The part of a push that the lock screens of the user's devices may show, which only the user sees.
    /// It is left out if it is `everything`.
    #[serde(default, skip_serializing_if = "LockScreen::is_everything")]
    pub lock_screen: LockScreen,
    /// The form in which lists have sensitive photos for the user, who alone sees this. It is left out if it is `hide`.
    #[serde(default, skip_serializing_if = "SensitivePhotos::is_hide")]
    pub sensitive_photos: SensitivePhotos,
    /// The number of followers: the friendships in which the user is followed.
    #[serde(default)]
    pub followers: u64,
    /// The number of users that the user follows: the friendships in which the user is the
    /// follower.
    #[serde(default)]
    pub following: u64,
    /// The number of photos whose picture has become ready, with those that a moderator has removed,
    /// and those whose deletion is not finished. A user of another program has none, and counts only
    /// newer photos until the audit has counted all.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photos: Option<u64>,
    /// The number of all photos, also pending and rejected ones, for the maximum. No answer shows it.
    /// A user of another program has none.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uploads: Option<u64>,
    /// The id of the invocation that created the user, by which it recognizes its own write after a
    /// lost answer. No answer shows it. A user of another program has none.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_id: Option<String>,
    /// The account to which the user belongs ([`account`](super::account)). No answer shows it.
    /// A user of another program has none.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// A schemaless document of at most [`MAX_ATTRIBUTES_BYTES`]. Serde skips it, because it cannot
    /// express all types of DynamoDB: [`user_from_item`] takes it from the item, and [`user_item`]
    /// puts it into the item.
    #[serde(skip)]
    pub attributes: Option<Item>,
}

/// The picture of a pinned photo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedPicture {
    /// The number of the picture, if it is one of [several](super::Pictures).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<PictureNumber>,
    /// The id of the picture.
    pub id: PictureId,
    /// The [blurhash](https://github.com/woltapp/blurhash/blob/master/Algorithm.md).
    pub blurhash: String,
}

impl PinnedPicture {
    /// Returns the check that a photo [may be pinned](super::Photo::may_be_pinned) and that it still has this picture, so that a
    /// user may pin it. A photo of another program has no picture. A `PhotoDeletion` has no `username`. A photo
    /// that a moderator has removed keeps its sizes, so their id alone does not say that it is
    /// ready.
    pub fn check(
        picture: Option<&Self>,
        table_name: &str,
        username: &Username,
        photo: &PhotoId,
    ) -> Result<ConditionCheck, Error> {
        let check = ConditionCheck::builder()
            .table_name(table_name)
            .set_key(Some(Key::photo(username, photo).into()))
            .expression_attribute_names("#sensitive", "sensitive");
        let check = match picture {
            Some(picture) => {
                const IS_SHOWN: &str = "attribute_exists(username) AND attribute_not_exists(audience) AND \
                                        attribute_not_exists(#sensitive) AND picture.#status = :ready AND \
                                        picture.sizes.id = :id";
                let check = check
                    .expression_attribute_names("#status", "status")
                    .expression_attribute_values(":ready", AttributeValue::S("ready".to_owned()))
                    .expression_attribute_values(":id", AttributeValue::S(picture.id.to_string()));
                match picture.number {
                    None => check.condition_expression(IS_SHOWN),
                    Some(number) => check
                        .condition_expression(format!("{IS_SHOWN} AND picture.sizes.#number = :number"))
                        .expression_attribute_names("#number", "number")
                        .expression_attribute_values(":number", AttributeValue::N(number.to_string())),
                }
            }
            None => check.condition_expression(
                "attribute_exists(username) AND attribute_not_exists(audience) AND attribute_not_exists(#sensitive) AND \
                 attribute_not_exists(picture)",
            ),
        };
        Ok(check.build()?)
    }
}

impl From<Sizes> for PinnedPicture {
    fn from(Sizes { number, id, blurhash, .. }: Sizes) -> Self {
        Self { number, id, blurhash }
    }
}

impl User {
    /// Returns the id of the pinned photo.
    #[must_use]
    pub fn pinned_photo(&self) -> Option<PhotoId> {
        self.pinned_image.as_deref()?.strip_prefix(&photo_sk_prefix(&self.username))?.parse().ok()
    }
}

impl Key {
    /// Returns the key of a [`User`](super::User).
    #[must_use]
    pub fn user(username: &Username) -> Self {
        Self::of_photos(user_pk(username), metadata_sk(username))
    }
}

/// Returns the sort key of the profile of a user.
#[must_use]
pub fn metadata_sk(username: &Username) -> String {
    format!("{METADATA_PREFIX}{username}")
}

/// Returns whether a key belongs to a user, or to the deletion of one. [`Kind`](super::Kind), which
/// uses this file, says the same.
fn is_user(keys: &Item) -> bool {
    matches!(keys.get(SK), Some(S(key)) if key.starts_with(METADATA_PREFIX))
}

/// Returns the user that an item holds, or `None` if the item is a [`Deletion`](super::Deletion) or
/// another entity of the same partition.
pub fn user_from_item(mut item: Item) -> Result<Option<User>, Error> {
    if !item.contains_key("username") || !is_user(&item) {
        return Ok(None);
    }
    let attributes = match item.remove("attributes") {
        Some(AttributeValue::M(attributes)) => Some(attributes),
        _ => None,
    };
    Ok(Some(User { attributes, ..from_item(item)? }))
}

/// Returns the user that a borrowed item holds, without the attributes, of which a copy would have
/// up to [`MAX_ATTRIBUTES_BYTES`]. Other items are `None`, as in [`user_from_item`], and are not
/// copied.
pub fn user_without_attributes(item: &Item) -> Result<Option<User>, Error> {
    if !item.contains_key("username") || !is_user(item) {
        return Ok(None);
    }
    let others = item.iter().filter(|(name, _)| *name != "attributes");
    user_from_item(others.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Returns the username of the user that an item holds, or `None` for the items for which
/// [`user_from_item`] returns `None`.
pub fn username_from_item(item: &Item) -> Result<Option<Username>, Error> {
    match item.get("username") {
        Some(AttributeValue::S(username)) if is_user(item) => {
            let invalid = |invalid| Error::internal(format!("the username of a user {invalid}"));
            username.parse().map(Some).map_err(invalid)
        }
        _ => Ok(None),
    }
}

/// Returns the user `username` from the item that a request of `caller` read. Fails with
/// [`Error::no_user`], or for the caller with [`Error::no_profile`], if there is no item, or if
/// [`user_from_item`] finds no user in it.
pub fn existing_user(item: Option<Item>, username: &Username, caller: &Username) -> Result<User, Error> {
    item.map(user_from_item).transpose()?.flatten().ok_or_else(|| Error::unknown(username, caller))
}

/// Returns whether an item, or its entry in `InvertedIndex`, is that of a user who approves
/// followers.
#[must_use]
pub fn approves_followers(item: &Item) -> bool {
    item.contains_key("username") && item.contains_key("approvesFollowers")
}

/// Fails if the attributes of a user are larger than [`MAX_ATTRIBUTES_BYTES`].
pub fn check_attributes_size(attributes: &Item) -> Result<(), Error> {
    match document::size(attributes) {
        0..=MAX_ATTRIBUTES_BYTES => Ok(()),
        size => {
            let rule = format!("must be at most {MAX_ATTRIBUTES_BYTES} bytes (32 KB) in size; it has {size} bytes");
            Err(Error::invalid("attributes", rule))
        }
    }
}

/// Returns the item of a user.
pub fn user_item(user: &User) -> Result<Item, Error> {
    let mut item = to_item(Key::user(&user.username), user)?;
    if let Some(attributes) = &user.attributes {
        item.insert("attributes".to_owned(), AttributeValue::M(attributes.clone()));
    }
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::super::key::{PK, SK};
    use super::super::tombstone::Deletion;
    use super::*;
    use crate::ErrorKind;
    use crate::values::NotificationKind;

    impl User {
        /// Returns ada, with all fields but `attributes`.
        pub(crate) fn ada() -> Self {
            Self {
                username: "ada".parse().unwrap(),
                name: "Ada".into(),
                email: Some("ada@example.com".into()),
                birthdate: Some("1990-05-30".into()),
                address: Some("London".into()),
                status: None,
                interests: vec![],
                pinned_image: Some("PHOTO#ada#2018-05-30T15:42:38".into()),
                pinned_picture: Some(PinnedPicture {
                    number: None,
                    id: "9dd1824c2ad7b73c".parse().unwrap(),
                    blurhash: "LEBphYN1M|?G?vM|Rk%L0eWCayj?".to_owned(),
                }),
                followers: 1,
                following: 2,
                photos: Some(3),
                uploads: Some(4),
                approves_followers: false,
                default_audience: Audience::Me,
                push_off: vec![NotificationKind::Reaction].try_into().unwrap(),
                quiet_hours: serde_json::from_str(r#"{"from": "22:00", "to": "07:00", "timeZone": "Europe/Berlin"}"#)
                    .unwrap(),
                lock_screen: LockScreen::People,
                sensitive_photos: SensitivePhotos::Show,
                creation_id: Some("0190c3f4-7b1e-7cc0-8d2f-1a2b3c4d5e6f".into()),
                subject: Some("890a72e1-6fa7-4644-ab1b-aaaa7249c448".parse().unwrap()),
                attributes: None,
            }
        }
    }

    #[test]
    fn a_user_is_unchanged_after_a_round_trip_through_an_item() {
        let attributes = Item::from([("theme".to_owned(), AttributeValue::S("dark".to_owned()))]);
        let user = User { attributes: Some(attributes.clone()), ..User::ada() };
        let item = user_item(&user).unwrap();
        assert_eq!(item[PK], AttributeValue::S("USER#ada".into()));
        assert_eq!(item[SK], AttributeValue::S("#METADATA#ada".into()));
        assert!(!item.contains_key("status"), "an absent value is left out, not written as NULL");
        assert_eq!(item["attributes"], AttributeValue::M(attributes));
        assert_eq!(user_from_item(item).unwrap(), Some(user));
    }

    #[test]
    fn an_absent_or_deleted_user_is_not_found() {
        let username = "ada".parse().unwrap();
        let since: crate::values::Timestamp = "2024-05-30T15:42:38".parse().unwrap();
        let deletion = Deletion {
            erasing: User::ada().username,
            until: since.clone(),
            since,
            requests_sent: 0,
            last_sweep: false,
            ttl: None,
        };
        let deletion = to_item(Key::user(&username), &deletion).unwrap();
        for item in [None, Some(deletion)] {
            let other = "ben".parse().unwrap();
            for (caller, expected) in [(&username, ErrorKind::NoProfile), (&other, ErrorKind::NoUser)] {
                let found = existing_user(item.clone(), &username, caller);
                assert!(matches!(found, Err(Error::Refused { kind, .. }) if kind == expected));
            }
        }
        assert_eq!(existing_user(Some(user_item(&User::ada()).unwrap()), &username, &username).unwrap(), User::ada());
    }
}
