//! The local token issuer, and the JWT authorizer that checks tokens as API Gateway does.
//!
//! A token has the claims of a [Cognito access
//! token](https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
//! The key that signs it is generated at start-up and never leaves the process, so a token is valid
//! for this run of the stack only, and nobody else can have signed it. That is why the authorizer
//! checks no other claim than the expiry.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{digest, hmac, rand::SystemRandom};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use uuid::{Builder, Uuid};

/// The id of the client for which tokens are issued.
const CLIENT_ID: &str = "quick-photos";

/// The lifetime of a token: 12 hours.
const TOKEN_LIFETIME_SECONDS: i64 = 12 * 60 * 60;

/// The claims of a token as API Gateway passes them to a function.
pub type Claims = BTreeMap<String, String>;

/// The token issuer and the authorizer with their common key.
pub struct Identity {
    issuer: String,
    key: hmac::Key,
}

impl Identity {
    /// Creates an issuer with this URL and a new key.
    pub fn new(issuer: &str) -> Result<Self> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        Ok(Self { issuer: issuer.to_owned(), key: key.ok().context("cannot create the key that signs tokens")? })
    }

    /// Issues an access token to a user who is a member of these groups.
    #[must_use]
    pub fn token(&self, username: &str, groups: &[String]) -> String {
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let mut claims = json!({
            "sub": subject(username).to_string(),
            "iss": self.issuer,
            "client_id": CLIENT_ID,
            "username": username,
            "token_use": "access",
            "scope": "aws.cognito.signin.user.admin",
            "auth_time": now,
            "iat": now,
            "exp": now + TOKEN_LIFETIME_SECONDS,
            "jti": Uuid::new_v4().to_string(),
        });
        // As at Cognito, the token of a user in no group lacks the claim.
        if !groups.is_empty() {
            claims["cognito:groups"] = json!(groups);
        }
        self.sign(&claims)
    }

    /// Returns claims as a [JSON Web Token](https://www.rfc-editor.org/rfc/rfc7519).
    fn sign(&self, claims: &Value) -> String {
        let header = json!({"alg": "HS256", "typ": "JWT"});
        let message = [&header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let signature = URL_SAFE_NO_PAD.encode(hmac::sign(&self.key, message.as_bytes()));
        format!("{message}.{signature}")
    }

    /// Returns the claims of a valid `Authorization` header. An error says in ASCII why the token
    /// is invalid. [AWS
    /// documents](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html)
    /// few wordings.
    pub fn verify(&self, authorization: &str) -> Result<Claims, &'static str> {
        let token = match authorization.split_at_checked(7) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer ") => token.trim(),
            _ => authorization,
        };
        let [_, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else {
            return Err("token contains an invalid number of segments");
        };
        let message = &token[..token.len() - signature.len() - 1];
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
        hmac::verify(&self.key, message.as_bytes(), &signature)
            .map_err(|_| "the token does not have a valid signature")?;
        let claims = URL_SAFE_NO_PAD.decode(claims).ok().and_then(|claims| serde_json::from_slice(&claims).ok());
        let claims: Map<String, Value> = claims.ok_or("the token is malformed")?;
        let expiry = claims.get("exp").and_then(Value::as_i64).unwrap_or_default();
        if expiry < OffsetDateTime::now_utc().unix_timestamp() {
            return Err("the token has expired");
        }
        Ok(claims.into_iter().map(|(name, value)| (name, claim(&value))).collect())
    }
}

/// Returns the id of the account of a user, which is the same in every run.
pub(crate) fn subject(username: &str) -> Uuid {
    let digest = digest::digest(&digest::SHA256, username.as_bytes());
    Builder::from_custom_bytes(digest.as_ref()[..16].try_into().expect("32 bytes")).into_uuid()
}

/// Returns a claim as API Gateway writes it into the event, where all claims are strings.
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
    use super::*;

    fn identity() -> Identity {
        Identity::new("http://127.0.0.1:3000/local").unwrap()
    }

    #[test]
    fn accepts_its_own_token_and_its_claims_are_strings() {
        let identity = identity();
        let token = identity.token("ada", &["editors".to_owned(), "a b".to_owned()]);
        for header in [format!("Bearer {token}"), format!("bEARER  {token}"), token] {
            let claims = identity.verify(&header).unwrap();
            assert_eq!((claims["username"].as_str(), claims["cognito:groups"].as_str()), ("ada", "[editors a b]"));
            assert!(claims["exp"].bytes().all(|byte| byte.is_ascii_digit()));
        }
        assert!(!identity.verify(&identity.token("ada", &[])).unwrap().contains_key("cognito:groups"));
    }

    #[test]
    fn the_subject_of_a_user_is_stable() {
        assert_eq!(subject("ada"), subject("ada"));
        assert_ne!(subject("ada"), subject("bob"));
    }

    #[test]
    fn rejects_a_token_that_has_expired_or_is_not_its_own() {
        let identity = identity();
        let token = identity.token("ada", &[]);
        let [header, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!() };
        let decoded = String::from_utf8(URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
        let bobs = URL_SAFE_NO_PAD.encode(decoded.replace("\"ada\"", "\"bob\""));
        let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
        let other = self::identity().token("ada", &[]);
        for forged in [
            &format!("{header}.{bobs}.{signature}"),
            &format!("{header}.{claims}."),
            &format!("{none}.{claims}."),
            &format!("{none}.{bobs}.{signature}"),
            &other,
            "a.b.c",
        ] {
            assert_eq!(identity.verify(forged), Err("the token does not have a valid signature"), "{forged}");
        }
        for header in ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer x", "......."] {
            assert_eq!(identity.verify(header), Err("token contains an invalid number of segments"), "{header}");
        }
        let now = OffsetDateTime::now_utc().unix_timestamp();
        for claims in [json!({"exp": now - 1}), json!({"exp": "never"}), json!({})] {
            assert_eq!(identity.verify(&identity.sign(&claims)), Err("the token has expired"), "{claims}");
        }
        assert!(identity.verify(&identity.sign(&json!({"exp": now + 60}))).is_ok());
    }
}
