//! The encryption of cursors. A position in a list may name what the answer hides: the last entry
//! that was read can be that of somebody who blocks the caller. So a cursor tells its holder
//! nothing, neither by its content nor by its length.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::{hkdf, hmac};

use crate::values::EpochMillis;

/// The size of the encrypted position, or a multiple of it. Every position that can name somebody
/// else fits into one block, so the length of a cursor does not tell the length of a hidden name.
const BLOCK_BYTES: usize = 512;
/// The time for which cursors are made with one key. They are valid in this time and in the one
/// that follows.
pub const KEY_SECONDS: u64 = 24 * 60 * 60;

/// The secret from which the keys of all cursors are derived.
#[derive(Clone)]
pub struct Sealer(Arc<str>);

impl Sealer {
    /// Returns the sealer with this secret.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(secret.into())
    }

    /// Returns the cursor of a position, which is JSON, in `list`: the nonce, and the position that
    /// is encrypted and authenticated together with the list.
    ///
    /// The nonce is a hash of both with a key of its own, as in [synthetic
    /// IVs](https://www.rfc-editor.org/rfc/rfc5297#section-3). With a random one, no page that is
    /// followed by another one could be answered by 304, because its hash would never be the same.
    pub(super) fn seal(&self, list: &[u8], mut position: Vec<u8>, now: EpochMillis) -> String {
        // White space at the end of JSON does not count.
        position.resize(position.len().next_multiple_of(BLOCK_BYTES), b' ');
        let Keys { encryption, nonce } = self.keys(day(now));
        let hash = hmac::sign(&nonce, &[&(list.len() as u64).to_be_bytes(), list, &position].concat());
        let nonce: [u8; NONCE_LEN] = hash.as_ref()[..NONCE_LEN].try_into().expect("a hash has 32 bytes");
        encryption
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(list), &mut position)
            .expect("the position is shorter than 64 GB");
        BASE64.encode([&nonce[..], &position].concat())
    }

    /// Returns the position in a cursor that was made for `list` with the key of today or of
    /// yesterday. Also accepts the key of tomorrow, because the clock of the machine that made the
    /// cursor may be ahead.
    pub(super) fn open(&self, list: &[u8], cursor: &str, now: EpochMillis) -> Option<Vec<u8>> {
        let sealed = BASE64.decode(cursor).ok()?;
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let today = day(now);
        [today, today.saturating_sub(1), today + 1].into_iter().find_map(|day| {
            let (nonce, mut sealed) = (Nonce::assume_unique_for_key(*nonce), sealed.to_vec());
            let position = self.keys(day).encryption.open_in_place(nonce, Aad::from(list), &mut sealed).ok()?;
            Some(position.to_vec())
        })
    }

    /// Derives the keys of a day by [HKDF](https://www.rfc-editor.org/rfc/rfc5869).
    fn keys(&self, day: u64) -> Keys {
        let secret = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(self.0.as_bytes());
        let day = day.to_be_bytes();
        let encryption = UnboundKey::from(secret.expand(&[b"encryption", &day], &AES_256_GCM).expect("32 bytes"));
        let nonce = secret.expand(&[b"nonce", &day], hmac::HMAC_SHA256).expect("32 bytes").into();
        Keys { encryption: LessSafeKey::new(encryption), nonce }
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer")
    }
}

/// The keys of a day.
struct Keys {
    encryption: LessSafeKey,
    nonce: hmac::Key,
}

/// Returns the number of a day.
fn day(time: EpochMillis) -> u64 {
    time.seconds() / KEY_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first second of a day.
    const MIDNIGHT: u64 = 20_000 * KEY_SECONDS;

    fn at(seconds: u64) -> EpochMillis {
        EpochMillis::from(seconds * 1000)
    }

    fn opened(cursor: &str, list: &str, now: u64) -> Option<String> {
        let position = Sealer::new("secret").open(list.as_bytes(), cursor, at(now))?;
        Some(String::from_utf8(position).unwrap().trim_end().to_owned())
    }

    fn sealed(list: &str, position: &str, now: u64) -> String {
        Sealer::new("secret").seal(list.as_bytes(), position.into(), at(now))
    }

    #[test]
    fn a_cursor_opens_for_its_list_alone_and_with_the_same_secret() {
        let cursor = sealed("photos of ada", "\"ben\"", MIDNIGHT);
        assert_eq!(opened(&cursor, "photos of ada", MIDNIGHT).unwrap(), "\"ben\"");
        assert_eq!(opened(&cursor, "photos of ben", MIDNIGHT), None);
        assert_eq!(Sealer::new("another").open(b"photos of ada", &cursor, at(MIDNIGHT)), None);
    }

    /// The expected text is that of `AESGCM` and `HKDF` of Python's package cryptography.
    #[test]
    fn a_cursor_is_made_by_hkdf_hmac_and_aes_gcm() {
        let cursor = sealed("list", "1", MIDNIGHT);
        assert_eq!(cursor[..64], *"IvjVYxJ-CaVBjwejF22AJ_xd1Xq9aJ87lll5t7JSvsBBeZz24VzJ2fghINaG1MVj");
    }

    #[test]
    fn a_cursor_is_valid_for_one_to_two_days() {
        for (made, until) in [(MIDNIGHT, 2 * KEY_SECONDS), (MIDNIGHT + KEY_SECONDS - 1, KEY_SECONDS + 1)] {
            let cursor = sealed("list", "1", made);
            assert!(opened(&cursor, "list", made + until - 1).is_some());
            assert_eq!(opened(&cursor, "list", made + until), None);
        }
        let of_a_clock_ahead = sealed("list", "1", MIDNIGHT);
        assert!(opened(&of_a_clock_ahead, "list", MIDNIGHT - 1).is_some());
    }

    #[test]
    fn any_change_of_a_cursor_is_refused() {
        let cursor = sealed("list", "1", MIDNIGHT);
        let sealed = BASE64.decode(&cursor).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(opened(&BASE64.encode(changed), "list", MIDNIGHT), None, "byte {at}");
            assert_eq!(opened(&BASE64.encode(&sealed[..at]), "list", MIDNIGHT), None, "{at} bytes");
        }
        for other in [format!("{cursor}A"), format!("{cursor}="), format!("{cursor}AAAA"), "ä".to_owned()] {
            assert_eq!(opened(&other, "list", MIDNIGHT), None, "{other}");
        }
    }

    #[test]
    fn a_cursor_is_the_same_for_a_day_and_different_for_another_list_position_or_day() {
        let cursor = sealed("list", "1", MIDNIGHT);
        assert_eq!(sealed("list", "1", MIDNIGHT + KEY_SECONDS - 1), cursor);
        for other in [sealed("list2", "1", MIDNIGHT), sealed("list", "2", MIDNIGHT), sealed("list", "1", MIDNIGHT - 1)]
        {
            // Also the nonces are different.
            assert_ne!(other[..16], cursor[..16]);
        }
    }

    #[test]
    fn the_length_of_a_cursor_does_not_tell_the_length_of_the_position() {
        let length = |bytes: usize| sealed("list", &"1".repeat(bytes), MIDNIGHT).len();
        assert_eq!([1, 40, 511, 512].map(length), [720; 4]);
    }

    #[test]
    fn the_secret_is_not_shown() {
        assert_eq!(format!("{:?}", Sealer::new("secret")), "Sealer");
    }
}
