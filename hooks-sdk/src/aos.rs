//! AOS: an observed server asks a guardian about each of its steps, and the guardian allows, denies or changes it.
//!
//! A guardian is a policy with hooks, which an author writes with the attribute [`hook`](macro@hook). A server that is
//! asked about says with [`memory_store`](macro@memory_store), [`memory_retrieval`](macro@memory_retrieval) and
//! [`knowledge`](macro@knowledge) which of its tools are more than a tool call. [`wire`] has the objects of the document.

#[doc(inline)]
pub use hooks_aos::*;

/// Makes a function or a `&self` method a hook of a guardian: it decides about one kind of step.
///
/// Its arguments are the policy, the payload and the [`StepInfo`], each by reference. You may leave out each of them. Methods
/// need [`#[hooks]`](macro@crate::hooks) on their `impl` block.
///
/// ```
/// use std::convert::Infallible;
///
/// use hooks_sdk::aos::{self, A2aMessage, StepInfo, Memory, Reply, ToolCallRequest};
/// use hooks_sdk::core::{Verdict, Violation};
///
/// struct Policy {
///     forbidden: Vec<String>,
/// }
///
/// #[hooks_sdk::hooks]
/// impl Policy {
///     #[aos::hook(tool_call_request, priority = 10, deadline = "500ms")]
///     async fn check(&self, call: &ToolCallRequest, cx: &StepInfo) -> Verdict<ToolCallRequest> {
///         if self.forbidden.contains(&call.tool_id) {
///             let agent = cx.context().map_or("an agent", |context| &context.agent.name);
///             return Verdict::Deny(Violation::new(format!("`{}` is not for {agent}", call.tool_id)));
///         }
///         let mut quiet = call.clone();
///         quiet.inputs.retain(|input| input.name != "verbose");
///         Verdict::Modify(quiet)
///     }
///
///     /// At this point nothing can be changed.
///     #[aos::hook(tasks_cancel)]
///     async fn keep_tasks(&self, _task: &A2aMessage) -> Verdict<Infallible> {
///         Verdict::Allow
///     }
/// }
///
/// /// It needs no policy, and says more than its decision.
/// #[aos::hook(memory_store, tags("privacy"))]
/// async fn no_cards(memory: &Memory) -> Reply<Memory> {
///     match memory.memory.iter().any(|text| text.contains("4111")) {
///         true => Reply::deny("no card numbers in memory").reason_code("PCI"),
///         false => Reply::allow(),
///     }
/// }
///
/// # let registry = hooks_sdk::core::Registry::collect::<Policy>()?;
/// # assert_eq!(aos::problems(&registry), []);
/// # assert!(registry.get("aos:tool_call_request:check").is_some());
/// # assert!(registry.get("aos:memory_store:no_cards").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// The first argument is the point, one of the words of [`point`]. A function answers with `Verdict<T>`, where `T` is the
/// point's payload, with [`Reply<T>`](Reply) if it has more words for the asker, or with `Verdict<Infallible>` or
/// `Reply<Infallible>` if it changes nothing. Each of these may stand in a `Result`.
///
/// | point | request | payload | may change it |
/// |---|---|---|---|
/// | `agent_trigger` | `steps/agentTrigger` | [`AgentTrigger`] | yes |
/// | `tool_call_request` | `steps/toolCallRequest` | [`ToolCallRequest`] | yes |
/// | `tool_call_result` | `steps/toolCallResult` | [`CompletedToolCall`] | yes |
/// | `user_message` | `steps/message`, role `user` | [`MessageStep`] | yes |
/// | `agent_response` | `steps/message`, role `agent` | `MessageStep` | yes |
/// | `system_message` | `steps/message`, role `system` | `MessageStep` | yes |
/// | `memory_context_retrieval` | `steps/memoryContextRetrieval` | [`Memory`] | yes |
/// | `memory_store` | `steps/memoryStore` | `Memory` | yes |
/// | `knowledge_retrieval` | `steps/knowledgeRetrieval` | [`KnowledgeStep`] | yes |
/// | `mcp` | `protocols/MCP` | [`McpMessage`] | yes |
/// | `a2a` | `protocols/A2A` | [`A2aMessage`] | yes |
/// | `message_send` | `message/send` | `A2aMessage` | yes |
/// | `message_stream` | `message/stream` | `A2aMessage` | yes |
/// | `tasks_get` | `tasks/get` | `A2aMessage` | yes |
/// | `tasks_cancel` | `tasks/cancel` | `A2aMessage` | no |
/// | `tasks_resubscribe` | `tasks/resubscribe` | `A2aMessage` | no |
/// | `tasks_push_notification_config_set` | `tasks/pushNotificationConfig/set` | `A2aMessage` | yes |
/// | `tasks_push_notification_config_get` | `tasks/pushNotificationConfig/get` | `A2aMessage` | no |
///
/// | key | meaning |
/// |---|---|
/// | `priority = 10` | the hook's place: lower runs first, equal ones in registry order; the default is 100 |
/// | `deadline = "500ms"` | how long the hook may take: a whole number of `ms`, `s` or `min`, up to 10 minutes; the default is 5 s |
/// | `tags("…", "…")` | words by which people find the hook |
/// | `id = "…"` | the hook's id; the default is the item's name in snake_case |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # Words of an answer
///
/// | the asker receives | from a `Verdict` | from a `Reply` |
/// |---|---|---|
/// | `message` | the violation's `reason`; `allowed` and `modified` without one | `message(…)` |
/// | `reasoning` | the violation's `description` | `reasoning(…)` |
/// | `reasonCode` | the violation's `code` | `reason_code(…)`, any number of them |
/// | `data` | the violation's `details` | `data(…, …)` |
///
/// # What it adds
///
/// For a function `check`, the function `check_hook()`; for a method, nothing.
/// [`Registry::collect`](crate::core::Registry::collect) collects both, under `aos:point:id`.
///
/// # Limits
///
/// One function carries one hook; a method may carry several. A hook that fails, panics or exceeds its deadline is an
/// error for the asker and never an allow: there is no `posture`. A hook is concrete: for a generic policy, build the
/// hook with [`AosHook::answering`] and add it by hand. A method that is also a `#[tool]` cannot be a hook. A function
/// without a policy names its payload, and `StepInfo`, by the type's own name.
pub use hooks_macros::aos_hook as hook;

