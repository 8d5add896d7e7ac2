//! The values that select how a list is returned.

use super::macros::choice_value;

choice_value! {
    /// The direction in which a list is sorted.
    Order,
    /// From the smallest sort key to the largest.
    Ascending = "asc",
    /// From the largest sort key to the smallest.
    Descending = "desc",
}
