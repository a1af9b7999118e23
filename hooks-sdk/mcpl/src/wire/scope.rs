//! Scopes: what an action touches, and whether the host permits it.

use serde_json::{Map, Value};

objects! {
    /// What an action touches.
    ///
    /// Implements MCPL 0.4.1 §7.3. 0.5 has no scopes.
    pub struct Scope {
        /// The label. People read it, and the host's patterns match it.
        label: String,
        /// What the server needs in order to act. The host may have completed it.
        payload?: Map<String, Value>,

        /// Makes a scope without a payload.
        fn new(label: impl Into<String>);

        /// Sets what the server needs in order to act.
        fn payload(payload: Map<String, Value>) => payload;
    }

    /// A server asks for permission to act in a scope.
    ///
    /// Implements MCPL 0.4.1 §7.4, the params of `scope/elevate`.
    pub struct ScopeElevate {
        /// The feature set that asks.
        feature_set: String,
        /// The scope.
        scope: Scope,

        /// Makes the params for a feature set and a scope.
        fn new(feature_set: impl Into<String>, scope: Scope);
    }

    /// The host's answer to a server that wants to act in a scope.
    ///
    /// Implements MCPL 0.4.1 §7.5, the answer to `scope/elevate`.
    #[must_use = "a host may deny a scope"]
    pub struct Elevation {
        /// Whether the server may act.
        approved: bool,
        /// The payload to act with, which replaces the one in the request. The host may have completed it.
        payload?: Map<String, Value>,
        /// Why the server may not.
        reason?: String,

        /// The server may act, with this payload.
        fn approved(payload: Option<Map<String, Value>>) { approved: true, payload: payload };

        /// The server may not.
        fn denied(reason: impl Into<String>) { reason: Some(reason.into()) };
    }
}

objects! {
    /// The host's patterns for the scopes of a feature set. Only the host knows what they match.
    ///
    /// Implements MCPL 0.4.1 §7.2.
    #[derive(Default)]
    pub struct ScopeLists {
        /// The permitted labels.
        whitelist?: Vec<String>,
        /// The forbidden labels.
        blacklist?: Vec<String>,
    }
}
