//! A call of a tool, with what MCPL adds to it.

use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Map, Value};

use crate::{
    FeatureSet, Given, Host, Scope, Scoped, SendError, Version,
    link::HostInfo,
    wire::{StateUpdate, path},
};
use hooks_core::internal::{debugs, lock};

/// A call of a tool: the members that the host sent with it, and the state that goes with its answer.
///
/// A tool takes it as rmcp's `Extension<mcpl::Call>`. Every call of a server with MCPL hooks has one, also a call of a
/// plain MCP host, which sends none of these members.
///
/// ```
/// use hooks_sdk::mcpl;
///
/// // Takes the members that an MCPL host sends with a call; rmcp gives it as `Extension(call): Extension<mcpl::Call>`.
/// fn host_of(call: &mcpl::Call) -> &mcpl::Host {
///     call.host()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Call(Arc<Inner>);

struct Inner {
    host: Host,
    sender: Arc<HostInfo>,
    scope: Option<Scope>,
    /// What is wrong with the scope that the host sent.
    odd_scope: Option<String>,
    given: Given,
    leave: OnceLock<ScopeDecision>,
    state: Mutex<Option<StateUpdate>>,
}

/// The permission to act in a scope, or its refusal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScopeDecision {
    /// Whether the tool may act.
    pub approved: bool,
    /// Where the decision comes from.
    pub by: ScopeDecider,
    /// The payload that the tool must act on, as the host completed it.
    pub payload: Option<Map<String, Value>>,
    /// Why the tool may not act.
    pub reason: Option<String>,
}

/// Where the permission to act in a scope comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScopeDecider {
    /// The host sent the scope with the call (MCPL 0.4.1 §7.7).
    Call,
    /// The host's whitelist contains exactly this label.
    Whitelist,
    /// The SDK asked the host (MCPL 0.4.1 §7.4).
    Host,
    /// No permission is needed: a plain MCP host, and a host of 0.5, has no scopes.
    Nobody,
}

