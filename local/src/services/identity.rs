//! The local token issuer, and the JWT authorizer that checks tokens as API Gateway does.
//!
//! A token has the claims of a [Cognito access
//! token](https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
//! The signing key is generated at start-up and never leaves the process, so a token is valid for this run of the stack
//! only.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use anyhow::{Context as _, Result};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, TokenData, Validation, decode, encode,
    errors::ErrorKind,
    get_current_timestamp,
    jwk::{
        AlgorithmParameters, CommonParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, OctetKeyPairParameters,
        OctetKeyPairType,
    },
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

mod ed25519;

/// The id of the client for which tokens are issued.
pub const CLIENT_ID: &str = "quick-photos";

/// The lifetime of a token: 12 hours.
const TOKEN_LIFETIME_SECONDS: u64 = 12 * 60 * 60;

/// The claims of a token as API Gateway passes them to a function.
pub type Claims = BTreeMap<String, String>;

/// The token issuer and the authorizer with their common key.
pub struct Identity {
    issuer: String,
    signing: EncodingKey,
    verifying: DecodingKey,
    jwk: Jwk,
}

impl Identity {
    /// Creates an issuer with this URL and a new key.
    pub fn new(issuer: &str) -> Result<Self> {
        // PKCS #8 encoding of an Ed25519 key: a fixed prefix, then 32 random bytes (RFC 8410, section 7).
        let mut key =
            vec![0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
        key.extend(rand::random::<[u8; 32]>());
        ed25519::install();
        let signing = EncodingKey::from_ed_der(&key);
        let failed = "cannot create the key that signs tokens";
        let jwk = Jwk {
            common: CommonParameters {
                key_algorithm: Some(KeyAlgorithm::EdDSA),
                key_id: Some(Uuid::new_v4().to_string()),
                ..CommonParameters::default()
            },
            algorithm: AlgorithmParameters::OctetKeyPair(OctetKeyPairParameters {
                key_type: OctetKeyPairType::OctetKeyPair,
                curve: EllipticCurve::Ed25519,
                x: URL_SAFE_NO_PAD.encode(ed25519::public_key(&signing).context(failed)?),
            }),
        };
        let verifying = DecodingKey::from_jwk(&jwk).context(failed)?;
        Ok(Self { issuer: issuer.to_owned(), signing, verifying, jwk })
    }

    /// Issues an access token to a user who is a member of these groups.
    pub fn token(&self, username: &str, groups: &[String]) -> Result<String> {
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
            "exp": now + TOKEN_LIFETIME_SECONDS,
            "jti": Uuid::new_v4().to_string(),
        });
        // As at Cognito, the token of a user in no group lacks the claim.
        if !groups.is_empty() {
            claims["cognito:groups"] = json!(groups);
        }
        self.sign(&claims)
    }

    fn sign(&self, claims: &Value) -> Result<String> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid.clone_from(&self.jwk.common.key_id);
        encode(&header, claims, &self.signing).context("cannot sign the token")
    }

    /// Returns the claims of a valid `Authorization` header. An error says in ASCII why the token is invalid. The checks
    /// are those of [API
    /// Gateway](https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html).
    pub fn verify(&self, authorization: &str) -> Result<Claims, &'static str> {
        let token = match authorization.split_at_checked(7) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer ") => token.trim(),
            _ => authorization,
        };
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.leeway = 0;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        // It would accept a token whose `aud` is not a string or a list of strings.
        validation.validate_aud = false;
        validation.set_required_spec_claims(&["exp", "iss"]);
        let decoded = decode::<Map<String, Value>>(token, &self.verifying, &validation);
        let TokenData { header, claims } = decoded.map_err(|error| description(error.kind()))?;
        // We know no extension, so we have to refuse all: https://www.rfc-editor.org/rfc/rfc7515#section-4.1.11
        if header.crit.is_some() {
            return Err("the header of the token has critical extensions");
        }
        if !is_for_us(&claims) {
            return Err("the token does not have a valid audience");
        }
        Ok(claims.into_iter().map(|(name, value)| (name, claim(&value))).collect())
    }

    /// Returns the
    /// [metadata of the issuer](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata).
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

    /// Returns the public key that verifies the tokens.
    #[must_use]
    pub fn keys(&self) -> JwkSet {
        JwkSet { keys: vec![self.jwk.clone()] }
    }
}

/// Returns the id of a user, which is the same in every run.
fn subject(username: &str) -> Uuid {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, username).hash(&mut hasher);
        hasher.finish()
    };
    Uuid::from_u64_pair(half(0), half(1))
}

