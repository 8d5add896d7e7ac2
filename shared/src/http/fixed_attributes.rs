//! Checks of the attributes that a document in a body must not choose: its key, which the path names, and its version,
//! which the server assigns.

use aws_sdk_dynamodb::types::AttributeValue::{self, N};

use crate::Error;
use crate::document::Number;
use crate::model::catalogue::VERSION;

/// Checks that the body gives the key attribute `name` the value that the path names, if it has the attribute at all.
/// Numbers are compared by value, so `10.0` equals `10`.
///
/// `given` is `None` where a merge patch removes the attribute or merges into it, which is always an error.
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
    use aws_sdk_dynamodb::types::AttributeValue::{Null, S};

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
