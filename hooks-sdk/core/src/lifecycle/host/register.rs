//! The registration of a server's declarations: valid declarations are kept, the others are reported.

use std::{cmp::Reverse, sync::Arc};

use serde_json::Value;
use thiserror::Error;

use super::{Held, LifecycleHost};
use crate::{
    Open,
    lifecycle::{Declaration, Event, Problem, negotiation::strength, problem::NO_KNOWN_CONDITION},
    lock::lock,
};

/// The result of registering a server's declarations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registration {
    /// The number of declarations that were kept.
    pub kept: usize,
    /// The declarations that were refused.
    pub refused: Vec<Refused>,
}

/// A refused declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// Its index in the server's `declarations`, from 0.
    pub index: usize,
    /// The reason.
    pub why: DeclarationRefusal,
}

/// Why a declaration was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeclarationRefusal {
    /// It does not have the document's shape.
    #[error("malformed: {0}")]
    Malformed(String),
    /// It breaks a rule of the document.
    #[error("{0}")]
    Broken(Problem),
    /// Its event is unknown to this version.
    #[error("`{0}` is not a known event")]
    UnknownEvent(Box<str>),
    /// The server declared more hooks than the policy allows.
    #[error("the server declares more hooks than the policy allows")]
    TooMany,
}

impl LifecycleHost {
    /// Registers a server's hooks capability, and replaces the server's earlier declarations.
    ///
    /// Register only a server that the user trusts: its context tools are called, which tells it what the agent does, and
    /// its `required` hooks are strongest. `server` is the client's own name for the connection, never a name that the
    /// server chose: texts are shown under it. A capability that is not an object, or that has no list of `declarations`, declares nothing.
    /// A hook that is declared again keeps its cool-down.
    pub fn register(&mut self, server: &str, capability: &Value) -> Registration {
        let name = self.name(server);
        let before: Vec<Held> = self
            .hooks
            .extract_if(.., |held| *held.server == *name)
            .collect();
        let mut registration = Registration::default();
        for (index, sent) in declarations(capability).iter().enumerate() {
            let judged = if registration.kept < self.policy.max_declarations {
                judge(sent)
            } else {
                Err(DeclarationRefusal::TooMany)
            };
            match judged {
                Ok((event, declaration)) => {
                    let held = self.hold(&name, index, event, declaration, &before);
                    self.hooks.push(held);
                    registration.kept += 1;
                }
                Err(why) => registration.refused.push(Refused { index, why }),
            }
        }
        self.settle();
        registration
    }

    /// Removes a server's hooks, for example when its connection ends.
    pub fn remove(&mut self, server: &str) {
        self.hooks.retain(|held| *held.server != *server);
        self.servers.retain(|name| **name != *server);
        self.settle();
    }

    fn name(&mut self, server: &str) -> Arc<str> {
        if let Some(name) = self.servers.iter().find(|name| ***name == *server) {
            return Arc::clone(name);
        }
        let name: Arc<str> = server.into();
        self.servers.push(Arc::clone(&name));
        name
    }

    fn hold(
        &mut self,
        server: &Arc<str>,
        index: usize,
        event: Event,
        declaration: Declaration,
        before: &[Held],
    ) -> Held {
        let known = before.iter().find(|held| held.declaration == declaration);
        let key = known.map(|held| held.key).unwrap_or_else(|| {
            self.next_key += 1;
            self.next_key
        });
        Held {
            key,
            server: Arc::clone(server),
            index,
            event,
            strength: strength(&declaration.strength),
            declaration,
        }
    }

    /// Sorts the hooks into firing order: by strength, then by server, then by index.
    fn settle(&mut self) {
        let servers = &self.servers;
        self.hooks.sort_by_key(|held| {
            let server = servers.iter().position(|name| *name == held.server);
            (Reverse(held.strength), server, held.index)
        });
        let hooks = &self.hooks;
        lock(&self.pace).keep(|key| hooks.iter().any(|held| held.key == key));
    }
}

fn declarations(capability: &Value) -> &[Value] {
    capability
        .get("declarations")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn judge(sent: &Value) -> Result<(Event, Declaration), DeclarationRefusal> {
    let declaration: Declaration = serde_json::from_value(sent.clone())
        .map_err(|error| DeclarationRefusal::Malformed(error.to_string()))?;
    let event = match &declaration.event {
        Open::Known(event) => *event,
        Open::Other(word) => return Err(DeclarationRefusal::UnknownEvent(word.clone())),
    };
    let problem = declaration
        .problem()
        .or_else(|| narrows_nothing(sent, &declaration));
    match problem {
        Some(problem) => Err(DeclarationRefusal::Broken(problem)),
        None => Ok((event, declaration)),
    }
}

/// Returns whether all members of a matcher are unknown or `null`: without a known member, the hook would fire at
/// every tool.
fn narrows_nothing(sent: &Value, declaration: &Declaration) -> Option<Problem> {
    let members = sent.get("matcher")?.as_object()?;
    let read = declaration
        .matcher
        .as_ref()
        .is_some_and(|matcher| !matcher.is_empty());
    (!members.is_empty() && !read).then_some(NO_KNOWN_CONDITION)
}
