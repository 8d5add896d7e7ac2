//! The OpenAPI document of the API, `docs/openapi.json`.
//!
//! Nothing in it is written by hand: the routes come from template.yaml, the parameters, bodies,
//! answers and errors from the sources of the functions, the schemas from the types with which the
//! functions parse and write, and the examples from `events/` and docs/answers.json. [`document()`]
//! puts them together.

mod components;
mod document;
mod errors;
mod links;
mod operation;
mod schemas;

/// The descriptions that `build/main.rs` generates.
#[allow(clippy::all, clippy::pedantic, unused_imports, dead_code, reason = "the functions are linted where they are")]
mod operations {
    use schemars::SchemaGenerator;

    use crate::operation::{Described, Operation};

    include!(concat!(env!("OUT_DIR"), "/operations.rs"));
}

pub use document::{PATH, document, text};
