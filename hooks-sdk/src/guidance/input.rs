//! A definition as an author gives it, before defaults and checks.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value};

use super::{
    Conditions, HookType, InvalidHook, Lifecycle, McpFeature, RequirementLevel, issue::Issue, rule,
};
use crate::core::Problem;

/// What an author says of a hook; the registry fills in the rest and computes its id.
///
/// ```
/// use hooks_sdk::guidance::{HookInput, HookType, Lifecycle, RequirementLevel};
///
/// let welcome = HookInput::new(HookType::Session, Lifecycle::Start, "welcome", "Welcome", RequirementLevel::Should)
///     .priority(60)
///     .requires_storage(["memory"]);
/// ```
///
/// Implements the Hooks System document, "Hook Definition Schema". The members `session_id`, `tags`,
/// `blocking` and `dependencies` are the reference implementation's; `tool`, `text` and `required` are ours.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HookInput {
    /// The app prefix; otherwise the registry's.
    pub app: Option<Cow<'static, str>>,
    /// A machine-friendly id, safe in file names: one or more of `[a-z0-9-]`.
    pub tag: Cow<'static, str>,
    /// What the hook is about: `type`.
    pub hook_type: HookType,
    /// When it fires.
    pub lifecycle: Lifecycle,
    /// A human-readable name.
    pub name: Cow<'static, str>,
    /// What this hook provides.
    pub description: Option<Cow<'static, str>>,
    /// How strongly its text binds.
    pub requirement_level: RequirementLevel,
    /// The order within its level, higher first; 50 when not given.
    pub priority: Option<i64>,
    /// The file with its text; `<tag>.md` when not given.
    pub content_file: Option<Cow<'static, str>>,
    /// When it is included.
    pub conditions: Option<Conditions>,
    /// The MCP request it is tied to.
    pub request_id: Option<Cow<'static, str>>,
    /// The session it is tied to.
    pub session_id: Option<Cow<'static, str>>,
    /// Words to find it by.
    pub tags: Vec<Cow<'static, str>>,
    /// Whether what it asks comes before other work, for those who read the definition: nothing is refused for it.
    pub blocking: bool,
    /// The ids of hooks whose work comes first, for those who read the definition: nothing is ordered by them.
    pub dependencies: Vec<Cow<'static, str>>,
    /// The glob of the tools that an action hook is about.
    pub tool: Option<Cow<'static, str>>,
    /// Its text, when it is not in a file that a loader reads.
    pub text: Option<Arc<str>>,
    /// Whether clients that read declared hooks are told that it is `required`.
    pub required: bool,
}

impl HookInput {
    /// A hook without conditions whose text is in `<tag>.md`.
    pub fn new(
        hook_type: HookType,
        lifecycle: Lifecycle,
        tag: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        requirement_level: RequirementLevel,
    ) -> HookInput {
        HookInput {
            app: None,
            tag: tag.into(),
            hook_type,
            lifecycle,
            name: name.into(),
            description: None,
            requirement_level,
            priority: None,
            content_file: None,
            conditions: None,
            request_id: None,
            session_id: None,
            tags: Vec::new(),
            blocking: false,
            dependencies: Vec::new(),
            tool: None,
            text: None,
            required: false,
        }
    }

    /// Stands for a file in which no hook could be read.
    pub(super) fn nothing(file: &'static str) -> HookInput {
        let level = RequirementLevel::May;
        HookInput::new(HookType::Session, Lifecycle::Start, file, file, level)
    }

    /// Sets the app prefix.
    #[must_use]
    pub fn app(mut self, app: impl Into<Cow<'static, str>>) -> HookInput {
        self.app = Some(app.into());
        self
    }

    /// Says what the hook provides.
    #[must_use]
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> HookInput {
        self.description = Some(description.into());
        self
    }

    /// Sets the order within its level, higher first.
    #[must_use]
    pub fn priority(mut self, priority: i64) -> HookInput {
        self.priority = Some(priority);
        self
    }

