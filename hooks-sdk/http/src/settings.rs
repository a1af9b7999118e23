//! The checks of settings that both servers have.

use super::error::HttpError;

/// The largest limit: more places a semaphore of tokio cannot have on every computer.
const LARGEST: usize = (1 << 29) - 1;

/// Checks a path. `like` is one that is right, and `taken` are the paths of something else.
///
/// # Errors
///
/// It is no plain path below `/`, or something else has it.
pub fn check_path(path: &str, like: &str, taken: &[&str]) -> Result<(), HttpError> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"?#{}*:%".contains(&byte);
    let wrong = |what: &str, help: &str| {
        HttpError::setting(format!("`{path}` is {what}"), format!("{help} `{like}`"))
    };
    if !path.starts_with('/') || path == "/" || !path.bytes().all(is_plain) {
        return Err(wrong("no path of a server", "write one such as"));
    }
    if taken.contains(&path) {
        return Err(wrong(
            "the path of something else",
            "choose another path, such as",
        ));
    }
    Ok(())
}

/// Checks limits.
///
/// # Errors
///
/// One is 0 or too large.
pub fn check_counts(counts: &[(&str, usize)]) -> Result<(), HttpError> {
    for (name, count) in counts {
        if *count == 0 || *count > LARGEST {
            return Err(HttpError::setting(
                format!("`{name}` is {count}"),
                "set a number from 1 to 536,870,911",
            ));
        }
    }
    Ok(())
}
