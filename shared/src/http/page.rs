//! Pages of lists: the parameters `limit` and `cursor`, and the `nextCursor` of an answer.

use std::fmt;
use std::io;

use lambda_http::Request;
#[cfg(feature = "schema")]
use schemars::json_schema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::dynamodb::Item;
use crate::http::cursor::Sealer;
#[cfg(feature = "schema")]
use crate::http::describe::Operation;
use crate::http::extract::FromRequest;
use crate::http::request::{self, Caller};
use crate::values::EpochMillis;

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
    /// The list, its parameters and the caller, to which the cursors are bound.
    list: Vec<u8>,
    sealer: Sealer,
}

/// Returns the error for a cursor that this API did not make for the list and the caller, or that
/// has expired. It does not tell which, because nobody needs to know.
fn invalid_cursor() -> Error {
    let rule = "must be the nextCursor of a page of this list that you have read within a day; \
                leave it out to begin the list again";
    Error::invalid("cursor", rule)
}

/// The parameters `limit` (1–[`MAX_LIMIT`]; [`DEFAULT_LIMIT`] if it is absent) and `cursor`. They
/// become a [`Page`] once the list is known.
#[derive(Debug)]
pub struct PageParameters {
    /// The maximum number of entries of the page.
    pub limit: i32,
    cursor: Option<String>,
    caller: Caller,
    sealer: Sealer,
}

impl PageParameters {
    /// Returns the page of a list. `cursor` must be a `nextCursor` of the same list with the same
    /// parameters for the same account. `scope` holds these parameters, such as the username in the
    /// path.
    ///
    /// No client can make or change a cursor, so the position is one that the function has given to
    /// [`Page::cursor`].
    pub fn of<T: Serialize + DeserializeOwned>(
        self,
        list: &'static str,
        scope: impl fmt::Display,
    ) -> Result<Page<T>, Error> {
        let list = self.binding(list, scope)?;
        let Self { limit, cursor, sealer, .. } = self;
        let open = |text: String| {
            let position = sealer.open(&list, &text, EpochMillis::now())?;
            serde_json::from_slice(&position).ok()
        };
        let after = cursor.map(|text| open(text).ok_or_else(invalid_cursor)).transpose()?;
        Ok(Page { limit, after, list, sealer })
    }

    /// Returns the first page of another list, of which the answer has the beginning. `cursor` and
    /// `limit` are not about this list.
    pub fn first_of<T>(&self, list: &'static str, scope: impl fmt::Display, limit: i32) -> Result<Page<T>, Error> {
        Ok(Page { limit, after: None, list: self.binding(list, scope)?, sealer: self.sealer.clone() })
    }

    /// Returns what the cursors of a list are bound to.
    fn binding(&self, list: &str, scope: impl fmt::Display) -> Result<Vec<u8>, Error> {
        let Caller { username, subject, .. } = &self.caller;
        Ok(serde_json::to_vec(&[list, &scope.to_string(), username.as_ref(), subject.as_ref()])?)
    }
}

impl FromRequest for PageParameters {
    fn query_parameters() -> Vec<&'static str> {
        vec!["limit", "cursor"]
    }

    fn from_request(request: &Request) -> Result<Self, Error> {
        let limit = request::query_text(request, "limit")?.map_or(Ok(DEFAULT_LIMIT), limit)?;
        let cursor = request::query_text(request, "cursor")?.map(ToOwned::to_owned);
        let sealer = request.extensions().get::<Sealer>().cloned();
        let sealer = sealer.ok_or_else(|| Error::internal("the request carries no sealer of cursors"))?;
        Ok(Self { limit, cursor, caller: Caller::from_request(request)?, sealer })
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        let schema = json_schema!({"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT});
        operation.parameter("query", "limit", false, "The maximum number of entries of the page.", &schema);
        let schema = json_schema!({"type": "string", "minLength": 1, "pattern": "^[A-Za-z0-9_-]*$"});
        let description = "The `nextCursor` of the page before, of the same list with the same parameters. It is \
                           valid for a day at least, for the caller who read that page.";
        operation.parameter("query", "cursor", false, description, &schema);
    }
}

impl<T: Serialize + DeserializeOwned> Page<T> {
    /// Returns the cursor of the page after the one that ends with `last`, or `None` if the Query
    /// returned no `LastEvaluatedKey`, which means that it reached the end of the list.
    pub fn next_cursor(self, last_evaluated_key: Option<Item>, last: Option<T>) -> Result<Option<String>, Error> {
        self.cursor(last_evaluated_key.and(last))
    }

    /// Returns the cursor of the page after the one that ends with `last`, or `None` if `last` is.
    pub fn cursor(self, last: Option<T>) -> Result<Option<String>, Error> {
        let position = last.map(|last| serde_json::to_vec(&last)).transpose()?;
        Ok(position.map(|position| self.sealer.seal(&self.list, position, EpochMillis::now())))
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

/// Parses the parameter `limit`.
fn limit(text: &str) -> Result<i32, Error> {
    match text.parse() {
        Ok(limit @ 1..=MAX_LIMIT) if text.bytes().all(|b| b.is_ascii_digit()) => Ok(limit),
        _ => Err(Error::invalid("limit", format!("must be a whole number from 1 to {MAX_LIMIT}"))),
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
    fn a_limit_is_a_whole_number_up_to_the_maximum() {
        assert_eq!((limit("1").unwrap(), limit("100").unwrap()), (1, MAX_LIMIT));
        for bad in ["0", "101", "+1", "1.0", ""] {
            let Err(Error::Invalid(violations)) = limit(bad) else { panic!("{bad}") };
            assert_eq!(violations[0].message, "must be a whole number from 1 to 100");
        }
    }
}
