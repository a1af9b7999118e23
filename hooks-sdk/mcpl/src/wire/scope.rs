//! Scopes: what an action touches, and whether the host permits it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What an action touches.
///
/// Implements MCPL 0.4.1 §7.3. 0.5 has no scopes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scope {
    /// The label. People read it, and the host's patterns match it.
    pub label: String,
    /// What the server needs in order to act. The host may have completed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Map<String, Value>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Scope {
    /// Makes a scope without a payload.
    pub fn new(label: impl Into<String>) -> Scope {
        Scope {
            label: label.into(),
            payload: None,
            other: Map::new(),
        }
    }

    /// Sets what the server needs in order to act.
    #[must_use]
    pub fn payload(mut self, payload: Map<String, Value>) -> Scope {
        self.payload = Some(payload);
        self
    }
}

/// A server asks for permission to act in a scope.
///
/// Implements MCPL 0.4.1 §7.4, the params of `scope/elevate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScopeElevate {
    /// The feature set that asks.
    pub feature_set: String,
    /// The scope.
    pub scope: Scope,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ScopeElevate {
    /// Makes the params for a feature set and a scope.
    pub fn new(feature_set: impl Into<String>, scope: Scope) -> ScopeElevate {
        ScopeElevate {
            feature_set: feature_set.into(),
            scope,
            other: Map::new(),
        }
    }
}

/// The host's answer to a server that wants to act in a scope.
///
/// Implements MCPL 0.4.1 §7.5, the answer to `scope/elevate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use = "a host may deny a scope"]
#[non_exhaustive]
pub struct Elevation {
    /// Whether the server may act.
    pub approved: bool,
    /// The payload to act with, which replaces the one in the request. The host may have completed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Map<String, Value>>,
    /// Why the server may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Elevation {
    /// The server may act, with this payload.
    pub fn approved(payload: Option<Map<String, Value>>) -> Elevation {
        Elevation {
            approved: true,
            payload,
            reason: None,
            other: Map::new(),
        }
    }

    /// The server may not.
    pub fn denied(reason: impl Into<String>) -> Elevation {
        Elevation {
            approved: false,
            payload: None,
            reason: Some(reason.into()),
            other: Map::new(),
        }
    }
}

/// The host's patterns for the scopes of a feature set. Only the host knows what they match.
///
/// Implements MCPL 0.4.1 §7.2.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScopeLists {
    /// The permitted labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whitelist: Option<Vec<String>>,
    /// The forbidden labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blacklist: Option<Vec<String>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
