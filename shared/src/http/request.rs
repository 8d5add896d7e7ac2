//! The input of a request: the caller, the parameters, and the text of the body, whose
//! [fields](super::fields) are taken out by name. All of it is checked before the first request to
//! DynamoDB.

use std::any::TypeId;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lambda_http::http::{HeaderValue, Method, header};
use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt};
use serde::Deserialize;

use crate::Error;
use crate::http::escape::{ESCAPE_RULE, unescape};
use crate::http::problems::ErrorKind;
use crate::values::{InvalidValue, Subject, Username, Value};

/// The maximum size of a body, in bytes, unless it is a
/// [document](super::extract::MAX_DOCUMENT_BYTES). A larger body gets a 413.
///
/// A profile may have `attributes` of up to [32 KB](crate::entities::MAX_ATTRIBUTES_BYTES) as
/// DynamoDB counts. Escapes and white space make their JSON larger, and the whole body must still
/// have at most this size.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// The caller: the user whom the `username` claim of the verified token names, never the body or
/// the path. It is a claim of a [Cognito access
/// token](https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The username in the token.
    pub username: Username,
    /// The account in the token: the claim `sub`, or the username if the token has none. The issuer
    /// never gives it to another account, while a username may be free again
    /// ([`account`](crate::entities::account)).
    pub subject: Subject,
    groups: Vec<String>,
}

impl Caller {
    /// Returns the caller from the claims that the JWT authorizer of API Gateway [adds to the
    /// request](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html).
    pub fn from_request(request: &Request) -> Result<Self, Error> {
        let claims = match request.request_context_ref() {
            Some(RequestContext::ApiGatewayV2(context)) => {
                context.authorizer.as_ref().and_then(|authorizer| authorizer.jwt.as_ref()).map(|jwt| &jwt.claims)
            }
            _ => None,
        };
        let claims = claims.ok_or(Error::Unauthenticated)?;
        let authorization: Vec<_> = request.headers().get_all(header::AUTHORIZATION).iter().collect();
        let groups = claims.get("cognito:groups").map(|claim| groups(claim, &authorization)).unwrap_or_default();
        let username = claims.get("username").ok_or(Error::Unauthenticated)?;
        let subject = claims.get("sub").filter(|sub| !sub.is_empty()).unwrap_or(username);
        Ok(Self {
            username: username.parse().map_err(|invalid| refused("username", &invalid))?,
            subject: subject.parse().map_err(|invalid| refused("`sub`", &invalid))?,
            groups,
        })
    }

    /// Fails unless the caller is a member of `group`, by the claim
    /// [`cognito:groups`](https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-user-groups.html).
    pub fn must_be_in(&self, group: &str) -> Result<(), Error> {
        if self.groups.iter().any(|own| own == group) {
            Ok(())
        } else {
            Err(Error::refused(ErrorKind::GroupNeeded, format!("Only {group} may do this."))
                .with_hint(format!("The claim cognito:groups of the token must have the group {group}.")))
        }
    }

    /// Fails unless the caller is `owner`.
    pub fn must_be(&self, owner: &Username) -> Result<(), Error> {
        if self.username == *owner { Ok(()) } else { Err(not_yours(format!("Only {owner} may do this."))) }
    }

    /// Fails unless the caller is one of two users.
    pub fn must_be_either(&self, one: &Username, other: &Username) -> Result<(), Error> {
        if [one, other].contains(&&self.username) {
            Ok(())
        } else {
            Err(not_yours(format!("Only {one} and {other} may do this.")))
        }
    }
}

/// Returns the error for a caller who is another user.
fn not_yours(detail: String) -> Error {
    Error::refused(ErrorKind::NotYours, detail).with_hint("In a path, `me` stands for the user of the token.")
}

/// Returns the error for a token with a claim that no caller may have.
fn refused(claim: &str, invalid: &InvalidValue) -> Error {
    Error::refused(ErrorKind::UnusableToken, "Your account cannot be used here. Sign in with another account.")
        .with_hint(format!("The {claim} in the token {invalid}."))
}

/// Returns the groups in the claim `cognito:groups`, which is an array in the token. API Gateway
/// passes an array as its elements between one pair of brackets with one space between two of them:
/// `[admins editors]`. A claim without the brackets was no array, so it lists no groups. The
/// brackets of a group's own name stay: a member of `[editors]` is no editor.
///
/// So `["not", "editors"]` and `["not editors"]` arrive as the same text. A group of Cognito [has no
/// space](https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateGroup.html)
/// in its name, but one of another issuer may have. The token itself tells where a name ends. It is
/// in the header `Authorization`, by which API Gateway has verified it, and its array counts only if
/// API Gateway makes this claim of it.
fn groups(claim: &str, authorization: &[&HeaderValue]) -> Vec<String> {
    let list = claim.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or_default();
    if !list.contains(' ') {
        return [list].into_iter().filter(|group| !group.is_empty()).map(ToOwned::to_owned).collect();
    }
    let [token] = authorization else { return vec![] };
    groups_in_token(token).filter(|groups| groups.join(" ") == list).unwrap_or_default()
}

