//! MCP Live: a server that takes part in inferences, reports events, asks for inferences and has channels.
//!
//! An author writes feature sets, hooks and tools of feature sets with the attributes [`feature_set`](macro@feature_set),
//! [`hook`](macro@hook) and [`tool`](macro@tool); [`Derived`] is what is declared of them. Beside these stand the nouns of
//! the wire, for MCPL 0.4.1 and the 0.5 draft. Decoding is open: members and words that the document does not define are
//! kept, so that what was decoded is encoded as it came.

mod answer;
mod answering;
pub mod check;
pub mod checkpoints;
pub mod derived;
mod feature_set;
mod hook;
mod link;
pub mod point;
pub mod position;
mod problems;
mod receive;
mod rule;
pub mod sender;
pub mod wire;
mod wrapped;

pub use self::{
    answer::McplAnswer,
    checkpoints::{Checkpoints, Given, RollbackError},
    derived::Derived,
    feature_set::{Definition, FeatureSet, Scoped, Sends},
    hook::{McplHook, McplTool},
    link::{
        Call, Context, Enabled, FeatureSetChange, Host, InferenceStream, Leave, LeaveBy,
        McplSettings, SendError,
    },
    point::McplPoint,
    problems::problems,
    wire::{
        Acknowledge, Acknowledged, AfterInference, Author, BeforeInference, ChannelDescriptor,
        ChannelsClose, ChannelsOpen, Content, ContentBlock, Direction, Elevation, ErrorObject,
        EventId, FinishReason, IncomingMessage, Inference, InferenceLifecycle, InferenceResult,
        Injection, Message, ModelInfo, Modified, OutgoingChunk, OutgoingComplete, Phase, Position,
        Preferences, Publish, Published, Push, PushRefusal, Pushed, Role, RollbackRequest, Scope,
        Tag, Typing, Usage, Version, tag,
    },
    wrapped::{shielded, wrapped},
};
pub use crate::core::on_failure;

pub(crate) use self::link::{Answered, Chunks, Leaving, Link, Outgoing, Turn, Wire, WireError};
#[doc(hidden)]
pub use self::receive::{McplInput, Surround};

/// Makes a unit struct a feature set: what a host enables or denies as one.
///
/// ```
/// use hooks_sdk::prelude::*;
///
/// /// Push reminders
/// #[mcpl::feature_set("memory.proactive", sends(push))]
/// pub struct Proactive;
///
/// #[mcpl::feature_set(
///     "memory.summary",
///     sends(inference),
///     optional(model_info),
///     description = "Summarize what was said"
/// )]
/// pub struct Summary;
///
/// assert_eq!(Proactive::NAME, "memory.proactive");
/// let by_hand = hooks_sdk::core::Registry::builder().add(Proactive::hook()).build()?;
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// The first argument is the name: 1 to 128 of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`, in parts divided by
/// dots. What a set uses is not said here but derived: of what it sends, and of the hooks and tools that name it.
///
/// | key | what it says |
/// |---|---|
/// | `sends(push, inference, …)` | what it sends unasked, in the words of [`sender`]; it does not work without |
/// | `optional(model_info, …)` | what it sends if it may; it works without |
/// | `scoped` | it acts in scopes that the host permits (0.4) |
/// | `rollback` | what it did can be rolled back, by a [`hook`](macro@hook) at `rollback` |
/// | `later` | it is not declared until it is added at run time |
/// | `tag_ontology = "{…}"` | what its tags mean, as the JSON object that hosts of 0.5 read |
/// | `description = "…"` | what it does; otherwise the doc comment says it, and one of both must |
/// | `server = Memory` | only for this server; otherwise for those whose hooks and tools name it, or, without any, for every server in the program |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// The traits [`FeatureSet`], [`Sends`] for each word, and [`Scoped`]; the constant `NAME` and the function `hook()`,
/// which is collected by [`Registry::collect`](crate::core::Registry::collect).
///
/// # Limits
///
/// A set is one type, without parameters. One that uses nothing, and one with `rollback` that no hook rolls back, is an
/// error at start-up.
pub use hooks_macros::mcpl_feature_set as feature_set;

