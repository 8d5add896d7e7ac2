//! The input of handlers as types: each knows how to take itself from a request, and how the
//! OpenAPI document describes it.
//!
//! The input of a route is a tuple of them, in the order in which they are checked. All of it is
//! checked before the first request to DynamoDB.

use std::str::FromStr;

use lambda_http::Request;

use super::fields::Fields;
use super::request::{self, Caller, json_body};
use crate::Error;
#[cfg(feature = "schema")]
use crate::http::describe::{Callers, Operation};
#[cfg(feature = "schema")]
use crate::http::problems::ErrorKind;
use crate::search::Query as SearchQuery;
use crate::values::{
    AnsweredComment, Artist, CommentId, DataId, DataType, DeviceId, DocumentFormat, EmbedFormat, ExportId, Genre,
    Hashtag, HashtagQuery, ImportId, LinkToken, LinkUrl, MaxPixels, NotificationParts, OrderBy, PageParts, PeopleParts,
    PersonId, PhotoId, PhotoParts, PhotosParts, ProfileParts, ReactionType, ReportId, ReportState, ScreenId, Show,
    SimilarLimit, SongTitle, TagId, TagSort, TitlePrefix, Username, Value, ViewerParts,
};

pub use super::fields::FromFields;

/// The group of the user pool whose members write the catalogues.
pub const EDITORS: &str = "editors";
/// The group of the user pool whose members see and decide reports.
pub const MODERATORS: &str = "moderators";

/// The maximum size of a body with a document, in bytes. An item has at most [400
/// KB](crate::document::MAX_BYTES), but escapes and type names make its JSON larger.
pub const MAX_DOCUMENT_BYTES: usize = 2 * 1024 * 1024;

/// A part of the input of a handler.
pub trait FromRequest: Sized {
    /// Whether the part is a precondition. A route without one refuses requests that have one.
    const IS_PRECONDITION: bool = false;

    /// Returns the parameters of the query string that the part reads.
    #[must_use]
    fn query_parameters() -> Vec<&'static str> {
        vec![]
    }

    /// Takes the part from a request, or fails with the error for the caller.
    fn from_request(request: &Request) -> Result<Self, Error>;

    /// Adds the part to the description of an operation.
    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>);
}

macro_rules! tuple {
    ($($part:ident)+) => {
        impl<$($part: FromRequest),+> FromRequest for ($($part,)+) {
            const IS_PRECONDITION: bool = $($part::IS_PRECONDITION)||+;

            fn query_parameters() -> Vec<&'static str> {
                [$($part::query_parameters()),+].concat()
            }

            fn from_request(request: &Request) -> Result<Self, Error> {
                Ok(($($part::from_request(request)?,)+))
            }

            #[cfg(feature = "schema")]
            fn describe(operation: &mut Operation<'_>) {
                $($part::describe(operation);)+
            }
        }
    };
}

tuple! { A }
tuple! { A B }
tuple! { A B C }
tuple! { A B C D }
tuple! { A B C D E }
tuple! { A B C D E F }
tuple! { A B C D E F G }

/// A value that stands in paths.
pub trait PathParameter: Value + FromStr + 'static {
    /// The name of the parameter.
    const NAME: &'static str;
    /// The description of the parameter in the OpenAPI document.
    const DESCRIPTION: &'static str;
    /// Whether a person typed it, so that it stands in its [escaped form](super::escape).
    const IS_ESCAPED: bool = false;
}

/// A parameter of the path. Where it is a username, [`ME`](request::ME) is that of the caller.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T: PathParameter> FromRequest for Path<T> {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let value =
            if T::IS_ESCAPED { request::escaped_path(request, T::NAME) } else { request::path(request, T::NAME) };
        value.map(Self)
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        if T::IS_ESCAPED {
            operation.escaped_path::<T>(T::NAME, T::DESCRIPTION);
        } else if T::NAME == Username::NAME {
            operation.username();
        } else {
            operation.path::<T>(T::NAME, T::DESCRIPTION);
        }
    }
}

/// A value that stands in query strings.
pub trait QueryParameter: Value + FromStr {
    /// The name of the parameter.
    const NAME: &'static str;
    /// The description of the parameter in the OpenAPI document.
    const DESCRIPTION: &'static str;
    /// The default value in the OpenAPI document, if it says one.
    const DEFAULT: Option<&'static str> = None;
}