    /// Names the file with its text.
    #[must_use]
    pub fn content_file(mut self, file: impl Into<Cow<'static, str>>) -> HookInput {
        self.content_file = Some(file.into());
        self
    }

    /// Includes it only if one of these storage backends is active.
    #[must_use]
    pub fn requires_storage<S: Into<Cow<'static, str>>>(
        mut self,
        storage: impl IntoIterator<Item = S>,
    ) -> HookInput {
        let conditions = self.conditions.get_or_insert_default();
        conditions.requires_storage = Some(storage.into_iter().map(Into::into).collect());
        self
    }

    /// Includes it only if all of these features are available.
    #[must_use]
    pub fn requires_features(
        mut self,
        features: impl IntoIterator<Item = McpFeature>,
    ) -> HookInput {
        let conditions = self.conditions.get_or_insert_default();
        conditions.requires_features = Some(features.into_iter().collect());
        self
    }

    /// Includes it only if the configuration has all of these values.
    #[must_use]
    pub fn requires_config(mut self, config: Map<String, Value>) -> HookInput {
        self.conditions.get_or_insert_default().requires_config = Some(config);
        self
    }

    /// Ties it to an MCP request.
    #[must_use]
    pub fn request_id(mut self, id: impl Into<Cow<'static, str>>) -> HookInput {
        self.request_id = Some(id.into());
        self
    }

    /// Ties it to a session.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<Cow<'static, str>>) -> HookInput {
        self.session_id = Some(id.into());
        self
    }

    /// Gives it words to be found by.
    #[must_use]
    pub fn tags<S: Into<Cow<'static, str>>>(
        mut self,
        tags: impl IntoIterator<Item = S>,
    ) -> HookInput {
        self.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// Says whether what it asks comes before other work. This is kept and shown; a
    /// [`Workflow`](super::Workflow) or a session machine refuses what has to wait.
    #[must_use]
    pub fn blocking(mut self, blocking: bool) -> HookInput {
        self.blocking = blocking;
        self
    }

    /// Names the ids of hooks whose work comes first. They are kept and shown, and order nothing.
    #[must_use]
    pub fn dependencies<S: Into<Cow<'static, str>>>(
        mut self,
        ids: impl IntoIterator<Item = S>,
    ) -> HookInput {
        self.dependencies = ids.into_iter().map(Into::into).collect();
        self
    }

    /// Names the tools, as a glob, that an action hook is about.
    #[must_use]
    pub fn tool(mut self, glob: impl Into<Cow<'static, str>>) -> HookInput {
        self.tool = Some(glob.into());
        self
    }

    /// Gives it its text, so that no file is read.
    #[must_use]
    pub fn text(mut self, text: impl Into<Arc<str>>) -> HookInput {
        self.text = Some(text.into());
        self
    }

    /// Says whether clients that read declared hooks are told that it is `required`; otherwise a `MUST` or
    /// `MUST NOT` is `important` to them, and every other level a `suggestion`.
    #[must_use]
    pub fn required(mut self, required: bool) -> HookInput {
        self.required = required;
        self
    }

    /// Checks the values.
    ///
    /// # Errors
    ///
    /// Every rule of the document that one of them breaks.
    pub fn check(&self) -> Result<(), InvalidHook> {
        let issues = self.broken();
        InvalidHook::check(
            issues
                .map(|(key, problem)| Issue::new(&[key.into()], problem.message()))
                .collect(),
        )
    }

    /// The rules that a value breaks, each with the value's key.
    pub(super) fn broken(&self) -> impl Iterator<Item = (&'static str, Problem)> {
        let app = self.app.as_deref().and_then(rule::app);
        let tool = self.tool.as_deref();
        let rules = [
            ("app", app),
            ("tag", rule::tag(&self.tag)),
            ("name", rule::name(&self.name)),
            (
                "tool",
                tool.and_then(|tool| rule::tool(self.hook_type, tool)),
            ),
        ];
        rules
            .into_iter()
            .filter_map(|(key, broken)| Some((key, broken?)))
    }
}
