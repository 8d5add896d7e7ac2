//! The error of a value that breaks its rule.

use std::fmt;

use super::Value;

/// The error of a text that breaks the rule of a [`Value`]. It displays as "must be …".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidValue(&'static str);

impl InvalidValue {
    /// Returns the error of a text that breaks the rule of `T`.
    #[must_use]
    pub const fn new<T: Value>() -> Self {
        Self(T::RULE)
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be {}", self.0)
    }
}

impl std::error::Error for InvalidValue {}
