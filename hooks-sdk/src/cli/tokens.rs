//! Files with tokens and with keys, one a line.

use std::{fs::File, io::Read, path::Path};

use super::CommandError;

/// The largest file of tokens or keys, in bytes.
const LARGEST_FILE: u64 = 64 * 1024;

/// The shortest key, in hexadecimal digits.
#[cfg(feature = "http")]
const SHORTEST_KEY: usize = 64;

/// Reads the tokens, one a line.
pub(super) fn tokens(path: &Path) -> Result<Vec<String>, CommandError> {
    let text = text(path)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let tokens: Vec<String> = lines.map(str::to_owned).collect();
    match tokens.is_empty() {
        true => Err(format!(
            "`{}` has no token\nhelp: write one token a line, such as the output of `openssl rand -hex 32`",
            path.display()
        )
        .into()),
        false => Ok(tokens),
    }
}

/// Reads the keys, one a line, in hexadecimal digits. An error names the line, and has nothing of the file.
#[cfg(feature = "http")]
pub(super) fn keys(path: &Path) -> Result<Vec<Vec<u8>>, CommandError> {
    let text = text(path)?;
    let wrong = |what: String| {
        let name = path.display();
        let help = "write one key a line, each of them the output of `openssl rand -hex 32`";
        CommandError::from(format!("`{name}` {what}\nhelp: {help}"))
    };
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let (number, line) = (at + 1, line.trim());
        if line.is_empty() {
            continue;
        }
        if line.len() < SHORTEST_KEY {
            return Err(wrong(format!(
                "has a key of fewer than {SHORTEST_KEY} hexadecimal digits in line {number}"
            )));
        }
        let key = bytes(line).ok_or_else(|| {
            wrong(format!(
                "has a key in line {number} that is not hexadecimal digits, two for each byte"
            ))
        })?;
        if keys.contains(&key) {
            return Err(wrong(format!("has the key of line {number} twice")));
        }
        keys.push(key);
    }
    match keys.is_empty() {
        true => Err(wrong("has no key".to_owned())),
        false => Ok(keys),
    }
}

/// Reads bytes that are written in hexadecimal digits.
#[cfg(feature = "http")]
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok();
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

/// Reads a file of a bounded size.
fn text(path: &Path) -> Result<String, CommandError> {
    let name = path.display();
    let mut text = String::new();
    let file = File::open(path).map_err(|error| format!("cannot open `{name}`: {error}"))?;
    let read = file.take(LARGEST_FILE + 1).read_to_string(&mut text);
    let length = read.map_err(|error| format!("cannot read `{name}`: {error}"))?;
    match length as u64 > LARGEST_FILE {
        true => Err(format!("`{name}` is larger than {LARGEST_FILE} bytes").into()),
        false => Ok(text),
    }
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use std::fs;

    use super::*;

    fn read(text: &str) -> Result<Vec<Vec<u8>>, String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), text).expect("a file");
        keys(file.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_are_read_in_their_order() {
        let (one, two) = ("0a".repeat(32), "FF".repeat(40));
        let keys = read(&format!("\n {one} \r\n\n{two}")).expect("keys");
        assert_eq!(keys, [vec![10; 32], vec![255; 40]]);
    }

    #[test]
    fn a_wrong_key_is_named_by_its_line_and_never_shown() {
        let key = "5e".repeat(32);
        for (text, expected) in [
            (String::new(), "has no key"),
            (
                format!("{key}\n5e5e\n"),
                "fewer than 64 hexadecimal digits in line 2",
            ),
            (
                format!("\n{key}5"),
                "in line 2 that is not hexadecimal digits",
            ),
            (
                "correct horse battery staple ".repeat(3),
                "in line 1 that is not",
            ),
            (
                format!("{key}\n{}\n", key.to_uppercase()),
                "the key of line 2 twice",
            ),
            ("\u{e9}".repeat(64), "in line 1 that is not"),
            ("00".repeat(40_000), "is larger than 65536 bytes"),
        ] {
            let error = read(&text).expect_err("a wrong key");
            assert!(error.contains(expected), "{error}");
            assert!(
                !error.contains("5e5e") && !error.contains("horse"),
                "{error}"
            );
        }
    }
}
