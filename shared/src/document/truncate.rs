//! Shortening of text for error messages.

use std::borrow::Cow;

/// The maximum length, in characters, of a name or number in an error message. In a document, both
/// can have any length.
const MAX_CHARS: usize = 60;

/// Returns the first 60 characters of a text, followed by `…` if there are more.
pub(super) fn truncate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
