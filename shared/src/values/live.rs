//! The values of live screens.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::{SecureRandom as _, SystemRandom};

use super::macros::text_value;
use crate::Error;

/// The number of random bytes of a ticket: 128 bits, which nobody guesses.
const TICKET_BYTES: usize = 16;

text_value! {
    /// The id of a screen among the screens of its user, which the app chooses.
    ScreenId, "" 1..=64 " characters of A–Z, a–z, 0–9, - and _",
    |text| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
    {"pattern": "^[A-Za-z0-9_-]+$", "examples": ["window-1"]}
}

text_value! {
    /// The secret with which a screen connects once.
    Ticket, "a ticket, 22 characters of A–Z, a–z, 0–9, - and _",
    |text| text.len() == 22 && BASE64.decode(text).is_ok(),
    {"examples": ["Zm9yLW9ubHktdGVzdGluZw"]}
}

impl Ticket {
    /// Returns a new ticket from the secure source of random numbers of the system.
    pub fn random() -> Result<Self, Error> {
        let mut bytes = [0; TICKET_BYTES];
        SystemRandom::new().fill(&mut bytes).map_err(|_| Error::internal("the system has no random numbers"))?;
        Ok(Self(BASE64.encode(bytes)))
    }
}
