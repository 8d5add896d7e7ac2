//! `limit`, `cursor` and `nextCursor` of a list.

use std::fmt;
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

/// Which part of a list is asked for. `T` is what tells one entry of the list from the next: its own ids, never a key.
#[derive(Debug)]
pub struct Page<T> {
    /// The most entries that a page may have.
    pub limit: i32,
    /// The last entry of the page before; none for the first page.
    pub after: Option<T>,
    list: &'static str,
    owner: String,
}

/// What a cursor says. It belongs to one list of one owner.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor<T> {
    list: String,
    owner: String,
    last: T,
}

impl<T: Serialize + DeserializeOwned> Page<T> {
    /// Reads `limit` (1–100, 50 if it isn't given) and `cursor`, which must be one that [`Page::next_cursor`] made for
    /// the same list of the same owner.
    pub fn of(request: &Request, list: &'static str, owner: impl fmt::Display) -> Result<Self, Error> {
        let limit = request::query::<Limit>(request, "limit")?.map_or(50, |Limit(limit)| limit);
        let owner = owner.to_string();
        let after = match request::query_text(request, "cursor")? {
            None => None,
            Some(text) => Some(
                URL_SAFE_NO_PAD
                    .decode(text)
                    .ok()
                    .and_then(|json| serde_json::from_slice::<Cursor<T>>(&json).ok())
                    .filter(|cursor| cursor.list == list && cursor.owner == owner)
                    .ok_or_else(|| Error::invalid("cursor", "must be a nextCursor of this very list"))?
                    .last,
            ),
        };
        Ok(Self { limit, after, list, owner })
    }

    /// The cursor of the page that follows the one that ends with `last`; none where the Query returned no
    /// `LastEvaluatedKey`, because it came to the end.
    pub fn next_cursor(self, last_evaluated_key: Option<Item>, last: Option<T>) -> Result<Option<String>, Error> {
        self.cursor(last_evaluated_key.and(last))
    }

    /// The cursor of the page that follows the one that ends with `last`; none where that was the last page.
    pub fn cursor(self, last: Option<T>) -> Result<Option<String>, Error> {
        let Some(last) = last else {
            return Ok(None);
        };
        let cursor = Cursor { list: self.list.to_owned(), owner: self.owner, last };
        Ok(Some(URL_SAFE_NO_PAD.encode(serde_json::to_vec(&cursor)?)))
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
            Ok(limit @ 1..=100) if text.bytes().all(|b| b.is_ascii_digit()) => Ok(Self(limit)),
            _ => Err(()),
        }
    }
}