/// A parameter of the query string that has a default value.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: QueryParameter + Default> FromRequest for Query<T> {
    fn query_parameters() -> Vec<&'static str> {
        vec![T::NAME]
    }

    fn from_request(request: &Request) -> Result<Self, Error> {
        Ok(Self(request::query(request, T::NAME)?.unwrap_or_default()))
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.query::<T>(T::NAME, T::DESCRIPTION, T::DEFAULT);
    }
}

/// A parameter of the query string that may be absent.
#[derive(Debug)]
pub struct OptionalQuery<T>(pub Option<T>);

impl<T: QueryParameter> FromRequest for OptionalQuery<T> {
    fn query_parameters() -> Vec<&'static str> {
        vec![T::NAME]
    }

    fn from_request(request: &Request) -> Result<Self, Error> {
        request::query(request, T::NAME).map(Self)
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.query::<T>(T::NAME, T::DESCRIPTION, None);
    }
}

/// A parameter of the query string that must be given.
#[derive(Debug)]
pub struct RequiredQuery<T>(pub T);

impl<T: QueryParameter> FromRequest for RequiredQuery<T> {
    fn query_parameters() -> Vec<&'static str> {
        vec![T::NAME]
    }

    fn from_request(request: &Request) -> Result<Self, Error> {
        request::required_query(request, T::NAME).map(Self)
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.required_query::<T>(T::NAME, T::DESCRIPTION);
    }
}

impl FromRequest for Caller {
    fn from_request(request: &Request) -> Result<Self, Error> {
        Caller::from_request(request)
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.error(ErrorKind::Unauthenticated);
        operation.error(ErrorKind::UnusableToken);
    }
}

/// The caller, who must be the user in the path. Everybody else gets 403.
#[derive(Debug)]
pub struct Owner(pub Caller);

impl FromRequest for Owner {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let username = request::path(request, Username::NAME)?;
        let caller = Caller::from_request(request)?;
        caller.must_be(&username)?;
        Ok(Self(caller))
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.path::<Username>(Username::NAME, "The caller: `me`, or the username of the caller.");
        Caller::describe(operation);
        operation.callers(Callers::Owner);
    }
}

/// The caller, who must be one of the [`EDITORS`]. Everybody else gets 403.
#[derive(Debug)]
pub struct Editor(pub Caller);

/// The caller, who must be one of the [`MODERATORS`]. Everybody else gets 403.
#[derive(Debug)]
pub struct Moderator(pub Caller);

macro_rules! member {
    ($name:ident $group:ident) => {
        impl FromRequest for $name {
            fn from_request(request: &Request) -> Result<Self, Error> {
                let caller = Caller::from_request(request)?;
                caller.must_be_in($group)?;
                Ok(Self(caller))
            }

            #[cfg(feature = "schema")]
            fn describe(operation: &mut Operation<'_>) {
                Caller::describe(operation);
                operation.callers(Callers::Group($group));
            }
        }
    };
}

member! { Editor EDITORS }
member! { Moderator MODERATORS }

/// The fields of a request that has none.
#[derive(Debug)]
pub struct NoFields;

impl FromFields for NoFields {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        fields.finish().map(|()| Self)
    }
}

/// The body, a JSON object of at most [`MAX_BODY_BYTES`](request::MAX_BODY_BYTES). An empty body
/// has no fields.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: FromFields> FromRequest for Body<T> {
    fn from_request(request: &Request) -> Result<Self, Error> {
        T::from_fields(&mut Fields::from_request(request)?).map(Self)
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        let mut fields = Fields::described();
        // It fails at `finish`, once it has named its fields.
        let _ = T::from_fields(&mut fields);
        operation.object(&fields.description(), request::MAX_BODY_BYTES);
    }
}

/// The text of a body that is a [document](crate::document) of at most [`MAX_DOCUMENT_BYTES`].
#[derive(Debug)]
pub struct DocumentText(pub String);

impl FromRequest for DocumentText {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let body = json_body(request, MAX_DOCUMENT_BYTES)?;
        let text = str::from_utf8(body).map_err(|_| Error::Malformed("Encode the body as UTF-8.".to_owned()))?;
        Ok(Self(text.to_owned()))
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        operation.document(MAX_DOCUMENT_BYTES);
    }
}

