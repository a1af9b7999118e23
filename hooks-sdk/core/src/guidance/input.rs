//! A definition as its author wrote it, before defaults and checks.

use std::{borrow::Cow, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Conditions, HookType, InvalidHook, Lifecycle, McpFeature, Moment, RequirementLevel,
    issue::Issue, read::integer, rule,
};
use crate::{Problem, macros::setters, object::present};

/// An author's definition of a hook. The registry adds the defaults and computes the id.
///
/// ```
/// use hooks_sdk::guidance::{HookInput, HookType, Lifecycle, RequirementLevel};
///
/// let welcome = HookInput::new(HookType::Session, Lifecycle::Start, "welcome", "Welcome", RequirementLevel::Should)
///     .priority(60)
///     .requires_storage(["memory"]);
/// ```
///
/// Reading it by serde alone checks no rules: `HookInput::try_from` a JSON value does, and returns every member that is wrong.
///
/// Implements the Hooks System document, "Hook Definition Schema". The members `session_id`, `tags`,
/// `blocking` and `dependencies` are from the reference implementation; `tool`, `text` and `required` from this SDK, and not
/// in the JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookInput {
    /// The app prefix. Default: the registry's.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub app: Option<Cow<'static, str>>,
    /// A machine-friendly id, safe in file names: one or more of `[a-z0-9-]`.
    pub tag: Cow<'static, str>,
    /// The `type`: what the hook is about.
    #[serde(rename = "type")]
    pub hook_type: HookType,
    /// When it fires.
    pub lifecycle: Lifecycle,
    /// A human-readable name.
    pub name: Cow<'static, str>,
    /// What this hook provides.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<Cow<'static, str>>,
    /// How strongly its text binds.
    pub requirement_level: RequirementLevel,
    /// The order within its level, higher first. Default: 50.
    #[serde(
        default,
        deserialize_with = "integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub priority: Option<i64>,
    /// The file with its text. Default: `<tag>.md`.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub content_file: Option<Cow<'static, str>>,
    /// The conditions under which it is included.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub conditions: Option<Conditions>,
    /// The MCP request that it is bound to.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub request_id: Option<Cow<'static, str>>,
    /// The session that it is bound to.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub session_id: Option<Cow<'static, str>>,
    /// Words for searching.
    #[serde(default)]
    pub tags: Vec<Cow<'static, str>>,
    /// Whether the requested work comes before other work. Only for readers of the definition: nothing is refused.
    #[serde(default)]
    pub blocking: bool,
    /// The ids of hooks whose work comes first. Only for readers of the definition: nothing is sorted by them.
    #[serde(default)]
    pub dependencies: Vec<Cow<'static, str>>,
    /// The glob of the tools that an action hook is about.
    #[serde(skip)]
    pub tool: Option<Cow<'static, str>>,
    /// Its text, if the text is not in a file that a loader reads.
    #[serde(skip)]
    pub text: Option<Arc<str>>,
    /// Whether it is declared with the priority `required`.
    #[serde(skip)]
    pub required: bool,
}

impl HookInput {
    /// Makes a definition without conditions, with the text in `<tag>.md`.
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

    /// Makes a placeholder for a file without a readable hook.
    pub(super) fn nothing(file: &'static str) -> HookInput {
        let level = RequirementLevel::May;
        HookInput::new(HookType::Session, Lifecycle::Start, file, file, level)
    }

    setters! {
        /// Sets the app prefix.
        fn app(mut self, app: impl Into<Cow<'static, str>>) { self.app = Some(app.into()) }

        /// Sets the description: what the hook provides.
        fn description(mut self, description: impl Into<Cow<'static, str>>) {
            self.description = Some(description.into());
        }

        /// Sets the order within its level, higher first.
        fn priority(mut self, priority: i64) { self.priority = Some(priority) }

        /// Sets the file with its text.
        fn content_file(mut self, file: impl Into<Cow<'static, str>>) { self.content_file = Some(file.into()) }

        /// Includes it only if one of these storage backends is active.
        fn requires_storage<S: Into<Cow<'static, str>>>(mut self, storage: impl IntoIterator<Item = S>) {
            let conditions = self.conditions.get_or_insert_default();
            conditions.requires_storage = Some(storage.into_iter().map(Into::into).collect());
        }

        /// Includes it only if all of these features are available.
        fn requires_features(mut self, features: impl IntoIterator<Item = McpFeature>) {
            let conditions = self.conditions.get_or_insert_default();
            conditions.requires_features = Some(features.into_iter().collect());
        }

        /// Includes it only if the configuration has all of these values.
        fn requires_config(mut self, config: Map<String, Value>) {
            self.conditions.get_or_insert_default().requires_config = Some(config);
        }

        /// Binds it to an MCP request.
        fn request_id(mut self, id: impl Into<Cow<'static, str>>) { self.request_id = Some(id.into()) }

        /// Binds it to a session.
        fn session_id(mut self, id: impl Into<Cow<'static, str>>) { self.session_id = Some(id.into()) }

        /// Sets the words for searching.
        fn tags<S: Into<Cow<'static, str>>>(mut self, tags: impl IntoIterator<Item = S>) {
            self.tags = tags.into_iter().map(Into::into).collect();
        }

        /// Sets whether the requested work comes before other work. The value is kept and shown. To refuse calls, use a
        /// session machine.
        fn blocking(mut self, blocking: bool) { self.blocking = blocking }

        /// Sets the ids of hooks whose work comes first. They are kept and shown; nothing is sorted by them.
        fn dependencies<S: Into<Cow<'static, str>>>(mut self, ids: impl IntoIterator<Item = S>) {
            self.dependencies = ids.into_iter().map(Into::into).collect();
        }

        /// Sets the glob of the tools that an action hook is about.
        fn tool(mut self, glob: impl Into<Cow<'static, str>>) { self.tool = Some(glob.into()) }

        /// Sets the text, so that no file is read.
        fn text(mut self, text: impl Into<Arc<str>>) { self.text = Some(text.into()) }

        /// Sets whether it is declared with the priority `required`. Otherwise, `MUST` and `MUST NOT` are declared as
        /// `important`, and the other levels as `suggestion`.
        fn required(mut self, required: bool) { self.required = required }
    }

    /// Returns the moment at which it fires.
    pub fn moment(&self) -> Moment {
        Moment::new(self.hook_type, self.lifecycle)
    }

    /// Checks the values.
    ///
    /// # Errors
    ///
    /// Every rule of the document that a value breaks.
    pub fn check(&self) -> Result<(), InvalidHook> {
        InvalidHook::check(self.issues().collect())
    }

    /// Returns the broken rules as issues.
    pub(super) fn issues(&self) -> impl Iterator<Item = Issue> {
        let broken = self.broken();
        broken.map(|(key, problem)| Issue::new(&[key.into()], problem.message()))
    }

    /// Returns the broken rules, each with the key of its value.
    pub(super) fn broken(&self) -> impl Iterator<Item = (&'static str, Problem)> {
        let app = self.app.as_deref().and_then(rule::app);
        let tool = self.tool.as_deref();
        let rules = [
            ("app", app),
            ("tag", rule::tag(&self.tag)),
            ("name", rule::name(&self.name)),
            (
                "tool",
                tool.and_then(|tool| rule::tool(self.hook_type.as_str(), tool)),
            ),
        ];
        rules
            .into_iter()
            .filter_map(|(key, broken)| Some((key, broken?)))
    }
}
