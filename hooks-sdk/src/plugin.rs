//! Plugin hooks: policy around every tool call, prompt and resource (the plugin framework's hook architecture, §5).
//!
//! An author writes a hook at a point with the attribute [`hook`](macro@hook). The [`Chain`] runs the hooks of a
//! point by priority: each may let the request go on, change it, stop it, or ask the user first.

#[doc(inline)]
pub use hooks_plugin::*;

/// Makes a function, a `&self` method or a unit struct a policy hook: it runs at one point of each request.
///
/// A unit struct is a rule without a body. It denies every payload that its keys match:
///
/// ```
/// use hooks_sdk::plugin;
///
/// /// Nothing outside of the data folder is touched.
/// #[plugin::hook(
///     tool_pre_invoke,
///     tool = ["read_*", "write_*"],
///     unless(args.path = inside("/srv/data")),
///     deny = "only files under /srv/data"
/// )]
/// pub struct OnlyData;
///
/// let by_hand = hooks_sdk::core::Registry::builder().add(OnlyData::hook()).build()?;
/// # assert_eq!(plugin::problems(&by_hand), []);
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// An `async fn` decides itself. Its arguments are the server, the payload and the context, each by reference, the
/// context by `&mut`. You may leave out each of them. Methods need [`#[hooks]`](macro@crate::hooks) on their `impl` block.
///
/// ```
/// use hooks_sdk::core::{Verdict, Violation};
/// use hooks_sdk::plugin::{self, PluginContext, Question, ToolResult, ToolCall};
///
/// struct Files;
///
/// #[hooks_sdk::hooks]
/// impl Files {
///     #[plugin::hook(tool_pre_invoke, tool = "delete_*", when(args.path = "/etc/**"), priority = 10, deadline = "500ms")]
///     async fn protect(&self, call: &ToolCall, cx: &mut PluginContext) -> Verdict<ToolCall, Question> {
///         if cx.global.user.as_deref() == Some("root") {
///             return Verdict::Allow;
///         }
///         Verdict::Deny(Violation::new(format!("`{}` needs an administrator", call.name)))
///     }
/// }
///
/// /// Counts what was found; it needs no server.
/// #[plugin::hook(tool_post_invoke, tool = "search", mode = audit)]
/// async fn count(answer: &ToolResult, cx: &mut PluginContext) {
///     let found = answer.result["structuredContent"]["rows"].as_array().map_or(0, Vec::len);
///     cx.metadata.insert("found".into(), found.into());
/// }
///
/// # let registry = hooks_sdk::core::Registry::collect::<Files>()?;
/// # assert_eq!(plugin::problems(&registry), []);
/// # assert!(registry.get("plugin:tool_pre_invoke:protect").is_some());
/// # assert!(registry.get("plugin:tool_post_invoke:count").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// The first argument is the point, one of the words of [`point`]. A function answers with `Verdict<T>`, where `T` is
/// what it may change, with `Verdict<T, Question>` if it may ask the user, with [`Outcome<T>`](Outcome) for everything
/// that the protocol has, with `Verdict<Infallible>` if it changes nothing, or with nothing. Each of these may stand in a
/// `Result`.
///
/// | point | payload | `T` |
/// |---|---|---|
/// | `tool_pre_invoke` | [`ToolCall`] | `ToolCall` |
/// | `tool_post_invoke` | [`ToolResult`] | `ToolResult` |
/// | `prompt_pre_fetch` | [`PromptFetch`] | `PromptFetch` |
/// | `prompt_post_fetch` | [`PromptResult`] | `PromptResult` |
/// | `resource_pre_fetch` | [`ResourceFetch`] | `ResourceFetch` |
/// | `resource_post_fetch` | [`ResourceResult`] | `ResourceResult` |
/// | `completion_pre_fetch` | [`CompletionFetch`] | `CompletionFetch` |
/// | `completion_post_fetch` | [`CompletionResult`] | `CompletionResult` |
/// | `http_pre_request` | [`HttpRequest`] | [`HttpHeaders`] |
/// | `http_post_request` | [`HttpResponse`] | `HttpHeaders` |
/// | `http_pre_forwarding_call` | [`ForwardedRequest`] | `HttpHeaders` |
/// | `http_post_forwarding_call` | [`ForwardedResponse`] | `HttpHeaders` |
/// | `agent_tool_pre_invoke` | [`AgentToolCall`] | `AgentToolCall` |
/// | `agent_tool_post_invoke` | [`AgentToolResult`] | nothing: it answers with nothing |
///
/// | key | on | meaning |
/// |---|---|---|
/// | `tool = "delete_*"` | all, at points of tools and of agent clients | the tools for which the hook runs: one glob, or a list of globs, `["read_*", "write_*"]` |
/// | `prompt = "…"` | all, at points of prompts | as `tool`, for prompts |
/// | `resource = "…"` | all, at points of resources | as `tool`, for the URIs of resources |
/// | `completion = "…"` | all, at points of completions | as `tool`, for the prompts, and the templates and URIs of resources, whose arguments are completed |
/// | `kind = shell` | all, at points of agent clients | the kinds of tools for which the hook runs: one word of [`agent_tool_kind`], or a list, `[write, edit]` |
/// | `when(args.path = "/etc/**")` | all | the hook runs only if the condition holds; see below |
/// | `unless(args.path = inside("/srv"))` | all | the hook runs only if the condition does not hold |
/// | `scopes = ["notes:write"]` | all | the hook leaves senders alone whose tokens have all of these scopes, and runs for the others: a rule denies without them. One text, or a list |
/// | `deny = "reason"` | a unit struct | required: the reason that the client receives |
/// | `code = "WORD"` | a unit struct | the violation's word for programs |
/// | `description = "…"` | a unit struct | what the agent or the user needs to know to fix it |
/// | `priority = 10` | all | the hook's place: lower runs first, equal ones in registry order; the default is 100 |
/// | `mode = audit` | all | what the hook may do, in the words of [`mode`](mod@mode); the default is `enforce` |
/// | `posture = deny` | a function, and each gate | what happens if the hook fails, or if a gate cannot judge a call, in the words of [`posture`](mod@posture): `deny`, the default, stops the request; `proceed` lets it go on. Required at `agent_tool_pre_invoke`. Elsewhere not in a mode that ignores failures |
/// | `deadline = "500ms"` | a function | how long the hook may take, without the time in which the user is asked: a whole number of `ms`, `s` or `min`, up to 10 minutes; the default is 5 s |
/// | `writable(args, headers)` | a function | the fields of the payload that the hook may change; a change of another field is dropped and reported |
/// | `tags("…", "…")` | all | words by which people find the hook |
/// | `server = Files` | a unit struct | the rule belongs to this server only; without this key it belongs to every server in the program |
/// | `id = "…"` | all | the hook's id; the default is the item's name in snake_case. Hooks with one id at different points share what they keep in a request |
/// | `crate = path` | all | where `hooks_sdk` is, for crates that re-export it |
///
/// # Conditions
///
/// `when` and `unless` take one or more conditions; the commas between them mean *and*. The module
/// [`condition`](mod@crate::core::condition) has their grammar. A path begins with one of these roots:
///
/// | root | at | leads to |
/// |---|---|---|
/// | `args` | `tool_pre_invoke`, `prompt_pre_fetch`, `completion_pre_fetch`, points of agent clients | the arguments; of a completion, those whose values are known already |
/// | `input_responses` | `tool_pre_invoke`, `prompt_pre_fetch`, `resource_pre_fetch` | the user's answers to questions of the item's own code, by the question's name |
/// | `result` | `tool_post_invoke`, `prompt_post_fetch`, `completion_post_fetch` | the result as JSON, such as `result.isError` or `result.structuredContent.rows[*].id` |
/// | `metadata` | `resource_pre_fetch` | the request's metadata |
/// | `content` | `resource_post_fetch` | the contents |
/// | `argument` | `completion_pre_fetch`, `completion_post_fetch` | the name of the argument |
/// | `value` | `completion_pre_fetch` | what the user has written of it |
/// | `content_type` | `tool_pre_invoke`, `resource_post_fetch`, points of HTTP | the content type |
/// | `commands`, `paths`, `urls` | points of agent clients | the lists of an [`AgentToolCall`], as in `commands[*] = "git push*"` |
/// | `client`, `mcp_server`, `mcp_tool`, `session`, `subagent`, `folder` | points of agent clients | the texts of an [`AgentToolCall`] |
/// | `user`, `tenant`, `server` | all | the ids in the global context |
/// | `claims` | all | the claims of the sender's token, such as `claims.department` |
///
/// A rule with `when` does not deny a call without the argument; a rule with `unless` does. So write what is allowed
/// with `unless`, and what is forbidden with `when`:
///
/// | | `[*]` | an absent path, or a value of another type |
/// |---|---|---|
/// | `when(…)` | some item | does not match |
/// | `unless(…)` | every item | is not allowed |
///
/// A path that the schema of none of the hook's tools has is an error at start-up.
///
/// # What it adds
///
/// For a function `protect`, the function `protect_hook()`; for a method, nothing; for a unit struct, the constant `ID`
/// and the function `hook()`. [`Registry::collect`](crate::core::Registry::collect) collects all of them, under
/// `plugin:point:id`.
///
/// # Limits
///
/// One item carries one hook; a method may carry several. A hook is concrete: for a generic server, build the hook with
/// [`PluginHook::answering`] and add it by hand. A method that is also a `#[tool]` cannot be a policy hook. In the modes
/// `audit`, `concurrent` and `fire_and_forget` the answer's type has no question, and in `concurrent` it changes nothing.
/// A function without a server names its payload by the type's own name.
pub use hooks_macros::plugin_hook as hook;

