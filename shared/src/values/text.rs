//! The rules of free text.

/// Returns whether a text has 1 to `max_chars` characters (Unicode scalar values) and is not only white space. The line
/// feed is the only control character and the only line separator that it may contain.
pub(super) fn is_text(text: &str, max_chars: usize) -> bool {
    text.chars().count() <= max_chars
        && !text.trim().is_empty()
        && !text.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// Returns whether a text is on one line and follows the rules of [`is_text`].
pub(super) fn is_line(text: &str, max_chars: usize) -> bool {
    is_text(text, max_chars) && !text.contains('\n')
}
