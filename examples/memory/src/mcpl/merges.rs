//! The merging that the agent asks for: one at a time, and what became of the last one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Whether a merging runs, and the outcome of the last one until the agent has read it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merges(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The project in which one runs.
    running: Option<String>,
    ended: Option<String>,
}

/// One that runs; another may begin when it is dropped.
#[derive(Debug)]
pub(super) struct Running(Merges);

impl Merges {
    /// Begins one.
    ///
    /// # Errors
    ///
    /// The project in which another one runs.
    pub(super) fn begin(&self, project: &str) -> Result<Running, String> {
        let mut state = self.lock();
        if let Some(other) = &state.running {
            return Err(other.clone());
        }
        state.running = Some(project.to_owned());
        Ok(Running(self.clone()))
    }

    /// What became of the last one, unless the agent was told.
    pub(super) fn take_ended(&self) -> Option<String> {
        self.lock().ended.take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// Ends it, with what became of it.
    pub(super) fn end(self, report: String) {
        self.0.lock().ended = Some(report);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.lock().running = None;
    }
}
