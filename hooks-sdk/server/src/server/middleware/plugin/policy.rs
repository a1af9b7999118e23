//! The author's settings of the policy around a server.

use std::{path::PathBuf, sync::Arc, time::Duration};

use rmcp::{RoleServer, model::RequestStateCodec, service::RequestContext};

use crate::server::request::{TextOfRequest, principal};
use hooks_core::{
    Origin, Registry,
    internal::{debugs, setters},
    store::Store,
};
#[cfg(feature = "policy")]
use hooks_plugin::ready::KINDS;
use hooks_plugin::{Chain, Instance, Kind, MAX_QUESTIONS, PluginAt, PluginHook, linked_kinds};

/// The policy around every tool call, prompt and resource of a server: plugins beside the annotated hooks, and how the
/// hooks run.
///
/// ```no_run,standalone_crate
/// use hooks_sdk::Policy;
/// # use hooks_sdk::prelude::*;
/// # struct Memory;
/// # impl hooks_sdk::rmcp::ServerHandler for Memory {}
///
/// # fn main() -> Result<(), hooks_sdk::core::BuildErrors> {
/// let hooked = hooks_sdk::collect::<Memory>()?
///     .policy(Policy::new().server_id("notes"))
///     .wrap(Memory)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Policy {
    pub(super) instances: Vec<Instance>,
    pub(super) kinds: Vec<Kind>,
    pub(super) limits: Vec<(PluginAt, usize)>,
    pub(super) writable: Vec<(PluginAt, Vec<Box<str>>)>,
    pub(super) questions: Option<usize>,
    pub(super) longest_question: Option<Duration>,
    pub(crate) user: Option<TextOfRequest>,
    pub(crate) tenant: Option<TextOfRequest>,
    pub(super) server_id: Option<Arc<str>>,
    pub(super) exposes_names: bool,
    pub(super) headers: Vec<Box<str>>,
    pub(super) overridden: Vec<Box<str>>,
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) keys: Option<Arc<RequestStateCodec>>,
    pub(super) file: Option<PathBuf>,
    /// Set for a server that runs none of the author's tools.
    #[cfg(feature = "cli")]
    pub(crate) dry: Option<Arc<crate::server::dry::Dry>>,
}

impl Policy {
    /// Starts without a plugin.
    pub fn new() -> Policy {
        Policy::default()
    }

    /// Adds a plugin, after those added before.
    #[must_use]
    #[track_caller]
    pub fn with(mut self, plugin: impl Into<Instance>) -> Policy {
        self.instances.push(plugin.into().located(Origin::here()));
        self
    }

    setters! {
        /// Makes a kind of plugin known to configuration files. Kinds with the attribute `#[plugin(kind = "…")]` and the
        /// ready-made ones are known already.
        fn kind(mut self, kind: Kind) { self.kinds.push(kind) }

        /// Reads a configuration file, in YAML, and reads it again when it changes.
        ///
        /// A server does not start with a file that has a mistake. If a later version has one, the policy before it stays,
        /// and the log says what is wrong.
        fn file(mut self, file: impl Into<PathBuf>) { self.file = Some(file.into()) }
    }

    /// Returns the decision log that the configuration file sets. What is wrong with the file is told when it is read whole.
    #[cfg(feature = "log")]
    #[doc(hidden)]
    pub fn log_of_file(&self) -> Option<hooks_log::DecisionLog> {
        #[cfg(feature = "policy")]
        return hooks_plugin::internal::log_of_file(self.file.as_deref()?).map(Into::into);
        #[cfg(not(feature = "policy"))]
        None
    }

    /// Returns every kind of plugin that a configuration file of this policy may name.
    pub fn kinds(&self) -> Vec<Kind> {
        let mut kinds = self.kinds.clone();
        kinds.extend(linked_kinds());
        #[cfg(feature = "policy")]
        kinds.extend_from_slice(KINDS);
        kinds
    }