/// Returns the array `cognito:groups` in a verified token.
fn groups_in_token(authorization: &HeaderValue) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Claims {
        #[serde(rename = "cognito:groups")]
        groups: Vec<String>,
    }

    let authorization = authorization.to_str().ok()?;
    let token = match authorization.split_at_checked(7) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer ") => token.trim(),
        _ => authorization,
    };
    let [_, claims, _] = token.split('.').collect::<Vec<_>>()[..] else { return None };
    let claims: Claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    Some(claims.groups)
}

/// The word that may stand for the caller's own username in a path. No new user may take it as a
/// username. A user who has it already reaches only themselves by it, as every caller does.
pub const ME: &str = "me";

/// Returns a parameter of the path. Where it is a username, [`ME`] is that of the caller.
pub fn path<T: Value + FromStr + 'static>(request: &Request, name: &str) -> Result<T, Error> {
    let parameters =
        request.path_parameters_ref().ok_or_else(|| Error::internal(format!("the route has no parameter {name}")))?;
    let text = parameters.first(name).unwrap_or_default();
    if text == ME && TypeId::of::<T>() == TypeId::of::<Username>() {
        return parse(name, Caller::from_request(request)?.username.as_ref());
    }
    parse(name, text)
}

/// Returns a parameter of the path that a person typed, from its [escaped form](escape).
pub fn escaped_path<T: Value + FromStr>(request: &Request, name: &str) -> Result<T, Error> {
    let segment = request.path_parameters_ref().and_then(|parameters| parameters.first(name)).unwrap_or_default();
    let text = unescape(segment).ok_or_else(|| Error::invalid(name, format!("must be {ESCAPE_RULE}")))?;
    parse(name, &text)
}

/// Fails if the query string has a parameter that is not one of these.
pub fn must_only_have(parameters: &[&str], request: &Request) -> Result<(), Error> {
    let given = request.query_string_parameters_ref();
    let unknown = given.into_iter().flat_map(|given| given.iter()).find(|(name, _)| !parameters.contains(name));
    match unknown {
        None => Ok(()),
        Some((name, _)) if parameters.is_empty() => {
            Err(Error::invalid(name, "must be left out: this route takes no parameters in the query string"))
        }
        Some((name, _)) => {
            let rule = format!("must be left out: this route takes only the parameters {}", parameters.join(", "));
            Err(Error::invalid(name, rule))
        }
    }
}

/// Returns a parameter of the query string, or `None` if it is absent. A repeated parameter is
/// rejected as ambiguous.
pub fn query<T: Value + FromStr>(request: &Request, name: &str) -> Result<Option<T>, Error> {
    query_text(request, name)?.map(|text| parse(name, text)).transpose()
}

/// Returns a parameter of the query string that the route requires. A repeated parameter is
/// rejected as ambiguous.
pub fn required_query<T: Value + FromStr>(request: &Request, name: &str) -> Result<T, Error> {
    query(request, name)?.ok_or_else(|| Error::invalid(name, format!("must be {}", T::RULE)))
}

/// Returns the text of a parameter of the query string, or `None` if it is absent. A repeated
/// parameter is rejected as ambiguous.
pub(crate) fn query_text<'a>(request: &'a Request, name: &str) -> Result<Option<&'a str>, Error> {
    let values = request.query_string_parameters_ref().and_then(|parameters| parameters.all(name)).unwrap_or_default();
    match values[..] {
        [] => Ok(None),
        [text] => Ok(Some(text)),
        _ => Err(Error::invalid(name, "must be given only once")),
    }
}

/// The byte order mark of UTF-8, with which some programs begin a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns the body without a byte order mark, which a reader of JSON [may
/// ignore](https://www.rfc-editor.org/rfc/rfc8259#section-8.1). Fails if the body is larger than
/// `max_bytes`, or is not declared as JSON and not empty.
pub fn json_body(request: &Request, max_bytes: usize) -> Result<&[u8], Error> {
    let body: &[u8] = request.body();
    if body.len() > max_bytes {
        return Err(Error::TooLarge(max_bytes));
    }
    if !body.is_empty() && !is_json(request) {
        return Err(Error::NotJson);
    }
    Ok(body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body))
}

fn parse<T: Value + FromStr>(name: &str, text: &str) -> Result<T, Error> {
    text.parse().map_err(|_| Error::invalid(name, InvalidValue::of::<T>(text).to_string()))
}

