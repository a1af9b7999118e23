//! The check of a token's signature by a key of its issuer, with `ring`.

use base64::{DecodeError, Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use jsonwebtoken::{
    Algorithm,
    jwk::{AlgorithmParameters, EllipticCurve},
};
use ring::{
    rsa::PublicKeyComponents,
    signature::{
        ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
        RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, UnparsedPublicKey,
        VerificationAlgorithm,
    },
};

/// How a signature of an algorithm is checked.
enum Check {
    Rsa(&'static RsaParameters),
    Curve(EllipticCurve, &'static dyn VerificationAlgorithm),
}

/// The algorithms whose keys an issuer can publish.
static CHECKS: [(Algorithm, Check); 9] = [
    (Algorithm::RS256, Check::Rsa(&RSA_PKCS1_2048_8192_SHA256)),
    (Algorithm::RS384, Check::Rsa(&RSA_PKCS1_2048_8192_SHA384)),
    (Algorithm::RS512, Check::Rsa(&RSA_PKCS1_2048_8192_SHA512)),
    (Algorithm::PS256, Check::Rsa(&RSA_PSS_2048_8192_SHA256)),
    (Algorithm::PS384, Check::Rsa(&RSA_PSS_2048_8192_SHA384)),
    (Algorithm::PS512, Check::Rsa(&RSA_PSS_2048_8192_SHA512)),
    (
        Algorithm::ES256,
        Check::Curve(EllipticCurve::P256, &ECDSA_P256_SHA256_FIXED),
    ),
    (
        Algorithm::ES384,
        Check::Curve(EllipticCurve::P384, &ECDSA_P384_SHA384_FIXED),
    ),
    (
        Algorithm::EdDSA,
        Check::Curve(EllipticCurve::Ed25519, &ED25519),
    ),
];

/// Returns whether tokens may be signed by an algorithm.
pub(super) fn is_allowed(algorithm: Algorithm) -> bool {
    CHECKS.iter().any(|(allowed, _)| *allowed == algorithm)
}

/// A public key of an issuer.
#[derive(Debug)]
pub(super) enum PublicKey {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    Point(EllipticCurve, Vec<u8>),
}

impl PublicKey {
    /// Reads a key. Returns `None` for a key of another kind: a symmetric one in a public document is nobody's secret.
    pub(super) fn read(key: &AlgorithmParameters) -> Option<PublicKey> {
        let bytes = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text);
        let read = || -> Result<Option<PublicKey>, DecodeError> {
            Ok(match key {
                AlgorithmParameters::RSA(key) => Some(PublicKey::Rsa {
                    n: bytes(&key.n)?,
                    e: bytes(&key.e)?,
                }),
                AlgorithmParameters::EllipticCurve(key) => {
                    let point = [vec![4], bytes(&key.x)?, bytes(&key.y)?].concat();
                    Some(PublicKey::Point(key.curve.clone(), point))
                }
                AlgorithmParameters::OctetKeyPair(key) => {
                    Some(PublicKey::Point(key.curve.clone(), bytes(&key.x)?))
                }
                _ => None,
            })
        };
        read().ok().flatten()
    }

    /// Returns the algorithms whose signatures the key can check.
    pub(super) fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        let fitting = CHECKS.iter().filter(move |(_, check)| match (self, check) {
            (PublicKey::Rsa { .. }, Check::Rsa(_)) => true,
            (PublicKey::Point(own, _), Check::Curve(curve, _)) => own == curve,
            _ => false,
        });
        fitting.map(|(algorithm, _)| *algorithm)
    }

    /// Returns whether the key has signed a message by this algorithm.
    pub(super) fn has_signed(&self, algorithm: Algorithm, message: &[u8], signed: &[u8]) -> bool {
        let check = CHECKS.iter().find(|(own, _)| *own == algorithm);
        let checked = match (self, check) {
            (PublicKey::Rsa { n, e }, Some((_, Check::Rsa(rsa)))) => {
                PublicKeyComponents { n, e }.verify(rsa, message, signed)
            }
            (PublicKey::Point(own, point), Some((_, Check::Curve(curve, check))))
                if own == curve =>
            {
                UnparsedPublicKey::new(*check, point).verify(message, signed)
            }
            _ => return false,
        };
        checked.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use ring::{
        rand::SystemRandom,
        signature::{
            ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
            Ed25519KeyPair, KeyPair,
        },
    };

    use super::*;

    #[test]
    fn a_signature_passes_the_check_of_its_own_key_and_algorithm_only() {
        let random = SystemRandom::new();
        let curves = [
            (
                Algorithm::ES256,
                EllipticCurve::P256,
                &ECDSA_P256_SHA256_FIXED_SIGNING,
            ),
            (
                Algorithm::ES384,
                EllipticCurve::P384,
                &ECDSA_P384_SHA384_FIXED_SIGNING,
            ),
        ];
        for (algorithm, curve, signing) in curves {
            let key = || {
                let key = EcdsaKeyPair::generate_pkcs8(signing, &random).expect("a key");
                let pair = EcdsaKeyPair::from_pkcs8(signing, key.as_ref(), &random).expect("a key");
                let public = pair.public_key().as_ref().to_vec();
                (pair, PublicKey::Point(curve.clone(), public))
            };
            let ((one, public), (_, other)) = (key(), key());
            let signed = one.sign(&random, b"a message").expect("a signature");
            let signed = signed.as_ref();
            assert!(public.algorithms().eq([algorithm]));
            assert!(public.has_signed(algorithm, b"a message", signed));
            assert!(!public.has_signed(algorithm, b"another one", signed));
            assert!(!other.has_signed(algorithm, b"a message", signed));
            assert!(!public.has_signed(Algorithm::EdDSA, b"a message", signed));
            assert!(!public.has_signed(Algorithm::RS256, b"a message", signed));
        }
        let key = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
        let pair = Ed25519KeyPair::from_pkcs8(key.as_ref()).expect("a key");
        let public = pair.public_key().as_ref().to_vec();
        let public = PublicKey::Point(EllipticCurve::Ed25519, public);
        let signed = pair.sign(b"a message");
        assert!(public.has_signed(Algorithm::EdDSA, b"a message", signed.as_ref()));
        assert!(!public.has_signed(Algorithm::HS512, b"a message", signed.as_ref()));
    }
}
