//! A tool that is a step besides: it stores memory, or retrieves memory or knowledge.

use std::{any::Any, borrow::Cow};

use hooks_text::condition::parse_path;

use super::point::PROTOCOL;
use hooks_core::{
    Origin, Owner,
    condition::ConditionError,
    internal::{Path, entry, setters, words},
};

/// A tool whose calls are a step of memory or of knowledge: this protocol's part of a [`Hook`](hooks_core::Hook).
///
/// The attributes `memory_store`, `memory_retrieval` and
/// `knowledge` make one. These constructors do it by hand.
///
/// ```
/// use hooks_sdk::{aos::ToolStep, core::Registry};
///
/// struct Notes;
///
/// let registry = Registry::builder()
///     .add(ToolStep::memory_store::<Notes>("save", "args.text").into())
///     .add(ToolStep::knowledge::<Notes>("search").query("args.q").into())
///     .build()?;
/// # assert!(registry.get("aos:tool:memory_store:save").is_some());
/// # assert_eq!(hooks_sdk::aos::problems(&registry), []);
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// Its id in the core's registry is `aos:tool:kind:name`. A path is one of a
/// [condition](mod@hooks_core::condition): `args.a.b` leads to an argument, `result.structuredContent.rows[*].text` into
/// the result.
#[derive(Clone, Debug)]
pub struct ToolStep {
    tool: Cow<'static, str>,
    kind: ToolStepKind,
    content: Option<StepPath>,
    query: Option<StepPath>,
    keywords: Option<StepPath>,
    owner: Owner,
    origin: Origin,
}

words! {
    /// What a tool does besides.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ToolStepKind: "Returns the name of the attribute." {
        /// It stores memory: a guardian is asked before the tool runs.
        MemoryStore = "memory_store",
        /// It retrieves memory: a guardian is asked after the tool ran.
        MemoryRetrieval = "memory_retrieval",
        /// It retrieves knowledge: a guardian is asked after the tool ran.
        Knowledge = "knowledge",
    }
}

/// A path as its author wrote it. Start-up reports what is wrong with it.
#[derive(Clone, Debug)]
pub(super) struct StepPath {
    pub(super) written: Cow<'static, str>,
    pub(super) read: Result<Path, ConditionError>,
}

impl StepPath {
    fn new(written: Cow<'static, str>) -> StepPath {
        let read = parse_path(&written);
        StepPath { written, read }
    }
}

impl ToolStep {
    #[track_caller]
    fn new<H: Any>(kind: ToolStepKind, tool: Cow<'static, str>) -> ToolStep {
        ToolStep {
            tool,
            kind,
            content: None,
            query: None,
            keywords: None,
            owner: Owner::of::<H>(),
            origin: Origin::here(),
        }
    }

    /// The tool of the server `H` stores memory. The path leads to the argument with it, such as `args.text`.
    #[track_caller]
    pub fn memory_store<H: Any>(
        tool: impl Into<Cow<'static, str>>,
        content: impl Into<Cow<'static, str>>,
    ) -> ToolStep {
        ToolStep::new::<H>(ToolStepKind::MemoryStore, tool.into()).content(content)
    }

    /// The tool of the server `H` retrieves memory: each text of its result.
    #[track_caller]
    pub fn memory_retrieval<H: Any>(tool: impl Into<Cow<'static, str>>) -> ToolStep {
        ToolStep::new::<H>(ToolStepKind::MemoryRetrieval, tool.into())
    }

    /// The tool of the server `H` retrieves knowledge: each text of its result.
    #[track_caller]
    pub fn knowledge<H: Any>(tool: impl Into<Cow<'static, str>>) -> ToolStep {
        ToolStep::new::<H>(ToolStepKind::Knowledge, tool.into())
    }

    setters! {
        /// Sets the path to the memory or the knowledge. Without it, that is each text block of the result.
        fn content(mut self, path: impl Into<Cow<'static, str>>) { self.content = Some(StepPath::new(path.into())) }

        /// For knowledge: sets the path to the argument with the query.
        fn query(mut self, path: impl Into<Cow<'static, str>>) { self.query = Some(StepPath::new(path.into())) }

        /// For knowledge: sets the path to the argument with the keywords.
        fn keywords(mut self, path: impl Into<Cow<'static, str>>) { self.keywords = Some(StepPath::new(path.into())) }
    }

    /// Returns the tool's name on the wire.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns what the tool does besides.
    pub fn kind(&self) -> ToolStepKind {
        self.kind
    }

    /// Returns the keys that have a path, with each path as its author wrote it.
    pub fn paths(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.its_paths().map(|(key, path)| (key, &*path.written))
    }

    pub(super) fn its_paths(&self) -> impl Iterator<Item = (&'static str, &StepPath)> {
        [
            ("content", &self.content),
            ("query", &self.query),
            ("keywords", &self.keywords),
        ]
        .into_iter()
        .filter_map(|(key, path)| Some((key, path.as_ref()?)))
    }

    /// Returns where the tool was tied to the step.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the path to the memory or the knowledge: below `args` for a store, otherwise below `result`. `None` is
    /// each text block of the result.
    #[doc(hidden)]
    pub fn its_content(&self) -> Option<&Path> {
        read(self.content.as_ref())
    }

    /// Returns the path to the query, below `args`.
    #[doc(hidden)]
    pub fn its_query(&self) -> Option<&Path> {
        read(self.query.as_ref())
    }

    /// Returns the path to the keywords, below `args`.
    #[doc(hidden)]
    pub fn its_keywords(&self) -> Option<&Path> {
        read(self.keywords.as_ref())
    }
}

/// Returns the path. A path that cannot be read was an error at start-up.
fn read(path: Option<&StepPath>) -> Option<&Path> {
    path?.read.as_ref().ok()
}

entry!(ToolStep: PROTOCOL, |step| "tools/call", format!("{PROTOCOL}:tool:{}:{}", step.kind.as_str(), step.tool));