macro_rules! path_parameter {
    ($($value:ident $name:literal $($is_escaped:ident)?: $description:literal,)+) => {
        $(impl PathParameter for $value {
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = $description;
            $(const IS_ESCAPED: bool = stringify!($is_escaped).len() > 0;)?
        })+
    };
}

path_parameter! {
    Artist "artist" escaped: "The artist.",
    CommentId "comment": "The `id` of the comment.",
    DataId "dataId": "The `dataId` of the favorite.",
    DataType "type": "The type of the favorites.",
    DeviceId "id": "The id of the device, which the app chooses.",
    ExportId "id": "The `id` of the export.",
    Genre "genre" escaped: "The genre.",
    Hashtag "tag" escaped: "The hashtag, without its `#`.",
    ImportId "id": "The `id` of the import.",
    LinkToken "token": "The token of the link.",
    PersonId "personId": "The id of the person in the catalogue.",
    PhotoId "photo": "The `id` of the photo.",
    ReactionType "type": "The type of the reaction.",
    ReportId "id": "The `id` of the report.",
    ScreenId "id": "The id of the screen, which the app chooses.",
    SongTitle "songTitle" escaped: "The title of the song.",
    TagId "tagId": "The `tagId` of the tag.",
    Username "username": "The user. `me` is the caller.",
}

macro_rules! query_parameter {
    ($($value:ty: $name:literal $(= $default:literal)?, $description:expr;)+) => {
        $(impl QueryParameter for $value {
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = $description;
            $(const DEFAULT: Option<&'static str> = Some($default);)?
        })+
    };
}

query_parameter! {
    AnsweredComment: "replyTo", "The comment whose replies are listed. Without it, the list has no replies.";
    DocumentFormat: "format" = "json",
        "The JSON of the documents in the request and in the answer: plain, or with the types of DynamoDB.";
    EmbedFormat: "format" = "json", "The format of the answer.";
    HashtagQuery: "q", "The beginning of hashtags, with or without the `#`.";
    LinkUrl: "url", "The address of the link.";
    MaxPixels<false>: "maxheight", "The maximum height of the picture, in pixels.";
    MaxPixels<true>: "maxwidth", "The maximum width of the picture, in pixels.";
    NotificationParts: "include", Self::WORDS;
    OrderBy<false>: "order" = "asc", "The direction of the list.";
    OrderBy<true>: "order" = "desc", "The direction of the list.";
    PageParts: "include", Self::WORDS;
    PeopleParts: "include", Self::WORDS;
    PhotoParts: "include", Self::WORDS;
    PhotosParts: "include", Self::WORDS;
    ProfileParts: "include", Self::WORDS;
    ReactionType: "type", "The type of the reactions. Without it, the list has reactions of all types.";
    ReportState: "state" = "open", "The state of the reports.";
    SearchQuery: "q", "Words that begin words of the title. `tag:NAME` finds a tag, and `type:NAME` a type.";
    Show: "show", "Whether the answer has the pictures of sensitive photos, which a visitor has asked to see.";
    SimilarLimit: "limit", "The maximum number of photos.";
    TagSort: "sort" = "name", "The value by which the list is sorted.";
    TitlePrefix: "titlePrefix", "The beginning of the titles. Without it, the list has all titles.";
    ViewerParts: "include", Self::WORDS;
}

#[cfg(test)]
mod tests {
    use lambda_http::{Body as HttpBody, http};

    use super::*;

    #[test]
    fn a_document_is_text_in_utf_8() {
        let text = |body: &[u8]| {
            let request = http::Request::put("/").header("content-type", "application/json");
            DocumentText::from_request(&request.body(HttpBody::from(body.to_vec())).unwrap())
        };
        assert_eq!(text(b"{}").unwrap().0, "{}");
        assert!(matches!(text(b"{\"a\": \"\xff\"}"), Err(Error::Malformed(_))));
        assert!(matches!(text(&vec![b' '; MAX_DOCUMENT_BYTES + 1]), Err(Error::TooLarge(MAX_DOCUMENT_BYTES))));
    }
}
