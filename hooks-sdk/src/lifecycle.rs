//! Server-declared behavioural hooks (SEP-2282): declarations, their negotiation, and the client's side.
//!
//! A server declares texts for six events of an agent's session. The client sends a text to the agent when the
//! event occurs. An author writes a [`LifecycleHook`], a server sends [`Declarations`] to a client that asks, and
//! [`host`] implements the client's side.

#[doc(inline)]
pub use hooks_core::lifecycle::*;

/// Makes a unit struct, an `async fn` or a `&self` method a lifecycle hook.
///
/// A unit struct has a fixed text: by default, the markdown file beside the source that is named after the struct
/// in snake_case. A function makes the text when the event occurs; the SDK serves it as the declaration's context
/// tool. The function's arguments are the server and the event, each by reference. You can leave out the event, or
/// both. Methods need [`#[hooks]`](macro@crate::hooks) on their `impl` block.
///
/// ```
/// use hooks_sdk::prelude::*;
///
/// struct Memory;
///
/// #[lifecycle::hook(
///     post_tool_use,
///     matcher(tool_name = "Bash", input_contains = "git commit"),
///     strength = suggestion,
///     text = "You just committed to {project_name}. Is there something to remember?"
/// )]
/// struct AfterCommit;
///
/// #[lifecycle::hook(session_start, strength = required)]
/// async fn recall(memory: &Memory, start: &SessionStart) -> Option<String> {
///     let project = start.project_name.as_deref()?;
///     Some(format!("What we know of {project}: nothing yet."))
/// }
///
/// assert_eq!(AfterCommit::ID, "after_commit");
/// # use hooks_sdk::core::Registry;
/// # assert!(Registry::collect::<Memory>()?.get("after_commit").is_some());
/// let by_hand = Registry::builder().add(AfterCommit::hook()).add(recall_hook()).build()?;
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// The first argument is the point, one of the six words of [`point`].
///
/// | key | on | what it says |
/// |---|---|---|
/// | `strength = suggestion` | all | required: how strongly the agent is to act: `suggestion`, `important` or `required` (the document's `priority`) |
/// | `matcher(tool_name = "…", input_contains = "…", tool_server = "…")` | all | narrows a `pre_tool_use` or `post_tool_use` hook; all conditions must hold |
/// | `text = "…"` | struct | the words, inline |
/// | `text_file = "file.md"` | struct | the words, in a file of this package, relative to the source file |
/// | `context_tool = "tool"` | struct | no words: the client calls this tool of the server's |
/// | `context_tool_args(argument = value, …)` | struct with `context_tool`, method that is also a `#[tool]` | what it is called with: any JSON, with variables in its strings |
/// | `server = Memory` | struct | only for this server; otherwise for every server in the program |
/// | `description = "…"` | function | describes the served tool; otherwise the doc comment does |
/// | `deadline = "10s"` | function | how long it may take: a whole number of `ms`, `s` or `min`; otherwise 10 s |
/// | `posture = deny` | function | what its failure means: `deny` reports it, `proceed` goes on without an answer |
/// | `id = "…"` | all | the hook's id, otherwise the item's name in snake_case |
/// | `crate = path` | all | where `hooks_sdk` is, for crates that re-export it |
///
/// # Generated code
///
/// A unit struct gets the constant `ID` and the function `hook()`. A function `recall` gets a function
/// `recall_hook()`. A method gets nothing. [`Registry::collect`](crate::core::Registry::collect) collects all of them.
///
/// # Limits
///
/// - An item has one hook. A method can have several, each with its own `id`.
/// - A hook is not generic: for a generic server, build it with [`LifecycleHook::answering`] and add it by hand.
/// - `#[hook]` on a method without `#[hooks]` is an error, because an attribute there cannot see the type of `self`.
pub use hooks_macros::lifecycle_hook as hook;
