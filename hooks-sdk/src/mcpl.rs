//! MCP Live: a server that takes part in inferences, pushes events, requests inferences and has channels.
//!
//! An author writes feature sets, hooks and tools of feature sets with the attributes
//! [`feature_set`](macro@feature_set), [`hook`](macro@hook) and [`tool`](macro@tool). [`Derived`] is what the SDK
//! declares of them. [`wire`] has the objects of the protocol's document, for MCPL 0.4.1 and the 0.5 draft. The names
//! that most authors need are here too.
//!
//! Decoding is open: the SDK keeps members and words that the document does not define. What it decodes, it encodes
//! unchanged.

#[doc(inline)]
pub use hooks_mcpl::*;
#[cfg(feature = "testing")]
#[doc(inline)]
pub use hooks_testing::mcpl_host as host;

/// Makes a unit struct a feature set: the unit that a host enables or denies.
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
/// The first argument is the name: 1 to 128 of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`, in parts separated by
/// dots. You do not write what a set uses. The SDK derives it from what the set sends, and from the hooks and tools
/// that name it.
///
/// | key | meaning |
/// |---|---|
/// | `sends(push, inference, …)` | what the set sends on its own initiative, in the words of [`sender`], and cannot work without |
/// | `optional(model_info, …)` | what the set sends if the host grants it; it works without |
/// | `scoped` | the set acts in scopes that the host permits (0.4) |
/// | `rollback` | the host can roll back what the set did, through a [`hook`](macro@hook) at `rollback` |
/// | `later` | the set is not declared until the server adds it at run time |
/// | `tag_ontology = "{…}"` | the meaning of its tags, as the JSON object that hosts of 0.5 read |
/// | `description = "…"` | what the set does; without this key the doc comment says it. One of the two is required |
/// | `server = Memory` | the set belongs to this server only. Without this key it belongs to the servers whose hooks and tools name it; if none does, to every server in the program |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// The traits [`FeatureSet`], [`Sends`] for each word, and [`Scoped`]; the constant `NAME`; and the function `hook()`,
/// which [`Registry::collect`](crate::core::Registry::collect) collects.
///
/// # Limits
///
/// A set is one type, without parameters. Two mistakes are errors at start-up: a set that uses nothing, and a set with
/// `rollback` for which no hook stands at `rollback`.
pub use hooks_macros::mcpl_feature_set as feature_set;

/// Makes an `async fn` or a `&self` method a hook: it runs when the host sends a request or a notification.
///
/// The function's arguments are the server, the event and the [`Context`], each by reference. You may leave out the
/// last one, the last two, or all. Methods need [`#[hooks]`](macro@crate::hooks) on their `impl` block.
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
///     #[mcpl::hook(after_inference, feature_set = Redaction, blocking, posture = deny)]
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
/// The first argument is the point, one of the words of [`point`]. What a function receives and returns there:
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
/// A function may return each answer in a `Result`. An [`ErrorObject`] as its error goes to the host unchanged.
///
/// | key | at | meaning |
/// |---|---|---|
/// | `feature_set = Retrieval` | all | required: the hook's feature set |
/// | `inject(before_user)` | `before_inference` | the positions at which the hook needs to inject, in the words of [`position`]. Without this key it needs `before_user`, and uses the others if the host grants them. A host of 0.5 that denies one of these positions disables the whole set; hosts deny `system` by default |
/// | `optional(system, after_user)` | `before_inference` | further positions, used if the host grants them |
/// | `observe = true`, `observe = false` | `before_inference` | the hook needs the user's message, or does not read it. Without this key it reads the message if the host grants it, else the message is `None` |
/// | `blocking` | `after_inference` | the host waits for the hook, and takes its changes |
/// | `priority = 10` | all | the hook's place among the hooks of the point: lower runs first; the default is 0 |
/// | `deadline = "4500ms"` | all | how long the hook may take: a whole number of `ms`, `s` or `min`; at most 4500 ms at `before_inference` and 9500 ms at `after_inference` |
/// | `posture = deny` | all | what happens if the hook fails: `deny` reports it to the host, `proceed` goes on without an answer |
/// | `id = "…"` | all | the hook's id; the default is the item's name in snake_case |
/// | `crate = path` | all | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// For a function `recall`, the function `recall_hook()`; for a method, nothing.
/// [`Registry::collect`](crate::core::Registry::collect) collects both, under `mcpl:point:id`.
///
/// # Limits
///
/// One function carries one hook; a method may carry several. A hook is concrete: for a generic server, build the hook
/// with [`McplHook::answering`] and add it by hand. All hooks of a server at `before_inference` belong to one feature
/// set, because the answer names one; so do those at `after_inference`. A method that is also a `#[tool]` cannot be an
/// MCPL hook. `#[hook]` on a method without `#[hooks]` is an error, because an attribute on a method cannot see the
/// type of `self`.
pub use hooks_macros::mcpl_hook as hook;

/// Puts a method that is also a `#[tool]` into a feature set. The SDK refuses a host's calls of the tool while the set
/// is not usable.
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
/// | key | meaning |
/// |---|---|
/// | `feature_set = Files` | required: the tool's feature set |
/// | `scope = "path"` | for a scoped set: the argument that holds the label of the call's scope |
/// | `guard = false` | the body also runs while the set is not usable, and decides itself |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// Nothing to the method. [`Registry::collect`](crate::core::Registry::collect) collects the entry, under
/// `mcpl:tool:name`.
///
/// # Limits
///
/// Write the attribute with its path, `mcpl::tool`: imported as `tool`, it would be the attribute that makes the tool.
/// The method is in an `impl` block with [`#[hooks]`](macro@crate::hooks) and `#[tool_router]`, in either order. A tool
/// belongs to one feature set.
pub use hooks_macros::mcpl_tool as tool;
