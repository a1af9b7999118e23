//! The hooks capabilities that client and server exchange in the handshake.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Declaration, Event, LifecycleHook, Strength};
use crate::{Open, Registry};

/// A client's hooks capability: the events that it supports.
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
    /// Makes the capability of a client that supports `events`.
    pub fn new(events: impl IntoIterator<Item = Event>) -> ClientHooksCapability {
        ClientHooksCapability {
            supported_events: events.into_iter().map(Open::from).collect(),
            other: Map::new(),
        }
    }

    /// Reads the value that a client sent. Returns `None`, like for a client without hooks, if it is not an object.
    ///
    /// A missing `supported_events`, or one that is not a list, counts as an empty list. An entry that is not a
    /// string is ignored.
    pub fn read(value: &Value) -> Option<ClientHooksCapability> {
        value.as_object().map(ClientHooksCapability::read_object)
    }

    /// Reads a client's object, whatever its members are, like [`read`](Self::read).
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

    /// Returns whether the client supports `event`.
    pub fn supports(&self, event: Event) -> bool {
        self.supported_events.contains(&Open::Known(event))
    }
}

/// A server's hooks capability: its declarations.
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
    /// Makes the capability of a server with these declarations.
    pub fn new(declarations: impl IntoIterator<Item = Declaration>) -> ServerHooksCapability {
        ServerHooksCapability {
            declarations: declarations.into_iter().collect(),
            other: Map::new(),
        }
    }
}

/// The declarations of one server, sorted once by strength, `required` first, then in registry order.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    registry: Registry,
    /// The index of each lifecycle hook in the registry, in the order of the declarations.
    order: Box<[usize]>,
}

impl Declarations {
    /// Collects the declarations of the registry's lifecycle hooks.
    pub fn of(registry: &Registry) -> Declarations {
        let hooks = registry.iter().enumerate();
        let mut order: Vec<(Reverse<Strength>, usize)> = hooks
            .filter_map(|(at, hook)| {
                Some((Reverse(hook.detail::<LifecycleHook>()?.strength()), at))
            })
            .collect();
        order.sort_unstable();
        Declarations {
            registry: registry.clone(),
            order: order.into_iter().map(|(_, at)| at).collect(),
        }
    }

    /// Returns whether there are no declarations.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the hooks, in the order of the declarations.
    pub fn hooks(&self) -> impl Iterator<Item = &LifecycleHook> {
        self.order
            .iter()
            .filter_map(|&at| self.registry.iter().nth(at)?.detail())
    }

    /// Returns the capability for `client`: the declarations for the events that it supports, and no others.
    ///
    /// Send nothing, not even an empty capability, to a client that declared no hooks.
    pub fn supported_by(&self, client: &ClientHooksCapability) -> ServerHooksCapability {
        // Searches the client's list, which may be long, six times and not once for each hook.
        let events: Vec<Event> = Event::ALL
            .into_iter()
            .filter(|event| client.supports(*event))
            .collect();
        let supported = self.hooks().filter(|hook| events.contains(&hook.event()));
        ServerHooksCapability::new(supported.map(LifecycleHook::declaration))
    }

    /// Returns the capability for a client that did not name its events: every declaration.
    pub fn all(&self) -> ServerHooksCapability {
        ServerHooksCapability::new(self.hooks().map(LifecycleHook::declaration))
    }
}

/// Returns the strength that a peer's word names. An unknown word is the weakest.
pub(super) fn strength(word: &Open<Strength>) -> Strength {
    word.known().copied().unwrap_or(Strength::Suggestion)
}
