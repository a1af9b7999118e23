//! Policy files that change while their server runs.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use futures::FutureExt;
use tokio::time::{advance, pause, resume};

/// Writes a policy file that its server reads at its next look, and moves the clock to that look. The server runs on the
/// runtime of this thread.
pub fn write(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
    let open = fs::File::options().append(true).open(file).unwrap();
    // The server does not read a file that somebody may still be writing.
    let rested = SystemTime::now() - Duration::from_secs(50);
    open.set_modified(rested).unwrap();
    // It looks at most once a second. The clock runs on at once: while it stands still, each wait for a socket moves it.
    pause();
    _ = advance(Duration::from_millis(1200)).now_or_never();
    resume();
}
