//! `If-Match` and `If-None-Match` of a write, as a condition that DynamoDB checks.
//!
//! Each item of the catalogues has a version, which changes with every write; its
//! [entity tag](https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3) is that version. An item that another program wrote
//! has none, and the tag [`UNVERSIONED`] instead, which holds for as long as nobody writes it here.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use lambda_http::Request;
use lambda_http::http::header;
use uuid::Uuid;

use crate::Error;
use crate::items::Item;

/// The attribute that has an item's version. It is no part of the document, neither on the way in nor on the way out.
pub const VERSION: &str = "_version";
/// The entity tag of an item without a version.
const UNVERSIONED: &str = "0";

/// A version that no item has had before.
#[must_use]
pub fn new_version() -> String {
    Uuid::now_v7().to_string()
}

/// The entity tag of an item, in its quotes. Takes the version out of the item.
#[must_use]
pub fn take_tag(item: &mut Item) -> String {
    match item.remove(VERSION) {
        Some(AttributeValue::S(version)) => format!("\"{version}\""),
        _ => format!("\"{UNVERSIONED}\""),
    }
}

/// What a write wants of the item that it writes, by
/// [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-13.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// Nothing.
    None,
    /// It is not there: `If-None-Match: *`.
    Missing,
    /// It is there: `If-Match: *`.
    There,
    /// It has one of these versions: `If-Match: "…", "…"`.
    Version(Vec<String>),
}

/// A condition expression, and what stands for names and values in it.
#[derive(Debug, Default)]
pub struct Condition {
    /// The expression; none if nothing is wanted.
    pub expression: Option<String>,
    /// For `#version`, where the expression has it.
    pub names: Option<HashMap<String, String>>,
    /// For each version.
    pub values: Option<HashMap<String, AttributeValue>>,
}

impl Precondition {
    /// Reads the headers of a request.
    pub fn of(request: &Request) -> Result<Self, Error> {
        let header = |name: header::HeaderName| -> Result<Option<String>, Error> {
            let lines = request.headers().get_all(&name).into_iter().map(|line| line.to_str());
            let lines: Vec<&str> = lines
                .collect::<Result<_, _>>()
                .map_err(|_| Error::invalid(name.as_str(), "must be of ASCII characters"))?;
            Ok((!lines.is_empty()).then(|| lines.join(",")))
        };
        match (header(header::IF_MATCH)?, header(header::IF_NONE_MATCH)?) {
            (None, None) => Ok(Self::None),
            (None, Some(none)) if none.trim() == "*" => Ok(Self::Missing),
            (None, Some(_)) => Err(Error::invalid("if-none-match", "must be * where something is written")),
            (Some(some), None) if some.trim() == "*" => Ok(Self::There),
            (Some(some), None) => Ok(Self::Version(strong_tags(&some)?)),
            (Some(_), Some(_)) => Err(Error::invalid("if-match", "must not come together with if-none-match")),
        }
    }

    /// The condition, on items whose partition key is the attribute `pk`.
    #[must_use]
    pub fn condition(&self, pk: &str) -> Condition {
        match self {
            Self::None => Condition::default(),
            Self::Missing => {
                Condition { expression: Some(format!("attribute_not_exists({pk})")), ..Condition::default() }
            }
            Self::There => Condition { expression: Some(format!("attribute_exists({pk})")), ..Condition::default() },
            Self::Version(versions) => {
                let values = versions.iter().enumerate().filter(|(_, version)| *version != UNVERSIONED);
                let values: HashMap<_, _> = values
                    .map(|(index, version)| (format!(":version{index}"), AttributeValue::S(version.clone())))
                    .collect();
                let is_one = values.keys().map(|placeholder| format!("#version = {placeholder}"));
                let has_none = versions
                    .iter()
                    .any(|version| version == UNVERSIONED)
                    .then(|| format!("attribute_exists({pk}) AND attribute_not_exists(#version)"));
                Condition {
                    expression: Some(is_one.chain(has_none).collect::<Vec<_>>().join(" OR ")),
                    names: Some([("#version".to_owned(), VERSION.to_owned())].into()),
                    values: Some(values).filter(|values| !values.is_empty()),
                }
            }
        }
    }
}

/// The tags of a list, without quotes. A weak one never matches.
fn strong_tags(list: &str) -> Result<Vec<String>, Error> {
    let broken = || Error::invalid("if-match", "must be * or a list of ETags as this API gave them, in double quotes");
    let mut tags = vec![];
    for tag in list.split(',').map(str::trim) {
        let (tag, is_weak) = tag.strip_prefix("W/").map_or((tag, false), |tag| (tag, true));
        let tag = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).ok_or_else(broken)?;
        if tag.is_empty() || tag.len() > 64 || tag.contains('"') {
            return Err(broken());
        }
        if !is_weak {
            tags.push(tag.to_owned());
        }
    }
    if tags.len() > 20 {
        return Err(broken());
    }
    if tags.is_empty() { Err(Error::Stale) } else { Ok(tags) }
}
