//! The kinds of problems: one row for each, with everything that is said about the kind. docs/problems.md
//! and docs/openapi.json have the rows too.
//!
//! The `type` of a kind is a tag URI ([RFC 4151](https://www.rfc-editor.org/rfc/rfc4151)), which
//! [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457#section-3.1.1) names for types that cannot be fetched.

use std::borrow::Cow;

use lambda_http::http::StatusCode;

/// The beginning of each `type`. Nobody can own a domain below `example`
/// ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
macro_rules! tag {
    ($slug:literal) => {
        concat!("tag:quick-photos.example,2026:", $slug)
    };
}

/// The texts about a kind of problem.
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
    /// The action of a client that gets the problem.
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

/// Defines an enum of kinds that are answers, in the groups of their statuses.
macro_rules! answers {
    (
        $(#[$doc:meta])*
        $name:ident {
            $($status:ident {$($kind:ident $slug:literal $title:literal: $meaning:literal $remedy:literal;)+})+
        }
    ) => {
        kinds! {
            $(#[$doc])*
            $name {$($($kind $slug $title: $meaning $remedy;)+)+}
        }

        impl $name {
            /// Returns the status of an answer with the problem.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self {
                    $($(Self::$kind)|+ => StatusCode::$status),+
                }
            }
        }
    };
}

