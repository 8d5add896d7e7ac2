//! The key by which push services know the deployment
//! ([RFC 8292](https://www.rfc-editor.org/rfc/rfc8292), VAPID).

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use shared::values::EpochMillis;
use shared::{Error, Process, StartError};

/// The time for which a token is valid. The maximum is [24
/// hours](https://www.rfc-editor.org/rfc/rfc8292#section-2).
const TOKEN_LIFETIME: Duration = Duration::from_hours(12);

/// The key pair of a deployment.
pub(crate) struct Vapid(SigningKey);

#[derive(Serialize)]
struct Header {
    typ: &'static str,
    alg: &'static str,
}

#[derive(Serialize)]
struct Claims<'a> {
    aud: &'a str,
    exp: u64,
    sub: &'a str,
}

impl Vapid {
    /// Makes the key pair from the secret in the environment variable `VAPID_KEY`, which
    /// CloudFormation has made.
    pub(crate) fn from_process(process: &Process) -> Result<Self, StartError> {
        Self::from_secret(&process.variable("VAPID_KEY")?)
    }

    /// Hashes the secret to a private key. One of 2^32 hashes is none.
    fn from_secret(secret: &str) -> Result<Self, StartError> {
        let keys = (0..4_u8).map(|number| {
            let hash = Sha256::new().chain_update("vapid").chain_update([number]).chain_update(secret).finalize();
            SigningKey::from_slice(&hash)
        });
        Ok(Self(keys.flatten().next().ok_or("the environment variable VAPID_KEY makes no key")?))
    }

    /// Returns the public key as a browser takes it for `applicationServerKey`: an uncompressed point
    /// in base64url.
    pub(crate) fn public_key(&self) -> String {
        BASE64.encode(self.0.verifying_key().to_encoded_point(false))
    }

    /// Returns the header `Authorization` of a message to a push service with this origin. `contact` is
    /// a URL at which the service finds who sends too much.
    pub(crate) fn authorization(&self, origin: &str, contact: &str) -> Result<String, Error> {
        let exp = EpochMillis::now().seconds() + TOKEN_LIFETIME.as_secs();
        let header = serde_json::to_vec(&Header { typ: "JWT", alg: "ES256" })?;
        let claims = serde_json::to_vec(&Claims { aud: origin, exp, sub: contact })?;
        let token = format!("{}.{}", BASE64.encode(header), BASE64.encode(claims));
        let signature: Signature = self.0.sign(token.as_bytes());
        Ok(format!("vapid t={token}.{}, k={}", BASE64.encode(signature.to_bytes()), self.public_key()))
    }
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier as _;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_token_is_signed_by_the_public_key_and_is_for_one_service() {
        let vapid = Vapid::from_secret("secret").unwrap();
        assert_eq!(vapid.public_key(), Vapid::from_secret("secret").unwrap().public_key());
        assert_ne!(vapid.public_key(), Vapid::from_secret("other").unwrap().public_key());

        let header = vapid.authorization("https://push.example", "https://photos.example").unwrap();
        let (token, key) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(key, vapid.public_key());
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let key = VerifyingKey::from_sec1_bytes(&BASE64.decode(key).unwrap()).unwrap();
        let signature = Signature::from_slice(&BASE64.decode(signature).unwrap()).unwrap();
        key.verify(signed.as_bytes(), &signature).unwrap();
        let claims: Value = serde_json::from_slice(&BASE64.decode(signed.split_once('.').unwrap().1).unwrap()).unwrap();
        assert_eq!(
            (&claims["aud"], &claims["sub"]),
            (&json!("https://push.example"), &json!("https://photos.example"))
        );
        let lifetime = claims["exp"].as_u64().unwrap() - EpochMillis::now().seconds();
        assert!((1..=24 * 60 * 60).contains(&lifetime), "{lifetime}");
    }
}