/// Makes an `async fn` or a `&self` method a hook: what a server does when its host asks or tells it something.
///
/// The function's arguments are the server, the event and the [`Context`], each by reference; the later ones may be left
/// out, and so may all. Methods need [`#[hooks]`](macro@crate::hooks) on their `impl` block.
///
/// ```
/// use hooks_sdk::prelude::*;
/// use mcpl::Modified;
///
/// struct Memory;
///
/// /// Retrieve relevant memories
/// #[mcpl::feature_set("desk.retrieval")]
/// struct Retrieval;
///
/// /// Keep secrets
/// #[mcpl::feature_set("desk.redaction")]
/// struct Redaction;
///
/// #[hooks_sdk::hooks]
/// impl Memory {
///     #[mcpl::hook(before_inference, feature_set = Retrieval, inject(before_user), optional(system))]
///     async fn recall(&self, turn: &BeforeInference) -> Option<Injection> {
///         let asked = turn.user_message.as_deref()?;
///         Some(Injection::new("memory", Position::BeforeUser, format!("Nothing is known of {asked:?}.")))
///     }
///
///     #[mcpl::hook(after_inference, feature_set = Redaction, blocking, on_failure = fail)]
///     async fn redact(&self, turn: &AfterInference, _cx: &mcpl::Context) -> Option<Modified> {
///         let said = &turn.assistant_message;
///         said.contains("hunter2").then(|| Modified::to(said.replace("hunter2", "[REDACTED]")))
///     }
/// }
///
/// # let registry = hooks_sdk::core::Registry::collect::<Memory>()?;
/// # assert_eq!(mcpl::problems(&registry), []);
/// # assert!(registry.get("mcpl:before_inference:recall").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// The first argument is the point, one of the words of [`point`]. What a function receives and answers there:
///
/// | point | event | answer |
/// |---|---|---|
/// | `before_inference` | [`BeforeInference`] | `Vec<Injection>`, [`Injection`], an `Option` of either, or nothing |
/// | `after_inference` | [`AfterInference`] | nothing; with `blocking` [`Modified`], the text, or an `Option` of either |
/// | `lifecycle` | [`InferenceLifecycle`] | nothing |
/// | `enabled` | [`Enabled`] | nothing |
/// | `rollback` | [`RollbackRequest`] | nothing |
/// | `channels_open` | [`ChannelsOpen`] | [`ChannelDescriptor`] |
/// | `channels_close` | [`ChannelsClose`] | nothing |
/// | `channels_publish` | [`Publish`] | [`Published`], or nothing once it is delivered |
/// | `channels_outgoing_chunk`, `channels_outgoing_complete` | [`OutgoingChunk`], [`OutgoingComplete`] | nothing |
/// | `channels_typing` | [`Typing`] | nothing |
/// | `channels_acknowledge` | [`Acknowledge`] | [`Acknowledged`], or nothing once it is done |
///
/// Each answer may stand in a `Result`; an [`ErrorObject`] in it goes to the host as it is.
///
/// | key | on | what it says |
/// |---|---|---|
/// | `feature_set = Retrieval` | all | required: the feature set that the hook belongs to |
/// | `inject(before_user)` | `before_inference` | where it needs to inject, in the words of [`position`]; otherwise `before_user`, and elsewhere if it may. Hosts of 0.5 disable the whole set where they deny one of these, and deny `system` by default |
/// | `optional(system, after_user)` | `before_inference` | where it injects if it may |
/// | `observe = false` | `before_inference` | it does not read what the user said |
/// | `blocking` | `after_inference` | the host waits for it, and takes its changes |
/// | `priority = 10` | all | its place among the hooks of the point, lower first; otherwise 0 |
/// | `deadline_ms = 4500` | all | how long it may take; at most 4500 at `before_inference` and 9500 at `after_inference` |
/// | `on_failure = fail` | all | what its failure means: `fail`, `ignore` or `disable` (not with `blocking`) |
/// | `id = "…"` | all | the hook's id, otherwise the item's name in snake_case |
/// | `crate = path` | all | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// To a function `recall`, a function `recall_hook()`; a method adds nothing. All are collected by
/// [`Registry::collect`](crate::core::Registry::collect), each under `mcpl:point:id`.
///
/// # Limits
///
/// One function carries one hook (a method may carry several). A hook is concrete: for a generic server, build it with
/// [`McplHook::answering`] and add it by hand. All hooks of a server at `before_inference` belong to one feature set, and so do
/// those at `after_inference`, because an answer there names one. A method that is also a `#[tool]` cannot be an MCPL
/// hook. `#[hook]` on a method without `#[hooks]` is an error, because an attribute there cannot see the type of `self`.
pub use hooks_macros::mcpl_hook as hook;

/// Makes a method that is also a `#[tool]` one of a feature set, without which a host's calls of it are refused.
///
#[cfg_attr(feature = "server", doc = "```")]
#[cfg_attr(not(feature = "server"), doc = "```ignore")]
/// use hooks_sdk::{prelude::*, rmcp};
/// use rmcp::{tool, tool_router};
///
/// struct Notes;
///
/// /// Edit files
/// #[mcpl::feature_set("notes.files", scoped)]
/// struct Files;
///
/// #[tool_router]
/// #[hooks_sdk::hooks]
/// impl Notes {
///     #[tool(description = "Edits a file.")]
///     #[mcpl::tool(feature_set = Files, scope = "path")]
///     async fn edit(&self) -> String {
///         "done".to_owned()
///     }
/// }
///
/// # let registry = hooks_sdk::core::Registry::collect::<Notes>()?;
/// # assert!(registry.get("mcpl:tool:edit").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// | key | what it says |
/// |---|---|
/// | `feature_set = Files` | required: the feature set that the tool belongs to |
/// | `scope = "path"` | the argument whose value is the label of the scope that a call acts in, for a scoped set |
/// | `guard = false` | the body runs even while the set is not usable, and judges itself |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// Nothing to the method. What it says is collected by [`Registry::collect`](crate::core::Registry::collect), under
/// `mcpl:tool:name`.
///
/// # Limits
///
/// It is known by the end of its path, `mcpl::tool`: imported as `tool` it would be the attribute that makes the tool. The
/// method stands in an `impl` block with [`#[hooks]`](macro@crate::hooks), with `#[tool_router]` in either order. A tool
/// belongs to one feature set.
pub use hooks_macros::mcpl_tool as tool;