impl Call {
    /// Reads the members that the host sent. A member of an unknown shape counts as not sent, since most tools use none
    /// of them. For a tool that acts in scopes, the SDK checks [`odd_scope`](Call::odd_scope) first.
    #[doc(hidden)]
    pub fn new(host: Host, sender: Arc<HostInfo>, mut sent: Map<String, Value>) -> Call {
        let mut member = |name| sent.remove(name).filter(|member| !member.is_null());
        let scope = member("scope").map(serde_json::from_value).transpose();
        let (scope, odd_scope) = match scope {
            Ok(scope) => (scope, None),
            // 0.5 has no scopes, so there the member may be anything.
            Err(_) if host.version() != Some(Version::V04) => (None, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let mut given = Given::nothing();
        given.state = member("state");
        given.checkpoint = match member("checkpoint") {
            Some(Value::String(checkpoint)) => Some(checkpoint),
            Some(_) => {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    "the `checkpoint` of a call is no string, and counts as not given"
                );
                None
            }
            None => None,
        };
        Call(Arc::new(Inner {
            host,
            sender,
            scope,
            odd_scope,
            given,
            leave: OnceLock::new(),
            state: Mutex::new(None),
        }))
    }

    /// Returns a call without a host, for tests of a tool.
    pub fn detached() -> Call {
        Call::new(Host::plain(), Arc::default(), Map::new())
    }

    /// Returns the host that called.
    pub fn host(&self) -> &Host {
        &self.0.host
    }

    /// Returns the name that the host, or the plain MCP client, gave itself. Two clients may have the same name.
    pub fn host_name(&self) -> Option<&str> {
        self.0.sender.name.as_deref()
    }

    /// Returns the name of the authenticated sender. With an MCPL host it is the sender of the handshake, as
    /// [`Context::principal`](super::Context::principal).
    pub fn principal(&self) -> Option<&str> {
        self.0.sender.principal.as_deref()
    }

    /// Returns the scope that the host sent with the call (MCPL 0.4.1 §7.7).
    pub fn scope(&self) -> Option<&Scope> {
        self.0.scope.as_ref()
    }

    /// Returns why the scope that the host sent cannot be read.
    #[doc(hidden)]
    pub fn odd_scope(&self) -> Option<&str> {
        self.0.odd_scope.as_deref()
    }

    /// Returns the permission of a tool that is bound with `scope = "…"`. The tool must act on the permission's
    /// payload, which is the one that the host completed (MCPL 0.4.1 §7.5).
    pub fn given_leave(&self) -> Option<&ScopeDecision> {
        self.0.leave.get()
    }

    #[doc(hidden)]
    pub fn has_leave(&self, leave: ScopeDecision) {
        // The SDK sets it once for each call.
        _ = self.0.leave.set(leave);
    }

    /// Returns the state and the checkpoint that the host sent with the call (MCPL 0.4.1 §8.4).
    pub fn given(&self) -> &Given {
        &self.0.given
    }

    /// Puts a checkpoint on the answer (MCPL 0.4.1 §8.2). The last one counts. A failed call sends none.
    pub fn answer_state(&self, state: StateUpdate) {
        *lock(&self.0.state) = Some(state);
    }

    #[doc(hidden)]
    pub fn take_state(&self) -> Option<StateUpdate> {
        lock(&self.0.state).take()
    }

    /// Checks whether the call may act for a feature set: the host has enabled the set, or is a plain MCP host.
    ///
    /// The SDK checks a tool bound with `#[mcpl::tool(…)]` before the tool runs, unless its binding says `guard =
    /// false`.
    ///
    /// # Errors
    ///
    /// Why the call may not.
    pub fn check<F: FeatureSet>(&self) -> Result<(), SendError> {
        self.check_set(F::DEFINITION.name)
    }

    /// Waits for the policy of a host that may stay silent, at most as long as such a host has.
    #[doc(hidden)]
    pub async fn policy_arrives(&self) {
        if let Some(link) = self.host().link() {
            link.policy_arrives().await;
        }
    }

    #[doc(hidden)]
    pub fn check_set(&self, name: &str) -> Result<(), SendError> {
        match self.host().link() {
            Some(link) => link.admits(name, Some(path::TOOLS)),
            None => Ok(()),
        }
    }

    /// Returns the permission to act in a scope: from the call itself, from the host's whitelist, or by asking the
    /// host.
    ///
    /// # Errors
    ///
    /// The SDK could not ask the host.
    pub async fn leave<F: Scoped>(&self, scope: Scope) -> Result<ScopeDecision, SendError> {
        self.leave_for(F::DEFINITION.name, scope).await
    }

    #[doc(hidden)]
    pub async fn leave_for(
        &self,
        name: &'static str,
        scope: Scope,
    ) -> Result<ScopeDecision, SendError> {
        let leave = |by, payload| ScopeDecision {
            approved: true,
            by,
            payload,
            reason: None,
        };
        let Some(link) = self.host().link() else {
            return Ok(leave(ScopeDecider::Nobody, scope.payload));
        };
        if link.version != Version::V04 {
            return Ok(leave(ScopeDecider::Nobody, scope.payload));
        }
        if let Some(sent) = self.scope() {
            let same = sent.label == scope.label;
            return Ok(ScopeDecision {
                approved: same,
                by: ScopeDecider::Call,
                payload: sent.payload.clone().or(scope.payload),
                reason: (!same).then(|| {
                    format!(
                        "the call was scoped to `{}`, and acts on `{}`",
                        sent.label, scope.label
                    )
                }),
            });
        }
        if link.is_whitelisted(name, &scope.label) {
            return Ok(leave(ScopeDecider::Whitelist, scope.payload));
        }
        let asked = scope.payload.clone();
        let elevation = link.elevate(name, scope).await?;
        Ok(ScopeDecision {
            approved: elevation.approved,
            by: ScopeDecider::Host,
            payload: elevation.payload.or(asked),
            reason: elevation.reason,
        })
    }
}

debugs!(Inner { scope, given });
