//! Preconditions of writes: `If-Match` and `If-None-Match`, as a condition that DynamoDB checks.
//!
//! Each item of the catalogues has a version, which changes with every write and is the
//! [entity tag](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3) of the item.
//!
//! An item that another program wrote may have no version, or a `_version` of its own. A string
//! that can be a tag is then its tag. Every other such item has the tag `"0"` until this program
//! writes it. `If-Match: "0"` matches an item whose `_version` is absent or no string. It does not
//! match a string that cannot be a tag, or that is `0`: only `If-Match: *` matches such an item.
//!
//! The tag of a compressed answer ends in `.gzip`, which `If-Match` ignores.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use lambda_http::Request;
use lambda_http::http::{Method, header};
#[cfg(feature = "schema")]
use schemars::json_schema;
use uuid::Uuid;

use crate::Error;
use crate::dynamodb::Item;
#[cfg(feature = "schema")]
use crate::http::describe::Operation;
use crate::http::extract::FromRequest;
#[cfg(feature = "schema")]
use crate::http::problems::ErrorKind;

/// The attribute that holds the version of an item. It is not part of the document: requests must
/// not contain it, and answers leave it out.
pub const VERSION: &str = "_version";

/// Returns a version that no item has had before.
#[must_use]
pub fn new_version() -> String {
    Uuid::now_v7().to_string()
}

/// The version that stands for an item without a version that can be a tag.
const UNVERSIONED: &str = "0";
/// The entity tag of such an item.
pub(super) const UNVERSIONED_TAG: &str = "\"0\"";

/// The end of a strong entity tag of a [compressed](super::gzip) answer. A strong tag [names the
/// bytes of one coding](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.3).
pub(super) const COMPRESSED: &str = ".gzip";

/// Removes the version from an item and returns its entity tag, in double quotes.
#[must_use]
pub fn take_tag(item: &mut Item) -> String {
    match item.remove(VERSION) {
        Some(AttributeValue::S(version)) if can_be_a_tag(&version) && !version.ends_with(COMPRESSED) => {
            format!("\"{version}\"")
        }
        _ => UNVERSIONED_TAG.to_owned(),
    }
}

/// The precondition of a write, which its item must meet, by
/// [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-13.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// No precondition.
    None,
    /// The item does not exist: `If-None-Match: *`.
    NotExists,
    /// The item exists: `If-Match: *`.
    Exists,
    /// The item has one of these versions: `If-Match: "…", "…"`.
    Version(Vec<String>),
}

/// A condition expression with its placeholders.
#[derive(Debug, Default)]
pub struct Condition {
    /// The expression. `None` without a precondition.
    pub expression: Option<String>,
    /// The attribute name of `#version`, if the expression contains it.
    pub names: Option<HashMap<String, String>>,
    /// The values of the placeholders, if the expression contains any.
    pub values: Option<HashMap<String, AttributeValue>>,
}

impl FromRequest for Precondition {
    const IS_PRECONDITION: bool = true;

    /// Parses the headers of a request. Fails with [`Error::PreconditionFailed`] if all tags are
    /// weak, because a weak tag never matches.
    fn from_request(request: &Request) -> Result<Self, Error> {
        let header = |name: header::HeaderName| -> Result<Option<String>, Error> {
            let lines = request.headers().get_all(&name).into_iter().map(|line| line.to_str());
            let lines: Vec<&str> = lines
                .collect::<Result<_, _>>()
                .map_err(|_| Error::invalid(name.as_str(), "must consist of ASCII characters"))?;
            Ok((!lines.is_empty()).then(|| lines.join(",")))
        };
        let if_match = match header(header::IF_MATCH)? {
            None => Self::None,
            Some(tags) if tags.trim() == "*" => Self::Exists,
            Some(tags) => Self::Version(strong_tags(&tags)?),
        };
        match (if_match, header(header::IF_NONE_MATCH)?) {
            (if_match, None) => Ok(if_match),
            (_, Some(tags)) if tags.trim() != "*" => {
                Err(Error::invalid("if-none-match", "must be * in a request that writes"))
            }
            (Self::None, Some(_)) => Ok(Self::NotExists),
            // No item both exists, as If-Match requires, and does not exist.
            (_, Some(_)) => Err(Error::PreconditionFailed),
        }
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        let tag = format!("(W/)?\"[!#-+\\--~]{{1,{MAX_ETAG_BYTES}}}(\\.gzip)?\"");
        let others = MAX_ETAGS - 1;
        let schema = json_schema!({
            "anyOf": [
                {"const": "*"},
                {"type": "string", "pattern": format!("^{tag}(, *{tag}){{0,{others}}}$")},
            ],
            "examples": ["\"0190c3f4-7b1e-7cc0-8d2f-1a2b3c4d5e6f\""],
        });
        let description = "Writes only if the thing has one of these entity tags, or with `*` if it exists.";
        operation.parameter("header", "If-Match", false, description, &schema);
        let schema = json_schema!({"type": "string", "const": "*"});
        operation.parameter("header", "If-None-Match", false, "Writes only if the thing does not exist.", &schema);
        operation.error(ErrorKind::PreconditionFailed);
    }
}

