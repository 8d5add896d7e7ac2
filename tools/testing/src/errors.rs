//! The check of the fixture that a route answers no error that it does not declare. The errors that
//! the tests get are recorded, so that a test can tell which declared error no test gets.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use schemars::SchemaGenerator;
use shared::http::describe::Operation;
use shared::http::extract::FromRequest as _;
use shared::{ErrorKind, Route};

use crate::observed;
use crate::test_request::Answer;

/// The errors that a route declares, and those that its tests have got.
#[derive(Debug)]
pub(crate) struct Errors {
    function: &'static str,
    declared: Mutex<BTreeSet<ErrorKind>>,
    answered: Mutex<BTreeSet<ErrorKind>>,
}

impl Errors {
    /// Returns the errors of a function that no test has called yet.
    pub(crate) fn new(function: &'static str) -> Self {
        Self { function, declared: Mutex::default(), answered: Mutex::default() }
    }

    /// Asserts that the route declares the error that it has answered.
    pub(crate) fn check<R: Route>(&self, answer: &Answer) {
        let mut declared = self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        if declared.is_empty() {
            *declared = declared_by::<R>();
        }
        if let Some(kind) = kind(answer) {
            assert!(
                declared.contains(&kind),
                "{} answers an error that it does not declare: add ErrorKind::{kind:?} to its ERRORS: {}",
                R::NAME,
                answer.body
            );
            assert!(is_for_users(answer.body["detail"].as_str().unwrap_or_default()), "{}", answer.body);
            self.answered.lock().unwrap_or_else(PoisonError::into_inner).insert(kind);
        }
    }

    /// Appends the errors to the file that [`errors_without_a_test`] reads.
    pub(crate) fn write(&self) {
        let lines = |what: &str, kinds: &Mutex<BTreeSet<ErrorKind>>| {
            let kinds = kinds.lock().unwrap_or_else(PoisonError::into_inner);
            kinds.iter().map(|kind| format!("{what} {kind:?}\n")).collect::<Vec<_>>().concat()
        };
        let lines = lines("declared", &self.declared) + &lines("answered", &self.answered);
        observed::append("errors", self.function, &lines);
    }
}

/// Returns the errors of a route: those that it declares, and those that follow from its input.
fn declared_by<R: Route>() -> BTreeSet<ErrorKind> {
    let mut generator = SchemaGenerator::default();
    let mut operation = Operation::new(&mut generator);
    R::Input::describe(&mut operation);
    operation.errors.into_iter().chain(R::ERRORS.iter().copied()).collect()
}

/// Returns whether a detail is a sentence without words that only developers know. Those belong into the hint.
fn is_for_users(detail: &str) -> bool {
    let of_developers = ["`", "If-", "Content-", "Idempotency", "header", "token", "JSON", "PATCH ", "POST "];
    detail.ends_with('.') && !of_developers.iter().any(|word| detail.contains(word))
}

/// Returns the kind of the error that an answer is, or `None` for a success and for a page.
fn kind(answer: &Answer) -> Option<ErrorKind> {
    (answer.status >= 400 && !answer.body.is_string()).then(|| {
        let uri = answer.body["type"].as_str().unwrap_or_default();
        ErrorKind::from_uri(uri).unwrap_or_else(|| panic!("{uri:?} is the type of no kind: {}", answer.body))
    })
}

/// Returns the errors that a route declares and that no test of it gets. Every route may be busy or
/// fail, so these two errors are not among them.
#[must_use]
pub fn errors_without_a_test(function: &str) -> BTreeSet<String> {
    let (mut declared, mut answered) = (BTreeSet::new(), BTreeSet::from(["Busy", "Internal"].map(str::to_owned)));
    for (what, kind) in observed::pairs("errors", function) {
        if what == "declared" { &mut declared } else { &mut answered }.insert(kind);
    }
    &declared - &answered
}
