//! The thread that writes an audit for a server, so that no file and no other process stops the server's own threads.

use std::{
    fmt, io,
    sync::{OnceLock, mpsc},
    thread,
};

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// The thread of one audit. It starts with the first line, and ends with the audit.
///
/// Its queue has no bound of its own: each request waits for its reservation, which stands behind all earlier lines, so
/// there are at most two jobs for each open request.
#[derive(Default)]
pub(super) struct Thread(OnceLock<mpsc::Sender<Job>>);

impl Thread {
    /// Runs a job behind the earlier ones. The receiver gets its result.
    ///
    /// # Errors
    ///
    /// The operating system starts no thread.
    pub(super) fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<oneshot::Receiver<T>> {
        let sender = match self.0.get() {
            Some(sender) => sender,
            None => {
                let own = started()?;
                self.0.get_or_init(|| own)
            }
        };
        let (done, result) = oneshot::channel();
        let job = Box::new(move || {
            // Who does not wait for the result does not need it.
            _ = done.send(job());
        });
        sender.send(job).map_err(|_| gone())?;
        Ok(result)
    }
}

/// Starts a thread. It ends when its sender is dropped.
fn started() -> io::Result<mpsc::Sender<Job>> {
    let (sender, jobs) = mpsc::channel::<Job>();
    let run = move || {
        for job in jobs {
            job();
        }
    };
    thread::Builder::new()
        .name("hooks-audit".to_owned())
        .spawn(run)?;
    Ok(sender)
}

/// Returns the error of a thread that has ended.
pub(super) fn gone() -> io::Error {
    io::Error::other("the thread of the audit has ended")
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Thread")
            .field(&self.0.get().is_some())
            .finish()
    }
}