    /// Returns the annotated hooks of a program, and those of the plugins that were added.
    pub(super) fn hooks_with(&self, registry: &Registry) -> Vec<PluginHook> {
        let annotated = registry.details::<PluginHook>().map(|(_, hook)| hook);
        let added = self.instances.iter().flat_map(Instance::hooks);
        annotated.chain(added).cloned().collect()
    }

    /// Gives a chain the settings of this policy.
    pub(super) fn settle(&self, mut chain: Chain) -> Chain {
        chain = chain.questions(self.questions.unwrap_or(MAX_QUESTIONS));
        for (at, characters) in &self.limits {
            chain = chain.limit(*at, *characters);
        }
        for (at, fields) in &self.writable {
            let fields: Vec<&str> = fields.iter().map(|field| &**field).collect();
            chain = chain.writable(*at, &fields);
        }
        chain
    }

    setters! {
        /// Sets the largest payload at a point, in characters. The default is 1,000,000.
        fn limit(mut self, at: PluginAt, characters: usize) { self.limits.push((at, characters)) }

        /// Sets the fields that hooks may change at a point, in the document's words, such as `args`. A change of another
        /// field is dropped and reported. Without this, hooks may change every field.
        fn writable(mut self, at: PluginAt, fields: &[&str]) {
            let fields = fields.iter().map(|field| (*field).into()).collect();
            self.writable.push((at, fields));
        }

        /// Sets how often one hook may ask the user in one request. The default is 4.
        fn questions(mut self, most: usize) { self.questions = Some(most) }

        /// Sets the longest time that a user has to answer a question. The default is 5 minutes.
        fn longest_question(mut self, longest: Duration) { self.longest_question = Some(longest) }

        /// Sets the function that returns the user of a request that came without a principal, such as one over standard input
        /// and output. Without it, the principal of the sessions is the user.
        ///
        /// Where the transport has authenticated the client (`http::Principal`), this is the user, and the function is not
        /// asked. Its answer never replaces the caller.
        ///
        /// At the points of HTTP the user is always the request's `http::Principal`: no MCP request exists there yet.
        fn user(mut self, of: impl Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync + 'static) {
            self.user = Some(Arc::new(move |cx| principal(cx).or_else(|| of(cx))));
        }

        /// Sets the function that returns the tenant of a request. Without it, and at the points of HTTP, it is the tenant
        /// of the request's `http::Principal`.
        fn tenant(mut self, of: impl Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync + 'static) {
            self.tenant = Some(Arc::new(of));
        }

        /// Sets the id of the server that hooks see. The default is the server's name.
        fn server_id(mut self, id: impl Into<Arc<str>>) { self.server_id = Some(id.into()) }

        /// Lets refusals name the hook that refused. Without this, the name is in the log and the decision log only.
        fn expose_plugin_names(mut self) { self.exposes_names = true }

        /// Lets hooks see an HTTP header that holds a secret: `authorization`, `cookie`, `proxy-authorization`,
        /// `set-cookie` or `x-api-key`. They see every other header anyway.
        fn expose_header(mut self, name: &str) { self.headers.push(name.to_ascii_lowercase().into()) }

        /// Lets hooks at the points of HTTP change a protected header that the message already has. `http::HeaderHooks`
        /// names the protected headers.
        fn override_protected(mut self, name: &str) { self.overridden.push(name.to_ascii_lowercase().into()) }

        /// Sets the store for requests that wait for their user on protocol 2026-07-28. The default is the memory of this
        /// process. Replicas need one that they share, and the same [`keys`](Policy::keys).
        fn store(mut self, store: impl Store) { self.store = Some(Arc::new(store)) }

        /// Sets the keys that seal the `requestState` of such requests. Without this, each process makes a random key, and
        /// what it asked is lost when it ends.
        fn keys(mut self, keys: RequestStateCodec) { self.keys = Some(Arc::new(keys)) }
    }
}

debugs!(Policy {
    instances,
    kinds,
    limits,
    questions
});
