//! The points of HTTP: what the layer around a transport needs of the policy.

use std::{any::Any, sync::Arc};

use http::HeaderMap;
use serde_json::{Map, Value};

use super::{
    active::{PolicyVersion, Source},
    built::Built,
    headers,
    policy::Policy,
    refusal,
};
use crate::server::{HookedService, hex, random};
use hooks_core::internal::debugs;
use hooks_plugin::{Chain, Contexts, Denial, GlobalContext, HttpHeaders};
#[cfg(feature = "log")]
use {
    super::logged::steps,
    crate::server::pipeline::add_stop,
    hooks_log::LogStop,
    hooks_plugin::{Decision, Family},
};

/// The policy of a server and its settings, for the points of HTTP.
#[derive(Clone)]
pub(crate) struct HttpPoints {
    /// The policy that the hooks belong to.
    pub(super) built: Arc<Built>,
    pub(crate) server: Arc<dyn Any + Send + Sync>,
    exposed: Vec<Box<str>>,
    overridden: Vec<Box<str>>,
}

impl HttpPoints {
    fn of(built: Arc<Built>, server: Arc<dyn Any + Send + Sync>) -> HttpPoints {
        HttpPoints {
            exposed: built.policy.headers.clone(),
            overridden: built.policy.overridden.clone(),
            built,
            server,
        }
    }

    /// Returns the points of a chain that belongs to no server.
    pub(crate) fn of_chain(chain: Chain) -> HttpPoints {
        let policy = PolicyVersion::new(Arc::new(chain), Vec::new());
        let built = Built::of(Source::Program(policy), Policy::new());
        HttpPoints::of(Arc::new(built), Arc::new(()))
    }

    /// Returns the policy as it is now. A request keeps it until its end.
    pub(crate) fn policy(&self) -> Arc<PolicyVersion> {
        self.built.now()
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

    /// Writes the refusal of an HTTP message into the decision log, or which hooks failed while it went on. Returns the id of
    /// the decision, if the server has a log and there is something to say.
    #[cfg(feature = "log")]
    pub(crate) fn log(
        &self,
        path: &str,
        contexts: &Contexts,
        blocked: Option<&Denial>,
    ) -> Option<Arc<str>> {
        let log = self.built.log.as_ref()?;
        // The hooks of the call have the line of the call.
        let bypassed = contexts.record().steps.iter().filter(|step| {
            step.decision == Decision::Bypassed && step.point.family() == Family::Http
        });
        let bypassed: Vec<LogStop> = bypassed
            .map(|step| LogStop::new("plugin", &*step.hook, "hook_failed").posture("proceed"))
            .collect();
        let stop = blocked.map(|blocked| {
            let stop = LogStop::new("plugin", &*blocked.hook, &*blocked.violation.code);
            match blocked.failed {
                true => stop.posture("deny"),
                false => stop,
            }
        });
        if stop.is_none() && bypassed.is_empty() {
            return None;
        }
        let id = add_stop(log, ("http", path), stop, bypassed, |entry| {
            let global = &contexts.global;
            entry.request = Some(global.request_id.clone());
            entry.user = global.user.as_deref().map(Arc::from);
            entry.tenant = global.tenant_id.as_deref().map(Arc::from);
            entry.steps = steps(contexts.record());
        });
        Some(id)
    }

    /// Returns the contexts of a new request.
    pub(crate) fn contexts(&self) -> Contexts {
        let id = hex(&random::<16>());
        let mut contexts = Contexts::new(GlobalContext::new(id));
        let server_id = &self.built.policy.server_id;
        contexts.global.server_id.clone_from(server_id);
        if self.built.records_all() {
            contexts = contexts.recording();
        }
        contexts
    }

    /// Returns the members of a violation, for the wire.
    pub(crate) fn members(&self, blocked: &Denial) -> Map<String, Value> {
        refusal::members(blocked, self.built.policy.exposes_names)
    }
}

debugs!(HttpPoints {
    built,
    exposed,
    overridden
});

impl HookedService {
    /// Returns what the points of HTTP need, if the server has a policy.
    pub(crate) fn http_points(&self) -> Option<HttpPoints> {
        let pipeline = self.pipeline().ok()?;
        let policy = pipeline.parts.plugin.clone()?;
        Some(HttpPoints::of(policy, pipeline.author.clone()))
    }
}
