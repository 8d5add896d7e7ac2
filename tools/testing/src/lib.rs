//! The test kit: what the tests of functions, of the stack and of the tools have in common.
//!
//! - [`Fixture`]: a test environment for one function, with an engine, seed data and fault injection of its own.
//! - [`harness`]: a function's real binary on the sample data.
//! - [`recorder`]: a DynamoDB endpoint that records requests with their capacity units.

mod checks;
mod fault_injection;
mod fixture;
pub mod harness;
pub mod items;
mod permissions;
pub mod recorder;

pub use fault_injection::Fault;
pub use fixture::{Answer, Fixture, TestRequest, request};
pub use items::{deletion, friendship, photo, reaction, user};
pub use local::sample::favorites::Collection;
pub use local::sample::{FAVORITE, MUSIC, PEOPLE, QUICK_PHOTOS};
