//! The profile in the file of an import.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use shared::values::{Interests, PhotoId, PhotoReference, Status};

use crate::read_import::archive::{Unreadable, parse};

/// The part of the profile that an import takes, as far as it obeys the rules of the API.
pub(crate) struct Profile {
    pub(crate) status: Option<Status>,
    pub(crate) interests: Option<Interests>,
    pub(crate) pinned_image: Option<PhotoId>,
}

impl Profile {
    /// Parses the file `profile.json`.
    pub(crate) fn parse(content: &[u8]) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Content<'a> {
            #[serde(borrow)]
            user: Option<User<'a>>,
        }
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct User<'a> {
            #[serde(borrow)]
            status: Option<&'a RawValue>,
            #[serde(borrow)]
            interests: Option<&'a RawValue>,
            #[serde(borrow)]
            pinned_image: Option<&'a RawValue>,
        }

        let User { status, interests, pinned_image } = parse::<Content<'_>>(content)?.user.unwrap_or_default();
        Ok(Self {
            status: valid(status),
            interests: valid(interests),
            pinned_image: valid::<PhotoReference>(pinned_image).map(|photo| photo.id),
        })
    }
}

/// Returns a value if it is there and obeys the rules of the API.
pub(crate) fn valid<T: DeserializeOwned>(value: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(value?.get()).ok()
}
