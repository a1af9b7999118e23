//! A checked definition, with its computed id.

use std::{borrow::Cow, ops::Deref, sync::Arc};

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{
    HookInput, HookQuery, InvalidHook, RequirementLevel,
    composed::HookSummary,
    text::{FileName, Text},
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
#[derive(Clone, Debug)]
pub struct HookDefinition {
    summary: Arc<HookSummary>,
    app: Cow<'static, str>,
    input: HookInput,
    file: FileName,
    text: Option<Arc<Text>>,
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
        let app = input.app.take().unwrap_or_else(|| app.to_owned().into());
        input.app = Some(app.clone());
        input.check()?;
        let id = format!(
            "{app}:{}:{}:{}",
            input.hook_type, input.lifecycle, input.tag
        );
        let priority = input.priority.unwrap_or(DEFAULT_PRIORITY);
        let file = match input.content_file.as_deref() {
            None | Some("") => FileName::new(&format!("{}.md", input.tag)),
            Some(file) => FileName::new(file),
        };
        Ok(HookDefinition {
            summary: Arc::new(HookSummary::new(
                id,
                &*input.name,
                input.requirement_level,
                priority,
            )),
            app,
            file,
            text: input
                .text
                .as_deref()
                .map(|text| Arc::new(Text::new(text, None))),
            conditional: input
                .conditions
                .as_ref()
                .is_some_and(|conditions| !conditions.is_empty()),
            input,
        })
    }

    /// Returns the id: `app:type:lifecycle:tag`.
    pub fn id(&self) -> &str {
        &self.summary.id
    }

    /// Returns the app prefix.
    pub fn app(&self) -> &str {
        &self.app
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

    pub(super) fn file(&self) -> &FileName {
        &self.file
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

    /// Returns what the author said, with the app filled in.
    fn deref(&self) -> &HookInput {
        &self.input
    }
}

impl Serialize for HookDefinition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("id", self.id())?;
        members.serialize_entry("app", self.app())?;
        members.serialize_entry("tag", &self.tag)?;
        members.serialize_entry("type", &self.hook_type)?;
        members.serialize_entry("lifecycle", &self.lifecycle)?;
        members.serialize_entry("name", self.name())?;
        if let Some(description) = &self.description {
            members.serialize_entry("description", description)?;
        }
        members.serialize_entry("requirementLevel", &self.requirement_level())?;
        members.serialize_entry("priority", &self.priority())?;
        if let Some(file) = &self.content_file {
            members.serialize_entry("contentFile", file)?;
        }
        if let Some(conditions) = &self.conditions {
            members.serialize_entry("conditions", conditions)?;
        }
        if let Some(id) = &self.request_id {
            members.serialize_entry("requestId", id)?;
        }
        if let Some(id) = &self.session_id {
            members.serialize_entry("sessionId", id)?;
        }
        members.serialize_entry("tags", &self.tags)?;
        members.serialize_entry("blocking", &self.blocking)?;
        members.serialize_entry("dependencies", &self.dependencies)?;
        members.end()
    }
}
