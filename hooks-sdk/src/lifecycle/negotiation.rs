//! What client and server say to each other about hooks when they meet.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Declaration, Event, LifecycleHook, Priority};
use crate::core::{Open, Registry};

/// What a client says: the events that it supports.
///
/// Implements SEP-2282, "Capability negotiation".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClientHooksCapability {
    /// The events that the client supports.
    pub supported_events: Vec<Open<Event>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ClientHooksCapability {
    /// A client that supports `events`.
    pub fn new(events: impl IntoIterator<Item = Event>) -> ClientHooksCapability {
        ClientHooksCapability {
            supported_events: events.into_iter().map(Open::from).collect(),
            other: Map::new(),
        }
    }

    /// Reads what a client sent, whatever it sent: `None`, as if nothing was declared, when it is no object.
    ///
    /// In an object, `supported_events` that are missing or no list are none, and an entry that is no
    /// string is passed over.
    pub fn read(value: &Value) -> Option<ClientHooksCapability> {
        value.as_object().map(ClientHooksCapability::read_object)
    }

    /// Reads a client's object, whatever its members are, as [`read`](Self::read) does.
    pub fn read_object(object: &Map<String, Value>) -> ClientHooksCapability {
        let mut other = object.clone();
        let supported_events = match other.remove("supported_events") {
            Some(Value::Array(words)) => words
                .into_iter()
                .filter_map(|word| serde_json::from_value(word).ok())
                .collect(),
            _ => Vec::new(),
        };
        ClientHooksCapability {
            supported_events,
            other,
        }
    }

    /// Whether the client supports `event`.
    pub fn supports(&self, event: Event) -> bool {
        self.supported_events.contains(&Open::Known(event))
    }
}

/// What a server says: its declarations.
///
/// Implements SEP-2282, "Capability declaration".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServerHooksCapability {
    /// The declarations.
    pub declarations: Vec<Declaration>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ServerHooksCapability {
    /// A server with these declarations.
    pub fn new(declarations: impl IntoIterator<Item = Declaration>) -> ServerHooksCapability {
        ServerHooksCapability {
            declarations: declarations.into_iter().collect(),
            other: Map::new(),
        }
    }
}

/// The declarations of one server, put in order once: the required ones first, else in registry order.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    registry: Registry,
    /// Where each lifecycle hook stands in the registry, in the order in which they are declared.
    order: Box<[usize]>,
}

impl Declarations {
    /// The declarations of the registry's lifecycle hooks.
    pub fn of(registry: &Registry) -> Declarations {
        let hooks = registry.iter().enumerate();
        let mut order: Vec<(Reverse<Priority>, usize)> = hooks
            .filter_map(|(at, hook)| {
                Some((Reverse(hook.detail::<LifecycleHook>()?.priority()), at))
            })
            .collect();
        order.sort_unstable();
        Declarations {
            registry: registry.clone(),
            order: order.into_iter().map(|(_, at)| at).collect(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The hooks, in the order in which they are declared.
    pub fn hooks(&self) -> impl Iterator<Item = &LifecycleHook> {
        self.order
            .iter()
            .filter_map(|&at| self.registry.iter().nth(at)?.detail())
    }

    /// What to say to `client`: the declarations for the events that it supports, and no others.
    ///
    /// A client that declared no hooks is told nothing at all, not even this.
    pub fn supported_by(&self, client: &ClientHooksCapability) -> ServerHooksCapability {
        // Asked six times, not once for each hook: the client's list may be long.
        let events: Vec<Event> = Event::ALL
            .into_iter()
            .filter(|event| client.supports(*event))
            .collect();
        let supported = self.hooks().filter(|hook| events.contains(&hook.event()));
        ServerHooksCapability::new(supported.map(LifecycleHook::declaration))
    }

    /// What to say to a client that did not name its events: every declaration.
    pub fn all(&self) -> ServerHooksCapability {
        ServerHooksCapability::new(self.hooks().map(LifecycleHook::declaration))
    }
}

/// The effective order of strength of a peer's word; one that is not known is the weakest.
pub(super) fn strength(priority: &Open<Priority>) -> Priority {
    priority.known().copied().unwrap_or(Priority::Suggestion)
}
