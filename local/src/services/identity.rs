//! The local issuer of tokens, and the JWT authorizer that checks them as API Gateway does.
//!
//! A token looks like a
//! [Cognito access token](https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
//! Its key is made at start and never leaves the process, so a token is good for this run of the stack only.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, MutexGuard, PoisonError},
};

use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode, get_current_timestamp,
    jwk::{Jwk, JwkSet},
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// The client that the tokens are made for.
pub const CLIENT_ID: &str = "quick-photos";

const LIFETIME_SECONDS: u64 = 12 * 60 * 60;

/// How many good tokens are remembered.
const REMEMBERED: usize = 1000;

/// Claims as API Gateway hands them on.
type Claims = BTreeMap<String, String>;

/// Issuer and authorizer with their common key.
pub struct Identity {
    issuer: String,
    signing: EncodingKey,
    verifying: DecodingKey,
    jwk: Jwk,
    /// Good tokens, each with its last second and its claims. Nothing but time makes one bad, and checking its signature
    /// would be a seventh of the gateway's work.
    good: Mutex<HashMap<String, (u64, Claims)>>,
}

impl Identity {
    /// An issuer of this URL with a fresh key.
    pub fn new(issuer: &str) -> Result<Self, String> {
        // PKCS #8 of an Ed25519 key: a fixed head, then 32 random bytes (RFC 8410, section 7).
        let mut key =
            vec![0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
        key.extend(rand::random::<[u8; 32]>());
        let signing = EncodingKey::from_ed_der(&key);
        let failed = |error| format!("cannot make a signing key: {error}");
        let mut jwk = Jwk::from_encoding_key(&signing, Algorithm::EdDSA).map_err(failed)?;
        jwk.common.key_id = Some(Uuid::new_v4().to_string());
        let verifying = DecodingKey::from_jwk(&jwk).map_err(failed)?;
        Ok(Self { issuer: issuer.to_owned(), signing, verifying, jwk, good: Mutex::default() })
    }

    /// An access token of this user, who belongs to these groups.
    pub fn token(&self, username: &str, groups: &[String]) -> Result<String, String> {
        let now = get_current_timestamp();
        let mut claims = json!({
            "sub": subject(username).to_string(),
            "iss": self.issuer,
            "client_id": CLIENT_ID,
            "username": username,
            "token_use": "access",
            "scope": "aws.cognito.signin.user.admin",
            "auth_time": now,
            "iat": now,
            "exp": now + LIFETIME_SECONDS,
            "jti": Uuid::new_v4().to_string(),
        });
        // Who belongs to none has no such claim.
        if !groups.is_empty() {
            claims["cognito:groups"] = json!(groups);
        }
        self.sign(&claims)
    }

    fn sign(&self, claims: &Value) -> Result<String, String> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid.clone_from(&self.jwk.common.key_id);
        encode(&header, claims, &self.signing).map_err(|error| error.to_string())
    }

    /// The claims of a good `Authorization` header, as API Gateway hands them on; `None` is 401. The checks are
    /// [API Gateway's](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html).
    #[must_use]
    pub fn verify(&self, authorization: &str) -> Option<Claims> {
        let token = match authorization.split_at_checked(7) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer ") => token.trim(),
            _ => authorization,
        };
        if let Some((last, claims)) = self.good().get(token)
            && get_current_timestamp() <= *last
        {
            return Some(claims.clone());
        }
        let (last, claims) = self.check(token)?;
        let mut good = self.good();
        if good.len() == REMEMBERED {
            good.clear();
        }
        good.insert(token.to_owned(), (last, claims.clone()));
        Some(claims)
    }

    fn good(&self) -> MutexGuard<'_, HashMap<String, (u64, Claims)>> {
        self.good.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The claims of a good token, and its last second.
    fn check(&self, token: &str) -> Option<(u64, Claims)> {
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.leeway = 0;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[CLIENT_ID]);
        validation.set_required_spec_claims(&["exp", "iss"]);
        let claims = decode::<Map<String, Value>>(token, &self.verifying, &validation).ok()?.claims;
        let for_us = claims.contains_key("aud") || claims.get("client_id").and_then(Value::as_str) == Some(CLIENT_ID);
        if !for_us {
            return None;
        }
        let last = claims.get("exp").and_then(Value::as_u64).unwrap_or_default();
        Some((last, claims.into_iter().map(|(name, value)| (name, claim(&value))).collect()))
    }

    /// The issuer's
    /// [metadata](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata).
    #[must_use]
    pub fn configuration(&self) -> Value {
        json!({
            "issuer": self.issuer,
            "jwks_uri": format!("{}/.well-known/jwks.json", self.issuer),
            "id_token_signing_alg_values_supported": ["EdDSA"],
            "response_types_supported": ["token"],
            "subject_types_supported": ["public"],
        })
    }

    /// The public key that verifies the tokens.
    #[must_use]
    pub fn keys(&self) -> JwkSet {
        JwkSet { keys: vec![self.jwk.clone()] }
    }
}

/// A user's id, the same in every run.
fn subject(username: &str) -> Uuid {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, username).hash(&mut hasher);
        hasher.finish()
    };
    Uuid::from_u64_pair(half(0), half(1))
}

