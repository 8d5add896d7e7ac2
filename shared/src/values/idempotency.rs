//! The key by which a client marks the repetitions of one request.

use super::macros::text_value;

text_value! {
    /// The value of the header `Idempotency-Key`, without its double quotes. A UUID is one.
    IdempotencyKey, "" 1..=64 " characters of A–Z, a–z, 0–9 and . _ ~ -",
    |text| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._~-".contains(&b)),
    {"pattern": "^[A-Za-z0-9._~-]*$", "examples": ["8e03978e-40d5-43dd-bc93-6894a57f9324"]}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idempotency_keys_follow_their_rule() {
        let is_valid = |text: &str| text.parse::<IdempotencyKey>().is_ok();
        for good in ["a", ".", "8e03978e-40d5-43dd-bc93-6894a57f9324", "A_z~0.9-", &"a".repeat(64)] {
            assert!(is_valid(good), "{good}");
        }
        for bad in ["", " ", "a b", "a#b", "a\"b", "a,b", "a/b", "a+b", "a=", "ä", "a\n", &"a".repeat(65)] {
            assert!(!is_valid(bad), "{bad}");
        }
    }
}
