//! Makes results of different schedules comparable: times, random ids and tokens that a schedule made
//! become `<new>`.

use std::collections::HashSet;

/// The times and ids of the data with which schedules begin. They stay as they are.
pub(crate) struct Mask(HashSet<String>);

impl Mask {
    /// Returns a mask that keeps what occurs in `text`.
    pub(crate) fn keeping(text: &str) -> Self {
        let mut known = HashSet::new();
        let mut rest = text;
        while !rest.is_empty() {
            let length = volatile(rest);
            known.insert(rest[..length].to_owned());
            rest = &rest[length.max(next_char(rest))..];
        }
        Self(known)
    }

    /// Replaces times and ids in a text.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut masked = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let length = volatile(rest);
            if length > 0 && !self.0.contains(&rest[..length]) {
                masked.push_str("<new>");
            } else {
                masked.push_str(&rest[..length.max(next_char(rest))]);
            }
            rest = &rest[length.max(next_char(rest))..];
        }
        masked
    }
}

/// The number of characters of 16 bytes as base64url, such as the token of a link.
const TOKEN_CHARS: usize = 22;

/// Returns whether a text begins with 16 bytes as base64url, whose last character has two bits of them.
fn is_token(text: &str) -> bool {
    let is_char = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let word = text.bytes().take_while(|byte| is_char(byte)).take(TOKEN_CHARS + 1).count();
    word == TOKEN_CHARS && b"AQgw".contains(&text.as_bytes()[TOKEN_CHARS - 1])
}

fn next_char(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Returns the length of the time or id with which a text begins, or 0.
fn volatile(text: &str) -> usize {
    let matches = |pattern: &str| {
        let fits = |(byte, wanted): (u8, u8)| match wanted {
            b'9' => byte.is_ascii_digit(),
            b'f' => byte.is_ascii_hexdigit(),
            _ => byte == wanted,
        };
        text.len() >= pattern.len() && text.bytes().zip(pattern.bytes()).all(fits)
    };
    if matches("ffffffff-ffff-ffff-ffff-ffffffffffff") {
        return 36;
    }
    if is_token(text) {
        return TOKEN_CHARS;
    }
    if matches("9999-99-99T99:99:99") {
        let fraction = text[19..].find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len() - 19);
        return 19 + fraction + usize::from(text[19 + fraction..].starts_with('Z'));
    }
    // Milliseconds or seconds since 1970.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if matches!(digits, 10 | 13) { digits } else { 0 }
}