fn is_json(request: &Request) -> bool {
    let content_type =
        request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        || (request.method() == Method::PATCH && essence.eq_ignore_ascii_case("application/merge-patch+json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Title;

    fn caller(claims: &serde_json::Value) -> Result<Caller, Error> {
        let event = serde_json::json!({
            "version": "2.0", "routeKey": "GET /", "rawPath": "/", "rawQueryString": "", "headers": {},
            "requestContext": {
                "http": {"method": "GET", "path": "/"}, "timeEpoch": 0,
                "authorizer": {"jwt": {"claims": claims, "scopes": null}},
            },
            "isBase64Encoded": false,
        });
        Caller::from_request(&lambda_http::request::from_str(&event.to_string()).unwrap())
    }

    #[test]
    fn the_message_about_a_parameter_names_the_refused_character() {
        let title: Result<Title, Error> = parse("title", "a\u{7f}");
        assert!(
            matches!(title, Err(Error::Invalid(refused)) if refused[0].message.ends_with("; character 2 is U+007F, a control character"))
        );
    }

    #[test]
    fn the_subject_is_sub_or_the_username() {
        for (sub, subject) in [("890a72e1", "890a72e1"), ("", "ada")] {
            let caller = caller(&serde_json::json!({"username": "ada", "sub": sub})).unwrap();
            assert_eq!((caller.username.as_ref(), caller.subject.as_ref()), ("ada", subject));
        }
        assert_eq!(caller(&serde_json::json!({"username": "ada"})).unwrap().subject.as_ref(), "ada");
        for sub in ["ädä", &"x".repeat(256)] {
            let refused = caller(&serde_json::json!({"username": "ada", "sub": sub}));
            assert!(matches!(refused, Err(Error::Refused { hint: Some(hint), .. }) if hint.contains("`sub`")), "{sub}");
        }
    }

    fn token(groups: &serde_json::Value) -> HeaderValue {
        let claims = serde_json::json!({"username": "ada", "cognito:groups": groups}).to_string();
        format!("Bearer e30.{}.c2lnbmF0dXJl", URL_SAFE_NO_PAD.encode(claims)).parse().unwrap()
    }

    #[test]
    fn a_claim_with_one_name_lists_this_group() {
        for (claim, expected) in [
            ("[editors]", &["editors"][..]),
            ("[editors,admins]", &["editors,admins"]),
            ("[[editors]]", &["[editors]"]),
            ("[[editors]", &["[editors"]),
            ("[editors]]", &["editors]"]),
            ("[]", &[]),
        ] {
            assert_eq!(groups(claim, &[]), expected, "{claim}");
        }
    }

    #[test]
    fn a_claim_that_is_no_array_lists_no_groups() {
        for claim in ["editors", "[editors", "editors]", "editors admins", " [editors]", "[editors] ", "[", "]", ""] {
            let in_token = token(&serde_json::json!(claim));
            assert_eq!(groups(claim, &[&in_token]), [""; 0], "{claim:?}");
        }
    }

    /// API Gateway makes the same claim of some of them.
    #[test]
    fn the_token_tells_where_the_name_of_a_group_ends() {
        let claim = "[not editors]";
        for (in_token, expected) in [
            (serde_json::json!(["not", "editors"]), &["not", "editors"][..]),
            (serde_json::json!(["not editors"]), &["not editors"]),
            (serde_json::json!("[not editors]"), &[]),
            // Of another claim.
            (serde_json::json!(["editors"]), &[]),
            (serde_json::json!(["editors", "not"]), &[]),
            (serde_json::json!([["not", "editors"]]), &[]),
            (serde_json::json!(null), &[]),
        ] {
            assert_eq!(groups(claim, &[&token(&in_token)]), expected, "{in_token}");
        }
        assert_eq!(groups("[ editors]", &[&token(&serde_json::json!(["", "editors"]))]), ["", "editors"]);
    }

    #[test]
    fn two_names_without_one_token_list_no_groups() {
        let (claim, of_both) = ("[admins editors]", token(&serde_json::json!(["admins", "editors"])));
        assert_eq!(groups(claim, &[&of_both]), ["admins", "editors"]);
        assert_eq!(groups(claim, &[]), [""; 0]);
        assert_eq!(groups(claim, &[&of_both, &of_both]), [""; 0]);
        let text = of_both.to_str().unwrap();
        for other in [format!("{text}, {text}"), format!("{text},{text}"), text.replace('.', ""), "Bearer".to_owned()] {
            assert_eq!(groups(claim, &[&other.parse().unwrap()]), [""; 0], "{other}");
        }
        for same in [text.replace("Bearer ", "bEARER  "), text.replace("Bearer ", "")] {
            assert_eq!(groups(claim, &[&same.parse().unwrap()]), ["admins", "editors"], "{same}");
        }
    }
}