impl Precondition {
    /// Returns the precondition of the versions in tags that have a hash after them, see
    /// [`tagged_with_hash`](super::answer::tagged_with_hash).
    #[must_use]
    pub fn of_versions(self) -> Self {
        match self {
            Self::Version(tags) => {
                let version = |tag: String| tag.rsplit_once('.').map_or(tag.clone(), |(version, _)| version.to_owned());
                Self::Version(tags.into_iter().map(version).collect())
            }
            other => other,
        }
    }

    /// Returns the condition for an item of a table whose partition key is the attribute `pk`.
    #[must_use]
    pub fn condition(&self, pk: &str) -> Condition {
        match self {
            Self::None => Condition::default(),
            Self::NotExists => {
                Condition { expression: Some(format!("attribute_not_exists({pk})")), ..Condition::default() }
            }
            Self::Exists => Condition { expression: Some(format!("attribute_exists({pk})")), ..Condition::default() },
            Self::Version(versions) => {
                let mut values = HashMap::new();
                let alternatives = versions.iter().enumerate().map(|(index, version)| {
                    if version == UNVERSIONED {
                        values.insert(":string".to_owned(), AttributeValue::S("S".to_owned()));
                        format!("attribute_exists({pk}) AND NOT attribute_type(#version, :string)")
                    } else {
                        values.insert(format!(":version{index}"), AttributeValue::S(version.clone()));
                        format!("#version = :version{index}")
                    }
                });
                Condition {
                    expression: Some(alternatives.collect::<Vec<_>>().join(" OR ")),
                    names: Some([("#version".to_owned(), VERSION.to_owned())].into()),
                    values: Some(values),
                }
            }
        }
    }
}

/// Fails if a request has a precondition, for a function that checks none. Without this check the
/// function would write although the client made the write conditional. `If-None-Match` of a GET is
/// no such precondition, see [`caching`](super::caching).
pub fn must_be_absent(request: &Request) -> Result<(), Error> {
    let names = match *request.method() {
        Method::GET => &[header::IF_MATCH][..],
        _ => &[header::IF_MATCH, header::IF_NONE_MATCH],
    };
    match names.iter().find(|name| request.headers().contains_key(*name)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(name.as_str(), "must be left out: this route takes no precondition")),
    }
}

/// The maximum number of tags in `If-Match`. Each becomes one comparison of the condition.
pub const MAX_ETAGS: usize = 20;
/// The maximum length of a tag without its quotes, in bytes.
pub const MAX_ETAG_BYTES: usize = 64;

/// Returns the strong tags of a list without quotes, sorted and without duplicates.
fn strong_tags(list: &str) -> Result<Vec<String>, Error> {
    let invalid = || {
        let rule =
            format!("must be * or a list of 1–{MAX_ETAGS} ETags of this API, in double quotes, separated by commas");
        Error::invalid("if-match", rule)
    };
    let mut tags = vec![];
    // The elements of a list may be empty: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1
    for tag in list.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        let (tag, is_weak) = tag.strip_prefix("W/").map_or((tag, false), |tag| (tag, true));
        let tag = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).ok_or_else(invalid)?;
        let tag = tag.strip_suffix(COMPRESSED).filter(|version| !version.is_empty()).unwrap_or(tag);
        if !can_be_a_tag(tag) {
            return Err(invalid());
        }
        tags.push((tag.to_owned(), is_weak));
    }
    if !(1..=MAX_ETAGS).contains(&tags.len()) {
        return Err(invalid());
    }
    let mut strong: Vec<_> = tags.into_iter().filter_map(|(tag, is_weak)| (!is_weak).then_some(tag)).collect();
    strong.sort();
    strong.dedup();
    if strong.is_empty() { Err(Error::PreconditionFailed) } else { Ok(strong) }
}

