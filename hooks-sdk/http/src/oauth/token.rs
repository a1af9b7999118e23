//! The check of one token: a JWT by the keys of its issuer.

use std::{collections::HashSet, sync::Arc};

use jsonwebtoken::{Algorithm, Validation, dangerous, decode, decode_header, errors::ErrorKind};
use serde_json::{Map, Value};

use super::keys::{IssuerKeys, NoKey};

/// The longest token, in bytes.
pub(super) const MAX_TOKEN: usize = 16 * 1024;

/// The longest subject, in bytes.
const MAX_SUBJECT: usize = 1024;

/// How far the clocks of the issuer and of this server may be apart, in seconds.
pub(super) const LEEWAY: u64 = 30;

/// The algorithms whose keys an issuer can publish.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Why a token is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The token is wrong. The sentence has nothing of the token.
    Invalid(&'static str),
    /// Nobody can say now whether it is right.
    Unavailable(&'static str),
}

/// An issuer whose tokens are checked by its keys.
#[derive(Debug)]
pub(super) struct TrustedIssuer {
    pub(super) url: String,
    pub(super) keys: Arc<IssuerKeys>,
}

/// Returns whether a token has the three parts of a signed JWT.
pub(super) fn is_jwt(token: &str) -> bool {
    let mut parts = token.split('.');
    let three = (&mut parts).take(3).filter(|part| !part.is_empty()).count() == 3;
    three && parts.next().is_none()
}

/// Returns the claims of a token that one of the issuers has signed for one of the audiences.
///
/// # Errors
///
/// The token breaks a rule, or the keys of its issuer are not known.
pub(super) async fn claims(
    token: &str,
    issuers: &[TrustedIssuer],
    audiences: &[String],
) -> Result<Map<String, Value>, Rejection> {
    let header = decode_header(token).map_err(|_| {
        Rejection::Invalid("its header cannot be read, or names no known algorithm")
    })?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(Rejection::Invalid("its algorithm is not allowed"));
    }
    if header.crit.is_some() {
        return Err(Rejection::Invalid("it has an extension that is not known"));
    }
    let is_access_token = |typ: &str| {
        let typ = typ.to_ascii_lowercase();
        matches!(&*typ, "at+jwt" | "application/at+jwt" | "jwt")
    };
    if header
        .typ
        .as_deref()
        .is_some_and(|typ| !is_access_token(typ))
    {
        return Err(Rejection::Invalid("it is no access token"));
    }
    // Only the choice of the keys rests on this unchecked claim. The signature is checked with these keys.
    let unchecked: Value = dangerous::insecure_decode_claims(token)
        .map_err(|_| Rejection::Invalid("its claims cannot be read"))?;
    let named = unchecked["iss"].as_str();
    let issuer = issuers
        .iter()
        .find(|issuer| Some(&*issuer.url) == named)
        .ok_or(Rejection::Invalid("its issuer is not trusted here"))?;
    let key = issuer.keys.find(header.kid.as_deref(), header.alg).await;
    let key = key.map_err(|none| match none {
        NoKey::Unknown => Rejection::Invalid("its key is not one of its issuer's"),
        NoKey::Unavailable => {
            Rejection::Unavailable("the keys of the issuer cannot be fetched now")
        }
    })?;
    let mut rules = Validation::new(header.alg);
    rules.leeway = LEEWAY;
    rules.validate_nbf = true;
    rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    rules.set_issuer(&[&issuer.url]);
    rules.aud = Some(HashSet::from_iter(audiences.iter().cloned()));
    let data = decode::<Map<String, Value>>(token, &key, &rules).map_err(|error| {
        Rejection::Invalid(match error.kind() {
            ErrorKind::InvalidSignature => "its signature is wrong",
            ErrorKind::ExpiredSignature => "it has expired",
            ErrorKind::ImmatureSignature => "it is not valid yet",
            ErrorKind::InvalidAudience => "it is for another server",
            ErrorKind::MissingRequiredClaim(claim) => match &**claim {
                "exp" => "it has no time at which it expires",
                "aud" => "it has no audience",
                "sub" => "it has no subject",
                _ => "it has no issuer",
            },
            _ => "a claim cannot be read",
        })
    })?;
    // `decode` also takes an array of issuers.
    if data.claims["iss"] != *issuer.url {
        return Err(Rejection::Invalid("its issuer is not trusted here"));
    }
    bearable(data.claims)
}

/// Checks what the claims of every token must have, however its issuer told them.
pub(super) fn bearable(claims: Map<String, Value>) -> Result<Map<String, Value>, Rejection> {
    if claims.contains_key("cnf") {
        return Err(Rejection::Invalid(
            "it is bound to a key, and no bearer token",
        ));
    }
    let subject = claims.get("sub").and_then(Value::as_str);
    if !subject.is_some_and(|subject| (1..=MAX_SUBJECT).contains(&subject.len())) {
        return Err(Rejection::Invalid("its subject is empty or too long"));
    }
    Ok(claims)
}
