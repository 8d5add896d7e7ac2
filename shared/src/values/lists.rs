//! The values that select how a list is returned, and what an answer includes.

use std::str::FromStr;

use serde::Deserialize;

use super::Value;
use super::macros::{choice_value, parts_value};

choice_value! {
    /// The direction in which a list is sorted.
    Order,
    /// From the smallest sort key to the largest.
    Ascending = "asc",
    /// From the largest sort key to the smallest.
    Descending = "desc",
}

/// A direction that a request may leave out, and which is then descending or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct OrderBy<const IS_DESCENDING: bool>(pub Order);

impl<const IS_DESCENDING: bool> Default for OrderBy<IS_DESCENDING> {
    fn default() -> Self {
        Self(if IS_DESCENDING { Order::Descending } else { Order::Ascending })
    }
}

impl<const IS_DESCENDING: bool> Value for OrderBy<IS_DESCENDING> {
    const RULE: &'static str = Order::RULE;
}

impl<const IS_DESCENDING: bool> FromStr for OrderBy<IS_DESCENDING> {
    type Err = <Order as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

#[cfg(feature = "schema")]
impl<const IS_DESCENDING: bool> schemars::JsonSchema for OrderBy<IS_DESCENDING> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Order::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        Order::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Order::json_schema(generator)
    }
}

parts_value! {
    /// The parts that an answer with users or photos has on request, because they cost read units.
    ViewerParts,
    /// The reactions of the caller to each photo and whether the caller has saved it, or whether the
    /// caller and each user follow each other.
    viewer,
}

parts_value! {
    /// The parts that a page of blocks has on request, because they cost read units.
    PeopleParts,
    /// The name and the picture of each person on the page.
    people,
}

parts_value! {
    /// The parts that the answer with a user has on request, because they cost read units.
    ProfileParts,
    /// The numbers of what waits for the user, who alone may ask for them.
    counts,
    /// Whether the caller and the user follow each other.
    viewer,
}

parts_value! {
    /// The parts that a page of notifications has on request, because they cost read units or bytes.
    NotificationParts,
    /// The beginning of each comment.
    comments,
    /// The name and the picture of each person on the page.
    people,
    /// The small size of the photo of each notification.
    photos,
}

parts_value! {
    /// The parts that a page of people or comments has on request, because they cost read units.
    PageParts,
    /// The name and the picture of each person on the page.
    people,
    /// Whether the caller and each person follow each other, or the permissions of the caller on each
    /// comment.
    viewer,
}

parts_value! {
    /// The parts that the answer with a photo has on request, because they cost read units.
    PhotoParts,
    /// The newest comments.
    comments,
    /// The name and the picture of each person in the answer.
    people,
    /// The reactions of the caller to the photo, and whether the caller has saved it.
    viewer,
}

parts_value! {
    /// The parts that a list of photos of many owners has on request, because they cost read units.
    PhotosParts,
    /// The name and the picture of the owner of each photo.
    people,
    /// The reactions of the caller to each photo, and whether the caller saved it.
    viewer,
}

/// The maximum number of photos in a list of similar photos.
pub const MAX_SIMILAR: usize = 50;
/// The number of photos in such a list if the request does not say one.
pub const DEFAULT_SIMILAR: usize = 20;

/// The number of similar photos that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct SimilarLimit(usize);

impl Default for SimilarLimit {
    fn default() -> Self {
        Self(DEFAULT_SIMILAR)
    }
}

impl Value for SimilarLimit {
    const RULE: &'static str = "a whole number from 1 to 50";
}

impl FromStr for SimilarLimit {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.parse() {
            Ok(limit @ 1..=MAX_SIMILAR) if text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Self(limit)),
            _ => Err(()),
        }
    }
}

impl From<SimilarLimit> for usize {
    fn from(limit: SimilarLimit) -> Self {
        limit.0
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SimilarLimit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SimilarLimit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "integer",
            "description": "The maximum number of photos.",
            "minimum": 1,
            "maximum": MAX_SIMILAR,
            "default": DEFAULT_SIMILAR,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Value;

    #[test]
    fn parts_are_a_list_of_known_words() {
        assert_eq!("people".parse(), Ok(PageParts { people: true, viewer: false }));
        for both in ["people,viewer", "viewer,people", "viewer,people,viewer"] {
            assert_eq!(both.parse(), Ok(PageParts { people: true, viewer: true }), "{both}");
        }
        for bad in ["", ",", "people,", "People", "people, viewer", "comments"] {
            assert!(bad.parse::<PageParts>().is_err(), "{bad}");
        }
        assert_eq!(SimilarLimit::RULE, format!("a whole number from 1 to {MAX_SIMILAR}"));
        assert_eq!(PageParts::RULE, "one or more of people, viewer, separated by commas");
    }
}
