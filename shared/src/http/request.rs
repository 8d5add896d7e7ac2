//! Who calls, and what they ask for. Everything here answers before DynamoDB is asked anything.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use lambda_http::http::{Method, header};
use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::Error;
use crate::document::DocumentError;
use crate::error::Violation;
use crate::values::{DocumentFormat, Username, Value};

/// The most that a body may hold, in bytes. Some ten times what the largest allowed profile needs.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// Who calls: the `username` claim of the token that the gateway verified, and nothing else. The claim is that of a
/// [Cognito access token](https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whose token it is.
    pub username: Username,
    groups: Vec<String>,
}

impl Caller {
    /// Reads the claims where API Gateway's JWT authorizer
    /// [puts them](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html).
    pub fn of(request: &Request) -> Result<Self, Error> {
        let claims = match request.request_context_ref() {
            Some(RequestContext::ApiGatewayV2(context)) => {
                context.authorizer.as_ref().and_then(|authorizer| authorizer.jwt.as_ref()).map(|jwt| &jwt.claims)
            }
            _ => None,
        };
        let claims = claims.ok_or(Error::Unauthenticated)?;
        // API Gateway writes an array as a text: `[editors admins]`.
        let groups = claims.get("cognito:groups").map(|groups| groups.trim_matches(['[', ']'])).unwrap_or_default();
        match claims.get("username").ok_or(Error::Unauthenticated)?.parse() {
            Ok(username) => Ok(Self { username, groups: groups.split_whitespace().map(ToOwned::to_owned).collect() }),
            Err(broken) => Err(Error::Forbidden(format!("The token's username {broken}."))),
        }
    }

    /// Only who belongs to `group`, by the claim
    /// [`cognito:groups`](https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-user-groups.html),
    /// may do this.
    pub fn must_be_in(&self, group: &str) -> Result<(), Error> {
        if self.groups.iter().any(|own| own == group) {
            Ok(())
        } else {
            Err(Error::Forbidden(format!("Only members of the group {group} may do this.")))
        }
    }

    /// Only `owner` may do this.
    pub fn must_be(&self, owner: &Username) -> Result<(), Error> {
        if self.username == *owner { Ok(()) } else { Err(Error::Forbidden(format!("Only {owner} may do this."))) }
    }
}

/// A parameter of the path.
pub fn path<T: Value + FromStr>(request: &Request, name: &str) -> Result<T, Error> {
    let parameters =
        request.path_parameters_ref().ok_or_else(|| Error::internal(format!("the route has no parameter {name}")))?;
    parse(name, parameters.first(name).unwrap_or_default())
}

/// A parameter of the query string, if it is there.
pub fn query<T: Value + FromStr>(request: &Request, name: &str) -> Result<Option<T>, Error> {
    query_text(request, name)?.map(|text| parse(name, text)).transpose()
}

/// A parameter of the query string as it was sent. Of two with one name, it is open which would count, so neither is
/// taken.
pub(crate) fn query_text<'a>(request: &'a Request, name: &str) -> Result<Option<&'a str>, Error> {
    let given = request.query_string_parameters_ref().and_then(|parameters| parameters.all(name)).unwrap_or_default();
    match given[..] {
        [] => Ok(None),
        [text] => Ok(Some(text)),
        _ => Err(Error::invalid(name, "must be given once")),
    }
}

/// The body, which is at most so many bytes, and declared as JSON unless it is empty.
pub fn json_body(request: &Request, most: usize) -> Result<&[u8], Error> {
    let body: &[u8] = request.body();
    if body.len() > most {
        return Err(Error::TooLarge(most));
    }
    if !body.is_empty() && !is_json(request) {
        return Err(Error::NotJson);
    }
    Ok(body)
}

fn parse<T: Value + FromStr>(name: &str, text: &str) -> Result<T, Error> {
    text.parse().map_err(|_| Error::invalid(name, format!("must be {}", T::RULE)))
}

/// The fields of a JSON body. Each is taken out by name; [`Fields::finish`] then reports all that was wrong with any of
/// them in one answer, and what was not taken as unknown.
///
/// ```
/// # use shared::{Error, Request, request::Fields, values::{Name, Status}};
/// # fn read(request: &Request) -> Result<(), Error> {
/// let mut fields = Fields::of(request)?;
/// let name = fields.required::<Name>("name");
/// let status = fields.optional::<Status>("status");
/// fields.finish()?;
/// let (name, status) = (name?, status?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Fields {
    values: BTreeMap<String, Box<RawValue>>,
    violations: Vec<Violation>,
}

