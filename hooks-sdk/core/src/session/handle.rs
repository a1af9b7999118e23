//! The handle by which a client names its session.

use std::{fmt, io, str::FromStr};

use thiserror::Error;

/// The length of a handle in bytes: 128 bits.
const BYTES: usize = 16;

/// The length of a handle's text in characters, of five bits each.
const CHARACTERS: usize = 26;

/// Crockford's base 32, in which no two characters look alike.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A session's handle: 128 random bits from the operating system, written as 26 characters.
///
/// Whoever knows the handle controls the session. So `Debug` hides it; only `Display` shows it.
#[derive(Clone)]
pub struct Handle([u8; BYTES]);

/// The error for a text that is not a handle: it has another length, or another character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a session handle: a handle is the 26 characters that the opening tool returned")]
#[non_exhaustive]
pub struct NotAHandle;

impl Handle {
    /// Makes a new random handle.
    ///
    /// # Errors
    ///
    /// The operating system returned no random bytes.
    pub fn mint() -> io::Result<Handle> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Handle(bytes))
    }

    /// Makes the handle with these bytes again.
    #[doc(hidden)]
    pub fn of_bytes(bytes: [u8; BYTES]) -> Handle {
        Handle(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; BYTES] {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = u128::from_be_bytes(self.0);
        let text: String = (0..CHARACTERS)
            .rev()
            .map(|at| char::from(ALPHABET[(bits >> (5 * at)) as usize % ALPHABET.len()]))
            .collect();
        f.write_str(&text)
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle(…)")
    }
}

impl FromStr for Handle {
    type Err = NotAHandle;

    fn from_str(text: &str) -> Result<Handle, NotAHandle> {
        if text.len() != CHARACTERS {
            return Err(NotAHandle);
        }
        let mut bits: u128 = 0;
        for character in text.bytes() {
            let five = ALPHABET
                .iter()
                .position(|each| *each == character)
                .ok_or(NotAHandle)?;
            // 26 characters hold 130 bits: a first character of more than three bits would overflow.
            bits = bits.checked_mul(32).ok_or(NotAHandle)? | five as u128;
        }
        Ok(Handle(bits.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_read_back_from_its_text() {
        for bytes in [
            [0; BYTES],
            [0xFF; BYTES],
            *b"0123456789abcdef",
            *Handle::mint().unwrap().as_bytes(),
        ] {
            let text = Handle(bytes).to_string();
            assert_eq!(text.len(), CHARACTERS);
            assert_eq!(text.parse::<Handle>().unwrap().as_bytes(), &bytes);
        }
    }

    #[test]
    fn nothing_else_is_a_handle() {
        let whole = Handle::mint().unwrap().to_string();
        let texts = [
            "",
            &whole[1..],
            &format!("{whole}0"),
            &whole.to_uppercase().replace(char::is_numeric, "A"),
            &"z".repeat(26),
            &"é".repeat(13),
            &format!(" {}", &whole[1..]),
        ];
        for text in texts {
            assert_eq!(text.parse::<Handle>().unwrap_err(), NotAHandle, "{text}");
        }
    }

    #[test]
    fn no_two_are_alike_and_none_shows_itself() {
        let mut all: Vec<String> = (0..1000)
            .map(|_| Handle::mint().unwrap().to_string())
            .collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1000);
        assert_eq!(format!("{:?}", Handle::mint().unwrap()), "Handle(…)");
    }
}
