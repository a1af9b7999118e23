//! What a client wrote to its terminal, fit to be shown.

/// The maximum number of lines.
const LINES: usize = 6;

/// The maximum number of characters of a line.
const CHARACTERS: usize = 160;

/// The length from which a word of letters and digits may be a key.
const KEY: usize = 20;

/// The words of a client that wants to be logged in.
const LOGIN: [&str; 8] = [
    "log in",
    "login",
    "logged in",
    "sign in",
    "authenticat",
    "api key",
    "api_key",
    "unauthorized",
];

/// Returns the last lines of an output, each shortened, without control characters and without what may be a key.
pub fn last_lines(output: &str) -> Vec<String> {
    let lines = output.lines().map(plain).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.collect();
    lines[lines.len().saturating_sub(LINES)..].to_vec()
}

/// Returns whether a client seems to want a login or a key.
pub fn asks_for_login(output: &str) -> bool {
    let output = output.to_lowercase();
    LOGIN.iter().any(|words| output.contains(words))
}

fn plain(line: &str) -> String {
    let mut shown = String::new();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' && letters.peek() == Some(&'[') {
            // A colour or a move of the cursor: it ends with a letter.
            _ = letters.find(char::is_ascii_alphabetic);
        } else if !letter.is_control() {
            shown.push(letter);
        }
    }
    let is_part =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '+');
    let mut plain = String::new();
    for part in shown.trim().split_inclusive(|letter| !is_part(letter)) {
        let word = part.trim_end_matches(|letter| !is_part(letter));
        let has = |kind: fn(&char) -> bool| word.chars().any(|letter| kind(&letter));
        if word.len() >= KEY && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic) {
            plain.push_str("[not shown]");
            plain.push_str(&part[word.len()..]);
        } else {
            plain.push_str(part);
        }
    }
    if plain.chars().count() > CHARACTERS {
        plain = plain.chars().take(CHARACTERS - 1).chain(['…']).collect();
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_colours_are_not_shown() {
        let line = "\u{1b}[31merror\u{1b}[0m: key=sk-ant-api03-AbCdEf0123456789 at /tmp/a-long-name-of-a-folder/x";
        let shown = "error: key=[not shown] at /tmp/a-long-name-of-a-folder/x";
        assert_eq!(last_lines(line), [shown]);
        assert_eq!(last_lines(&"x".repeat(500))[0].chars().count(), CHARACTERS);
        let many = last_lines(&"a\n\n".repeat(50));
        assert_eq!(many.len(), LINES);
        assert!(last_lines("").is_empty() && last_lines("\u{1b}[").is_empty());
    }
}
