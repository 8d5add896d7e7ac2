//! The kinds of problems: one row for each, with everything that is said about the kind. docs/problems.md
//! and docs/openapi.json have the rows too.
//!
//! The `type` of a kind is a tag URI ([RFC 4151](https://www.rfc-editor.org/rfc/rfc4151)), which
//! [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457#section-3.1.1) names for types that cannot be fetched.

use std::borrow::Cow;

/// The beginning of each `type`. Nobody can own a domain below `example`
/// ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
macro_rules! tag {
    ($slug:literal) => {
        concat!("tag:quick-photos.example,2026:", $slug)
    };
}

/// What is said about a kind of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// The `type`: a URI that never changes.
    pub uri: &'static str,
    /// The last part of the URI.
    pub slug: &'static str,
    /// The name, for developers and logs.
    pub title: &'static str,
    /// The meaning, for the table of all kinds.
    pub meaning: &'static str,
    /// What a client does about it.
    pub remedy: &'static str,
}

/// Defines an enum of kinds with the description of each.
macro_rules! kinds {
    (
        $(#[$doc:meta])*
        $name:ident {$($kind:ident $slug:literal $title:literal: $meaning:literal $remedy:literal;)+}
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = $meaning] $kind),+
        }

        impl $name {
            /// All kinds, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            /// Returns what is said about the kind.
            #[must_use]
            pub const fn description(self) -> Description {
                match self {
                    $(Self::$kind => Description {
                        uri: tag!($slug),
                        slug: $slug,
                        title: $title,
                        meaning: $meaning,
                        remedy: $remedy,
                    }),+
                }
            }

            /// Returns the kind with this `type`, or `None` if there is none.
            #[must_use]
            pub fn from_uri(uri: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.description().uri == uri)
            }
        }
    };
}

kinds! {
    /// A reason why a photo does not show its picture. It is the `problem` of the photo, which only
    /// the owner sees.
    PictureProblem {
        NotAPicture "not-a-picture" "Not a picture":
            "The uploaded file is not a picture in a format that the service reads."
            "Convert the picture to JPEG, PNG or WebP, and upload it as a new photo.";
        PictureTooLarge "picture-too-large" "Picture too large":
            "The uploaded file has too many bytes."
            "Make the file smaller, and upload it as a new photo.";
        TooManyPixels "too-many-pixels" "Too many pixels":
            "The picture has too many pixels, or a side that is too long."
            "Make the picture smaller, and upload it as a new photo.";
        PictureDamaged "picture-damaged" "Picture damaged":
            "The uploaded file is damaged or incomplete, or could not be processed."
            "Save the picture again, and upload it as a new photo.";
        PictureRefused "picture-refused" "Picture refused":
            "The function that moderates pictures has refused the picture."
            "Tell the user. The photo stays hidden.";
        RemovedByModerator "removed-by-moderator" "Removed by a moderator":
            "A moderator has removed the photo."
            "Tell the user. Only its owner sees the photo.";
    }
}

/// Writes the `type`.
impl serde::Serialize for PictureProblem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.description().uri)
    }
}

/// Reads the `type`.
impl<'de> serde::Deserialize<'de> for PictureProblem {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let uri = Cow::<str>::deserialize(deserializer)?;
        Self::from_uri(&uri).ok_or_else(|| serde::de::Error::custom("the problem of a picture is of no known type"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PictureProblem {
    fn schema_name() -> Cow<'static, str> {
        "PictureProblem".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let uris: Vec<&str> = Self::ALL.iter().map(|problem| problem.description().uri).collect();
        schemars::json_schema!({"type": "string", "enum": uris})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_of_a_picture_is_written_and_read_as_its_uri() {
        for problem in PictureProblem::ALL {
            let json = serde_json::to_string(problem).unwrap();
            assert_eq!(json, format!("\"tag:quick-photos.example,2026:{}\"", problem.description().slug));
            assert_eq!(serde_json::from_str::<PictureProblem>(&json).unwrap(), *problem);
        }
        for other in ["\"picture-damaged\"", "\"tag:quick-photos.example,2026:no-user\"", "5"] {
            assert!(serde_json::from_str::<PictureProblem>(other).is_err(), "{other}");
        }
    }
}
