//! The public keys of issuers, and the signatures that they check.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    rsa::PublicKeyComponents,
    signature::{self, RsaParameters, UnparsedPublicKey, VerificationAlgorithm},
};
use serde_json::Value;

/// How the signatures of an algorithm are checked.
enum Check {
    Rsa(&'static RsaParameters),
    /// By a point of the curve with this name.
    Curve(&'static str, &'static dyn VerificationAlgorithm),
}

/// The algorithms whose keys an issuer can publish.
static ALGORITHMS: [(&str, Check); 9] = [
    ("RS256", Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256)),
    ("RS384", Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384)),
    ("RS512", Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512)),
    ("PS256", Check::Rsa(&signature::RSA_PSS_2048_8192_SHA256)),
    ("PS384", Check::Rsa(&signature::RSA_PSS_2048_8192_SHA384)),
    ("PS512", Check::Rsa(&signature::RSA_PSS_2048_8192_SHA512)),
    (
        "ES256",
        Check::Curve("P-256", &signature::ECDSA_P256_SHA256_FIXED),
    ),
    (
        "ES384",
        Check::Curve("P-384", &signature::ECDSA_P384_SHA384_FIXED),
    ),
    ("EdDSA", Check::Curve("Ed25519", &signature::ED25519)),
];

fn check_of(algorithm: &str) -> Option<&'static Check> {
    let row = ALGORITHMS.iter().find(|(name, _)| *name == algorithm);
    row.map(|(_, check)| check)
}

/// Returns whether tokens of this algorithm may be accepted.
pub(super) fn is_known(algorithm: &str) -> bool {
    check_of(algorithm).is_some()
}

/// A key that checks signatures.
#[derive(Clone, Debug)]
pub(super) enum PublicKey {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    Point { curve: String, bytes: Vec<u8> },
}

impl PublicKey {
    /// Reads a JWK of a known algorithm. A symmetric key is none: in a public document it is nobody's secret.
    pub(super) fn read(jwk: &Value) -> Option<PublicKey> {
        let bytes = |name: &str| decoded(jwk[name].as_str()?);
        let point = |bytes| {
            let curve = jwk["crv"].as_str()?.to_owned();
            let key = PublicKey::Point { curve, bytes };
            ALGORITHMS
                .iter()
                .any(|(name, _)| key.fits(name))
                .then_some(key)
        };
        match jwk["kty"].as_str()? {
            "RSA" => Some(PublicKey::Rsa {
                n: bytes("n")?,
                e: bytes("e")?,
            }),
            // An uncompressed point (SEC 1 §2.3.3).
            "EC" => point([vec![4], bytes("x")?, bytes("y")?].concat()),
            "OKP" => point(bytes("x")?),
            _ => None,
        }
    }

    /// Returns whether the key is of the algorithm's family.
    pub(super) fn fits(&self, algorithm: &str) -> bool {
        match (self, check_of(algorithm)) {
            (PublicKey::Rsa { .. }, Some(Check::Rsa(_))) => true,
            (PublicKey::Point { curve, .. }, Some(Check::Curve(name, _))) => curve == name,
            _ => false,
        }
    }

    /// Returns whether the key's owner signed the message by this algorithm.
    pub(super) fn verifies(&self, algorithm: &str, message: &[u8], signed: &[u8]) -> bool {
        let verified = match (self, check_of(algorithm)) {
            (PublicKey::Rsa { n, e }, Some(Check::Rsa(check))) => {
                PublicKeyComponents { n, e }.verify(check, message, signed)
            }
            (PublicKey::Point { curve, bytes }, Some(Check::Curve(name, check)))
                if curve == name =>
            {
                UnparsedPublicKey::new(*check, bytes).verify(message, signed)
            }
            _ => return false,
        };
        verified.is_ok()
    }
}

/// Decodes a part of a token or of a key.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use ring::{
        rand::SystemRandom,
        signature::{EcdsaKeyPair, Ed25519KeyPair, KeyPair},
    };
    use serde_json::json;

    use super::*;

    fn jwk(curve: &str, point: &[u8]) -> Value {
        let text = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        match curve {
            "Ed25519" => json!({"kty": "OKP", "crv": curve, "x": text(point)}),
            _ => {
                let (x, y) = point[1..].split_at(point.len() / 2);
                json!({"kty": "EC", "crv": curve, "x": text(x), "y": text(y)})
            }
        }
    }

    #[test]
    fn a_signature_passes_the_check_of_its_own_key_and_algorithm_only() {
        let random = SystemRandom::new();
        let mut all = Vec::new();
        for (algorithm, curve, signs) in [
            (
                "ES256",
                "P-256",
                &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
            ),
            (
                "ES384",
                "P-384",
                &signature::ECDSA_P384_SHA384_FIXED_SIGNING,
            ),
        ] {
            for _ in 0..2 {
                let key = EcdsaKeyPair::generate_pkcs8(signs, &random).expect("a key");
                let pair = EcdsaKeyPair::from_pkcs8(signs, key.as_ref(), &random).expect("a key");
                let signed = pair.sign(&random, b"message").expect("a signature");
                let key = PublicKey::read(&jwk(curve, pair.public_key().as_ref()));
                all.push((algorithm, key.expect("a key"), signed.as_ref().to_vec()));
            }
        }
        let key = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
        let pair = Ed25519KeyPair::from_pkcs8(key.as_ref()).expect("a key");
        let key = PublicKey::read(&jwk("Ed25519", pair.public_key().as_ref()));
        let signed = pair.sign(b"message").as_ref().to_vec();
        all.push(("EdDSA", key.expect("a key"), signed));
        for (own, (algorithm, _, signed)) in all.iter().enumerate() {
            for (at, (other, key, _)) in all.iter().enumerate() {
                let is_own = at == own;
                assert_eq!(key.verifies(algorithm, b"message", signed), is_own);
                assert_eq!(key.fits(algorithm), algorithm == other);
                assert!(!key.verifies(algorithm, b"messages", signed));
            }
        }
    }

    #[test]
    fn a_key_that_checks_no_signature_is_none() {
        for jwk in [
            json!({"kty": "oct", "k": "AAAA"}),
            json!({"kty": "RSA", "n": "AQAB"}),
            json!({"kty": "EC", "crv": "P-256", "x": "AA", "y": "no base64 "}),
            json!({"kty": "OKP", "x": "AA"}),
            json!({"kty": "OKP", "crv": "X25519", "x": "AA"}),
            json!([]),
        ] {
            assert!(PublicKey::read(&jwk).is_none(), "{jwk}");
        }
        assert!(
            ["none", "HS256", "rs256", ""]
                .iter()
                .all(|name| !is_known(name))
        );
    }
}
