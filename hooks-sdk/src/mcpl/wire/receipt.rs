//! What a server answers to a host's policy, and how it says that its manifest changed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::core::Open;

/// What a server makes of a host's policy: what it will do under it, never what it is entitled to.
///
/// Implements MCPL 0.5, the answer to `featureSets/update` as a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Members")]
#[non_exhaustive]
pub enum Receipt {
    /// The server works under the policy.
    #[non_exhaustive]
    Accepted {
        /// That something does not work; absent where all does.
        mode: Option<Open<Mode>>,
        /// What does not work.
        unavailable_features: Option<Vec<UnavailableFeature>>,
        /// Anything else, for people.
        notes: Option<Vec<String>>,
        /// Members that the document does not define.
        other: Map<String, Value>,
    },
    /// The server does not work under the policy.
    #[non_exhaustive]
    Refused {
        /// What is left then.
        fallback: Open<Fallback>,
        /// What it would need.
        missing_capabilities: Option<Vec<String>>,
        /// Why, for people.
        reason: Option<String>,
        /// Members that the document does not define.
        other: Map<String, Value>,
    },
}

impl Receipt {
    /// Works under the policy, save these: nothing is degraded without one.
    pub fn accepted(unavailable: Vec<UnavailableFeature>) -> Receipt {
        let degraded = !unavailable.is_empty();
        Receipt::Accepted {
            mode: degraded.then(|| Mode::Degraded.into()),
            unavailable_features: degraded.then_some(unavailable),
            notes: None,
            other: Map::new(),
        }
    }

    /// Does not work under the policy.
    pub fn refused(
        fallback: Fallback,
        missing_capabilities: Vec<String>,
        reason: impl Into<String>,
    ) -> Receipt {
        Receipt::Refused {
            fallback: fallback.into(),
            missing_capabilities: (!missing_capabilities.is_empty())
                .then_some(missing_capabilities),
            reason: Some(reason.into()),
            other: Map::new(),
        }
    }

    /// Whether the server works under the policy.
    pub const fn is_accepted(&self) -> bool {
        matches!(self, Receipt::Accepted { .. })
    }
}

/// How much of a server works (MCPL 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Mode {
    /// Not all of it.
    Degraded,
}

/// What is left of a server that does not work under a policy (MCPL 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fallback {
    /// Its tools, resources and prompts.
    McpOnly,
    /// Nothing: the connection is closed.
    Close,
}

/// A feature set that does not work under a policy (MCPL 0.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UnavailableFeature {
    /// The feature set.
    pub feature_set: String,
    /// What it would need.
    pub missing_capabilities: Vec<String>,
    /// What that means for it.
    pub effect: String,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl UnavailableFeature {
    /// A feature set that is disabled for want of these.
    pub fn disabled(
        feature_set: impl Into<String>,
        missing_capabilities: Vec<String>,
    ) -> UnavailableFeature {
        UnavailableFeature {
            feature_set: feature_set.into(),
            missing_capabilities,
            effect: "disabled".to_owned(),
            other: Map::new(),
        }
    }

    /// Says what it means for the feature set, in place of `disabled`.
    #[must_use]
    pub fn effect(mut self, effect: impl Into<String>) -> UnavailableFeature {
        self.effect = effect.into();
        self
    }
}

/// The members of a receipt that accepts.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Works {
    accepted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<Open<Mode>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable_features: Option<Vec<UnavailableFeature>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<Vec<String>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The members of a receipt that refuses.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Declines {
    accepted: bool,
    fallback: Open<Fallback>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_capabilities: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Members {
    Works(Works),
    Declines(Declines),
}

// By hand, since `accepted` is a boolean, and serde's tags are strings.
impl TryFrom<Map<String, Value>> for Receipt {
    type Error = serde_json::Error;

    fn try_from(members: Map<String, Value>) -> Result<Receipt, serde_json::Error> {
        // What is not a boolean is refused by either.
        if members.get("accepted") == Some(&Value::Bool(false)) {
            let declines: Declines = serde_json::from_value(members.into())?;
            Ok(Receipt::Refused {
                fallback: declines.fallback,
                missing_capabilities: declines.missing_capabilities,
                reason: declines.reason,
                other: declines.other,
            })
        } else {
            let works: Works = serde_json::from_value(members.into())?;
            Ok(Receipt::Accepted {
                mode: works.mode,
                unavailable_features: works.unavailable_features,
                notes: works.notes,
                other: works.other,
            })
        }
    }
}

impl From<Receipt> for Members {
    fn from(receipt: Receipt) -> Members {
        match receipt {
            Receipt::Accepted {
                mode,
                unavailable_features,
                notes,
                other,
            } => Members::Works(Works {
                accepted: true,
                mode,
                unavailable_features,
                notes,
                other,
            }),
            Receipt::Refused {
                fallback,
                missing_capabilities,
                reason,
                other,
            } => Members::Declines(Declines {
                accepted: false,
                fallback,
                missing_capabilities,
                reason,
                other,
            }),
        }
    }
}

/// What a server declares has changed: the host reads the manifest anew.
///
/// Implements MCPL 0.5, the params of `mcpl/manifestChanged`, which may have no other members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ManifestChanged {
    /// The digest of what is declared now.
    pub revision: String,
    /// The parts that changed.
    pub domains: Vec<Domain>,
}

impl ManifestChanged {
    /// These parts changed.
    pub fn new(revision: impl Into<String>, domains: Vec<Domain>) -> ManifestChanged {
        ManifestChanged {
            revision: revision.into(),
            domains,
        }
    }
}

/// A part of a manifest (MCPL 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Domain {
    /// What the server can do.
    Capabilities,
    /// Its feature sets, save their tags.
    FeatureSets,
    /// The tags of its feature sets.
    TagOntology,
}