/// Returns whether a text can be an entity tag of this API: 1–64 visible ASCII characters without
/// quotes and commas.
fn can_be_a_tag(text: &str) -> bool {
    (1..=MAX_ETAG_BYTES).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b',')
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambda_http::http;

    fn parse(headers: &[(&str, &str)]) -> Result<Precondition, Error> {
        let mut request = http::Request::builder();
        for (name, value) in headers {
            request = request.header(*name, value.as_bytes());
        }
        Precondition::from_request(&request.body(lambda_http::Body::Empty).unwrap())
    }

    #[test]
    fn a_function_without_preconditions_refuses_them() {
        let check = |method: &str, name: &str| {
            let request = http::Request::builder().method(method).header(name, "*");
            must_be_absent(&request.body(lambda_http::Body::Empty).unwrap())
        };
        for (method, name) in [("PUT", "If-Match"), ("DELETE", "If-None-Match"), ("GET", "If-Match")] {
            let Err(Error::Invalid(violations)) = check(method, name) else { panic!("{method} {name}") };
            assert_eq!(violations[0].field, name.to_lowercase());
        }
        assert!(check("GET", "If-None-Match").is_ok() && check("PUT", "Accept").is_ok());
    }

    fn versions(versions: &[&str]) -> Precondition {
        Precondition::Version(versions.iter().map(|&version| version.to_owned()).collect())
    }

    fn assert_invalid(headers: &[(&str, &str)], field: &str) {
        match parse(headers) {
            Err(Error::Invalid(violations)) => assert_eq!(violations[0].field, field, "{headers:?}"),
            other => panic!("{headers:?}: {other:?}"),
        }
    }

    #[test]
    fn parses_the_headers() {
        assert_eq!(parse(&[]).unwrap(), Precondition::None);
        assert_eq!(parse(&[("if-none-match", " * ")]).unwrap(), Precondition::NotExists);
        assert_eq!(parse(&[("if-match", "*")]).unwrap(), Precondition::Exists);
        assert_eq!(parse(&[("if-match", "\"a-1\"")]).unwrap(), versions(&["a-1"]));
        let two_lines = [("if-match", "\"c\" ,, W/\"b\","), ("if-match", "\t\"a\"")];
        assert_eq!(parse(&two_lines).unwrap(), versions(&["a", "c"]), "a weak tag never matches");
        assert!(matches!(parse(&[("if-match", "W/\"a\", W/\"b\"")]), Err(Error::PreconditionFailed)));
        let (most, longest) = (["\"0\""; 20].join(","), format!("\"{}\"", "x".repeat(64)));
        assert_eq!(parse(&[("if-match", &most)]).unwrap(), versions(&["0"]), "duplicates are removed");
        assert_eq!(parse(&[("if-match", &longest)]).unwrap(), versions(&[&"x".repeat(64)]));
        let compressed = format!("\"{}.gzip\", \"a.gzip\", \"a\", \".gzip\"", "x".repeat(64));
        assert_eq!(parse(&[("if-match", &compressed)]).unwrap(), versions(&[".gzip", "a", &"x".repeat(64)]));
    }

    #[test]
    fn refuses_malformed_headers() {
        let (too_many, too_long) = (["W/\"x\""; 21].join(","), format!("\"{}\"", "x".repeat(65)));
        let malformed = r#"| , |a|"|""|"a|a"|"a"b"|"a" "b"|"a b"|"a", *|w/"a"|W/ "a"|W/*|"ä""#;
        for tags in malformed.split('|').chain([&*too_many, &*too_long]) {
            assert_invalid(&[("if-match", tags)], "if-match");
        }
        for tags in ["", "\"a\"", "*, *", "ä"] {
            assert_invalid(&[("if-none-match", tags)], "if-none-match");
        }
        assert!(matches!(parse(&[("if-match", "*"), ("if-none-match", "*")]), Err(Error::PreconditionFailed)));
    }

    #[test]
    fn conditions_define_exactly_the_placeholders_that_they_use() {
        let none = Precondition::None.condition("Artist");
        assert!(none.expression.is_none() && none.names.is_none() && none.values.is_none());
        for (precondition, expression) in [
            (Precondition::NotExists, "attribute_not_exists(Artist)"),
            (Precondition::Exists, "attribute_exists(Artist)"),
        ] {
            let condition = precondition.condition("Artist");
            assert_eq!(condition.expression.as_deref(), Some(expression));
            assert!(condition.names.is_none() && condition.values.is_none());
        }
        let condition = versions(&["a", "0", "c"]).condition("Artist");
        assert_eq!(
            condition.expression.as_deref(),
            Some(
                "#version = :version0 OR attribute_exists(Artist) AND NOT attribute_type(#version, :string) \
                 OR #version = :version2"
            )
        );
        assert_eq!(condition.names, Some([("#version".to_owned(), VERSION.to_owned())].into()));
        let values = [(":version0", "a"), (":string", "S"), (":version2", "c")];
        let values = values.map(|(name, text)| (name.to_owned(), AttributeValue::S(text.to_owned())));
        assert_eq!(condition.values, Some(values.into()));
    }

    #[test]
    fn take_tag_removes_the_version_and_returns_it_in_quotes() {
        let tag = |version: Option<AttributeValue>| {
            let mut item: Item = version.into_iter().map(|version| (VERSION.to_owned(), version)).collect();
            let tag = take_tag(&mut item);
            assert!(item.is_empty());
            assert!(parse(&[("if-match", &tag)]).is_ok(), "{tag}");
            tag
        };
        let version = new_version();
        assert_ne!(version, new_version());
        assert_eq!(tag(Some(AttributeValue::S(version.clone()))), format!("\"{version}\""));
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let foreign = [
            AttributeValue::N("3".into()),
            text(""),
            text("\"\n"),
            text("a, b"),
            text("a.gzip"),
            text(&"x".repeat(65)),
        ];
        for version in foreign.map(Some).into_iter().chain([None]) {
            assert_eq!(tag(version), "\"0\"");
        }
    }
}
