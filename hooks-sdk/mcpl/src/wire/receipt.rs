//! A server's answer to a host's policy, and its notification that the manifest changed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use hooks_core::Open;

/// A server's answer to a host's policy. It says what the server will do, not what it is entitled to.
///
/// Implements MCPL 0.5, the answer to `featureSets/update` as a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "ReceiptMembers")]
#[non_exhaustive]
pub enum Receipt {
    /// The server works under the policy.
    #[non_exhaustive]
    Accepted {
        /// `degraded` if something does not work; absent if everything works.
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
        /// What remains of the server.
        fallback: Open<Fallback>,
        /// The capabilities that the server needs.
        missing_capabilities: Option<Vec<String>>,
        /// Why, for people.
        reason: Option<String>,
        /// Members that the document does not define.
        other: Map<String, Value>,
    },
}

impl Receipt {
    /// The server works under the policy, without these feature sets. If the list is empty, nothing is degraded.
    pub fn accepted(unavailable: Vec<UnavailableFeature>) -> Receipt {
        let degraded = !unavailable.is_empty();
        Receipt::Accepted {
            mode: degraded.then(|| Mode::Degraded.into()),
            unavailable_features: degraded.then_some(unavailable),
            notes: None,
            other: Map::new(),
        }
    }

    /// The server does not work under the policy.
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

/// How much of the server works (MCPL 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Mode {
    /// Some of it does not work.
    Degraded,
}

/// What remains of a server that does not work under a policy (MCPL 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fallback {
    /// Its tools, resources and prompts.
    McpOnly,
    /// Nothing: the connection is closed.
    Close,
}

objects! {
    /// A feature set that does not work under a policy (MCPL 0.5).
    pub struct UnavailableFeature {
        /// The feature set.
        feature_set: String,
        /// The capabilities that the set needs.
        missing_capabilities: Vec<String>,
        /// The effect on the set.
        effect: String,
    }
}

impl UnavailableFeature {
    /// Makes the entry of a feature set that is disabled because it lacks these capabilities.
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

    /// Sets the effect on the set. The default is `disabled`.
    #[must_use]
    pub fn effect(mut self, effect: impl Into<String>) -> UnavailableFeature {
        self.effect = effect.into();
        self
    }
}

/// The members of an accepting receipt.
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

/// The members of a refusing receipt.
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
enum ReceiptMembers {
    Works(Works),
    Declines(Declines),
}

// By hand: `accepted` is a boolean, and serde's tags are strings.
impl TryFrom<Map<String, Value>> for Receipt {
    type Error = serde_json::Error;

    fn try_from(members: Map<String, Value>) -> Result<Receipt, serde_json::Error> {
        // Both shapes refuse a value that is not a boolean.
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

impl From<Receipt> for ReceiptMembers {
    fn from(receipt: Receipt) -> ReceiptMembers {
        match receipt {
            Receipt::Accepted {
                mode,
                unavailable_features,
                notes,
                other,
            } => ReceiptMembers::Works(Works {
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
            } => ReceiptMembers::Declines(Declines {
                accepted: false,
                fallback,
                missing_capabilities,
                reason,
                other,
            }),
        }
    }
}

/// The server's declaration has changed. The host reads the manifest again.
///
/// Implements MCPL 0.5, the params of `mcpl/manifestChanged`, which may have no other members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ManifestChanged {
    /// The digest of the current declaration.
    pub revision: String,
    /// The domains that changed.
    pub domains: Vec<Domain>,
}

impl ManifestChanged {
    /// Makes the notification for these domains.
    pub fn new(revision: impl Into<String>, domains: Vec<Domain>) -> ManifestChanged {
        ManifestChanged {
            revision: revision.into(),
            domains,
        }
    }
}

/// A domain of a manifest (MCPL 0.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Domain {
    /// The server's capabilities.
    Capabilities,
    /// Its feature sets, without their tags.
    FeatureSets,
    /// The tags of its feature sets.
    TagOntology,
}
