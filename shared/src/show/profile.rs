//! Users as answers show them.

use serde::ser::Error as _;
use serde::{Serialize, Serializer};

use crate::access::Relation;
use crate::document;
use crate::dynamodb::Item;
use crate::entities::{Bell, Number, REJECTED, REQUESTS_RECEIVED, User};
use crate::values::{
    Audience, DocumentFormat, LockScreen, PhotoReference, PushOff, SensitivePhotos, Subject, Username,
};

/// A user with the fields that the caller may see.
///
/// [`Signer::profile`](crate::show::Signer::profile) returns one with the picture.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    #[serde(flatten)]
    user: User,
    /// The photo that the user has pinned, whose picture is that of the profile. It may not exist.
    #[serde(rename = "pinnedImage", skip_serializing_if = "Option::is_none")]
    pinned_image: Option<PhotoReference>,
    /// The number of photos that have become ready, with those that are still being deleted.
    photos: u64,
    /// The picture of the pinned photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<ProfilePicture>,
    /// The relation of the caller and the user. Only with `include=viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewer: Option<Relation>,
    /// The numbers of what waits for the user. Only with `include=counts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// A schemaless document, which everybody sees.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::document::Document>"))]
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_json")]
    attributes: Option<Item>,
}

impl User {
    /// Returns the user as the caller may see it. E-mail address, date of birth, postal address and
    /// the settings are left out unless the caller is the user, by name and
    /// [account](crate::entities::account). `creation_id`, `subject` and `uploads` are always left out.
    #[must_use]
    pub fn seen_by(mut self, caller: &Username, subject: &Subject) -> Profile {
        if *caller != self.username || self.subject.as_ref().is_some_and(|of| of != subject) {
            self.email = None;
            self.birthdate = None;
            self.address = None;
            self.default_audience = Audience::default();
            self.push_off = PushOff::default();
            self.quiet_hours = None;
            self.lock_screen = LockScreen::default();
            self.sensitive_photos = SensitivePhotos::default();
        }
        self.creation_id = None;
        self.subject = None;
        self.uploads = None;
        self.pinned_picture = None;
        let pinned_image = self.pinned_photo().map(|id| PhotoReference { username: self.username.clone(), id });
        self.pinned_image = None;
        let (photos, attributes) = (self.photos.take().unwrap_or_default(), self.attributes.take());
        Profile { user: self, pinned_image, photos, picture: None, viewer: None, counts: None, attributes }
    }
}

/// The numbers of what waits for a user, who alone sees them.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The number of notifications that the inbox shows and the user has not seen, up to 40, and
    /// `"40+"` above.
    notifications: Number,
    /// The number of requests to follow the user.
    requests: u64,
    /// The photos of the user that nobody else sees yet.
    uploads: Uploads,
}

/// The numbers of photos of a user that are not ready.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Uploads {
    /// The number of photos whose file has not been uploaded or processed.
    pending: u64,
    /// The number of photos whose file was rejected. A rejected photo counts until it is deleted.
    rejected: u64,
}

impl Counts {
    /// Returns the counts of the item of a user, and of their bell.
    #[must_use]
    pub fn new(user: &Item, bell: &Bell) -> Self {
        // A count of another program can be missing.
        let count = |name| -> u64 { user.get(name).and_then(|count| count.as_n().ok()?.parse().ok()).unwrap_or(0) };
        let rejected = count(REJECTED);
        Self {
            notifications: bell.count(),
            requests: count(REQUESTS_RECEIVED),
            uploads: Uploads { pending: count("uploads").saturating_sub(count("photos") + rejected), rejected },
        }
    }
}

/// The small size of a photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfilePicture {
    /// The URL of a JPEG that is at most 440 pixels wide, valid like those of a photo.
    pub small: String,
    /// A [blurhash](https://blurha.sh), to show until the picture is loaded.
    pub blurhash: String,
}

#[expect(clippy::ref_option, reason = "serde calls it with the field")]
fn as_json<S: Serializer>(attributes: &Option<Item>, serializer: S) -> Result<S::Ok, S::Error> {
    let attributes =
        attributes.as_ref().map(|attributes| document::write(DocumentFormat::Json, attributes)).transpose();
    attributes.map_err(|_| S::Error::custom("the attributes have a value of an unknown type"))?.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_sees_private_fields() {
        let seen_by = |username: &str, subject: &str| {
            serde_json::to_value(User::ada().seen_by(&username.parse().unwrap(), &subject.parse().unwrap())).unwrap()
        };
        let own = seen_by("ada", "890a72e1-6fa7-4644-ab1b-aaaa7249c448");
        let others = [seen_by("ben", "890a72e1-6fa7-4644-ab1b-aaaa7249c448"), seen_by("ada", "an-earlier-account")];
        for others in others {
            let of_person = ["email", "birthdate", "address"];
            let settings = ["defaultAudience", "pushOff", "quietHours", "lockScreen", "sensitivePhotos"];
            for private in of_person.into_iter().chain(settings) {
                assert!(own.get(private).is_some(), "{private}");
                assert!(others.get(private).is_none(), "{private}");
            }
            for internal in ["pinnedPicture", "creationId", "subject", "uploads"] {
                assert!(own.get(internal).is_none() && others.get(internal).is_none(), "{internal}");
            }
            assert_eq!((&own["photos"], &others["photos"]), (&3.into(), &3.into()));
            let pinned = serde_json::json!({"username": "ada", "id": "2018-05-30T15:42:38"});
            assert_eq!((&own["pinnedImage"], &others["pinnedImage"]), (&pinned, &pinned));
        }
    }
}
