//! The declarations of hooks, for code that passes them to a client in another way than the handshake.

use std::any::Any;

use rmcp::ServerHandler;

use hooks_core::Declared;
#[cfg(feature = "cli")]
use hooks_core::internal::ComposedText;

use super::Collected;
#[cfg(feature = "cli")]
use hooks_core::guidance::{RequirementLevel, ResolvedHook};
use hooks_core::{
    guidance::{self, McpFeature, McpFeatures, Skill},
    lifecycle::{Event, HookContent},
};

/// A guidance hook as its author wrote it. A declaration contains the composition of several such hooks.
#[cfg(feature = "cli")]
#[derive(Clone, Debug, PartialEq)]
pub struct AuthoredHook {
    /// Its name for people.
    pub name: String,
    /// Its requirement level.
    pub level: RequirementLevel,
    /// The text, or `None` if a function of the server makes it.
    pub text: Option<String>,
}

impl<H: ServerHandler> Collected<H> {
    /// Returns the skills that the hooks declare, in registry order. A server's own skills are not among them.
    pub fn skills(&self) -> Vec<Skill> {
        guidance::skills(&self.hooks.registry)
    }

    /// Returns the guidance hook with this id, as found in [`Declared::hooks`].
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub async fn guidance_hook(&self, id: &str) -> Option<AuthoredHook> {
        self.guide().ok()??.written(id).await
    }

    /// Returns the id and the moment of every guidance hook, declared or not.
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub fn guidance_moments(&self) -> Vec<(String, guidance::Moment)> {
        let guide = self.guide().ok().flatten();
        guide.map_or_else(Vec::new, |guide| guide.hooks())
    }

    /// Composes some of the texts of a declaration.
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub fn composed(&self, parts: &[&ComposedText]) -> String {
        let hooks: Vec<ResolvedHook<'_>> = parts
            .iter()
            .map(|part| ResolvedHook::new(&part.summary, part.text.clone()))
            .collect();
        match self.guide() {
            Ok(Some(guide)) => guide.composed_of(&hooks),
            _ => String::new(),
        }
    }

    /// Returns the declarations for a client with these features that reads all of them: the lifecycle hooks, then
    /// guidance.
    ///
    /// Without `server`, the result leaves out guidance whose text a function makes when it fires.
    /// [`needs_server`](Collected::needs_server) returns whether there is such guidance.
    pub async fn declared(&self, features: McpFeatures, server: Option<&H>) -> Vec<Declared> {
        let declarations = &self.hooks.declarations;
        let mut all: Vec<Declared> = declarations
            .hooks()
            .map(|hook| Declared::new(vec![hook.id().to_owned()], hook.declaration()))
            .collect();
        if let Ok(Some(guide)) = self.guide() {
            let server = server.map(|server| server as &(dyn Any + Send + Sync));
            let (guidance, _) = guide
                .declared(server, features.with(McpFeature::Tools), |_| true)
                .await;
            all.extend(guidance);
        }
        all
    }

    /// Returns whether the declarations for an event need a server: for a context tool, or for a text that a function
    /// makes when it fires.
    pub fn needs_server(&self, event: Event) -> bool {
        let by_tool = self.hooks.declarations.hooks().any(|hook| {
            let content = hook.declaration().content;
            hook.event() == event && matches!(content, HookContent::ContextTool { .. })
        });
        by_tool || self.makes_text(event)
    }

    /// Returns whether a function of the server makes a guidance text at this event when it fires.
    pub fn makes_text(&self, event: Event) -> bool {
        let guide = self.guide().ok().flatten();
        guide.is_some_and(|guide| guide.is_made_at(event))
    }
}
