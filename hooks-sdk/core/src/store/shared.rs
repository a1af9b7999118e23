//! What the stores of many replicas share: drawn versions, bounded times, and errors with their causes.

use std::{error::Error as StdError, time::Duration};

use super::{EntryVersion, StoreError};

/// The longest time that one question to the database may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// The longest time to live that a database is told: a hundred years.
const LONGEST_LIFE: u64 = 100 * 365 * 24 * 60 * 60 * 1000;

/// Draws a version.
///
/// A counter in the database repeats versions when a replica takes over that lost the last writes. Of 63 random bits,
/// none does.
pub(super) fn draw_version() -> Result<EntryVersion, StoreError> {
    let number = getrandom::u64().map_err(|error| StoreError::unreachable(error.to_string()))?;
    Ok(EntryVersion(number >> 1))
}

/// Returns the time to live in milliseconds, at most a hundred years.
pub(super) fn millis(ttl: Duration) -> i64 {
    let millis = u64::try_from(ttl.as_millis()).unwrap_or(LONGEST_LIFE);
    millis.min(LONGEST_LIFE).cast_signed()
}

/// Joins the error and its causes, which the drivers' own texts leave out.
pub(super) fn unreachable(error: &(dyn StdError + 'static)) -> StoreError {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    StoreError::unreachable(text)
}
