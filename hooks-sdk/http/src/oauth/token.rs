//! The check of one token: a JWT by the keys of its issuer, and the claims of every token.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Map, Value};

use super::{
    keys::{IssuerKeys, NoKey},
    signature::{decoded, is_known},
};

/// The longest token, in bytes.
pub(super) const MAX_TOKEN: usize = 16 * 1024;

/// The longest subject, in bytes.
const MAX_SUBJECT: usize = 1024;

/// How far the clocks of the issuer and of this server may be apart, in seconds.
const LEEWAY: f64 = 30.0;

/// Why a token is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The token is wrong. The sentence has nothing of the token.
    Invalid(&'static str),
    /// Nobody can say now whether it is right.
    Unavailable(&'static str),
}

const FOREIGN: Rejection = Rejection::Invalid("its issuer is not trusted here");

const UNREADABLE: Rejection =
    Rejection::Invalid("its header cannot be read, or names no known algorithm");

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
    let (message, signed) = token.rsplit_once('.').ok_or(UNREADABLE)?;
    let (header, claims) = message.rsplit_once('.').ok_or(UNREADABLE)?;
    let header = object(header).ok_or(UNREADABLE)?;
    let text = |name: &str| match header.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(UNREADABLE),
    };
    let (id, kind) = (text("kid")?, text("typ")?);
    let algorithm = text("alg")?.ok_or(UNREADABLE)?;
    if matches!(algorithm, "HS256" | "HS384" | "HS512") {
        return Err(Rejection::Invalid("its algorithm is not allowed"));
    }
    if !is_known(algorithm) {
        return Err(UNREADABLE);
    }
    if header.contains_key("crit") {
        return Err(Rejection::Invalid("it has an extension that is not known"));
    }
    let is_access_token = |kind: &str| {
        let kind = kind.to_ascii_lowercase();
        matches!(&*kind, "at+jwt" | "application/at+jwt" | "jwt")
    };
    if !kind.is_none_or(is_access_token) {
        return Err(Rejection::Invalid("it is no access token"));
    }
    let claims = object(claims).ok_or(Rejection::Invalid("its claims cannot be read"))?;
    // Only the choice of the keys rests on this unchecked claim. The signature is checked with these keys.
    let named = claims.get("iss").and_then(Value::as_str);
    let issuer = issuers.iter().find(|issuer| Some(&*issuer.url) == named);
    let issuer = issuer.ok_or(FOREIGN)?;
    let key = issuer.keys.find(id, algorithm).await;
    let key = key.map_err(|none| match none {
        NoKey::Unknown => Rejection::Invalid("its key is not one of its issuer's"),
        NoKey::Unavailable => {
            Rejection::Unavailable("the keys of the issuer cannot be fetched now")
        }
    })?;
    let signed = decoded(signed).unwrap_or_default();
    if !key.verifies(algorithm, message.as_bytes(), &signed) {
        return Err(Rejection::Invalid("its signature is wrong"));
    }
    if !claims.get("exp").is_some_and(Value::is_number) {
        return Err(Rejection::Invalid("it has no time at which it expires"));
    }
    if !claims.get("sub").is_some_and(Value::is_string) {
        return Err(Rejection::Invalid("it has no subject"));
    }
    checked(claims, &issuer.url, audiences)
}

/// Decodes an object that is a part of a token.
fn object(part: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&decoded(part)?).ok()
}

/// Checks what the claims of every token must have, however its issuer told them.
pub(super) fn checked(
    claims: Map<String, Value>,
    issuer: &str,
    audiences: &[String],
) -> Result<Map<String, Value>, Rejection> {
    if claims.get("iss").and_then(Value::as_str) != Some(issuer) {
        return Err(FOREIGN);
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
    let time = |name| match claims.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(time)) => Ok(time.as_f64()),
        Some(_) => Err(Rejection::Invalid("a claim cannot be read")),
    };
    if time("exp")?.is_some_and(|expires| expires + LEEWAY < now()) {
        return Err(Rejection::Invalid("it has expired"));
    }
    if time("nbf")?.is_some_and(|begins| begins > now() + LEEWAY) {
        return Err(Rejection::Invalid("it is not valid yet"));
    }
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

/// Returns the seconds since 1970.
pub(super) fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}
