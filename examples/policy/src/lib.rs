//! Tools that do something which a user should decide, and the hooks that ask the user first.

mod hooks;
mod tools;

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use rmcp::handler::server::router::tool::ToolRouter;

/// The server. It counts how often each tool really ran.
#[derive(Debug)]
pub struct Office {
    router: ToolRouter<Office>,
    runs: Mutex<BTreeMap<&'static str, u32>>,
}

impl Office {
    /// Creates a server whose tools did not run yet.
    #[must_use]
    pub fn new() -> Office {
        Office {
            router: Office::tools(),
            runs: Mutex::default(),
        }
    }

    /// Returns how often each tool ran.
    pub fn runs(&self) -> BTreeMap<&'static str, u32> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.clone()
    }

    fn count(&self, tool: &'static str) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        *runs.entry(tool).or_default() += 1;
    }
}

impl Default for Office {
    fn default() -> Office {
        Office::new()
    }
}
