//! The rules of free text: which characters it may have, and how it is written before it counts.

use std::fmt;

use icu_properties::props::{BidiControl, DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointSetData};

/// The pattern of [`LINES`]: at least one character is no white space. It does not say that a text
/// of invisible characters only is refused.
///
/// The classes are spelled out, because the dialects of JSON Schema's validators do not agree about
/// `\\s`.
#[cfg(feature = "schema")]
pub(super) const TEXT_PATTERN: &str = concat!(
    r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]",
    r"[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]*$",
);

/// The pattern of [`LINE`] and [`KEY`].
#[cfg(feature = "schema")]
pub(super) const LINE_PATTERN: &str = concat!(
    r"^[^\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]",
    r"[^\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]*$",
);

/// The pattern of [`LABEL`].
#[cfg(feature = "schema")]
pub(super) const LABEL_PATTERN: &str = concat!(
    r"^[^\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*",
    r"[^\u0000-\u0020\u007f-\u00a0\u061c\u1680\u2000-\u200a\u200e\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000]",
    r"[^\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$",
);

/// The pattern of [`PART`].
#[cfg(feature = "schema")]
pub(super) const PART_PATTERN: &str = r"^[^\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]*$";

/// The rule of the characters of a free text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    has_lines: bool,
    changes_direction: bool,
    /// Returns whether a character is one of which a text needs at least one.
    is_needed: fn(char) -> bool,
}

/// A text of several lines.
pub(super) const LINES: Form = Form { has_lines: true, changes_direction: true, is_needed: is_visible };
/// A text on one line.
pub(super) const LINE: Form = Form { has_lines: false, ..LINES };
/// A line that others read in the middle of a sentence, so it leaves the direction of the text
/// around it as it is: U+202E in a name would reverse the words after it.
pub(super) const LABEL: Form = Form { changes_direction: false, ..LINE };
/// A line that is a key of another program's items, so it may be invisible.
pub(super) const KEY: Form = Form { is_needed: |c| !c.is_whitespace(), ..LINE };
/// The beginning of a [`KEY`].
pub(super) const PART: Form = Form { is_needed: |_| true, ..LINE };

impl Form {
    /// Returns a text as it is stored: a line ends with U+000A alone, and a tab is a space. So a
    /// text of Windows and the same text of another system are equal, and have the same length.
    pub(super) fn written(text: String) -> String {
        if text.contains(['\r', '\t']) {
            text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', " ")
        } else {
            text
        }
    }

    /// Returns the first character that the rule refuses, in a text as it was sent.
    ///
    /// Invisible characters beside visible ones are allowed, because emoji (U+200D, U+FE0F) and
    /// Persian and Indic scripts (U+200C) need them.
    pub(super) fn refused(self, text: &str) -> Option<RefusedCharacter> {
        let directions = CodePointSetData::new::<BidiControl>();
        let reason = |c: char| match c {
            '\t' => None,
            '\n' | '\r' => (!self.has_lines).then_some("a line break"),
            '\u{2028}' | '\u{2029}' => Some("a separator of lines or paragraphs"),
            c if c.is_control() => Some("a control character"),
            c if directions.contains(c) && !self.changes_direction => Some("a mark that changes the direction of text"),
            _ => None,
        };
        let refused = |(at, c)| Some(RefusedCharacter { at, c, reason: reason(c)? });
        let invisible = |(at, c)| RefusedCharacter { at, c, reason: "and no character is visible" };
        let is_empty = !text.chars().any(self.is_needed);
        let mut characters = (1..).zip(text.chars());
        characters.clone().find_map(refused).or_else(|| characters.next().filter(|_| is_empty).map(invisible))
    }
}

/// A character for which a text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedCharacter {
    /// The number of the character in the text. The first one is 1.
    at: usize,
    c: char,
    /// The rule that it breaks, worded to follow "is U+0007,".
    reason: &'static str,
}

