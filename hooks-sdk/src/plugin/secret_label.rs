//! The words with which a field asks its user for a secret.

use serde_json::{Map, Value};

/// Words that name a secret, alone or in the plural.
const WORDS: &[&str] = &[
    "accesskey",
    "apikey",
    "authkey",
    "bearer",
    "cardnumber",
    "contrasena",
    "contraseña",
    "credential",
    "creditcard",
    "csc",
    "cvc",
    "cvv",
    "kennwort",
    "mnemonic",
    "passcode",
    "passkey",
    "passphrase",
    "passwd",
    "password",
    "passwort",
    "passwörter",
    "passwoerter",
    "pin",
    "pincode",
    "privatekey",
    "pwd",
    "secret",
    "secretkey",
    "seedphrase",
    "senha",
    "wachtwoord",
    "zugangsdaten",
];

/// Neighbouring words that name a secret together.
const PAIRS: &[[&str; 2]] = &[
    ["access", "key"],
    ["access", "token"],
    ["api", "key"],
    ["api", "token"],
    ["auth", "key"],
    ["auth", "token"],
    ["bearer", "token"],
    ["card", "number"],
    ["credit", "card"],
    ["debit", "card"],
    ["encryption", "key"],
    ["id", "token"],
    ["pass", "phrase"],
    ["pass", "word"],
    ["private", "key"],
    ["recovery", "key"],
    ["recovery", "phrase"],
    ["refresh", "token"],
    ["security", "code"],
    ["seed", "phrase"],
    ["session", "token"],
    ["signing", "key"],
    ["ssh", "key"],
];

/// Words of scripts that put no space between words.
const PARTS: &[&str] = &[
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "暗証番号",
    "비밀번호",
];

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
    let words = words(text);
    let is_one = |word: &String| {
        // `token` alone is a secret, `max_tokens` is not.
        word == "token" || WORDS.iter().any(|known| is_or_are(word, known))
    };
    let is_pair = |pair: &[String]| {
        let mut known = PAIRS.iter();
        known.any(|[first, second]| pair[0] == *first && is_or_are(&pair[1], second))
    };
    words.iter().any(is_one)
        || words.windows(2).any(is_pair)
        || PARTS.iter().any(|part| text.to_lowercase().contains(part))
}

/// Returns whether a word is another one, or its plural.
fn is_or_are(word: &str, known: &str) -> bool {
    word.strip_prefix(known)
        .is_some_and(|rest| matches!(rest, "" | "s" | "es"))
}

/// Returns the words of a name or a text in lower case: `APIKeys2` has the words `api`, `keys` and `2`.
fn words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let is_new = before.is_some_and(|before| {
            let rises = letter.is_uppercase() && before.is_lowercase();
            let ends_capitals = letter.is_uppercase()
                && before.is_uppercase()
                && after.is_some_and(|after| after.is_lowercase());
            rises || ends_capitals || letter.is_numeric() != before.is_numeric()
        });
        if (is_new || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
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
            "пароль",
            "密码",
            "contraseña",
            "pass_word",
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
