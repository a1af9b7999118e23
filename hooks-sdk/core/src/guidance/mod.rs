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

#[doc(hidden)]
pub mod check;
mod composed;
mod composer;
mod conditions;
mod definition;
mod embedded;
mod files;
mod folder;
mod front;
mod hook;
mod input;
mod issue;
mod load_error;
mod loader;
mod moment;
mod page;
pub mod point;
mod problems;
mod query;
mod read;
mod registry;
mod resolved;
mod rule;
mod skill;
mod text;
mod vocabulary;
mod word;
pub mod workflow;

pub use crate::{Answer, Timestamp, on_failure};
pub use composed::{ComposedHooksResult, FailedHook, HookSummary, SkipReason, SkippedHook};
pub use composer::Composer;
pub use conditions::Conditions;
pub use definition::{DEFAULT_APP, DEFAULT_PRIORITY, HookDefinition};
#[doc(hidden)]
pub use embedded::Embedded;
pub use embedded::differences;
pub use folder::Folder;
pub use hook::GuidanceHook;
#[cfg(feature = "include_dir")]
#[doc(hidden)]
pub use include_dir::Dir;
pub use input::HookInput;
pub use issue::{InvalidHook, Issue, PathSegment};
pub use load_error::LoadError;
pub use loader::ContentLoader;
pub use moment::{Firing, Moment};
#[doc(hidden)]
pub use moment::{FiringInput, IsFiringInput};
pub use point::{LifecycleWord, TypeWord};
pub use problems::problems;
pub use query::{HookQuery, Queried, Rules};
pub use registry::{HookRegistry, RegisterError, RegisterErrors};
pub use resolved::{Loaded, ResolvedHook};
#[doc(hidden)]
pub use skill::{SKILL_MD, skills};
pub use skill::{Skill, SkillFile};
pub use vocabulary::{HookType, Lifecycle, McpFeature, McpFeatures, RequirementLevel, UnknownWord};
pub use word::{feature, requirement};
pub use workflow::Workflow;
