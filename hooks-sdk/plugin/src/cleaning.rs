//! Messages and answers that belong to no tool, prompt or resource, as plugins that replace texts clean them.

#[cfg(feature = "policy")]
use std::any::Any;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Chain, PluginAt, PluginHook};
use hooks_core::{HookError, Posture, internal::catch_panic_now};

/// What a value is that leaves. It says which of its members are the protocol's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum LooseKind {
    /// The params of a message of MCP.
    Mcp,
    /// The params of a message of MCPL, or the answer to a request of MCPL.
    Mcpl,
    /// The `message` and the `data` of an error of MCPL.
    McplError,
    /// The params of a message that no protocol defines.
    Custom,
    /// The answer to any other request, or the `message` and the `data` of its error.
    Answer,
}

/// What a plugin did with a value.
#[derive(Debug)]
pub(crate) struct Cleaned {
    /// The changed value; `None` if nothing was found.
    pub(crate) value: Option<Value>,
    /// The number of findings of each kind.
    pub(crate) found: Map<String, Value>,
}

/// The function of a plugin `S` that cleans a value.
#[cfg(feature = "policy")]
pub(super) type CleanFn<S> = fn(&S, &Value, LooseKind) -> Result<Cleaned, HookError>;

/// How a plugin cleans a value. An error means that the value must not leave.
pub(super) type Clean = Arc<dyn Fn(&Value, LooseKind) -> Result<Cleaned, HookError> + Send + Sync>;

/// What a plugin found in a value that leaves.
#[derive(Debug)]
#[doc(hidden)]
pub struct Cleaning {
    /// The id of the plugin's hooks.
    pub hook: Arc<str>,
    /// What happened.
    pub end: CleaningEnd,
}

/// What became of a value in which a plugin found something.
#[derive(Debug)]
#[doc(hidden)]
pub enum CleaningEnd {
    /// It is changed. The map has what was found, by kind.
    Changed(Map<String, Value>),
    /// It stays, because the mode of the plugin does not let it change anything.
    Reported(Map<String, Value>),
    /// It leaves although the plugin failed, because its failures are ignored.
    Bypassed(String),
    /// It does not leave.
    Withheld(String),
}

impl PluginHook {
    /// Lets the hook's plugin clean what belongs to no item.
    #[cfg(feature = "policy")]
    pub(super) fn cleaning<S: Any + Send + Sync>(
        mut self,
        plugin: Arc<S>,
        clean: CleanFn<S>,
    ) -> PluginHook {
        let clean: Clean = Arc::new(move |value, leaving| clean(&plugin, value, leaving));
        self.clean = Some(clean);
        self
    }

    /// Returns how the hook cleans what belongs to no item. A hook that its author limits to items or by conditions is for
    /// those alone.
    fn cleans(&self) -> Option<&Clean> {
        let is_limited = !self.filter.is_for_all();
        let clean = self.clean.as_ref().filter(|_| !is_limited)?;
        let reports = self.mode == super::PluginMode::Audit;
        (reports || self.mode.may_change()).then_some(clean)
    }
}

impl Chain {
    /// Returns whether a hook cleans what belongs to no item.
    #[doc(hidden)]
    pub fn cleans(&self) -> bool {
        self.cleaners().any(|hook| hook.cleans().is_some())
    }

    /// Cleans a value that leaves and belongs to no item. Returns what was found. A value that must not leave becomes
    /// `null`.
    #[doc(hidden)]
    pub fn clean(&self, value: &mut Value, leaving: LooseKind) -> Vec<Cleaning> {
        let mut findings = Vec::new();
        for hook in self.cleaners() {
            let Some(clean) = hook.cleans() else {
                continue;
            };
            let found = catch_panic_now(|| clean(value, leaving))
                .unwrap_or_else(|failure| Err(HookError::new(failure.to_string())));
            let end = match found {
                Ok(Cleaned { found, .. }) if found.is_empty() => continue,
                Ok(Cleaned { found, .. }) if !hook.mode.may_change() => {
                    CleaningEnd::Reported(found)
                }
                Ok(Cleaned { value: None, found }) => CleaningEnd::Reported(found),
                Ok(Cleaned {
                    value: Some(changed),
                    found,
                }) => {
                    *value = changed;
                    CleaningEnd::Changed(found)
                }
                Err(error) if hook.its_posture() == Posture::Proceed => {
                    CleaningEnd::Bypassed(error.to_string())
                }
                Err(error) => {
                    *value = Value::Null;
                    CleaningEnd::Withheld(error.to_string())
                }
            };
            let hook = hook.id.clone();
            findings.push(Cleaning { hook, end });
            if value.is_null() {
                break;
            }
        }
        findings
    }

    fn cleaners(&self) -> impl Iterator<Item = &PluginHook> {
        // A plugin that leaves the answers of tools alone leaves everything else alone, too.
        let stands = |hook: &&PluginHook| hook.at() == PluginAt::ToolPostInvoke;
        self.hooks().filter(stands)
    }
}
