//! Taking in what a server declared: the good ones are kept, the bad ones named.

use std::{cmp::Reverse, sync::Arc};

use serde_json::Value;
use thiserror::Error;

use super::{Approval, Held, LifecycleHost};
use crate::{
    core::Open,
    lifecycle::{Declaration, Event, Problem, negotiation::strength, problem::NO_KNOWN_CONDITION},
};

/// What became of a server's declarations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registration {
    /// How many were kept.
    pub kept: usize,
    /// Those that were not.
    pub refused: Vec<Refused>,
}

/// A declaration that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// Its place in the server's `declarations`, from 0.
    pub index: usize,
    /// Why.
    pub why: DeclarationRefusal,
}

/// Why a declaration was not kept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeclarationRefusal {
    /// It does not have the document's shape.
    #[error("malformed: {0}")]
    Malformed(String),
    /// It breaks a rule of the document.
    #[error("{0}")]
    Broken(Problem),
    /// It is for an event that this version does not know.
    #[error("`{0}` is not a known event")]
    UnknownEvent(Box<str>),
    /// The server declared more than the policy keeps.
    #[error("the server declares more hooks than the policy allows")]
    TooMany,
}

impl LifecycleHost {
    /// Takes in a server's hooks capability, in place of what it declared before.
    ///
    /// `server` is the client's own name for the connection, never one that the server chose: trust hangs
    /// on it. A capability that is no object, or that has no list of `declarations`, declares nothing. A
    /// hook that is declared again keeps its cool-down.
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

    /// Forgets a server's hooks, as when its connection is gone.
    pub fn remove(&mut self, server: &str) {
        self.hooks.retain(|held| *held.server != *server);
        self.servers.retain(|name| **name != *server);
        self.settle();
    }

    /// The declarations that wait for the user, each as the approval that would let it fire.
    pub fn pending(&self) -> impl Iterator<Item = Approval> {
        self.hooks
            .iter()
            .filter(|held| !held.approved)
            .map(|held| Approval::new(&*held.server, held.declaration.clone()))
    }

    /// Enters the user's approval.
    pub fn approve(&mut self, approval: Approval) {
        for held in &mut self.hooks {
            held.approved |=
                *held.server == *approval.server && held.declaration == approval.declaration;
        }
        if !self.policy.approved.contains(&approval) {
            self.policy.approved.push(approval);
        }
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
        let declared = strength(&declaration.priority);
        Held {
            key,
            server: Arc::clone(server),
            index,
            event,
            declared,
            priority: self.policy.effective(server, declared),
            approved: self.policy.approves(server, declared, &declaration),
            declaration,
        }
    }

    /// Puts the hooks into firing order: the strongest first, then by server and place.
    fn settle(&mut self) {
        let servers = &self.servers;
        self.hooks.sort_by_key(|held| {
            let server = servers.iter().position(|name| *name == held.server);
            (Reverse(held.priority), server, held.index)
        });
        let hooks = &self.hooks;
        super::fire::books(&self.pace).keep(|key| hooks.iter().any(|held| held.key == key));
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

/// A matcher whose members are all unknown or `null`: with none of them read, the hook would fire at every tool.
fn narrows_nothing(sent: &Value, declaration: &Declaration) -> Option<Problem> {
    let members = sent.get("matcher")?.as_object()?;
    let read = declaration
        .matcher
        .as_ref()
        .is_some_and(|matcher| !matcher.is_empty());
    (!members.is_empty() && !read).then_some(NO_KNOWN_CONDITION)
}
