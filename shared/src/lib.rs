//! What every function of Quick Photos needs, and nothing that only one of them needs.
//!
//! - [`photos`]: the table `quick-photos`: its key constructors, index and attribute names, and entities.
//! - [`favorites`]: the same of the table `<stage>.Favorite`, and [`terms`], by which its search finds.
//! - [`document`]: items of any attributes, in JSON and in DynamoDB JSON, without loss.
//! - [`catalogue`]: the keys of Music and People, whose items are documents of any attributes ([`document`]), and
//!   [`precondition`], on which they are written.
//! - [`values`]: the values that people send, each made by parsing, so that a bad one can't exist.
//! - [`request`]: who calls, and what they ask for.
//! - [`page`]: `limit`, `cursor` and `nextCursor` of a list.
//! - [`transaction`]: a `TransactWriteItems` that loses to another one is tried again.
//! - [`batch`]: what DynamoDB leaves unprocessed is asked for again.
//! - [`items`]: from the SDK's items to entities and back.
//! - [`answer`] and [`error`]: what goes back.
//! - [`mod@function`] is start-up, [`stream`] that of a function on the table's stream.

pub mod answer;
pub mod batch;
pub mod catalogue;
pub mod document;
pub mod error;
pub mod favorites;
pub mod function;
pub mod https;
pub mod items;
pub mod page;
pub mod photos;
pub mod precondition;
pub mod request;
pub mod stream;
pub mod terms;
pub mod transaction;
pub mod values;

pub use error::Error;
pub use function::{Table, run};
pub use lambda_http::Request;

/// What a function answers.
pub type Response = lambda_http::Response<lambda_http::Body>;
