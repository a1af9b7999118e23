//! Composed guidance (the Hooks System document): typed markdown hooks with RFC 2119 levels.
//!
//! Authors of servers use `hooks_sdk::guidance`, which adds the attributes.

mod composed;
mod composer;
mod conditions;
mod definition;
mod files;
mod folder;
mod front;
mod hook;
mod input;
mod issue;
mod loader;
mod moment;
mod page;
pub mod point;
mod problems;
mod query;
mod read;
mod registry;
mod skill;
mod text;
mod vocabulary;

pub use crate::{Answer, Timestamp, posture};
pub use composed::{ComposedHooksResult, FailedHook, HookSummary, SkipReason, SkippedHook};
pub use composer::Composer;
pub use conditions::Conditions;
pub use definition::{DEFAULT_APP, DEFAULT_PRIORITY, HookDefinition};
pub use files::LoadError;
#[doc(hidden)]
pub use folder::Embedded;
pub use folder::{Folder, differences};
pub use hook::GuidanceHook;
use hooks_text::rule::guidance as rule;
#[cfg(feature = "include_dir")]
#[doc(hidden)]
pub use include_dir::Dir;
pub use input::HookInput;
pub use issue::{InvalidHook, Issue, PathSegment};
pub use loader::{ContentLoader, Loaded, ResolvedHook};
pub use moment::{Firing, Moment};
#[doc(hidden)]
pub use moment::{FiringInput, IsFiringInput};
pub use point::{LifecycleWord, TypeWord};
pub use problems::problems;
pub use query::{HookQuery, Queried, Rules};
pub use registry::{HookRegistry, RegisterError, RegisterErrors};
#[doc(hidden)]
pub use skill::{SKILL_MD, skills};
pub use skill::{Skill, SkillFile};
pub use vocabulary::{
    HookType, Lifecycle, McpFeature, McpFeatures, RequirementLevel, UnknownWord, feature,
    requirement,
};
