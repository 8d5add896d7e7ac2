//! The tests of the whole system, and of the repository as a whole. They are one program, so that
//! they share its compilation and all cores. `cargo test --workspace --test system browser::` runs
//! one of its modules.

#![allow(clippy::unwrap_used)]

mod api;
mod browser;
mod comparison;
mod conformance;
mod contract;
mod dead_letters;
mod deployed;
mod docs;
mod documents;
mod edge;
mod lab;
mod lab_items;
mod logs;
mod restore;
mod retention;
mod structure;
mod terminal;
mod variables;
