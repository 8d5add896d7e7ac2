//! The error of a value that breaks its rule.

use std::fmt;

use super::{RefusedCharacter, Value};

/// The error of a text that breaks the rule of a [`Value`]. It displays as "must be …".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidValue {
    rule: &'static str,
    refused: Option<RefusedCharacter>,
}

impl InvalidValue {
    /// Returns the error of a text that breaks the rule of `T`.
    #[must_use]
    pub const fn new<T: Value>() -> Self {
        Self { rule: T::RULE, refused: None }
    }

    /// Returns the error of a text that breaks `rule`, worded as [`Value::RULE`] is.
    pub(super) const fn of_rule(rule: &'static str) -> Self {
        Self { rule, refused: None }
    }

    /// Returns the error of `text`, which breaks the rule of `T`. It names the character for which
    /// the text is refused, if that is the reason.
    #[must_use]
    pub fn of<T: Value>(text: &str) -> Self {
        Self { rule: T::RULE, refused: T::refused_character(text) }
    }
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be {}", self.rule)?;
        self.refused.map_or(Ok(()), |refused| write!(f, "; {refused}"))
    }
}

impl std::error::Error for InvalidValue {}
