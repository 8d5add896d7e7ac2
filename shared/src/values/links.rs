//! The values of links.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest, Sha256};

use super::Value;
use super::macros::{choice_value, text_value};
use crate::Error;

/// The number of random bytes of a token: 128 bits, which nobody guesses.
const TOKEN_BYTES: usize = 16;

text_value! {
    /// The token of a link: whoever has it sees what the link opens.
    LinkToken,
    "the token of a link, 22 characters of A–Z, a–z, 0–9, - and _",
    |text| text.len() == 22 && BASE64.decode(text).is_ok(),
    {
        "description": "The token of a link. Whoever has it sees what the link opens.",
        // The last character has two bits of the 16 bytes.
        "pattern": "^[A-Za-z0-9_-]{21}[AQgw]$",
        "examples": ["Zm9yLW9ubHktdGVzdGluZw"],
    }
}

impl LinkToken {
    /// Returns a new token from the secure source of random numbers of the system.
    pub fn random() -> Result<Self, Error> {
        let mut bytes = [0; TOKEN_BYTES];
        SystemRandom::new().fill(&mut bytes).map_err(|_| Error::internal("the system has no random numbers"))?;
        Ok(Self(BASE64.encode(bytes)))
    }

    /// Returns the hash of the token, for where the token itself is not needed.
    #[must_use]
    pub fn hash(&self) -> String {
        BASE64.encode(&Sha256::digest(&self.0)[..TOKEN_BYTES])
    }
}

text_value! {
    /// The address of a link, as a person writes it on another site.
    LinkUrl, "an address of " 1..=2048 " characters", |_| true, {"format": "uri", "examples": ["http://localhost:3000/s/Zm9yLW9ubHktdGVzdGluZw"]}
}

choice_value! {
    /// The format of an oEmbed.
    #[derive(Default)]
    EmbedFormat,
    /// JSON.
    #[default]
    Json = "json",
}

choice_value! {
    /// The photos that a visitor of a link asks to see besides the others.
    Show,
    /// The sensitive photos too.
    Sensitive = "sensitive",
}

/// The maximum width (`true`) or height (`false`) in which another site shows a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "u32")]
pub struct MaxPixels<const WIDTH: bool>(u32);

impl<const WIDTH: bool> MaxPixels<WIDTH> {
    /// Returns the number of pixels.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const WIDTH: bool> Value for MaxPixels<WIDTH> {
    const RULE: &'static str = "a whole number from 1 to 100000";
}

impl<const WIDTH: bool> TryFrom<u32> for MaxPixels<WIDTH> {
    type Error = &'static str;

    fn try_from(pixels: u32) -> Result<Self, Self::Error> {
        if (1..=100_000).contains(&pixels) { Ok(Self(pixels)) } else { Err(Self::RULE) }
    }
}

impl<const WIDTH: bool> std::str::FromStr for MaxPixels<WIDTH> {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<u32>().map_err(|_| Self::RULE)?.try_into()
    }
}

#[cfg(feature = "schema")]
impl<const WIDTH: bool> schemars::JsonSchema for MaxPixels<WIDTH> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MaxPixels".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "integer", "minimum": 1, "maximum": 100_000})
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_token_has_22_characters_and_never_comes_again() {
        let tokens: BTreeSet<LinkToken> = (0..100).map(|_| LinkToken::random().unwrap()).collect();
        assert_eq!(tokens.len(), 100);
        for token in &tokens {
            assert_eq!(token.as_ref().parse::<LinkToken>().as_ref(), Ok(token));
            assert!(token.hash() != token.as_ref() && token.hash().len() == 22);
        }
        for bad in
            ["", "Zm9yLW9ubHktdGVzdGluZ", "Zm9yLW9ubHktdGVzdGluZww", "Zm9yLW9ubHktdGVzdGluZx", "Zm9yLW9ubHktdGVzdGl+Zw"]
        {
            assert!(bad.parse::<LinkToken>().is_err(), "{bad}");
        }
    }
}
