//! A document in the body of a request.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use lambda_http::Request;

use super::request::json_body;
use crate::Error;
use crate::document::{self, DocumentError};
use crate::dynamodb::Item;
use crate::model::catalogue::{VERSION, new_version};
use crate::values::DocumentFormat;

/// The most that a body may hold, in bytes: an item of [400 KB](document::MAX_BYTES) with room for escapes.
pub const MAX_DOCUMENT_BYTES: usize = 2 * 1024 * 1024;

/// The item that a body is: a document of any attributes, with the key that the path says, and a new version. Where the
/// document has the key's attributes too, they must be the same.
pub fn document(request: &Request, form: DocumentFormat, key: &Item) -> Result<Item, Error> {
    let body = json_body(request, MAX_DOCUMENT_BYTES)?;
    let text = str::from_utf8(body).map_err(|_| Error::Malformed("The body must be UTF-8.".to_owned()))?;
    let mut item = document::read(form, text).map_err(invalid)?;
    if item.contains_key(VERSION) {
        return Err(Error::invalid(VERSION, "is the name of an attribute of the server's own"));
    }
    for (name, value) in key {
        let is_the_same = match item.insert(name.clone(), value.clone()) {
            None => true,
            Some(N(number)) => {
                document::Number::parse(&number).ok() == value.as_n().ok().and_then(|n| document::Number::parse(n).ok())
            }
            Some(other) => other == *value,
        };
        if !is_the_same {
            return Err(Error::invalid(name, "must be what the path says, or be left out"));
        }
    }
    item.insert(VERSION.to_owned(), S(new_version()));
    document::within_limits(&item).map_err(invalid)?;
    Ok(item)
}

/// What a document breaks, as its reader sees it.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it away")]
pub fn invalid(fault: DocumentError) -> Error {
    let path = if fault.path().is_empty() { "body" } else { fault.path() };
    Error::invalid(path, fault.message())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::catalogue::{ARTIST, PERSON_ID, SONG_TITLE, person_key, song_key};
    use lambda_http::{Body, http};

    fn read(form: DocumentFormat, key: &Item, body: &str) -> Result<Item, Error> {
        let request = http::Request::put("/").header("content-type", "application/json");
        document(&request.body(Body::from(body)).unwrap(), form, key)
    }

    fn is_invalid(result: Result<impl std::fmt::Debug, Error>, field: &str) {
        match result {
            Err(Error::Invalid(violations)) => assert_eq!(violations[0].field, field),
            other => panic!("{field}: {other:?}"),
        }
    }

    fn song() -> Item {
        song_key(&"AC/DC".parse().unwrap(), &"T.N.T. – live?".parse().unwrap())
    }

    fn person() -> Item {
        person_key(&"10".parse().unwrap())
    }

    #[test]
    fn a_document_gets_the_key_of_the_path_and_a_version() {
        let mut item = read(DocumentFormat::Json, &song(), r#"{"Price": 1.20, "Deep": {"_version": 1}}"#).unwrap();
        assert!(matches!(item.remove(VERSION), Some(S(version)) if version.len() == 36));
        let text = document::write(DocumentFormat::Json, &item).unwrap();
        assert_eq!(text.get(), r#"{"Artist":"AC/DC","Deep":{"_version":1},"Price":1.20,"SongTitle":"T.N.T. – live?"}"#);
    }

    #[test]
    fn a_key_in_the_document_is_that_of_the_path() {
        for body in [r#"{"PersonID": 10}"#, r#"{"PersonID": 10.0}"#, r#"{"PersonID": 1e1}"#] {
            assert_eq!(read(DocumentFormat::Json, &person(), body).unwrap()[PERSON_ID], N("10".to_owned()), "{body}");
        }
        assert!(read(DocumentFormat::DynamoDb, &person(), r#"{"PersonID": {"N": "10"}}"#).is_ok());
        for other in ["11", "\"10\"", "null", "[10]", "10.00000001"] {
            is_invalid(read(DocumentFormat::Json, &person(), &format!(r#"{{"PersonID": {other}}}"#)), PERSON_ID);
        }
        assert!(read(DocumentFormat::Json, &song(), r#"{"Artist": "AC/DC", "SongTitle": "T.N.T. – live?"}"#).is_ok());
        for other in ["\"ac/dc\"", "\"\"", "1", "null", "[]"] {
            is_invalid(read(DocumentFormat::Json, &song(), &format!(r#"{{"Artist": {other}}}"#)), ARTIST);
            is_invalid(read(DocumentFormat::Json, &song(), &format!(r#"{{"SongTitle": {other}}}"#)), SONG_TITLE);
        }
    }

    #[test]
    fn a_document_has_no_version_of_its_own() {
        is_invalid(read(DocumentFormat::Json, &song(), r#"{"_version": "a"}"#), VERSION);
        is_invalid(read(DocumentFormat::DynamoDb, &song(), r#"{"_version": {"NULL": true}}"#), VERSION);
    }

    #[test]
    fn an_item_has_at_most_400_kb_with_its_key_and_version() {
        let of = |bytes: usize| format!(r#"{{"Text": "{}"}}"#, "x".repeat(bytes));
        let rest = document::size(&read(DocumentFormat::Json, &song(), &of(0)).unwrap());
        let full = read(DocumentFormat::Json, &song(), &of(document::MAX_BYTES - rest)).unwrap();
        assert_eq!(document::size(&full), document::MAX_BYTES);
        is_invalid(read(DocumentFormat::Json, &song(), &of(document::MAX_BYTES - rest + 1)), "body");
    }

    #[test]
    fn a_fault_is_named_by_its_path() {
        is_invalid(read(DocumentFormat::Json, &song(), r#"{"a": {"b": [1, {"": 1}]}}"#), "a.b[1]");
        for body in ["", "[]", "null", "{", "{}{}"] {
            is_invalid(read(DocumentFormat::Json, &song(), body), "body");
        }
        let request = http::Request::put("/").header("content-type", "application/json");
        let request = request.body(Body::from(b"{\"a\": \"\xff\"}".to_vec())).unwrap();
        assert!(matches!(document(&request, DocumentFormat::Json, &song()), Err(Error::Malformed(_))));
    }
}
