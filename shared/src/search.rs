//! Search: the terms under which a favorite is stored, and the queries that read them.
//!
//! Text is folded first, so that case, Unicode form and accents make no difference
//! ([`fold_for_search`](crate::values::fold::fold_for_search)). It is then split into words:
//!
//! - In scripts that separate words by spaces, a word is a run of letters, digits and their marks.
//!   Its terms are its prefixes of up to four characters: `Lakes` has `l`, `la`, `lak` and `lake`.
//!   So a favorite is found by the first letters of a word. A longer word of a query is read by its
//!   first four characters, and the rest is compared with the titles. Each term is a partition of
//!   the table, whose sort key keeps the favorites in order.
//! - In scripts without spaces, only a dictionary knows where a word begins. There the terms are
//!   each character and each pair of adjacent characters: `收藏夹` has `收`, `藏`, `夹`, `收藏` and `藏夹`.
//!
//! The terms of one title cost at most 60 write units. [`terms`] says which of them a very long
//! title loses.

mod query;
mod terms;
#[cfg(test)]
mod tests;
mod words;

pub use query::Query;
pub use terms::terms;
pub(crate) use words::{is_continuous, is_mark};
pub use words::{prefix, words};
