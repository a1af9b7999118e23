//! The words with which a field asks its user for a secret.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use hooks_finder::internal::{Announces, LABELS, words_of};

/// Labels by which a form asks for a secret. In a text they announce none, or have other meanings.
const MORE: &str = "auth key, bearer, card number, credit card, csc, debit card, id token, mnemonic, passkey, recovery key, \
    recovery phrase, secret, secrets, seed phrase, ssh key, zugangsdaten";

/// Labels that a form may use: a code for one use, and a word with other meanings.
const OTHER: &[&str] = &["authorization", "otp"];

/// The labels of secrets, each with its words and as one word.
static SECRETS: LazyLock<Vec<(Vec<&str>, String)>> = LazyLock::new(|| {
    let is_meant = |announces: &Announces| {
        use Announces::{CardCode, Key, Password, Pin, Short};
        matches!(announces, Password | Short | Key | Pin | CardCode)
    };
    let known = LABELS.iter().filter(|(announces, _)| is_meant(announces));
    let lists = known.map(|(_, labels)| *labels).chain([MORE]);
    let labels = lists.flat_map(|list| list.split(',').map(str::trim));
    let labels = labels.filter(|label| !OTHER.contains(label));
    labels
        .map(|label| (label.split(' ').collect(), label.replace(' ', "")))
        .collect()
});

/// Returns the part of a field by which it asks for a secret: its name, its title or its description.
///
/// A boolean and an enumeration hold no secret of the user's.
pub(super) fn asks_for_secret(name: &str, property: &Map<String, Value>) -> Option<&'static str> {
    let word = property.get("type").and_then(Value::as_str);
    if word == Some("boolean") || property.contains_key("enum") {
        return None;
    }
    let says = |member: &str| {
        let text = property.get(member).and_then(Value::as_str);
        text.is_some_and(is_secret)
    };
    if is_secret(name) {
        Some("name")
    } else if says("title") {
        Some("title")
    } else if says("description") {
        Some("description")
    } else {
        None
    }
}

fn is_secret(text: &str) -> bool {
    // `password2` is a password.
    let words = words_of(&text.replace(char::is_numeric, " "));
    SECRETS.iter().any(|(label, joined)| {
        let (last, first) = label.split_last().expect("a label has words");
        let is_here = |here: &[String]| {
            here[..first.len()] == *first && is_or_are(&here[first.len()], last, first.is_empty())
        };
        words.windows(label.len()).any(is_here)
            || words.iter().any(|word| is_or_are(word, joined, true))
    })
}

/// Returns whether a word is another one, or its plural. `max_tokens` is no secret, `token` and `access_tokens` are.
fn is_or_are(word: &str, known: &str, alone: bool) -> bool {
    let rest = word.strip_prefix(known);
    rest.is_some_and(|rest| {
        rest.is_empty() || (matches!(rest, "s" | "es") && !(alone && known == "token"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(name: &str, property: Value) -> Option<&'static str> {
        asks_for_secret(name, property.as_object().unwrap())
    }

    #[test]
    fn a_field_whose_name_is_a_secret_is_found_in_each_spelling() {
        for name in [
            "password",
            "passwords",
            "password2",
            "Passwort",
            "newPassword",
            "pwd",
            "user_pwd",
            "credentials",
            "passcode",
            "pin",
            "PIN",
            "cardPin",
            "cvc",
            "cvv2",
            "apiKey",
            "apiKeys",
            "api-key",
            "APIToken",
            "APIKey",
            "cardNumber",
            "card_numbers",
            "token",
            "access_tokens",
            "secret",
            "clientSecret",
            "private_key",
            "Kennwort",
            "pass_word",
            "masterKey",
            "connection_strings",
        ] {
            assert_eq!(
                asked(name, json!({"type": "string"})),
                Some("name"),
                "{name}"
            );
        }
    }

    #[test]
    fn a_title_or_a_description_is_read_too() {
        let title = json!({"type": "string", "title": "Your password"});
        assert_eq!(asked("value", title), Some("title"));
        let described = json!({"type": "string", "description": "Paste your API key here"});
        assert_eq!(asked("value", described), Some("description"));
        let number = json!({"type": "integer", "title": "Card number"});
        assert_eq!(asked("value", number), Some("title"));
    }

    #[test]
    fn other_fields_are_not_taken_for_secrets() {
        for name in [
            "otp_code",
            "max_tokens",
            "tokenizer",
            "confirm",
            "pinned",
            "spinning",
            "passenger",
            "boarding_pass",
            "key",
            "secretary",
            "number",
            "discard",
            "compass",
            "zip_code",
            "pings",
            "monkey",
            "authorization_reason",
            "parole_date",
        ] {
            assert_eq!(asked(name, json!({"type": "string"})), None, "{name}");
        }
        assert_eq!(asked("rotate_password", json!({"type": "boolean"})), None);
        assert_eq!(
            asked(
                "secret",
                json!({"type": "string", "enum": ["keep", "drop"]})
            ),
            None
        );
    }
}