/// A claim as the event shows it: text, whatever it was in the token.
fn claim(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(claim).collect();
            format!("[{}]", values.join(" "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

    use super::*;

    const ISSUER: &str = "http://127.0.0.1:3000/local";

    fn identity() -> Identity {
        Identity::new(ISSUER).unwrap()
    }

    fn signed(identity: &Identity, change: impl Fn(&mut Value)) -> String {
        let mut claims = json!({
            "iss": ISSUER, "client_id": CLIENT_ID, "username": "ada", "exp": get_current_timestamp() + 60,
        });
        change(&mut claims);
        identity.sign(&claims).unwrap()
    }

    #[test]
    fn its_own_token_is_good() {
        let identity = identity();
        let token = identity.token("ada", &[]).unwrap();
        for header in [format!("Bearer {token}"), format!("bEARER  {token}"), token] {
            let claims = identity.verify(&header).unwrap();
            assert_eq!(claims["username"], "ada");
            assert_eq!(claims["iss"], ISSUER);
            assert!(claims["exp"].bytes().all(|byte| byte.is_ascii_digit()));
        }
    }

    #[test]
    fn a_user_keeps_its_subject() {
        assert_eq!(subject("ada"), subject("ada"));
        assert_ne!(subject("ada"), subject("bob"));
    }

    #[test]
    fn claims_are_text() {
        let identity = identity();
        let token = signed(&identity, |claims| {
            claims["cognito:groups"] = json!(["editors", "a b"]);
            claims["email_verified"] = json!(true);
        });
        let claims = identity.verify(&token).unwrap();
        assert_eq!(claims["cognito:groups"], "[editors a b]");
        assert_eq!(claims["email_verified"], "true");
    }

    #[test]
    fn the_audience_may_be_aud_instead_of_client_id() {
        let identity = identity();
        let token = signed(&identity, |claims| {
            claims["aud"] = json!([CLIENT_ID]);
            claims["client_id"] = json!("another");
        });
        assert!(identity.verify(&token).is_some());
    }

    #[test]
    fn a_claim_that_does_not_hold_is_refused() {
        let identity = identity();
        let now = get_current_timestamp();
        for (name, value) in [
            ("exp", json!(now - 1)),
            ("exp", json!("never")),
            ("exp", Value::Null),
            ("nbf", json!(now + 60)),
            ("iss", json!("http://elsewhere/local")),
            ("iss", Value::Null),
            ("client_id", json!("another")),
            ("client_id", Value::Null),
            ("aud", json!("another")),
        ] {
            let token = signed(&identity, |claims| claims[name] = value.clone());
            assert!(identity.verify(&token).is_none(), "{name}: {value}");
        }
        assert!(identity.verify(&signed(&identity, |_| ())).is_some());
    }

    #[test]
    fn a_good_token_is_remembered_until_it_expires() {
        let identity = identity();
        let now = get_current_timestamp();
        let token = signed(&identity, |claims| claims["exp"] = json!(now + 60));
        assert!(identity.verify(&token).is_some());
        assert_eq!(identity.good()[&token].0, now + 60);
        let claims = Claims::from([("username".to_owned(), "ada".to_owned())]);
        for (last, is_good) in [(now + 60, true), (now - 1, false)] {
            identity.good().insert("remembered".to_owned(), (last, claims.clone()));
            assert_eq!(identity.verify("Bearer remembered").is_some(), is_good);
        }
    }

    #[test]
    fn only_so_many_tokens_are_remembered() {
        let identity = identity();
        for number in 0..=REMEMBERED {
            assert!(identity.verify(&signed(&identity, |claims| claims["username"] = json!(number))).is_some());
        }
        assert_eq!(identity.good().len(), 1);
    }

    #[test]
    fn a_tampered_token_is_refused() {
        let identity = identity();
        let token = identity.token("ada", &[]).unwrap();
        let [head, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!() };
        let decoded = String::from_utf8(URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
        let bobs = URL_SAFE_NO_PAD.encode(decoded.replace("\"ada\"", "\"bob\""));
        assert!(identity.verify(&format!("{head}.{bobs}.{signature}")).is_none());
        assert!(identity.verify(&format!("{head}.{claims}.")).is_none());
        let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
        assert!(identity.verify(&format!("{none}.{claims}.")).is_none());
        assert!(identity.verify(&format!("{none}.{bobs}.{signature}")).is_none());
    }

    #[test]
    fn the_public_key_is_no_hmac_secret() {
        let identity = identity();
        let key = EncodingKey::from_secret(identity.verifying.try_get_as_bytes().unwrap());
        let claims = json!({"iss": ISSUER, "client_id": CLIENT_ID, "exp": get_current_timestamp() + 60});
        let token = encode(&Header::new(Algorithm::HS256), &claims, &key).unwrap();
        assert!(identity.verify(&token).is_none());
    }

    #[test]
    fn another_issuers_token_is_refused() {
        let token = identity().token("ada", &[]).unwrap();
        assert!(identity().verify(&token).is_none());
    }

    #[test]
    fn garbage_is_refused() {
        let identity = identity();
        for header in ["", "Bearer", "Bearer ", "Basic YTpi", "a.b.c", "Bearer é.é.é", "......."] {
            assert!(identity.verify(header).is_none(), "{header}");
        }
    }

    #[test]
    fn its_published_key_verifies_its_tokens() {
        let identity = identity();
        let keys: JwkSet = serde_json::from_value(json!(identity.keys())).unwrap();
        let key = DecodingKey::from_jwk(&keys.keys[0]).unwrap();
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[identity.configuration()["issuer"].as_str().unwrap()]);
        let token = identity.token("ada", &[]).unwrap();
        let decoded = decode::<Value>(&token, &key, &validation).unwrap();
        assert_eq!(decoded.header.kid, keys.keys[0].common.key_id);
    }
}
