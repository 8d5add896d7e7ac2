//! The cryptography of the tokens, for the crate jsonwebtoken: Ed25519 of the crate ring. The providers that jsonwebtoken
//! has itself link other algorithms too, among them an RSA that [leaks its private key through its
//! timing](https://rustsec.org/advisories/RUSTSEC-2023-0071).

use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey,
    crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils},
    errors::{Error, ErrorKind},
    signature::{self, Signer, Verifier},
};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| {
        only_eddsa(*algorithm)?;
        Ok(Box::new(KeyPair(key_pair(key)?)))
    },
    verifier_factory: |algorithm, key| {
        only_eddsa(*algorithm)?;
        Ok(Box::new(PublicKey(key.clone())))
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes this the cryptography of jsonwebtoken in this process. Another call changes nothing.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

/// Returns the public key of a private one.
pub(super) fn public_key(key: &EncodingKey) -> Result<Vec<u8>, Error> {
    Ok(key_pair(key)?.public_key().as_ref().to_vec())
}

fn key_pair(key: &EncodingKey) -> Result<Ed25519KeyPair, Error> {
    Ed25519KeyPair::from_pkcs8_maybe_unchecked(key.as_bytes()).map_err(|_| ErrorKind::InvalidEddsaKey.into())
}

fn only_eddsa(algorithm: Algorithm) -> Result<(), Error> {
    if algorithm == Algorithm::EdDSA { Ok(()) } else { Err(ErrorKind::InvalidAlgorithm.into()) }
}

struct KeyPair(Ed25519KeyPair);

impl Signer<Vec<u8>> for KeyPair {
    fn try_sign(&self, message: &[u8]) -> signature::Result<Vec<u8>> {
        Ok(self.0.sign(message).as_ref().to_vec())
    }
}

impl JwtSigner for KeyPair {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

struct PublicKey(DecodingKey);

impl Verifier<Vec<u8>> for PublicKey {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> signature::Result<()> {
        let key = self.0.try_get_as_bytes().map_err(signature::Error::from_source)?;
        UnparsedPublicKey::new(&ED25519, key).verify(message, signature).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for PublicKey {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}
