//! The signatures of tokens, by `ring`.
//!
//! `jsonwebtoken` has one provider of signatures in a process. This one signs, too, because the program's own code may use
//! `jsonwebtoken` without having chosen a provider.

use std::{fmt::Debug, sync::Once};

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey,
    crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils},
    errors::{Error, ErrorKind},
    jwk::ThumbprintHash,
    signature::{Error as SignatureError, Signer, Verifier},
};
use ring::{
    digest, hmac,
    rand::SystemRandom,
    rsa::{KeyPair, PublicKeyComponents},
    signature::{self, EcdsaKeyPair, Ed25519KeyPair, RsaParameters, UnparsedPublicKey},
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key| {
        let (algorithm, key) = (*algorithm, key.clone());
        check(algorithm, key.family())?;
        Ok(Box::new(RingSigner { algorithm, key }))
    },
    verifier_factory: |algorithm, key| {
        let (algorithm, key) = (*algorithm, key.clone());
        check(algorithm, key.family())?;
        Ok(Box::new(RingVerifier { algorithm, key }))
    },
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: |_| Err(unsupported()),
        rsa_pub_components_from_public_key: |_| Err(unsupported()),
        ec_pub_components_from_private_key: |_, _| Err(unsupported()),
        ed_pub_components_from_private_key: |_, _| Err(unsupported()),
        compute_digest: |data, hash| {
            let hash = match hash {
                ThumbprintHash::SHA256 => &digest::SHA256,
                ThumbprintHash::SHA384 => &digest::SHA384,
                ThumbprintHash::SHA512 => &digest::SHA512,
                _ => return Err(unsupported()),
            };
            Ok(digest::digest(hash, data).as_ref().to_vec())
        },
    },
};

/// Makes `ring` the provider of the process, unless the program has chosen another one before.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| _ = PROVIDER.install_default());
}

fn unsupported() -> Error {
    ErrorKind::UnsupportedAlgorithm.into()
}

fn check(algorithm: Algorithm, family: AlgorithmFamily) -> Result<(), Error> {
    match algorithm.family() == family {
        true => Ok(()),
        false => Err(ErrorKind::InvalidKeyFormat.into()),
    }
}

struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signed: &Vec<u8>) -> Result<(), SignatureError> {
        let bytes = || self.key.try_get_as_bytes().map_err(error);
        if let Some(hash) = hmac_of(self.algorithm) {
            let key = hmac::Key::new(hash, bytes()?);
            return hmac::verify(&key, message, signed).map_err(error);
        }
        if let Some((rsa, _)) = rsa_of(self.algorithm) {
            return match self.key.kind() {
                DecodingKeyKind::RsaModulusExponent { n, e } => {
                    PublicKeyComponents { n, e }.verify(rsa, message, signed)
                }
                DecodingKeyKind::SecretOrDer(key) => {
                    UnparsedPublicKey::new(rsa, key).verify(message, signed)
                }
            }
            .map_err(error);
        }
        let curve: &dyn signature::VerificationAlgorithm = match self.algorithm {
            Algorithm::ES256 => &signature::ECDSA_P256_SHA256_FIXED,
            Algorithm::ES384 => &signature::ECDSA_P384_SHA384_FIXED,
            Algorithm::EdDSA => &signature::ED25519,
            _ => return Err(SignatureError::new()),
        };
        let key = bytes()?;
        curve
            .verify(key.into(), message.into(), signed[..].into())
            .map_err(error)
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

struct RingSigner {
    algorithm: Algorithm,
    key: EncodingKey,
}

impl Signer<Vec<u8>> for RingSigner {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        let (bytes, random) = (self.key.as_bytes(), SystemRandom::new());
        if let Some(hash) = hmac_of(self.algorithm) {
            let key = hmac::Key::new(hash, bytes);
            return Ok(hmac::sign(&key, message).as_ref().to_vec());
        }
        if let Some((_, padding)) = rsa_of(self.algorithm) {
            let pair = KeyPair::from_der(bytes).or_else(|_| KeyPair::from_pkcs8(bytes));
            let pair = pair.map_err(error)?;
            let mut signed = vec![0; pair.public().modulus_len()];
            pair.sign(padding, &random, message, &mut signed)
                .map_err(error)?;
            return Ok(signed);
        }
        let curve = match self.algorithm {
            Algorithm::ES256 => &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
            Algorithm::ES384 => &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
            Algorithm::EdDSA => {
                let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(bytes).map_err(error)?;
                return Ok(pair.sign(message).as_ref().to_vec());
            }
            _ => return Err(SignatureError::new()),
        };
        let pair = EcdsaKeyPair::from_pkcs8(curve, bytes, &random).map_err(error)?;
        let signed = pair.sign(&random, message).map_err(error)?;
        Ok(signed.as_ref().to_vec())
    }
}

