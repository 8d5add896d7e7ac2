//! No route declares an error that its tests do not get.

use local::template::Template;
use testing::errors_without_a_test;

/// Needs what the tests of all functions have recorded.
#[test]
#[ignore = "run after the tests of all functions"]
fn no_route_declares_an_error_that_its_tests_do_not_get() {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let mut untested = vec![];
    for function in &template.functions {
        for kind in errors_without_a_test(&function.name) {
            untested.push(format!("{}: {kind}", function.name));
        }
    }
    assert!(untested.is_empty(), "test it, or take it out of the ERRORS of the route:\n{}", untested.join("\n"));
}