/// Makes a function a list hook: it decides what clients see of each tool, prompt, resource or resource template.
///
/// ```
/// use hooks_sdk::plugin::{self, ListedItem, Listed};
///
/// /// Tools for administrators are not listed, and cannot be called.
/// #[plugin::list(tools, tool = "admin_*")]
/// fn hide_administration(_tool: &ListedItem) -> Listed {
///     Listed::Hidden
/// }
///
/// #[plugin::list(tools)]
/// fn mark_deletions(tool: &ListedItem) -> Listed {
///     if !tool.name().starts_with("delete_") {
///         return Listed::Shown;
///     }
///     Listed::As(tool.clone().annotated("destructiveHint", true))
/// }
///
/// # let registry = hooks_sdk::core::Registry::builder()
/// #     .add(hide_administration_hook()).add(mark_deletions_hook()).build()?;
/// # assert_eq!(plugin::problems(&registry), []);
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// The first argument is the list, one of the words of [`list_of`].
///
/// | key | meaning |
/// |---|---|
/// | `tool = "admin_*"` | for `tools`: the names that the function is asked about, one glob or a list of globs; without this key all |
/// | `prompt = "…"` | for `prompts`: as `tool` |
/// | `resource = "…"` | for `resources` and `resource_templates`: as `tool`, for URIs |
/// | `server = Files` | the hook belongs to this server only; without this key it belongs to every server in the program |
/// | `id = "…"` | the hook's id; the default is the function's name |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// For a function `hide`, the function `hide_hook()`. [`Registry::collect`](crate::core::Registry::collect) collects it,
/// under `plugin:list:id`.
///
/// # Limits
///
/// A list hook is a plain function of one item: not `async`, without a server and without a session, because a list is
/// the same for every session. The definition that it sees is the one that earlier list hooks made. Names do not change: an
/// item that a list hook returns with another name, URI or URI template is hidden, and the log has an error.
pub use hooks_macros::plugin_list as list;
