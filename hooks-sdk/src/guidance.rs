//! Composed guidance (the Hooks System document): typed markdown hooks with RFC 2119 levels.
//!
//! The parts of an application register hooks. At a moment, the server queries the hooks, loads their texts and
//! composes them. This is the document's full workflow example, printed as in the document:
//!
//! ```
//! use hooks_sdk::guidance::{
//!     Composer, ContentLoader, HookInput, HookQuery, HookRegistry, HookType, Lifecycle, RequirementLevel,
//! };
//!
//! # futures::executor::block_on(async {
//! // 1. Create registry with app prefix
//! let mut registry = HookRegistry::with_app("my-server")?;
//!
//! // 2. Register hooks
//! let session_start = |tag: &'static str, name: &'static str, level| {
//!     HookInput::new(HookType::Session, Lifecycle::Start, tag, name, level)
//! };
//! registry.register(session_start("welcome", "Welcome", RequirementLevel::Should).priority(50))?;
//! registry.register(
//!     session_start("init-required", "Initialization Required", RequirementLevel::Must).priority(100),
//! )?;
//! registry.register(session_start("tips", "Optional Tips", RequirementLevel::May).priority(30))?;
//!
//! // 3. Query hooks for session start
//! let hooks = registry.query(&HookQuery::at(HookType::Session, Lifecycle::Start));
//!
//! // 4. Load content for each hook
//! let loader = ContentLoader::embedded([
//!     (
//!         "welcome.md",
//!         "Welcome to the session. You have access to tools, resources, and prompts.\n\
//!          Start by reviewing the available tools with `server_info`.\n",
//!     ),
//!     (
//!         "init-required.md",
//!         "You must call `session_init` before using any other tools. This is mandatory.\n",
//!     ),
//!     ("tips.md", "Consider enabling debug mode for verbose logging during development.\n"),
//! ]);
//! let loaded = loader.load_all(&hooks).await;
//!
//! // 5. Compose into output grouped by requirement level
//! let result = Composer::as_printed().compose(&loaded.resolved);
//!
//! assert_eq!(result.content, "\
//! > The following sections use requirement levels defined in [RFC 2119](https://www.rfc-editor.org/rfc/rfc2119).
//!
//! ### MUST
//!
//! These are absolute requirements. You must follow these instructions.
//!
//! #### Initialization Required
//!
//! You must call `session_init` before using any other tools. This is mandatory.
//!
//! ---
//!
//! ### SHOULD
//!
//! These are recommended actions. Follow unless you have good reason not to.
//!
//! #### Welcome
//!
//! Welcome to the session. You have access to tools, resources, and prompts.
//! Start by reviewing the available tools with `server_info`.
//!
//! ---
//!
//! ### MAY
//!
//! These are optional. Use your judgment.
//!
//! #### Optional Tips
//!
//! Consider enabling debug mode for verbose logging during development.");
//! assert_eq!(&*result.included_hooks[0].id, "my-server:session:start:init-required");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

#[doc(inline)]
pub use hooks_core::guidance::*;

/// Makes a unit struct, an `async fn` or a `&self` method a guidance hook.
///
/// A unit struct has a fixed text: by default, the markdown file beside the source that is named after its tag. A
/// function makes the text each time the hook fires; if it returns no text, the hook is left out this time. The
/// function's arguments are the server and the [`Firing`], each by reference. You can leave out the firing, or both.
/// Methods need [`#[hooks]`](macro@crate::hooks) on their `impl` block.
///
/// ```
/// use hooks_sdk::prelude::*;
///
/// struct Memory;
///
/// #[guidance::hook(
///     session, start,
///     requirement = MAY,
///     name = "Optional Tips",
///     features(sampling),
///     text = "Ask for a summary when the session grows long."
/// )]
/// struct Tips;
///
/// #[guidance::hook(action, start, requirement = MUST, name = "Care", tool = "delete_*")]
/// async fn care(_memory: &Memory, firing: &Firing) -> Option<String> {
///     let tool = firing.tool.as_deref()?;
///     Some(format!("Ask before you call `{tool}`."))
/// }
///
/// assert_eq!(Tips::ID, "session:start:tips");
/// # use hooks_sdk::core::Registry;
/// # assert!(Registry::collect::<Memory>()?.get("action:start:care").is_some());
/// let by_hand = Registry::builder().add(Tips::hook()).add(care_hook()).build()?;
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// The first argument is the type, the second the lifecycle: two of the words of [`point`].
///
/// | key | on | what it says |
/// |---|---|---|
/// | `requirement = SHOULD` | all | required: `MUST`, `MUST_NOT`, `SHOULD`, `SHOULD_NOT` or `MAY` |
/// | `name = "…"` | all | required: its name for people |
/// | `text = "…"` | struct | the text, inline |
/// | `text_file = "file.md"` | struct | the text, in a file of this package, relative to the source file |
/// | `id = "…"` | all | its tag, otherwise the item's name in kebab-case |
/// | `weight = 50` | all | its place within its level, higher first (the document's `priority`) |
/// | `app = "…"` | all | the app that it belongs to, otherwise the server's |
/// | `description = "…"` | all | what it provides; otherwise the doc comment says it |
/// | `storage("sqlite", "memory")` | all | only with one of these storage backends |
/// | `features(sampling, elicitation)` | all | only with all of these features of MCP |
/// | `config(debug = true, "limits.max" = 5)` | all | only with all of these values in the configuration |
/// | `tags("…", …)` | all | words to find it by |
/// | `blocking = true` | all | kept and shown in the definition: what it asks comes before other work. Nothing is refused for it: a session machine does that |
/// | `dependencies("…", …)` | all | kept and shown in the definition: the ids of hooks whose work comes first. Nothing is ordered by them |
/// | `tool = "store_*"` | all, type `action` | the tools that it is about |
/// | `required = true` | all | clients that read declared hooks are told that it is `required` |
/// | `skill = true` | struct | the text is also a [`Skill`], with the tag as its name; it needs a description |
/// | `server = Memory` | struct | only for this server; otherwise for every server in the program |
/// | `deadline = "5s"` | function | how long it may take: a whole number of `ms`, `s` or `min`; otherwise 5 s |
/// | `posture = deny` | function | what its failure means: `deny` reports it, `proceed` goes on without an answer |
/// | `crate = path` | all | where `hooks_sdk` is, for crates that re-export it |
///
/// # Generated code
///
/// A unit struct gets the constant `ID` and the function `hook()`. A function `recall` gets a function
/// `recall_hook()`. A method gets nothing. [`Registry::collect`](crate::core::Registry::collect) collects all of them.
///
/// # Limits
///
/// - An item has one hook. A method can have several.
/// - A hook is not generic: for a generic server, build it with [`GuidanceHook::answering`] and add it by hand.
/// - A method that is also a `#[tool]` cannot be a guidance hook.
/// - `#[hook]` on a method without `#[hooks]` is an error, because an attribute there cannot see the type of `self`.
#[cfg(feature = "guidance")]
pub use hooks_macros::guidance_hook as hook;

