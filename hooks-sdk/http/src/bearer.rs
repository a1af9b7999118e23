//! The check of bearer tokens.

use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderValue, StatusCode, header::AUTHORIZATION};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use super::{error::HttpError, refusal::HttpRefusal};

/// The challenge to a wrong token.
const WRONG: HeaderValue = HeaderValue::from_static(
    "Bearer error=\"invalid_token\", error_description=\"the token is not one of this server's\"",
);

/// The tokens that let a request pass. It keeps their digests only.
///
/// A comparison of digests takes the same time for every token, whatever its length.
#[derive(Debug, Clone, Default)]
pub struct Tokens(Vec<[u8; 32]>);

impl Tokens {
    pub fn add(&mut self, token: &str) {
        self.0.push(digest(token.as_bytes()));
    }

    /// Returns whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks the setting.
    ///
    /// # Errors
    ///
    /// The empty token is among them.
    pub fn check_setting(&self) -> Result<(), HttpError> {
        if !self.has(b"") {
            return Ok(());
        }
        Err(HttpError::setting(
            "a bearer token is empty, so everybody knows it",
            "set a long random token",
        ))
    }

    /// Refuses a request without one of the tokens, if there are tokens.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), HttpRefusal> {
        if self.0.is_empty() {
            return Ok(());
        }
        let refused = |sentence| HttpRefusal::new(StatusCode::UNAUTHORIZED, sentence);
        if !headers.contains_key(AUTHORIZATION) {
            // RFC 6750 §3.1: without a token, the challenge names no error.
            return Err(refused(
                "this server needs a token: send it as `Authorization: Bearer <token>`",
            ));
        }
        if credentials(headers, "Bearer").is_some_and(|token| self.has(token)) {
            return Ok(());
        }
        let sentence = "the bearer token in `Authorization` is not one of this server's";
        Err(refused(sentence).challenging(WRONG))
    }

    /// Refuses a request of a browser without one of the tokens, if there are tokens. A browser asks its user for a name
    /// and a password, and sends them as `Authorization: Basic …`. The password is the token, and the name is not looked at.
    pub fn check_browser(&self, headers: &HeaderMap) -> Result<(), HttpRefusal> {
        match credentials(headers, "Basic").and_then(password) {
            Some(password) if self.has(&password) => Ok(()),
            _ => self.check(headers),
        }
    }

    /// Refuses a token that is not one of the tokens, if there are tokens.
    pub fn check_token(&self, token: &str) -> Result<(), HttpRefusal> {
        if self.0.is_empty() || self.has(token.as_bytes()) {
            return Ok(());
        }
        let sentence = "the `token` in the query is not one of this server's";
        Err(HttpRefusal::new(StatusCode::UNAUTHORIZED, sentence))
    }

    fn has(&self, token: &[u8]) -> bool {
        let given = digest(token);
        let same = |any: Choice, known: &[u8; 32]| any | known.ct_eq(&given);
        self.0.iter().fold(Choice::from(0), same).into()
    }
}

fn digest(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// Returns what follows a scheme in `Authorization`, if the request has one such header. The name of the scheme may be in any case.
pub(crate) fn credentials<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h [u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (named, rest) = value.as_bytes().split_at_checked(scheme.len())?;
    let rest = rest.strip_prefix(b" ")?;
    (named.eq_ignore_ascii_case(scheme.as_bytes())).then(|| rest.trim_ascii())
}

/// Returns the password behind the scheme `Basic`.
fn password(pair: &[u8]) -> Option<Vec<u8>> {
    let pair = BASE64_STANDARD.decode(pair).ok()?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    Some(pair[colon + 1..].to_vec())
}
