//! Pages of lists: the parameters `limit` and `cursor`, and the `nextCursor` of an answer.

use std::fmt;
use std::io;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lambda_http::Request;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::dynamodb::Item;
use crate::http::request;
use crate::values::Value;

/// The maximum number of entries on a page. A `BatchGetItem` reads [as
/// many](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html).
pub const MAX_LIMIT: i32 = 100;

/// The maximum number of entries on a page if the request does not say one.
pub const DEFAULT_LIMIT: i32 = 50;

/// The maximum size of the entries of a page in bytes, as [`within_budget`] counts them.
///
/// Lambda refuses [a response of more than 6
/// MB](https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html), which is 6,291,556
/// bytes of JSON with the status, the headers, and the body as a string. This leaves 1 MB for all
/// but the entries. The largest entry alone, a song in DynamoDB JSON, has 5.6 MB at most.
pub const MAX_ENTRIES_BYTES: usize = 5 * 1024 * 1024;

/// The requested page of a list. `T` holds the values from which the function builds
/// `ExclusiveStartKey`. It contains no key of the table with its prefixes.
#[derive(Debug)]
pub struct Page<T> {
    /// The maximum number of entries of the page.
    pub limit: i32,
    /// The last entry of the previous page. `None` for the first page.
    pub after: Option<T>,
    list: &'static str,
    scope: String,
}

/// Returns the error for a cursor that this API did not make for the list.
#[must_use]
pub fn invalid_cursor() -> Error {
    Error::invalid("cursor", "must be the nextCursor that a page of this list returned")
}

/// The content of a cursor. It is valid for one list with the same parameters.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor<T> {
    list: String,
    /// The parameters of the list, such as the username in the path. Cursors in use have the field
    /// name `owner`.
    #[serde(rename = "owner")]
    scope: String,
    last: T,
}

impl<T: Serialize + DeserializeOwned> Page<T> {
    /// Parses `limit` (1–[`MAX_LIMIT`]; [`DEFAULT_LIMIT`] if it is absent) and `cursor`, which must
    /// be a `nextCursor` of the same list with the same parameters. `scope` holds these parameters.
    ///
    /// A client may have changed the cursor. It is accepted only if its text is the one that this
    /// API makes of its content, without unknown fields or another notation. A function checks all
    /// rules that its `T` does not.
    pub fn from_request(request: &Request, list: &'static str, scope: impl fmt::Display) -> Result<Self, Error> {
        let limit = request::query::<Limit>(request, "limit")?.map_or(DEFAULT_LIMIT, |Limit(limit)| limit);
        let scope = scope.to_string();
        let after = match request::query_text(request, "cursor")? {
            None => None,
            Some(text) => Some(
                URL_SAFE_NO_PAD
                    .decode(text)
                    .ok()
                    .and_then(|json| serde_json::from_slice::<Cursor<T>>(&json).ok())
                    .filter(|cursor| cursor.list == list && cursor.scope == scope)
                    .filter(|cursor| cursor.encode().is_ok_and(|made| made == text))
                    .ok_or_else(invalid_cursor)?
                    .last,
            ),
        };
        Ok(Self { limit, after, list, scope })
    }

    /// Returns the cursor of the page after the one that ends with `last`, or `None` if the Query
    /// returned no `LastEvaluatedKey`, which means that it reached the end of the list.
    pub fn next_cursor(self, last_evaluated_key: Option<Item>, last: Option<T>) -> Result<Option<String>, Error> {
        self.cursor(last_evaluated_key.and(last))
    }

    /// Returns the cursor of the page after the one that ends with `last`, or `None` if `last` is.
    pub fn cursor(self, last: Option<T>) -> Result<Option<String>, Error> {
        let Some(last) = last else {
            return Ok(None);
        };
        Cursor { list: self.list.to_owned(), scope: self.scope, last }.encode().map(Some)
    }
}

impl<T: Serialize> Cursor<T> {
    fn encode(&self) -> Result<String, Error> {
        Ok(URL_SAFE_NO_PAD.encode(serde_json::to_vec(self)?))
    }
}

/// Returns the first entries whose JSON together has at most [`MAX_ENTRIES_BYTES`]. The first entry
/// is always among them, so that a list goes on with each page.
///
/// A quotation mark or a backslash counts twice, because the body is a string in the response of a
/// function.
pub fn within_budget<T: Serialize>(entries: impl Iterator<Item = Result<T, Error>>) -> Result<Vec<T>, Error> {
    let (mut page, mut size) = (vec![], PayloadSize(0));
    for entry in entries {
        let entry = entry?;
        serde_json::to_writer(&mut size, &entry)?;
        size.0 += 1; // the comma
        if size.0 > MAX_ENTRIES_BYTES && !page.is_empty() {
            break;
        }
        page.push(entry);
    }
    Ok(page)
}

/// Counts the bytes of JSON text within a JSON string.
struct PayloadSize(usize);

impl io::Write for PayloadSize {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        self.0 += json.len() + json.iter().filter(|&&byte| byte == b'"' || byte == b'\\').count();
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Deserialize)]
struct Limit(i32);

impl Value for Limit {
    const RULE: &'static str = "a whole number from 1 to 100";
}

impl FromStr for Limit {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.parse() {
            Ok(limit @ 1..=MAX_LIMIT) if text.bytes().all(|b| b.is_ascii_digit()) => Ok(Self(limit)),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_bytes_as_the_response_of_a_function_has_them() {
        let text = "\"\\\n\u{1}ü";
        let mut size = PayloadSize(0);
        serde_json::to_writer(&mut size, text).unwrap();
        let body = serde_json::to_string(text).unwrap();
        assert_eq!(size.0 + 2, serde_json::to_string(&body).unwrap().len(), "without the quotes of the outer string");
    }

    #[test]
    fn a_page_ends_before_the_entry_that_exceeds_the_budget() {
        let fitting = |bytes: &[usize]| within_budget(bytes.iter().map(|&bytes| Ok("x".repeat(bytes)))).unwrap().len();
        // An entry has its two quotes, each counted twice, and a comma.
        let half = MAX_ENTRIES_BYTES / 2 - 5;
        assert_eq!(fitting(&[]), 0);
        assert_eq!(fitting(&[half, half]), 2);
        assert_eq!(fitting(&[half, half, 0]), 2);
        assert_eq!(fitting(&[half, half + 1, 0]), 1, "the next page begins with the entry that does not fit");
        assert_eq!(fitting(&[2 * half + 6, 0]), 1, "one entry is always on the page");
    }

    #[test]
    fn the_rule_of_a_limit_names_the_maximum() {
        assert!(Limit::RULE.ends_with(&format!(" to {MAX_LIMIT}")), "{}", Limit::RULE);
        assert!(
            MAX_LIMIT.to_string().parse::<Limit>().is_ok() && (MAX_LIMIT + 1).to_string().parse::<Limit>().is_err()
        );
    }
}
