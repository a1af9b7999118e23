//! Plugin hooks: policy around every tool call, prompt and resource (the plugin framework's hook architecture, §5).
//!
//! An author writes a hook at a point with the attribute [`hook`](macro@hook). The [`Chain`] runs the hooks of a
//! point by priority: each may let the request go on, change it, stop it, or ask the user first.

mod chain;
mod config;
mod context;
mod filter;
mod hook;
mod instance;
mod listing;
pub mod mode;
mod outcome;
mod payload;
pub mod point;
mod question;
pub(crate) mod schema;

pub(crate) use self::context::Carried;
#[doc(hidden)]
pub use self::instance::SubmittedKind;
pub use self::{
    chain::{
        Blocked, Chain, Counts, Decision, End, MAX_PAYLOAD, MAX_QUESTIONS, Pending, Ran, Record,
        RecordStep,
    },
    config::{
        Configuration, ConfigurationError, ConfigurationErrors, ConfiguredPlugin, MAX_CONFIGURATION,
    },
    context::{Contexts, GlobalContext, PluginContext},
    filter::{PluginCondition, ROOTS},
    hook::{DEADLINE, PRIORITY, PluginHook},
    instance::{Instance, Kind, Plugin, PluginHooks, linked_kinds},
    listing::{Definition, ListHook, ListOf, Listing, list_of},
    mode::Mode,
    outcome::{Outcome, PluginAnswer},
    payload::{
        ForwardedRequest, ForwardedResponse, HttpHeaders, HttpRequest, HttpResponse, Payload,
        PromptAnswer, PromptFetch, ResourceAnswer, ResourceFetch, ToolAnswer, ToolCall, Writable,
    },
    point::{Answered, Family, PluginAt, PluginPoint},
    question::{Action, Asking, DEFAULT_TIMEOUT, ElicitationResponse, Question},
};

/// The words of an attribute for what happens when a hook fails. `disable` is not one of them: a hook that may stop a
/// request is never switched off by its own failures.
pub mod on_failure {
    pub use crate::core::on_failure::{fail, ignore};
}

/// The HTTP headers of a call as the plugin hooks left them. A tool finds them in the extensions of its request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it is a name for its contents")]
pub struct Headers(pub HttpHeaders);
