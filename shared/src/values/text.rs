//! The rules of free text.

use icu_properties::CodePointSetData;
use icu_properties::props::{BidiControl, DefaultIgnorableCodePoint};

/// The pattern of [`is_text`]: at least one character is no white space, and no character is a
/// control character other than the line feed.
///
/// The classes are spelled out, because the dialects of JSON Schema's validators do not agree about
/// `\\s`.
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

/// The pattern of [`is_label`], which does not say that a text of invisible characters only is
/// refused.
#[cfg(feature = "schema")]
pub(super) const LABEL_PATTERN: &str = concat!(
    r"^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u061c\u1680\u2000-\u200a\u200e\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000]",
    r"[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$",
);

/// Returns whether a text is not only white space. The line feed is the only control character and
/// the only line separator that it may contain.
pub(super) fn is_text(text: &str) -> bool {
    !text.trim().is_empty()
        && !text.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// Returns whether a text is on one line and follows the rules of [`is_text`].
pub(super) fn is_line(text: &str) -> bool {
    is_text(text) && !text.contains('\n')
}

/// Returns whether a text follows the rules of [`is_text`] and has a character that a reader sees.
/// Invisible characters beside visible ones are allowed, because emoji (U+200D, U+FE0F) and Persian
/// and Indic scripts (U+200C) need them.
pub(super) fn is_visible_text(text: &str) -> bool {
    is_text(text) && text.chars().any(|c| !c.is_whitespace() && !is_invisible(c))
}

/// Returns whether a text is on one line and follows the rules of [`is_visible_text`].
pub(super) fn is_visible_line(text: &str) -> bool {
    is_visible_text(text) && !text.contains('\n')
}

/// Returns whether a text follows the rules of [`is_visible_line`] and leaves the direction of the
/// text around it as it is. It is for what others read in the middle of a sentence: U+202E in a
/// name would reverse the words after it.
pub(super) fn is_label(text: &str) -> bool {
    let directions = CodePointSetData::new::<BidiControl>();
    is_visible_line(text) && !text.chars().any(|c| directions.contains(c))
}

/// Returns whether a character leaves no trace on the screen, by its property
/// [`Default_Ignorable_Code_Point`](https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point).
/// The blank pattern of Braille has no dots, but is a symbol to Unicode.
fn is_invisible(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c) || c == '\u{2800}'
}
