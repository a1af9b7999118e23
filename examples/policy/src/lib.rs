//! Tools that do something which a user should decide, and the hooks that ask the user first.

mod hooks;
mod tools;

use std::{
    collections::BTreeMap,
    env,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use hooks_sdk::server::Policy;
use rmcp::handler::server::router::tool::ToolRouter;

/// Returns the policy of the user's own file, `policy-server/policy.yaml` in the folder of settings, if there is one. It can
/// turn rules off, and add gates without Rust.
#[must_use]
pub fn policy() -> Policy {
    let settings = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let settings = settings.or_else(|| Some(env::home_dir()?.join(".config")));
    let file = settings.map(|folder| folder.join("policy-server").join("policy.yaml"));
    match file.filter(|file| file.exists()) {
        Some(file) => Policy::new().file(file),
        None => Policy::new(),
    }
}

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