impl JwtSigner for RingSigner {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

/// `ring` gives no cause.
fn error(_: impl Debug) -> SignatureError {
    SignatureError::new()
}

fn hmac_of(algorithm: Algorithm) -> Option<hmac::Algorithm> {
    match algorithm {
        Algorithm::HS256 => Some(hmac::HMAC_SHA256),
        Algorithm::HS384 => Some(hmac::HMAC_SHA384),
        Algorithm::HS512 => Some(hmac::HMAC_SHA512),
        _ => None,
    }
}

/// Returns how a signature of RSA is checked, and made.
fn rsa_of(
    algorithm: Algorithm,
) -> Option<(&'static RsaParameters, &'static dyn signature::RsaEncoding)> {
    Some(match algorithm {
        Algorithm::RS256 => (
            &signature::RSA_PKCS1_2048_8192_SHA256,
            &signature::RSA_PKCS1_SHA256,
        ),
        Algorithm::RS384 => (
            &signature::RSA_PKCS1_2048_8192_SHA384,
            &signature::RSA_PKCS1_SHA384,
        ),
        Algorithm::RS512 => (
            &signature::RSA_PKCS1_2048_8192_SHA512,
            &signature::RSA_PKCS1_SHA512,
        ),
        Algorithm::PS256 => (
            &signature::RSA_PSS_2048_8192_SHA256,
            &signature::RSA_PSS_SHA256,
        ),
        Algorithm::PS384 => (
            &signature::RSA_PSS_2048_8192_SHA384,
            &signature::RSA_PSS_SHA384,
        ),
        Algorithm::PS512 => (
            &signature::RSA_PSS_2048_8192_SHA512,
            &signature::RSA_PSS_SHA512,
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{Header, Validation, decode, encode};
    use ring::signature::KeyPair as _;
    use serde_json::{Value, json};

    use super::*;

    /// Returns whether a token that one key signs passes the check by another one.
    fn passes(algorithm: Algorithm, signs: &EncodingKey, checks: &DecodingKey) -> bool {
        install();
        let claims = json!({"exp": 4_000_000_000_u64});
        let token = encode(&Header::new(algorithm), &claims, signs).expect("a token");
        decode::<Value>(token, checks, &Validation::new(algorithm)).is_ok()
    }

    #[test]
    fn a_signature_passes_the_check_of_its_own_key_only() {
        let random = SystemRandom::new();
        let curves = [
            (
                Algorithm::ES256,
                &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
            ),
            (
                Algorithm::ES384,
                &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
            ),
        ];
        for (algorithm, curve) in curves {
            let key = || {
                let key = EcdsaKeyPair::generate_pkcs8(curve, &random).expect("a key");
                let pair = EcdsaKeyPair::from_pkcs8(curve, key.as_ref(), &random).expect("a key");
                let public = DecodingKey::from_ec_der(pair.public_key().as_ref());
                (EncodingKey::from_ec_der(key.as_ref()), public)
            };
            let ((one, public), (_, other)) = (key(), key());
            assert!(passes(algorithm, &one, &public), "{algorithm:?}");
            assert!(!passes(algorithm, &one, &other), "{algorithm:?}");
        }
        let key = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
        let pair = Ed25519KeyPair::from_pkcs8(key.as_ref()).expect("a key");
        let public = DecodingKey::from_ed_der(pair.public_key().as_ref());
        let private = EncodingKey::from_ed_der(key.as_ref());
        assert!(passes(Algorithm::EdDSA, &private, &public));
        let (one, other) = (b"one".as_slice(), DecodingKey::from_secret(b"other"));
        let hmac = EncodingKey::from_secret(one);
        assert!(passes(
            Algorithm::HS512,
            &hmac,
            &DecodingKey::from_secret(one)
        ));
        assert!(!passes(Algorithm::HS512, &hmac, &other));
    }

    #[test]
    fn a_key_of_another_family_is_an_error() {
        install();
        let secret = DecodingKey::from_secret(b"a public key");
        let token = "eyJhbGciOiJFUzI1NiJ9.e30.AA";
        assert!(decode::<Value>(token, &secret, &Validation::new(Algorithm::ES256)).is_err());
    }
}