impl fmt::Display for RefusedCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "character {} is U+{:04X}, {}", self.at, u32::from(self.c), self.reason)
    }
}

/// Returns whether a character leaves a trace on the screen without another one: it is a letter, a
/// number, a punctuation mark or a symbol by its [general
/// category](https://www.unicode.org/reports/tr44/#General_Category_Values), and not ignored by
/// default ([`Default_Ignorable_Code_Point`](https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point)).
///
/// So marks that need another character, spaces, format characters and unassigned code points do
/// not count. No property says that the glyph of a symbol or letter is blank, so what the standard
/// defines as blank or as a placeholder is listed: the blanks of Braille and of the hieroglyphs, the
/// null notehead, and the object replacement character.
fn is_visible(c: char) -> bool {
    const BLANK: [char; 5] = ['\u{2800}', '\u{fffc}', '\u{13441}', '\u{13442}', '\u{1d159}'];
    let visible = GeneralCategoryGroup::Letter
        .union(GeneralCategoryGroup::Number)
        .union(GeneralCategoryGroup::Punctuation)
        .union(GeneralCategoryGroup::Symbol);
    visible.contains(CodePointMapData::<GeneralCategory>::new().get(c))
        && !CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        && !BLANK.contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_tabs_are_written_in_one_way() {
        for (sent, written) in [
            ("a\r\nb", "a\nb"),
            ("a\rb", "a\nb"),
            ("a\n\r\nb\r\r\n", "a\n\nb\n\n"),
            ("a\tb", "a b"),
            ("\t\r\n", " \n"),
            ("a b\n", "a b\n"),
        ] {
            assert_eq!(Form::written(sent.to_owned()), written, "{sent:?}");
        }
    }

    #[test]
    fn a_refused_character_is_named_with_its_place_and_the_reason() {
        let of = |form: Form, text: &str| form.refused(text).map(|refused| refused.to_string());
        for (text, place) in [
            ("a\u{7}b", "character 2 is U+0007, a control character"),
            ("é\r\n\u{85}", "character 4 is U+0085, a control character"),
            ("😀\u{2028}", "character 2 is U+2028, a separator of lines or paragraphs"),
            ("\u{1d159}", "character 1 is U+1D159, and no character is visible"),
            (" \u{301}", "character 1 is U+0020, and no character is visible"),
        ] {
            for form in [LINES, LABEL] {
                assert_eq!(
                    of(form, &text.replace("\r\n", if form.has_lines { "\r\n" } else { "\t\t" })).unwrap(),
                    place
                );
            }
        }
        assert_eq!(of(LINE, "a\r\nb").unwrap(), "character 2 is U+000D, a line break");
        assert_eq!(
            of(LABEL, "ab\u{202e}").unwrap(),
            "character 3 is U+202E, a mark that changes the direction of text"
        );
        assert_eq!(of(LINE, "ab\u{202e}"), None);
        assert_eq!((of(KEY, "\u{ffef}"), of(PART, " ")), (None, None));
        assert!(of(KEY, " ").is_some());
    }

    /// The reason is a property of Unicode, so all characters that there are follow it.
    #[test]
    fn marks_spaces_and_what_is_not_assigned_are_invisible_alone() {
        for c in "\u{301}\u{93f}\u{903}\u{20dd}\u{ffef}\u{fff9}\u{1d159}\u{2800}\u{3164}\u{200b}\u{e0061}\u{e000}\u{378}\u{600}\u{16fe4}\u{13430}\u{13441}\u{fffc} \u{a0}\u{3000}\u{10ffff}".chars() {
            assert!(!is_visible(c), "U+{:04X}", u32::from(c));
        }
        for c in "aéßب王ㄱ가อ1½①-_«$+★👍🏽🇩´ʰﾞ\u{fffd}".chars() {
            assert!(is_visible(c), "U+{:04X}", u32::from(c));
        }
    }
}
