//! The points of HTTP and the rest of the policy: what a transport needs of the one, and a call of the other.

use std::sync::{Arc, Mutex};

use rmcp::{RoleServer, service::RequestContext};

use super::built::{Built, RequestPolicy};
use crate::server::lock;
use hooks_plugin::{Contexts, GlobalContext};

#[cfg(feature = "http")]
pub(crate) use self::wired::HttpPoints;

/// Returns the contexts of the HTTP request around a request.
#[cfg(feature = "http")]
pub(super) fn outer(cx: &RequestContext<RoleServer>) -> Option<OuterContexts> {
    crate::server::request::http_extension(cx).cloned()
}

#[cfg(not(feature = "http"))]
pub(super) fn outer(_: &RequestContext<RoleServer>) -> Option<OuterContexts> {
    None
}

/// The contexts of one HTTP request. The layer around the transport puts them into the request's extensions, so
/// that the hooks of the call inside share them.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "HTTP alone makes them")
)]
pub(crate) struct OuterContexts {
    contexts: Arc<Mutex<Contexts>>,
    /// The policy, and its hooks as the HTTP request met them.
    policy: Option<(Arc<Built>, RequestPolicy)>,
}

impl OuterContexts {
    #[cfg(feature = "http")]
    pub(crate) fn new(
        contexts: Contexts,
        points: &HttpPoints,
        policy: &RequestPolicy,
    ) -> OuterContexts {
        let built = points.built.clone();
        OuterContexts {
            contexts: Arc::new(Mutex::new(contexts)),
            policy: built.map(|built| (built, policy.clone())),
        }
    }

    /// Returns the version of this policy with which the HTTP request began.
    pub(super) fn policy_of(&self, policy: &Built) -> Option<RequestPolicy> {
        let (built, began) = self.policy.as_ref()?;
        std::ptr::eq(&**built, policy).then(|| began.clone())
    }

    /// Returns a copy of the contexts as they are now.
    pub(crate) fn now(&self) -> Contexts {
        lock(&self.contexts).clone()
    }

    /// Returns a copy of what the hooks share.
    pub(super) fn global(&self) -> GlobalContext {
        lock(&self.contexts).global.clone()
    }

    /// Keeps what the hooks of the call wrote.
    pub(super) fn keep(&self, inner: &Contexts) {
        lock(&self.contexts).take_from(inner);
    }
}

#[cfg(feature = "http")]
mod wired {
    use std::{any::Any, borrow::Cow, fmt, io, sync::Arc};

    use http::{HeaderMap, HeaderValue};
    use serde_json::{Map, Value};

    use super::super::{
        built::{Built, RequestPolicy},
        global::hex,
        headers,
        lists::Lists,
        refusal,
    };
    use crate::server::HookedService;
    use hooks_plugin::{Chain, Contexts, Denial, GlobalContext, HttpHeaders};
    #[cfg(feature = "log")]
    use {
        super::super::logged::steps,
        crate::server::pipeline::add_decision,
        hooks_log::{DecisionEntry, DecisionLog, LogDecision, LogKind, LogStop},
        hooks_plugin::{Decision, Family},
    };

    /// The chain of a server and its settings, for the points of HTTP.
    #[derive(Clone)]
    pub(crate) struct HttpPoints {
        policy: Arc<dyn Fn() -> RequestPolicy + Send + Sync>,
        /// The policy that the hooks belong to.
        pub(super) built: Option<Arc<Built>>,
        pub(crate) server: Arc<dyn Any + Send + Sync>,
        server_id: Option<Arc<str>>,
        exposes_names: bool,
        records_all: bool,
        exposed: Vec<Box<str>>,
        overridden: Vec<Box<str>>,
    }

    impl HttpPoints {
        /// Returns the points of a chain that belongs to no server.
        pub(crate) fn of_chain(chain: Chain) -> HttpPoints {
            let policy = RequestPolicy {
                chain: Arc::new(chain),
                lists: Lists::new(Vec::new()),
            };
            HttpPoints {
                policy: Arc::new(move || policy.clone()),
                built: None,
                server: Arc::new(()),
                server_id: None,
                exposes_names: false,
                records_all: false,
                exposed: Vec::new(),
                overridden: Vec::new(),
            }
        }

        fn of_policy(built: Arc<Built>, server: Arc<dyn Any + Send + Sync>) -> HttpPoints {
            HttpPoints {
                server,
                server_id: built.server_id.clone(),
                exposes_names: built.exposes_names(),
                records_all: built.records_all(),
                exposed: built.policy.headers.clone(),
                overridden: built.policy.overridden.clone(),
                built: Some(built.clone()),
                policy: Arc::new(move || built.now()),
            }
        }