/// Returns whether the audience of a token is our client: its `aud`, or its `client_id` if it has no `aud`.
fn is_for_us(claims: &Map<String, Value>) -> bool {
    match claims.get("aud").or(claims.get("client_id")) {
        Some(Value::String(audience)) => audience == CLIENT_ID,
        Some(Value::Array(audiences)) if claims.contains_key("aud") => {
            audiences.iter().all(Value::is_string) && audiences.iter().any(|audience| audience == CLIENT_ID)
        }
        _ => false,
    }
}

/// Returns the description of an error. AWS documents its wording of the audience only.
fn description(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidToken => "token contains an invalid number of segments",
        ErrorKind::ExpiredSignature => "the token has expired",
        ErrorKind::ImmatureSignature => "the token is not valid yet",
        ErrorKind::InvalidIssuer => "the token does not have a valid issuer",
        ErrorKind::MissingRequiredClaim(_) => "the token has no exp or no iss",
        ErrorKind::InvalidSignature | ErrorKind::InvalidAlgorithm => "the token does not have a valid signature",
        _ => "the token is malformed",
    }
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
    fn accepts_its_own_token() {
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
    fn the_subject_of_a_user_is_stable() {
        assert_eq!(subject("ada"), subject("ada"));
        assert_ne!(subject("ada"), subject("bob"));
    }

    #[test]
    fn claims_are_strings() {
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
    fn accepts_aud_instead_of_client_id() {
        let identity = identity();
        let token = signed(&identity, |claims| {
            claims["aud"] = json!([CLIENT_ID]);
            claims["client_id"] = json!("another");
        });
        assert!(identity.verify(&token).is_ok());
    }

    #[test]
    fn rejects_a_token_with_an_invalid_claim() {
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
            ("aud", json!(["another"])),
            ("client_id", json!([CLIENT_ID])),
        ] {
            let token = signed(&identity, |claims| claims[name] = value.clone());
            assert!(identity.verify(&token).is_err(), "{name}: {value}");
        }
        assert!(identity.verify(&signed(&identity, |_| ())).is_ok());
    }

    #[test]
    fn rejects_a_changed_token() {
        let identity = identity();
        let token = identity.token("ada", &[]).unwrap();
        let [header, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!() };
        let decoded = String::from_utf8(URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
        let bobs = URL_SAFE_NO_PAD.encode(decoded.replace("\"ada\"", "\"bob\""));
        assert!(identity.verify(&format!("{header}.{bobs}.{signature}")).is_err());
        assert!(identity.verify(&format!("{header}.{claims}.")).is_err());
        let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
        assert!(identity.verify(&format!("{none}.{claims}.")).is_err());
        assert!(identity.verify(&format!("{none}.{bobs}.{signature}")).is_err());
    }

    #[test]
    fn rejects_a_token_with_a_critical_extension() {
        let identity = identity();
        let claims = json!({"iss": ISSUER, "client_id": CLIENT_ID, "exp": get_current_timestamp() + 60});
        for crit in [vec!["https://example.com/extension".to_owned()], vec!["exp".to_owned()], vec![]] {
            let mut header = Header::new(Algorithm::EdDSA);
            header.crit = Some(crit);
            let token = encode(&header, &claims, &identity.signing).unwrap();
            assert_eq!(identity.verify(&token), Err("the header of the token has critical extensions"));
        }
    }

    #[test]
    fn an_error_says_why_the_token_is_invalid() {
        let identity = identity();
        for (name, value, description) in [
            ("exp", json!(1), "the token has expired"),
            ("iss", json!("http://elsewhere/local"), "the token does not have a valid issuer"),
            ("aud", json!("another"), "the token does not have a valid audience"),
        ] {
            let token = signed(&identity, |claims| claims[name] = value.clone());
            assert_eq!(identity.verify(&token), Err(description));
        }
        assert_eq!(identity.verify("Bearer x"), Err("token contains an invalid number of segments"));
        let other = self::identity().token("ada", &[]).unwrap();
        assert_eq!(identity.verify(&other), Err("the token does not have a valid signature"));
    }

    #[test]
    fn rejects_a_malformed_header() {
        let identity = identity();
        for header in ["", "Bearer", "Bearer ", "Basic YTpi", "a.b.c", "Bearer é.é.é", "......."] {
            assert!(identity.verify(header).is_err(), "{header}");
        }
    }

    #[test]
    fn the_published_key_verifies_a_token() {
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
