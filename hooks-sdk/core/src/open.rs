//! Decodes a closed vocabulary without refusing a peer's new words.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::value::{Error, StrDeserializer},
};

/// A word of the vocabulary `T`, or another word.
///
/// What peers send is decoded as `Open<T>`; what authors write is a `T`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Open<T> {
    /// A word that this version knows.
    Known(T),
    /// Any other word, as received.
    Other(Box<str>),
}

impl<T> Open<T> {
    /// Returns the word if it is a known one.
    pub fn known(&self) -> Option<&T> {
        match self {
            Open::Known(word) => Some(word),
            Open::Other(_) => None,
        }
    }
}

impl<T: fmt::Display> fmt::Display for Open<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Open::Known(word) => word.fmt(f),
            Open::Other(word) => f.write_str(word),
        }
    }
}

impl<T> From<T> for Open<T> {
    fn from(word: T) -> Open<T> {
        Open::Known(word)
    }
}

// Not derived: serde would accept the object `{"word": null}` as a word, and the error of an untagged enum would not
// mention that a word is a string.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Open<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Open<T>, D::Error> {
        let word = Box::<str>::deserialize(deserializer)?;
        let known = T::deserialize(StrDeserializer::<Error>::new(&word));
        Ok(known.map_or_else(|_| Open::Other(word), Open::Known))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Size {
        VeryLarge,
    }

    #[test]
    fn a_word_is_a_string() {
        let read = |word| from_value::<Open<Size>>(word);
        assert_eq!(read(json!("very_large")).unwrap(), Size::VeryLarge.into());
        assert_eq!(
            read(json!("VeryLarge")).unwrap(),
            Open::Other("VeryLarge".into())
        );
        for (wrong, shown) in [
            (json!({"very_large": null}), "map"),
            (json!({}), "map"),
            (json!(["very_large"]), "sequence"),
            (json!(5), "integer `5`"),
            (json!(null), "null"),
        ] {
            let why = read(wrong).unwrap_err().to_string();
            assert_eq!(why, format!("invalid type: {shown}, expected a string"));
        }
    }
}