        /// Returns the hooks and the list hooks as they are now. A request keeps them until its end.
        pub(crate) fn policy(&self) -> RequestPolicy {
            (self.policy)()
        }

        /// Returns the id of the server.
        #[cfg(feature = "oauth")]
        pub(crate) fn server_id(&self) -> Option<Arc<str>> {
            self.server_id.clone()
        }

        pub(crate) fn expose(&mut self, name: &str) {
            self.exposed.push(name.to_ascii_lowercase().into());
        }

        pub(crate) fn override_protected(&mut self, name: &str) {
            self.overridden.push(name.to_ascii_lowercase().into());
        }

        pub(crate) fn is_overridden(&self, name: &str) -> bool {
            self.overridden.iter().any(|known| **known == *name)
        }

        /// Returns the headers that hooks see.
        pub(crate) fn visible(&self, headers: &HeaderMap) -> HttpHeaders {
            headers::visible(headers, &self.exposed)
        }

        /// Writes the refusal of an HTTP message into the decision log, if the server has one. Returns the id of the decision.
        #[cfg(feature = "log")]
        pub(crate) fn log(
            &self,
            path: &str,
            contexts: &Contexts,
            blocked: &Denial,
        ) -> Option<Arc<str>> {
            let (log, mut entry) = self.line(path, contexts)?;
            let stop = LogStop::new("plugin", &*blocked.hook, &*blocked.violation.code);
            let (decision, stop) = match blocked.failed {
                true => (LogDecision::Failed, stop.posture("deny")),
                false => (LogDecision::Denied, stop),
            };
            (entry.decision, entry.stop) = (Some(decision), Some(stop));
            let id = entry.decision_id.clone();
            add_decision(log, entry);
            Some(id)
        }

        /// Writes into the decision log which hooks failed while an HTTP message went on.
        #[cfg(feature = "log")]
        pub(crate) fn log_bypassed(&self, path: &str, contexts: &Contexts) {
            if let Some((log, mut entry)) = self.line(path, contexts)
                && !entry.bypassed.is_empty()
            {
                entry.decision = Some(LogDecision::Bypassed);
                add_decision(log, entry);
            }
        }

        /// Makes the line of an HTTP message.
        #[cfg(feature = "log")]
        fn line(&self, path: &str, contexts: &Contexts) -> Option<(&DecisionLog, DecisionEntry)> {
            let log = self.built.as_ref()?.log.as_ref()?;
            let mut entry = DecisionEntry::call(log.decision_id(), "http", path);
            entry.kind = LogKind::Stop;
            let global = &contexts.global;
            entry.request = Some(global.request_id.clone());
            entry.user = global.user.as_deref().map(Arc::from);
            entry.tenant = global.tenant_id.as_deref().map(Arc::from);
            entry.steps = steps(contexts.record());
            // The hooks of the call have the line of the call.
            let steps = contexts.record().steps.iter();
            let bypassed = steps.filter(|step| {
                step.decision == Decision::Bypassed && step.point.family() == Family::Http
            });
            entry.bypassed = bypassed
                .map(|step| LogStop::new("plugin", &*step.hook, "hook_failed").posture("proceed"))
                .collect();
            Some((log, entry))
        }

        /// Returns the value of a header as hooks see it.
        pub(crate) fn text(value: &HeaderValue) -> Cow<'_, str> {
            headers::text(value)
        }

        /// Returns the contexts of a new request.
        ///
        /// # Errors
        ///
        /// The operating system returned no random bytes.
        pub(crate) fn contexts(&self) -> io::Result<Contexts> {
            let mut id = [0; 16];
            getrandom::fill(&mut id).map_err(io::Error::other)?;
            let mut contexts = Contexts::new(GlobalContext::new(hex(&id)));
            contexts.global.server_id.clone_from(&self.server_id);
            if self.records_all {
                contexts = contexts.recording();
            }
            Ok(contexts)
        }

        /// Returns the members of a violation, for the wire.
        pub(crate) fn members(&self, blocked: &Denial) -> Map<String, Value> {
            refusal::members(blocked, self.exposes_names)
        }
    }

    impl fmt::Debug for HttpPoints {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("HttpPoints")
                .field("policy", &self.policy())
                .field("exposed", &self.exposed)
                .field("overridden", &self.overridden)
                .finish_non_exhaustive()
        }
    }

    impl HookedService {
        /// Returns what the points of HTTP need, if the server has a policy.
        pub(crate) fn http_points(&self) -> Option<HttpPoints> {
            let pipeline = self.pipeline().ok()?;
            let policy = pipeline.parts().plugin.clone()?;
            Some(HttpPoints::of_policy(policy, pipeline.author().clone()))
        }
    }
}
