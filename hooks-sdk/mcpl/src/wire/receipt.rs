//! A server's answer to a host's policy, and its notification that the manifest changed.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value};

use hooks_core::Open;

/// A server's answer to a host's policy. It says what the server will do, not what it is entitled to.
///
/// Implements MCPL 0.5, the answer to `featureSets/update` as a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Receipt {
    /// The server works under the policy.
    Accepted(AcceptedReceipt),
    /// The server does not work under the policy.
    Refused(RefusedReceipt),
}

objects! {
    /// The receipt of a server that works under the policy (MCPL 0.5).
    pub struct AcceptedReceipt {
        private accepted: bool = true,
        /// `degraded` if something does not work; absent if everything works.
        mode?: Open<Mode>,
        /// What does not work.
        unavailable_features?: Vec<UnavailableFeature>,
        /// Anything else, for people.
        notes?: Vec<String>,
    }

    /// The receipt of a server that does not work under the policy (MCPL 0.5).
    pub struct RefusedReceipt {
        private accepted: bool = false,
        /// What remains of the server.
        fallback: Open<Fallback>,
        /// The capabilities that the server needs.
        missing_capabilities?: Vec<String>,
        /// Why, for people.
        reason?: String,
    }
}

impl Receipt {
    /// The server works under the policy, without these feature sets. If the list is empty, nothing is degraded.
    pub fn accepted(unavailable: Vec<UnavailableFeature>) -> Receipt {
        let degraded = !unavailable.is_empty();
        Receipt::Accepted(AcceptedReceipt {
            accepted: true,
            mode: degraded.then(|| Mode::Degraded.into()),
            unavailable_features: degraded.then_some(unavailable),
            notes: None,
            other: Map::new(),
        })
    }

    /// The server does not work under the policy.
    pub fn refused(
        fallback: Fallback,
        missing_capabilities: Vec<String>,
        reason: impl Into<String>,
    ) -> Receipt {
        Receipt::Refused(RefusedReceipt {
            accepted: false,
            fallback: fallback.into(),
            missing_capabilities: (!missing_capabilities.is_empty())
                .then_some(missing_capabilities),
            reason: Some(reason.into()),
            other: Map::new(),
        })
    }

    /// Whether the server works under the policy.
    pub const fn is_accepted(&self) -> bool {
        matches!(self, Receipt::Accepted(_))
    }
}

// By hand: `accepted` is a boolean, and serde's tags are strings.
impl<'de> Deserialize<'de> for Receipt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Receipt, D::Error> {
        let members: Map<String, Value> = Map::deserialize(deserializer)?;
        // Both shapes refuse a value that is not a boolean.
        let refused = members.get("accepted") == Some(&Value::Bool(false));
        let members = Value::Object(members);
        let receipt = if refused {
            RefusedReceipt::deserialize(members).map(Receipt::Refused)
        } else {
            AcceptedReceipt::deserialize(members).map(Receipt::Accepted)
        };
        receipt.map_err(D::Error::custom)
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
        effect: String = "disabled".to_owned(),

        /// Makes the entry of a feature set that is disabled because it lacks these capabilities.
        fn disabled(feature_set: impl Into<String>, missing_capabilities: Vec<String>) {
            feature_set: feature_set.into(), missing_capabilities: missing_capabilities
        };
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