/// Makes each markdown file of a folder a guidance hook, without more Rust code.
///
/// The folder is relative to the package's root. Each `.md` file in and below it declares its hook in a front
/// matter. The rest of the file, without the blank lines around it, is the text. A problem of a file is a compile
/// error that names the file and the line.
///
/// ```
/// use hooks_sdk::prelude::*;
///
/// guidance::dir!("examples/hooks");
///
/// # struct Memory;
/// # let registry = hooks_sdk::core::Registry::collect::<Memory>()?;
/// # assert!(registry.get("session:start:init-required").is_some());
/// assert!(registry.get("session:start:welcome").is_some());
/// # assert_eq!(guidance::problems(&registry), []);
/// # assert_eq!(guidance::differences(), [""; 0]);
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// In this example, `examples/hooks/welcome.md` is:
///
/// ```text
#[doc = include_str!("../examples/hooks/welcome.md")]
/// ```
///
/// # Keys
///
/// After the folder, you can write `skills`, `server = Memory`, for hooks of this server only, and `crate = path`, like
/// on [`hook`](macro@hook). A file has these keys:
///
/// | key | what it says |
/// |---|---|
/// | `type: session` | required: `session`, `action`, `storage` or `config` |
/// | `lifecycle: start` | required: `start`, `running`, `progress`, `cancel` or `end` |
/// | `name: Welcome` | required: its name for people |
/// | `requirement: SHOULD` | required: `MUST`, `MUST NOT`, `SHOULD`, `SHOULD NOT` or `MAY` |
/// | `tag: welcome` | its tag, otherwise the file's name |
/// | `priority: 50` | its place within its level, higher first |
/// | `app: notes` | the app that it belongs to, otherwise the server's |
/// | `description: …` | what it provides |
/// | `storage: [sqlite, memory]` | only with one of these storage backends |
/// | `features: [sampling]` | only with all of these features of MCP |
/// | `config: [debug = true]` | only with all of these values in the configuration: JSON, or else text |
/// | `tags: [a, b]` | words to find it by |
/// | `blocking: true` | kept and shown: what it asks comes before other work; nothing is refused for it |
/// | `dependencies: […]` | kept and shown: the ids of hooks whose work comes first; nothing is ordered by them |
/// | `tool: store_*` | the tools that it is about, for the type `action` |
/// | `required: true` | clients that read declared hooks are told that it is `required` |
///
/// # Skills
///
/// With `skills`, each hook is also a [`Skill`], with its tag as the name. It then needs a `description`. A folder below
/// with a `SKILL.md` is a skill and no hook: it has all files of that folder, except those whose names begin with `.`.
///
/// # Generated code
///
/// The macro adds no name. [`Registry::collect`](crate::core::Registry::collect) collects the hooks.
/// [`Folder::read`] reads the same files at run time.
///
/// # Limits
///
/// Cargo does not notice new files: add a `build.rs` that prints `cargo::rerun-if-changed=src/hooks`. In a debug
/// build, [`differences`] returns the files that the build missed. Links to folders are not followed, and a link
/// that leads out of the package is an error.
#[cfg(feature = "guidance")]
pub use hooks_macros::guidance_dir as dir;
