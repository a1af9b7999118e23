//! Reads hook texts and conditions, and has the rules about an author's values: alike at compile time and at run time.

mod aos_steps;
pub mod budget;
pub mod condition;
mod declaration;
pub mod duration;
mod entries;
mod fault;
mod files;
mod front_matter;
pub mod glob;
mod graph;
mod keys;
mod mcpl_methods;
mod nearest;
mod plugin_points;
pub mod problem;
pub mod rule;
mod shield;
mod skill;
pub mod terminal;
mod variable;
mod vocabulary;

pub use aos_steps::{AOS_INPUTS, AOS_POINTS};
pub use declaration::{Declaration, declaration, hook_text, second_hook};
pub use fault::Fault;
pub use files::{files_below, is_markdown, slashed};
pub use front_matter::{Entry, FrontMatter, MAX_KEYS, ScalarText, Value, front_matter};
pub use graph::{Graph, GraphEdge, GraphPlace, GraphProblem, GraphState};
pub use keys::{KEYS, Key, Shape};
pub use mcpl_methods::{MCPL_POINTS, SENDERS};
pub use nearest::{distance, nearest};
pub use plugin_points::{PLUGIN_FIELDS, PLUGIN_INPUTS, PLUGIN_ITEMS, PLUGIN_POINTS, PLUGIN_ROOTS};
pub use shield::{escape_lines, one_line, quote_lines, shield, shield_turns};
pub use skill::{
    MAX_SKILL_BYTES, MAX_SKILL_DESCRIPTION, MAX_SKILL_FILES, SkillFront, hook_as_skill,
    is_skill_name, skill_front,
};
pub use variable::{Variable, Variables, variables};
pub use vocabulary::{
    AGENT_TOOL_KINDS, CONDITIONS, FEATURES, LIFECYCLE_POINTS, LIFECYCLES, PLUGIN_LISTS,
    PLUGIN_MODES, POSITIONS, POSTURES, REQUIREMENTS, STRENGTHS, TYPES, Vocabulary,
};

/// The longest hook text, in bytes (32 KiB).
pub const MAX_TEXT: usize = 32 * 1024;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
