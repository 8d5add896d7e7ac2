//! Documents in the bodies of requests.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};

use super::precondition::{VERSION, new_version};
use crate::Error;
use crate::document::{self, DocumentError, Number};
use crate::dynamodb::Item;
use crate::values::DocumentFormat;

/// Returns the item that a body describes: the attributes of the document, the key from the path,
/// and a new version.
///
/// The document may repeat the attributes of the key, with the same values. Fails if it has other
/// values for them or a version, or if the item is larger than [400 KB](document::MAX_BYTES).
pub fn read_document(text: &str, format: DocumentFormat, key: &Item) -> Result<Item, Error> {
    let mut item = document::read(format, text).map_err(invalid)?;
    check_no_version(item.keys())?;
    for (name, in_path) in key {
        if let Some(given) = item.insert(name.clone(), in_path.clone()) {
            check_key_attribute(name, Some(&given), in_path)?;
        }
    }
    item.insert(VERSION.to_owned(), S(new_version()));
    document::within_limits(&item).map_err(invalid)?;
    Ok(item)
}

/// Converts the error of a document in a body to the error for the caller. The field is the path of
/// the value, or `body` for the document itself.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes the error by value")]
pub fn invalid(error: DocumentError) -> Error {
    let path = if error.path().is_empty() { "body" } else { error.path() };
    Error::invalid(path, error.message())
}

/// Checks that the body gives the key attribute `name` the value that the path names, if it has the
/// attribute at all. Numbers are compared by value, so `10.0` equals `10`.
///
/// `given` is `None` where a merge patch removes the attribute or merges into it, which is always
/// an error.
pub fn check_key_attribute(name: &str, given: Option<&AttributeValue>, in_path: &AttributeValue) -> Result<(), Error> {
    let is_same = match (given, in_path) {
        (Some(N(given)), N(in_path)) => Number::parse(given).ok() == Number::parse(in_path).ok(),
        (given, in_path) => given == Some(in_path),
    };
    if is_same { Ok(()) } else { Err(Error::invalid(name, "must equal the value in the path, or be left out")) }
}

/// Checks that no attribute of the body is the version.
pub fn check_no_version<'a>(mut names: impl Iterator<Item = &'a String>) -> Result<(), Error> {
    if names.any(|name| name == VERSION) {
        return Err(Error::invalid(VERSION, "must be left out: the server assigns it"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue::Null;

    fn read(format: DocumentFormat, key: &Item, body: &str) -> Result<Item, Error> {
        read_document(body, format, key)
    }

    fn assert_invalid(result: Result<impl std::fmt::Debug, Error>, field: &str) {
        match result {
            Err(Error::Invalid(violations)) => assert_eq!(violations[0].field, field),
            other => panic!("{field}: {other:?}"),
        }
    }

    fn song() -> Item {
        let text = |name: &str, text: &str| (name.to_owned(), S(text.to_owned()));
        Item::from([text("Artist", "AC/DC"), text("SongTitle", "T.N.T. – live?")])
    }

    fn person() -> Item {
        Item::from([("PersonID".to_owned(), N("10".to_owned()))])
    }

    #[test]
    fn adds_the_key_from_the_path_and_a_version() {
        let mut item = read(DocumentFormat::Json, &song(), r#"{"Price": 1.20, "Deep": {"_version": 1}}"#).unwrap();
        assert!(matches!(item.remove(VERSION), Some(S(version)) if version.len() == 36));
        let text = document::write(DocumentFormat::Json, &item).unwrap();
        assert_eq!(text.get(), r#"{"Artist":"AC/DC","Deep":{"_version":1},"Price":1.20,"SongTitle":"T.N.T. – live?"}"#);
    }

    #[test]
    fn refuses_a_key_that_differs_from_the_path() {
        for body in [r#"{"PersonID": 10}"#, r#"{"PersonID": 10.0}"#, r#"{"PersonID": 1e1}"#] {
            assert_eq!(read(DocumentFormat::Json, &person(), body).unwrap()["PersonID"], N("10".to_owned()), "{body}");
        }
        assert!(read(DocumentFormat::DynamoDb, &person(), r#"{"PersonID": {"N": "10"}}"#).is_ok());
        for other in ["11", "\"10\"", "null", "[10]", "10.00000001"] {
            assert_invalid(read(DocumentFormat::Json, &person(), &format!(r#"{{"PersonID": {other}}}"#)), "PersonID");
        }
        assert!(read(DocumentFormat::Json, &song(), r#"{"Artist": "AC/DC", "SongTitle": "T.N.T. – live?"}"#).is_ok());
        for other in ["\"ac/dc\"", "\"\"", "1", "null", "[]"] {
            assert_invalid(read(DocumentFormat::Json, &song(), &format!(r#"{{"Artist": {other}}}"#)), "Artist");
            assert_invalid(read(DocumentFormat::Json, &song(), &format!(r#"{{"SongTitle": {other}}}"#)), "SongTitle");
        }
    }

    #[test]
    fn refuses_a_document_with_a_version() {
        assert_invalid(read(DocumentFormat::Json, &song(), r#"{"_version": "a"}"#), VERSION);
        assert_invalid(read(DocumentFormat::DynamoDb, &song(), r#"{"_version": {"NULL": true}}"#), VERSION);
    }

    #[test]
    fn limits_the_item_with_key_and_version_to_400_kb() {
        let document = |text_bytes: usize| format!(r#"{{"Text": "{}"}}"#, "x".repeat(text_bytes));
        let rest = document::size(&read(DocumentFormat::Json, &song(), &document(0)).unwrap());
        let full = read(DocumentFormat::Json, &song(), &document(document::MAX_BYTES - rest)).unwrap();
        assert_eq!(document::size(&full), document::MAX_BYTES);
        assert_invalid(read(DocumentFormat::Json, &song(), &document(document::MAX_BYTES - rest + 1)), "body");
    }

    #[test]
    fn errors_name_the_path_of_the_value() {
        assert_invalid(read(DocumentFormat::Json, &song(), r#"{"a": {"b": [1, {"": 1}]}}"#), "a.b[1]");
        for body in ["", "[]", "null", "{", "{}{}"] {
            assert_invalid(read(DocumentFormat::Json, &song(), body), "body");
        }
    }

    fn fields(result: Result<(), Error>) -> Vec<String> {
        match result {
            Ok(()) => vec![],
            Err(Error::Invalid(violations)) => violations.into_iter().map(|violation| violation.field).collect(),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_key_attribute_must_equal_the_path() {
        let check = |given: Option<AttributeValue>, in_path: &AttributeValue| {
            fields(check_key_attribute("PersonID", given.as_ref(), in_path))
        };
        let (ten, ada) = (N("10".to_owned()), S("Ada".to_owned()));
        for same in ["10", "10.0", "1e1"] {
            assert!(check(Some(N(same.to_owned())), &ten).is_empty(), "{same}");
        }
        assert!(check(Some(ada.clone()), &ada).is_empty());
        for other in [None, Some(N("11".to_owned())), Some(S("10".to_owned())), Some(Null(true))] {
            assert_eq!(check(other.clone(), &ten), ["PersonID"], "{other:?}");
        }
        assert_eq!(check(Some(S("ada".to_owned())), &ada), ["PersonID"]);
    }

    #[test]
    fn a_body_must_not_contain_the_version() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        assert!(fields(check_no_version(names(&["Artist", "version"]).iter())).is_empty());
        assert_eq!(fields(check_no_version(names(&["Artist", VERSION]).iter())), [VERSION]);
    }
}
