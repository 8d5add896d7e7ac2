//! The rules of free text.

/// The pattern of [`is_text`]: at least one character is no white space, and no character is a control character other
/// than the line feed.
///
/// The classes are spelled out, because the dialects of JSON Schema's validators do not agree about `\\s`.
#[cfg(feature = "schema")]
pub(super) const TEXT_PATTERN: &str = concat!(
    r"^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]",
    r"[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]*$",
);

/// The pattern of [`is_line`].
#[cfg(feature = "schema")]
pub(super) const LINE_PATTERN: &str = concat!(
    r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]",
    r"[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$",
);

/// Returns whether a text is not only white space. The line feed is the only control character and the only line
/// separator that it may contain.
pub(super) fn is_text(text: &str) -> bool {
    !text.trim().is_empty()
        && !text.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// Returns whether a text is on one line and follows the rules of [`is_text`].
pub(super) fn is_line(text: &str) -> bool {
    is_text(text) && !text.contains('\n')
}