/// What a [merge patch](https://www.rfc-editor.org/rfc/rfc7396) says of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Patch<T> {
    /// It is not in the patch: leave it as it is.
    Keep,
    /// It is `null`: take it away.
    Remove,
    /// It has a value: put that in its place.
    Set(T),
}

impl<T> Patch<T> {
    /// Turns the value that is to be set into another.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Remove => Patch::Remove,
            Self::Set(value) => Patch::Set(f(value)),
        }
    }
}

impl Fields {
    /// Reads the body as a JSON object. No body is an object without fields.
    pub fn of(request: &Request) -> Result<Self, Error> {
        let body = json_body(request, MAX_BODY_BYTES)?;
        if body.is_empty() {
            return Ok(Self { values: BTreeMap::new(), violations: vec![] });
        }
        let Object(values) = serde_json::from_slice(body)
            .map_err(|error| Error::Malformed(format!("The body must be a JSON object: {error}.")))?;
        Ok(Self { values, violations: vec![] })
    }

    /// A field that must be there. The error is also kept for [`Fields::finish`].
    pub fn required<T: Value>(&mut self, name: &str) -> Result<T, Error> {
        match self.take(name)? {
            Patch::Set(value) => Ok(value),
            Patch::Keep | Patch::Remove => Err(self.violation(name, T::RULE)),
        }
    }

    /// A field that may be left out, or be `null`. The error is also kept for [`Fields::finish`].
    pub fn optional<T: Value>(&mut self, name: &str) -> Result<Option<T>, Error> {
        Ok(match self.take(name)? {
            Patch::Set(value) => Some(value),
            Patch::Keep | Patch::Remove => None,
        })
    }

    /// A field of a merge patch that can be replaced and not be taken away. The error is also kept for
    /// [`Fields::finish`].
    pub fn replacement<T: Value>(&mut self, name: &str) -> Result<Patch<T>, Error> {
        match self.take(name)? {
            Patch::Remove => Err(self.violation(name, T::RULE)),
            patch => Ok(patch),
        }
    }

    /// A field of a merge patch that may be taken away. The error is also kept for [`Fields::finish`].
    pub fn patch<T: Value>(&mut self, name: &str) -> Result<Patch<T>, Error> {
        self.take(name)
    }

    /// Reports all violations, and every field that nobody took.
    pub fn finish(mut self) -> Result<(), Error> {
        self.violations.extend(
            self.values
                .into_keys()
                .map(|field| Violation { field, message: "is not a field of this request".to_owned() }),
        );
        if self.violations.is_empty() { Ok(()) } else { Err(Error::Invalid(self.violations)) }
    }

    /// A field that is a document, see [`crate::document`], as `read` reads its text. The error is also kept for
    /// [`Fields::finish`], with the path inside the document.
    pub fn document<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(DocumentFormat, &str) -> Result<T, DocumentError>,
    ) -> Result<Patch<T>, Error> {
        match self.values.remove(name) {
            None => Ok(Patch::Keep),
            Some(value) if value.get() == "null" => Ok(Patch::Remove),
            Some(value) => read(DocumentFormat::Json, value.get()).map(Patch::Set).map_err(|fault| {
                let field = if fault.path().is_empty() { name.to_owned() } else { format!("{name}.{}", fault.path()) };
                let violation = Violation { field, message: fault.message().to_owned() };
                self.violations.push(violation.clone());
                Error::Invalid(vec![violation])
            }),
        }
    }

    fn take<T: Value>(&mut self, name: &str) -> Result<Patch<T>, Error> {
        match self.values.remove(name) {
            None => Ok(Patch::Keep),
            Some(value) if value.get() == "null" => Ok(Patch::Remove),
            Some(value) => serde_json::from_str(value.get()).map(Patch::Set).map_err(|_| self.violation(name, T::RULE)),
        }
    }

    fn violation(&mut self, field: &str, rule: &str) -> Error {
        let violation = Violation { field: field.to_owned(), message: format!("must be {rule}") };
        self.violations.push(violation.clone());
        Error::Invalid(vec![violation])
    }
}

fn is_json(request: &Request) -> bool {
    let content_type =
        request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        || (request.method() == Method::PATCH && essence.eq_ignore_ascii_case("application/merge-patch+json"))
}

/// A JSON object in which no name stands twice. [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259#section-4) leaves
/// open which of the two would count, so neither is taken.
struct Object(BTreeMap<String, Box<RawValue>>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut values = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, _>()? {
                    if values.contains_key(&name) {
                        return Err(de::Error::custom(format_args!("the field {name:?} stands twice")));
                    }
                    values.insert(name, value);
                }
                Ok(Object(values))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}
