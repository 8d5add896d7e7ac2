//! The error of a text that is not a document.

use std::fmt;

use super::truncate::truncate;

/// The error of a text that is not a valid document: the path of a value
/// (`PromotionInfo.TourDates[2]`) and a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// Each name with a point before it, and each index in brackets.
    path: String,
    message: String,
}

impl DocumentError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// Puts the name of the enclosing attribute before the path.
    pub(super) fn in_attribute(mut self, name: &str) -> Self {
        self.path = format!(".{}{}", truncate(name), self.path);
        self
    }

    /// Puts the index in the enclosing list or set before the path.
    pub(super) fn in_element(mut self, index: usize) -> Self {
        self.path = format!("[{index}]{}", self.path);
        self
    }

    /// Puts the type that the value states in DynamoDB JSON before the message. It is not part of
    /// the path.
    pub(super) fn in_type(mut self, name: &str) -> Self {
        self.message = format!("{name}: {}", self.message);
        self
    }

    /// Returns the path of the value: names separated by points, and indexes in brackets. It is
    /// empty for the document itself.
    #[must_use]
    pub fn path(&self) -> &str {
        self.path.strip_prefix('.').unwrap_or(&self.path)
    }

    /// Returns the message, without the path.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path(), self.message) }
    }
}

impl std::error::Error for DocumentError {}