/// Makes the calls of a method that is also a `#[tool]` a step `memoryStore`: the guardian is asked before the tool runs.
///
#[cfg_attr(feature = "server", doc = "```")]
#[cfg_attr(not(feature = "server"), doc = "```ignore")]
/// use hooks_sdk::{prelude::*, rmcp};
/// use rmcp::{tool, tool_router};
///
/// struct Notes;
///
/// #[tool_router]
/// #[hooks_sdk::hooks]
/// impl Notes {
///     #[tool(description = "Keeps a note.")]
///     #[aos::memory_store(content = "args.text")]
///     async fn save(&self) -> String {
///         "saved".to_owned()
///     }
/// }
///
/// # let registry = hooks_sdk::core::Registry::collect::<Notes>()?;
/// # assert!(registry.get("aos:tool:memory_store:save").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// The guardian is first asked about the tool call, then about the memory. A deny of either refuses the call, and a
/// change of the memory is written to the argument.
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `content = "args.text"` | required: the path to the argument that is stored; `[*]` in it means each item of an array |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// Nothing to the method. [`Registry::collect`](crate::core::Registry::collect) collects the [`ToolStep`], under
/// `aos:tool:memory_store:name`.
///
/// # Limits
///
/// Write the attribute with its path, `aos::memory_store`. The method is in an `impl` block with
/// [`#[hooks]`](macro@crate::hooks) and `#[tool_router]`, in either order. A path has the grammar of
/// [conditions](mod@crate::core::condition), and at most 32 steps. A path that the tool's schema lacks is an error at
/// start-up.
pub use hooks_macros::aos_memory_store as memory_store;

/// Makes the calls of a method that is also a `#[tool]` a step `memoryContextRetrieval`: the guardian is asked after the
/// tool ran, before anybody reads its result.
///
#[cfg_attr(feature = "server", doc = "```")]
#[cfg_attr(not(feature = "server"), doc = "```ignore")]
/// use hooks_sdk::{prelude::*, rmcp};
/// use rmcp::{tool, tool_router};
///
/// struct Notes;
///
/// #[tool_router]
/// #[hooks_sdk::hooks]
/// impl Notes {
///     #[tool(description = "What was noted today.")]
///     #[aos::memory_retrieval]
///     async fn today(&self) -> String {
///         "buy milk".to_owned()
///     }
/// }
///
/// # let registry = hooks_sdk::core::Registry::collect::<Notes>()?;
/// # assert!(registry.get("aos:tool:memory_retrieval:today").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// The guardian is first asked about the memory, then about the tool's result.
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `content = "result.structuredContent.notes[*].text"` | the path to the memory in the tool's result; the default is each text block |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// Nothing to the method. [`Registry::collect`](crate::core::Registry::collect) collects the [`ToolStep`], under
/// `aos:tool:memory_retrieval:name`.
///
/// # Limits
///
/// Those of [`memory_store`](macro@memory_store).
pub use hooks_macros::aos_memory_retrieval as memory_retrieval;

/// Makes the calls of a method that is also a `#[tool]` a step `knowledgeRetrieval`: the guardian is asked after the tool
/// ran, before anybody reads its result.
///
#[cfg_attr(feature = "server", doc = "```")]
#[cfg_attr(not(feature = "server"), doc = "```ignore")]
/// use hooks_sdk::{prelude::*, rmcp};
/// use rmcp::{tool, tool_router};
///
/// struct Library;
///
/// #[tool_router]
/// #[hooks_sdk::hooks]
/// impl Library {
///     #[tool(description = "Finds pages.")]
///     #[aos::knowledge(query = "args.q", keywords = "args.tags")]
///     async fn search(&self) -> String {
///         "page 1".to_owned()
///     }
/// }
///
/// # let registry = hooks_sdk::core::Registry::collect::<Library>()?;
/// # assert!(registry.get("aos:tool:knowledge:search").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// The guardian is first asked about the knowledge, then about the tool's result.
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `content = "result.structuredContent.pages[*].text"` | the path to the knowledge in the tool's result; the default is each text block |
/// | `query = "args.q"` | the path to the argument with the query |
/// | `keywords = "args.tags"` | the path to the argument with the keywords |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// Nothing to the method. [`Registry::collect`](crate::core::Registry::collect) collects the [`ToolStep`], under
/// `aos:tool:knowledge:name`.
///
/// # Limits
///
/// Those of [`memory_store`](macro@memory_store).
pub use hooks_macros::aos_knowledge as knowledge;
