//! A checked definition, with its computed id.

use std::{ops::Deref, sync::Arc};

use serde::{Serialize, Serializer};

use super::{
    HookInput, HookQuery, InvalidHook, LoadError, RequirementLevel,
    composed::HookSummary,
    files::{FileName, below},
    text::Text,
};

/// The default app.
pub const DEFAULT_APP: &str = "mcp-toolkit";

/// The default priority.
pub const DEFAULT_PRIORITY: i64 = 50;

/// A hook in the registry: checked, with its defaults, and immutable. What its author said of it is in the fields of its
/// [`HookInput`].
///
/// Serializes as the document's JSON, with its `id`.
///
/// Implements the Hooks System document, "Hook Definition Schema".
#[derive(Clone, Debug, Serialize)]
pub struct HookDefinition {
    #[serde(rename = "id", serialize_with = "id")]
    summary: Arc<HookSummary>,
    #[serde(flatten)]
    input: HookInput,
    /// Its file below the folder of texts; `None` if that leads out of it.
    #[serde(skip)]
    pub(super) file: Option<FileName>,
    #[serde(skip)]
    text: Option<Arc<Text>>,
    #[serde(skip)]
    conditional: bool,
}

impl HookDefinition {
    /// Checks an author's definition; `app` is the default app.
    ///
    /// # Errors
    ///
    /// Every rule of the document that the definition breaks.
    pub fn new(input: HookInput, app: &str) -> Result<HookDefinition, InvalidHook> {
        let mut input = input;
        let app = &*input.app.get_or_insert_with(|| app.to_owned().into());
        let id = format!(
            "{app}:{}:{}:{}",
            input.hook_type, input.lifecycle, input.tag
        );
        let priority = *input.priority.get_or_insert(DEFAULT_PRIORITY);
        input.check()?;
        let file = match input.content_file.as_deref() {
            None | Some("") => Some(format!("{}.md", input.tag)),
            Some(file) => below(file),
        };
        let text = input.text.as_deref();
        let conditions = input.conditions.as_ref();
        Ok(HookDefinition {
            summary: Arc::new(HookSummary::new(
                id,
                &*input.name,
                input.requirement_level,
                priority,
            )),
            file: file.map(FileName::new),
            text: text.map(|text| Arc::new(Text::new(text, None))),
            conditional: conditions.is_some_and(|conditions| !conditions.is_empty()),
            input,
        })
    }

    /// Returns the id: `app:type:lifecycle:tag`.
    pub fn id(&self) -> &str {
        &self.summary.id
    }

    /// Returns the app prefix.
    pub fn app(&self) -> &str {
        self.input.app.as_deref().unwrap_or_default()
    }

    /// Returns the human-readable name.
    pub fn name(&self) -> &str {
        &self.summary.name
    }

    /// How strongly its text binds.
    pub fn requirement_level(&self) -> RequirementLevel {
        self.summary.requirement_level
    }

    /// Returns the order within its level, higher first.
    pub fn priority(&self) -> i64 {
        self.summary.priority
    }

    /// Its id, name, level and priority, as they stand in a composed result.
    pub fn summary(&self) -> &Arc<HookSummary> {
        &self.summary
    }

    /// Returns the hook's file below the folder of texts.
    pub(super) fn file(&self) -> Result<&FileName, LoadError> {
        let named = self.content_file.as_deref().unwrap_or_default();
        self.file
            .as_ref()
            .ok_or_else(|| LoadError::Outside(named.into()))
    }

    pub(super) fn text(&self) -> Option<&Arc<Text>> {
        self.text.as_ref()
    }

    pub(super) fn conditions_hold(&self, query: &HookQuery<'_>) -> bool {
        !self.conditional
            || self
                .conditions
                .as_ref()
                .is_none_or(|conditions| conditions.hold(query))
    }

    /// Returns whether it is tied to no request and no session.
    pub(super) fn is_free(&self) -> bool {
        let bound = [&self.request_id, &self.session_id];
        bound.into_iter().flatten().all(|id| id.is_empty())
    }
}

impl Deref for HookDefinition {
    type Target = HookInput;

    /// Returns what the author said, with the app and the priority filled in.
    fn deref(&self) -> &HookInput {
        &self.input
    }
}

fn id<S: Serializer>(summary: &Arc<HookSummary>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&summary.id)
}
