//! The descriptions of the routes, from the types of their handlers.

use std::collections::BTreeSet;

use schemars::{JsonSchema as _, Schema, SchemaGenerator};
use serde_json::Value;
use shared::http::describe::{Callers, Operation};
use shared::http::extract::FromRequest as _;
use shared::runtime::visitor::Visitor;
use shared::{ErrorKind, Route, Success};

/// The description of a route.
#[derive(Debug)]
pub(crate) struct Described {
    /// The name of the function.
    pub(crate) name: &'static str,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// The sentence about the route.
    pub(crate) summary: &'static str,
    /// The parameters of the path, the query string and the headers, as OpenAPI has them.
    pub(crate) parameters: Vec<Value>,
    /// The schema of the body, and its maximum size in bytes. `None` if the route reads no body.
    pub(crate) body: Option<(Value, usize)>,
    pub(crate) callers: Callers,
    /// Whether a browser gets the answers as pages of HTML.
    pub(crate) is_for_browsers: bool,
    /// Whether the body may also be the form of a page.
    pub(crate) takes_form: bool,
    pub(crate) successes: &'static [Success],
    /// The schema of the body of a success. `None` if there is no body.
    pub(crate) answer: Option<Schema>,
    pub(crate) errors: BTreeSet<ErrorKind>,
}

/// Returns the descriptions of all routes.
pub(crate) fn all(generator: &mut SchemaGenerator) -> Vec<Described> {
    let mut routes = Routes { generator, described: vec![] };
    for visit in [
        users::visit::<Routes>,
        photos::visit,
        reactions::visit,
        comments::visit,
        follows::visit,
        blocks::visit,
        links::visit,
        live::visit,
        notifications::visit,
        feed::visit,
        hashtags::visit,
        rankings::visit,
        reports::visit,
        favorites::visit,
        transfer::visit,
        catalogue::visit,
        workers::visit,
    ] {
        visit(&mut routes);
    }
    routes.described
}

/// Describes each route that it visits.
struct Routes<'a> {
    generator: &'a mut SchemaGenerator,
    described: Vec<Described>,
}

impl Visitor for Routes<'_> {
    fn route<R: Route + 'static>(&mut self) {
        let mut operation = Operation::new(self.generator).of_route(R::ROUTE);
        R::Input::describe(&mut operation);
        for error in R::ERRORS {
            operation.error(*error);
        }
        let answer = operation.schema::<R::Body>();
        let Operation { parameters, body, callers, is_for_browsers, takes_form, errors, .. } = operation;
        let (method, path) = R::ROUTE.split_once(' ').expect("a route is a method and a path");
        self.described.push(Described {
            name: R::NAME,
            method,
            path,
            summary: R::SUMMARY,
            parameters,
            body,
            callers,
            is_for_browsers,
            takes_form,
            successes: R::SUCCESSES,
            answer: Some(answer).filter(|schema| *schema != <()>::json_schema(self.generator)),
            errors,
        });
    }
}
