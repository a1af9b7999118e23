//! Files with tokens, one a line.

use std::{fs::File, io::Read, path::Path};

use super::CommandError;

/// The largest file of tokens, in bytes.
const LARGEST_FILE: u64 = 64 * 1024;

/// Reads the tokens, one a line.
pub(super) fn tokens(path: &Path) -> Result<Vec<String>, CommandError> {
    let name = path.display();
    let mut text = String::new();
    let file = File::open(path).map_err(|error| format!("cannot open `{name}`: {error}"))?;
    let read = file.take(LARGEST_FILE + 1).read_to_string(&mut text);
    let length = read.map_err(|error| format!("cannot read `{name}`: {error}"))?;
    if length as u64 > LARGEST_FILE {
        return Err(format!("`{name}` is larger than {LARGEST_FILE} bytes").into());
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let tokens: Vec<String> = lines.map(str::to_owned).collect();
    match tokens.is_empty() {
        true => Err(format!(
            "`{name}` has no token\nhelp: write one token a line, such as the output of `openssl rand -hex 32`"
        )
        .into()),
        false => Ok(tokens),
    }
}
