//! What hooks declare, for those who bring it to a client in another way than the handshake.

use std::any::Any;

use rmcp::ServerHandler;

use super::Collected;
#[cfg(feature = "cli")]
use crate::guidance::RequirementLevel;
use crate::{
    guidance::{McpFeature, McpFeatures},
    lifecycle::{Declaration, Event, HookContent},
};

/// A declaration, and the hooks that it stands for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Declared {
    /// The ids of the hooks: one of a lifecycle hook, several where guidance is composed.
    pub hooks: Vec<String>,
    /// What is declared.
    pub declaration: Declaration,
}

/// A guidance hook as its author wrote it, where declarations hold compositions of several.
#[cfg(feature = "cli")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) name: String,
    pub(crate) level: RequirementLevel,
    /// `None` where a function of the server makes the text.
    pub(crate) text: Option<String>,
}

impl<H: ServerHandler> Collected<H> {
    /// The guidance hook with this id, as [`Declared::hooks`] has it.
    #[cfg(feature = "cli")]
    pub(crate) async fn guidance_hook(&self, id: &str) -> Option<Written> {
        self.guide().ok()??.written(id).await
    }

    /// What is declared to a client with these features, as if it had asked: the lifecycle hooks, then guidance.
    ///
    /// Without a server, guidance whose text is made when it fires is not there;
    /// [`needs_server`](Collected::needs_server) says whether some is.
    pub async fn declared(&self, features: McpFeatures, server: Option<&H>) -> Vec<Declared> {
        let declarations = &self.hooks.declarations;
        let mut all: Vec<Declared> = declarations
            .hooks()
            .map(|hook| Declared {
                hooks: vec![hook.id().to_owned()],
                declaration: hook.declaration(),
            })
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

    /// Whether what is declared for an event can only be said by a server: a context tool, or a text that is made when
    /// it fires.
    pub fn needs_server(&self, event: Event) -> bool {
        let by_tool = self.hooks.declarations.hooks().any(|hook| {
            let content = hook.declaration().content;
            hook.event() == event && matches!(content, HookContent::ContextTool { .. })
        });
        by_tool || self.makes_text(event)
    }

    /// Whether guidance at this event is made when it fires, by a function of the server.
    pub fn makes_text(&self, event: Event) -> bool {
        let guide = self.guide().ok().flatten();
        guide.is_some_and(|guide| guide.is_made_at(event))
    }
}
