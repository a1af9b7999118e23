//! Plugin hooks: policy around every tool call, prompt and resource (the plugin framework's hook architecture, §5).
//!
//! Authors of servers use `hooks_sdk::plugin`, which adds the attributes.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod chain;
mod cleaning;
mod config;
mod context;
mod filter;
mod gate;
mod global_context;
mod hook;
mod hook_settings;
mod instance;
mod listing;
mod members;
pub mod mode;
mod outcome;
mod payload;
pub mod point;
mod problems;
mod question;
#[cfg(feature = "policy")]
pub mod ready;
mod receive;
#[doc(hidden)]
pub mod rule;
mod secret_label;
mod shared_map;
mod shell;
mod strays;
mod submitted;
mod typed;

use hooks_core::internal::json_schema as schema;
#[doc(inline)]
pub use hooks_finder as finder;

pub use self::{
    chain::{
        Chain, ChainRecord, ChainStep, Counts, Decision, Denial, End, MAX_PAYLOAD, MAX_QUESTIONS,
        Pending, Ran,
    },
    config::{
        ActivePolicy, Configuration, ConfigurationErrors, ConfiguredPlugin, MAX_CONFIGURATION,
        Reloaded, Reloading,
    },
    context::{Contexts, PluginContext},
    filter::{PluginCondition, ROOTS},
    global_context::GlobalContext,
    hook::{DEADLINE, PRIORITY, PluginHook},
    instance::{Instance, Kind, Plugin, PluginHooks},
    listing::{ListHook, ListOf, Listed, ListedItem, list_of},
    mode::PluginMode,
    outcome::{Outcome, PluginAnswer},
    payload::*,
    point::{Answered, Family, PluginAt, PluginPoint},
    problems::problems,
    question::{Action, Asking, DEFAULT_TIMEOUT, ElicitationResponse, Question},
    shared_map::SharedMap,
    submitted::linked_kinds,
};

/// Not public API: what `hooks-sdk` uses of this crate. It shares its version.
#[doc(hidden)]
pub mod internal {
    #[cfg(feature = "policy")]
    pub use crate::config::log_of_file;
    pub use crate::{
        chain::{MetHooks, unaskable},
        cleaning::{Cleaning, CleaningEnd, LooseKind},
        context::Carried,
        problems::problems_of,
        strays::{StrayRule, strays},
        typed::{TypedTool, misfits, unlisted},
    };
}
#[doc(hidden)]
pub use self::{
    listing::ListAnswer,
    receive::{IsPluginInput, PluginInput, PluginSurround},
    submitted::SubmittedKind,
};

pub use hooks_core::{Posture, posture};

/// The HTTP headers of a call as the plugin hooks left them. A tool finds them in the extensions of its request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it is a name for its contents")]
pub struct Headers(pub HttpHeaders);

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
