//! Members with a rule of their own.

use jiff::{Timestamp, civil::DateTime};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};

/// Reads a list that has at least one element.
pub(super) fn some<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let list = Vec::deserialize(deserializer)?;
    if list.is_empty() {
        return Err(D::Error::custom("it is empty, and has to have an element"));
    }
    Ok(list)
}

/// Reads a point in time, and keeps its words.
pub(super) fn timestamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if is_timestamp(&text) {
        Ok(text)
    } else {
        Err(D::Error::custom(
            "it is no date and time of ISO 8601, such as `2025-01-24T15:30:45.123Z`",
        ))
    }
}

/// Whether a text is a date and a time of ISO 8601, with `T` between them. The offset may be absent.
fn is_timestamp(text: &str) -> bool {
    // Annotations such as `[Europe/Berlin]` are another document's.
    text.contains('T')
        && !text.contains('[')
        && (text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok())
}

/// Reads an object by its `kind`, with a reader that knows the kinds.
pub(super) fn tagged<'de, D, T>(
    deserializer: D,
    read: impl FnOnce(&str, Value) -> Result<Option<T>, serde_json::Error>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    let object = Map::<String, Value>::deserialize(deserializer)?;
    let Some(Value::String(kind)) = object.get("kind") else {
        return Err(D::Error::custom("`kind` is missing, or is no string"));
    };
    let kind = kind.clone();
    match read(&kind, Value::Object(object)) {
        Ok(Some(known)) => Ok(known),
        Ok(None) => Err(D::Error::custom(format_args!(
            "there is no kind `{kind}` here"
        ))),
        Err(wrong) => Err(D::Error::custom(wrong)),
    }
}

/// The `kind` of an object that has one only.
macro_rules! word {
    ($name:ident = $word:literal) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        enum $name {
            #[serde(rename = $word)]
            Word,
        }
    };
}
pub(super) use word;

#[cfg(test)]
mod tests {
    use super::is_timestamp;

    #[test]
    fn a_timestamp_has_a_date_and_a_time() {
        for good in [
            "2025-01-24T15:30:45.123Z",
            "2025-01-24T15:30:45Z",
            "2025-01-24T15:30:45",
            "2025-01-24T15:30",
            "2025-01-24T15:30:45.123456+01:00",
            "20250124T153045Z",
        ] {
            assert!(is_timestamp(good), "{good}");
        }
        for bad in [
            "",
            "T",
            "now",
            "2025-01-24",
            "2025-01-24 15:30:45Z",
            "15:30:45",
            "T15:30:45",
            "2025-13-24T15:30:45Z",
            "2025-02-30T15:30:45Z",
            "2025-01-24T25:30:45Z",
            "1737732645",
            "2025-01-24T15:30:45Z[Europe/Berlin]",
        ] {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
