//! The findings in `<stage>.Favorite`: each test damages the table, audits it, and checks that a
//! repair restores it exactly.

mod concurrent;
mod counts;
pub(crate) mod fixtures;
mod index_keys;
mod malformed;
mod reservations;
mod tagged_favorites;
mod terms;
mod whole_table;
