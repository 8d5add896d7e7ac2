//! The beginning of a comment, as a notification shows it.

/// The maximum length of the beginning of a comment in characters.
const MAX_BEGINNING_CHARS: usize = 100;

/// Returns the beginning of a text, of at most [`MAX_BEGINNING_CHARS`] characters.
pub(crate) fn beginning(text: String) -> String {
    if text.chars().count() <= MAX_BEGINNING_CHARS {
        return text;
    }
    text.chars().take(MAX_BEGINNING_CHARS - 1).chain(['…']).collect()
}
