//! The OpenAPI document of the API, `docs/openapi.json`.
//!
//! Nothing in it is written by hand: the routes, parameters, bodies, answers and errors come from
//! the types of the handlers, and the examples from `events/` and docs/answers.json. [`document()`]
//! puts them together.

mod breaking;
mod components;
mod document;
mod operation;

pub use breaking::breaking_changes;
pub use document::{PATH, RELEASED, document, text};
