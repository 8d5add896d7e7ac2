//! The escaping of a text that a person typed, such as the title of a song, in a path.
//!
//! The percent-encoding of [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986#section-2.1) does not
//! survive API Gateway: an HTTP API cuts a path at `%3F`, refuses `%25`, and decodes `%2F` and
//! `%252F` to a slash ([captures](https://github.com/middleapi/standard-server/pull/93)). A DELETE
//! of the song "What?" would delete "What". So such a text has `~` in the place of `%`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The bytes that are escaped: all but letters, digits, `-` and `_`.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// The rule of an escaped text, worded to follow "must be".
pub const ESCAPE_RULE: &str = "escaped: each character other than a letter of ASCII, a digit, - and _ is ~ and two hexadecimal digits for each byte of its UTF-8, such as ~20 for a space";

/// The pattern of an escaped text in JSON Schemas.
pub const ESCAPE_PATTERN: &str = "^([A-Za-z0-9_-]|~[0-9A-Fa-f]{2})+$";

/// Returns a text as it stands in a path.
#[must_use]
pub fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string().replace('%', "~")
}

/// Returns the text that a segment of a path stands for, or `None` if it breaks [`ESCAPE_RULE`].
pub(super) fn unescape(segment: &str) -> Option<String> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let mut parts = segment.split('~').map(str::as_bytes);
    let is_escaped = parts.next()?.iter().all(is_plain)
        && parts.all(|part| {
            part.len() >= 2 && part[..2].iter().all(u8::is_ascii_hexdigit) && part[2..].iter().all(is_plain)
        });
    let text = segment.replace('~', "%");
    is_escaped.then(|| percent_decode_str(&text).decode_utf8().ok().map(Into::into))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_has_no_character_that_a_gateway_or_a_client_changes() {
        for (text, segment) in [
            ("Low-Tide_2", "Low-Tide_2"),
            ("What?", "What~3F"),
            ("AC/DC", "AC~2FDC"),
            ("100%", "100~25"),
            ("%2F ~", "~252F~20~7E"),
            ("..", "~2E~2E"),
            ("é#", "~C3~A9~23"),
        ] {
            assert_eq!(escape(text), segment);
            assert_eq!(unescape(segment).as_deref(), Some(text));
        }
        assert_eq!(unescape("~c3~a9").as_deref(), Some("é"));
    }

    #[test]
    fn refuses_what_is_not_escaped() {
        for segment in ["a b", "a?", "a/b", "100%", "é", ".", "~", "~2", "a~2", "~g0", "~C3", "~20.", "~~20"] {
            assert_eq!(unescape(segment), None, "{segment}");
        }
    }
}
