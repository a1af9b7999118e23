//! The check of one token: a JWT by the keys of its issuer.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use jsonwebtoken::{dangerous, decode_header, get_current_timestamp};
use serde_json::{Map, Value};

use super::{keys::IssuerKeys, signature::is_allowed};

/// The longest token, in bytes.
pub(super) const MAX_TOKEN: usize = 16 * 1024;

/// The longest subject, in bytes.
const MAX_SUBJECT: usize = 1024;

/// How far the clocks of the issuer and of this server may be apart, in seconds.
const LEEWAY: u64 = 30;

/// Why a token is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The token is wrong. The sentence has nothing of the token.
    Invalid(&'static str),
    /// Nobody can say now whether it is right.
    Unavailable(&'static str),
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
    issuers: &[Arc<IssuerKeys>],
    audiences: &[String],
) -> Result<Map<String, Value>, Rejection> {
    let header = decode_header(token).map_err(|_| {
        Rejection::Invalid("its header cannot be read, or names no known algorithm")
    })?;
    if !is_allowed(header.alg) {
        return Err(Rejection::Invalid("its algorithm is not allowed"));
    }
    if header.crit.is_some() {
        return Err(Rejection::Invalid("it has an extension that is not known"));
    }
    let kind = header.typ.map(|kind| kind.to_ascii_lowercase());
    let kind = kind.as_deref().unwrap_or("jwt");
    if !matches!(kind, "at+jwt" | "application/at+jwt" | "jwt") {
        return Err(Rejection::Invalid("it is no access token"));
    }
    // Until the signature is checked, only the choice of the keys rests on them.
    let claims: Map<String, Value> = dangerous::insecure_decode_claims(token)
        .map_err(|_| Rejection::Invalid("its claims cannot be read"))?;
    let named = claims.get("iss").and_then(Value::as_str);
    let keys = issuers
        .iter()
        .find(|keys| Some(&*keys.issuer) == named)
        .ok_or(Rejection::Invalid("its issuer is not trusted here"))?;
    let key = keys.find(header.kid.as_deref(), header.alg).await?;
    let (message, signed) = token.rsplit_once('.').unwrap_or_default();
    let signed = BASE64_URL_SAFE_NO_PAD.decode(signed);
    if !signed.is_ok_and(|signed| key.has_signed(header.alg, message.as_bytes(), &signed)) {
        return Err(Rejection::Invalid("its signature is wrong"));
    }
    if !claims.get("exp").is_some_and(Value::is_number) {
        return Err(Rejection::Invalid("it has no time at which it expires"));
    }
    if !claims.get("sub").is_some_and(Value::is_string) {
        return Err(Rejection::Invalid("it has no subject"));
    }
    checked(claims, &keys.issuer, audiences)
}

/// Checks the claims of a token, however its issuer told them.
pub(super) fn checked(
    claims: Map<String, Value>,
    issuer: &str,
    audiences: &[String],
) -> Result<Map<String, Value>, Rejection> {
    let text = |name| claims.get(name).and_then(Value::as_str);
    if text("iss") != Some(issuer) {
        return Err(Rejection::Invalid("its issuer is not trusted here"));
    }
    let is_ours = |audience: &Value| {
        let audience = audience.as_str();
        audiences.iter().any(|own| Some(&**own) == audience)
    };
    let is_for_us = match claims.get("aud") {
        None => return Err(Rejection::Invalid("it has no audience")),
        Some(Value::Array(all)) => all.iter().any(is_ours),
        Some(audience) => is_ours(audience),
    };
    if !is_for_us {
        return Err(Rejection::Invalid("it is for another server"));
    }
    let time = |name| match claims.get(name).map(Value::as_f64) {
        Some(None) => Err(Rejection::Invalid("a claim cannot be read")),
        time => Ok(time.flatten()),
    };
    let (now, leeway) = (get_current_timestamp() as f64, LEEWAY as f64);
    if time("exp")?.is_some_and(|expires| expires + leeway < now) {
        return Err(Rejection::Invalid("it has expired"));
    }
    if time("nbf")?.is_some_and(|begins| begins > now + leeway) {
        return Err(Rejection::Invalid("it is not valid yet"));
    }
    if claims.contains_key("cnf") {
        return Err(Rejection::Invalid(
            "it is bound to a key, and no bearer token",
        ));
    }
    if !text("sub").is_some_and(|subject| (1..=MAX_SUBJECT).contains(&subject.len())) {
        return Err(Rejection::Invalid("its subject is empty or too long"));
    }
    Ok(claims)
}