answers! {
    /// A kind of error that a route gives, because of what it takes or because it
    /// [declares](crate::runtime::route::Route::ERRORS) it.
    ErrorKind {
        BAD_REQUEST {
            Invalid "invalid" "Invalid fields":
                "Fields of the body, a parameter or a header break their rules, which `errors` has."
                "Show each message at its field. A parameter or a header is a mistake of the client.";
            Malformed "malformed" "Malformed body":
                "The body is not the JSON that the route takes."
                "Correct the client.";
        }
        UNAUTHORIZED {
            Unauthenticated "unauthenticated" "Not signed in":
                "There is no valid token. Mostly API Gateway answers first, without a `type`."
                "Sign in, or renew the token.";
        }
        FORBIDDEN {
            UnusableToken "unusable-token" "Unusable token":
                "The username or the `sub` in the token breaks its rule."
                "Sign in with another account.";
            NotYours "not-yours" "Not yours":
                "Only the user whom the path or the body names may do this."
                "Offer it to that user alone.";
            GroupNeeded "group-needed" "Group needed":
                "Only members of a group may do this."
                "Offer it to members alone. A new token has a new membership.";
            OtherAccount "other-account" "Name of another account":
                "The caller's username belongs to another account, which created the profile."
                "Sign in with that account, or sign up with another name.";
            ReportAboutYou "report-about-you" "Report about you":
                "A moderator can neither read nor decide a report about themselves."
                "Leave it to another moderator.";
        }
        NOT_FOUND {
            NoProfile "no-profile" "No profile":
                "The caller has no profile, or has deleted it."
                "Let the user create a profile.";
            NoUser "no-user" "No such user":
                "The user does not exist, or not for the caller."
                "Take the user off the screen.";
            NoPhoto "no-photo" "No such photo":
                "The photo does not exist, or the caller may not see it."
                "Take the photo off the screen.";
            NoComment "no-comment" "No such comment":
                "The comment does not exist, or the caller may not see it."
                "Take the comment off the screen.";
            NoLink "no-link" "No such link":
                "The link does not exist, has ended, or opens nothing any more."
                "Tell the user.";
            NoReport "no-report" "No such report":
                "The report does not exist."
                "Load the list of reports again.";
            NoFavorite "no-favorite" "No such favorite":
                "The caller has no such favorite."
                "Load the list of favorites again.";
            NoDeletedFavorite "no-deleted-favorite" "No such deleted favorite":
                "No deleted favorite with this id can be restored, or its time is over."
                "Take it off the screen.";
            NoTag "no-tag" "No such tag":
                "The caller has no such tag."
                "Load the list of tags again.";
            NoFollowRequest "no-follow-request" "No such request to follow":
                "The user does not ask to follow the caller, or has withdrawn the request."
                "Load the list of requests again.";
            NoExport "no-export" "No such export":
                "The caller has no such export, or it has expired."
                "Create an export.";
            NoImport "no-import" "No such import":
                "The caller has no such import, or it has expired."
                "Create an import.";
            NoSong "no-song" "No such song":
                "The catalogue has no such song."
                "Load the list of songs again.";
            NoPerson "no-person" "No such person":
                "The catalogue has no such person."
                "Tell the user.";
        }
        CONFLICT {
            ProfileExists "profile-exists" "Profile exists":
                "The caller has a profile with other fields."
                "Load the profile. PATCH changes it.";
            UsernameResting "username-resting" "Username rests":
                "The account of this name was deleted, and the name is not free yet."
                "Wait until the time that `detail` names, or sign up with another name.";
            UsernameReserved "username-reserved" "Username reserved":
                "A sign-up: nobody can have this name. Cognito passes `detail` on as its message, without a `type`."
                "Let the user choose another name.";
            UsernameTaken "username-taken" "Username taken":
                "A sign-up: somebody has this name, or had it. Cognito passes `detail` on as its message, without a `type`."
                "Let the user choose another name.";
            YouBlock "you-block" "You block the user":
                "The caller blocks the user whom the caller wants to follow."
                "Offer to remove the block, and repeat the request.";
            NotFollowing "not-following" "Not following":
                "The caller does not follow the user of whose photos the caller wants to be told."
                "Offer to follow the user, and repeat the request.";
            TooManyPhotos "too-many-photos" "Too many photos":
                "The caller has the maximum of photos."
                "Let the user delete a photo.";
            TooManyComments "too-many-comments" "Too many comments":
                "The caller has the maximum of comments."
                "Let the user delete a comment.";
            TooManyReplies "too-many-replies" "Too many replies":
                "The comment has the maximum of replies."
                "Tell the user.";
            TooManyFollowed "too-many-followed" "Too many followed users":
                "The caller follows the maximum of users."
                "Let the user unfollow somebody.";
            FollowerAtMaximum "follower-at-maximum" "Follower at the maximum":
                "The user who asked to follow the caller follows the maximum of users."
                "Tell the user. The request stays.";
            TooManyFollowRequests "too-many-follow-requests" "Too many requests to follow":
                "The caller has the maximum of requests that wait for an answer."
                "Let the user withdraw a request.";
            TooManyFollowedHashtags "too-many-followed-hashtags" "Too many followed hashtags":
                "The caller follows the maximum of hashtags."
                "Let the user unfollow a hashtag.";
            TooManyBlocks "too-many-blocks" "Too many blocks":
                "The caller blocks the maximum of users."
                "Let the user remove a block.";
            TooManyMutes "too-many-mutes" "Too many mutes":
                "The caller mutes the maximum of users."
                "Let the user remove a mute.";
            TooManyReports "too-many-reports" "Too many reports":
                "The caller has reported the maximum of things."
                "Tell the user.";
            TooManyLinks "too-many-links" "Too many links":
                "The caller has the maximum of links."
                "Let the user end a link.";
            TooManyFavorites "too-many-favorites" "Too many favorites":
                "The caller has the maximum of favorites."
                "Let the user delete a favorite.";
            TooManyTags "too-many-tags" "Too many tags":
                "The caller has the maximum of tags."
                "Let the user delete a tag.";
            TooManyTagsOnFavorite "too-many-tags-on-favorite" "Too many tags on the favorite":
                "The favorite has the maximum of tags."
                "Let the user take a tag off the favorite.";
            TooManyTagsToDelete "too-many-tags-to-delete" "Too many tags to delete":
                "The favorite has more tags than one transaction can delete with it."
                "Take tags off the favorite, and repeat the request.";
            TooManyTagsToRestore "too-many-tags-to-restore" "Too many tags to restore":
                "The deleted favorite had more tags than one transaction can restore with it."
                "Let the user delete some of these tags, and repeat the request.";
            TagNameTaken "tag-name-taken" "Tag name taken":
                "Another tag of the caller has this name, but for the case of letters."
                "Offer that tag, or let the user choose another name.";
            PhotoPinned "photo-pinned" "Photo pinned":
                "The photo is the picture of the caller's profile, which everyone sees."
                "Let the user pin another photo, or none, and repeat the request.";
            PhotoMarked "photo-marked" "Photo marked":
                "A moderator has marked the photo as sensitive, so its owner cannot change the mark."
                "Show the mark without a way to change it.";
            CommentRemoved "comment-removed" "Comment removed":
                "A moderator has removed the comment, so its text cannot change."
                "Show the comment as removed.";
        }
        PRECONDITION_FAILED {
            PreconditionFailed "precondition-failed" "Precondition failed":
                "The item is not as `If-Match` or `If-None-Match` requires: it has changed, does not exist, or exists already."
                "Load the item, apply the change to it, and send it with the new `ETag`.";
        }
        PAYLOAD_TOO_LARGE {
            TooLarge "too-large" "Body too large":
                "The body has too many bytes."
                "Send less.";
        }
        UNSUPPORTED_MEDIA_TYPE {
            NotJson "not-json" "Not JSON":
                "The header `Content-Type` does not declare the body as JSON."
                "Correct the client.";
        }
        UNPROCESSABLE_ENTITY {
            IdempotencyKeyReused "idempotency-key-reused" "Idempotency key reused":
                "An earlier request with this `Idempotency-Key` had another body."
                "Send a new request with a new key, and a repeated request with the bytes of the first one.";
        }
        TOO_MANY_REQUESTS {
            TooManyReportsToday "too-many-reports-today" "Too many reports today":
                "The maximum of reports without an account came from this address today."
                "Tell the user.";
        }
        INTERNAL_SERVER_ERROR {
            Internal "internal" "Internal error":
                "The server has an error."
                "Report it with the header `apigw-requestid`.";
        }
        SERVICE_UNAVAILABLE {
            Busy "busy" "Busy":
                "DynamoDB throttles or cannot be reached. A write may have been done or not."
                "Send the same request again after the seconds of `Retry-After`.";
        }
    }
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
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the name of a variant in lower case, with a hyphen before each further word.
    fn kebab(name: &str) -> String {
        let hyphen = |(at, c): (usize, char)| if at > 0 && c.is_uppercase() { format!("-{c}") } else { c.to_string() };
        name.char_indices().map(hyphen).collect::<String>().to_lowercase()
    }

    #[test]
    fn each_kind_has_a_uri_of_its_own_after_its_name() {
        let kinds = ErrorKind::ALL.iter().map(|kind| (format!("{kind:?}"), kind.description()));
        let pictures = PictureProblem::ALL.iter().map(|problem| (format!("{problem:?}"), problem.description()));
        let mut uris = BTreeSet::new();
        for (name, Description { uri, slug, meaning, remedy, .. }) in kinds.chain(pictures) {
            assert_eq!(kebab(&name), slug);
            assert!(uris.insert(uri), "{uri}");
            assert!(meaning.ends_with('.') && remedy.ends_with('.') && meaning != remedy, "{slug}");
        }
    }

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
