//! A host that is not connected yet.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value, json};

use super::{
    McplGrants, Reaction, RegisterAnswer, Returns, connect::WithoutShim, reaction::Script,
    shared::Config,
};
use hooks_core::internal::{debugs, setters};
use hooks_mcpl::{
    Elevation, ErrorObject, InferenceResult, ModelInfo, Scope, Usage, Version,
    wire::InferenceRequest,
};

/// How many frames and entries of the audit log are kept, unless it is told.
const KEPT: usize = 10_000;

/// A host of MCPL that is not connected yet. `C` says how it reaches a server.
#[derive(Clone)]
pub struct McplHostBuilder<C> {
    pub(super) connector: C,
    pub(super) config: Config,
    pub(super) name: String,
    pub(super) host_name: Option<String>,
    pub(super) advertised: String,
    pub(super) protocol: String,
    pub(super) capabilities: Option<Value>,
    /// `None`: the host never says what it allows.
    pub(super) policy: Option<McplGrants>,
    pub(super) script: Script,
    pub(super) timeout: Duration,
    pub(super) keep: usize,
}

impl<C> McplHostBuilder<C> {
    pub(super) fn new() -> McplHostBuilder<C>
    where
        C: Default,
    {
        McplHostBuilder {
            connector: C::default(),
            config: Config {
                version: Version::V04,
                model: ModelInfo::new("test-model", "hooks-sdk", 200_000)
                    .capability("vision")
                    .capability("tools"),
                infer: None,
                decide: None,
                enrich: None,
                moderate: None,
                registered: RegisterAnswer::Ids,
                returns: Returns::State,
                fail_closed: false,
                no_inference_in_hooks: false,
                before: Duration::from_secs(5),
                after: Duration::from_secs(10),
            },
            name: "server".to_owned(),
            host_name: None,
            advertised: Version::V04.as_str().to_owned(),
            protocol: "2024-11-05".to_owned(),
            capabilities: None,
            policy: Some(McplGrants::trusting()),
            script: Script::default(),
            timeout: Duration::from_secs(30),
            keep: KEPT,
        }
    }

    setters! {
        /// The version of MCPL to advertise: from `0.5` on the host speaks 0.5, before 0.4.
        fn version(mut self, version: impl Into<String>) {
            self.advertised = version.into();
            let mcpl = json!({"version": self.advertised});
            self.config.version = Version::advertised(&mcpl).unwrap_or(Version::V04);
        }

        /// The version of MCP to ask for; `2024-11-05` unless told.
        fn protocol(mut self, version: impl Into<String>) { self.protocol = version.into() }

        /// The client capabilities to declare, as raw JSON, in place of all that MCPL knows.
        ///
        /// Without `experimental.mcpl` this is a host of plain MCP, whatever its version was set to.
        fn capabilities(mut self, capabilities: Value) { self.capabilities = Some(capabilities) }

        /// What the host calls the server in its audit log; `server` unless told.
        fn name(mut self, name: impl Into<String>) { self.name = name.into() }

        /// Sets the name that the host gives itself in the handshake. Default: `hooks-sdk testing host`.
        fn host_name(mut self, name: impl Into<String>) { self.host_name = Some(name.into()) }

        /// How long to wait for each answer, other than those of context hooks; 30 s unless told.
        fn timeout(mut self, timeout: Duration) { self.timeout = timeout }

        /// How long to wait for the context hooks before and after an inference; 5 s and 10 s unless told.
        fn hook_timeouts(mut self, before: Duration, after: Duration) {
            self.config.before = before;
            self.config.after = after;
        }

        /// Keeps so many frames and entries of the audit log, the newest; 10,000 unless told, and 0 keeps none.
        fn keep(mut self, number: usize) { self.keep = number }

        /// What the host allows, sent when it connects, in place of whatever the server declares.
        fn grants(mut self, policy: McplGrants) { self.policy = Some(policy) }
    }

    /// Enables these feature sets and, where the policy was not set yet, nothing else.
    #[must_use]
    pub fn enable<S: Into<String>>(self, sets: impl IntoIterator<Item = S>) -> McplHostBuilder<C> {
        self.amend(|policy| policy.enable(sets))
    }

    /// Grants these capabilities and, where the policy was not set yet, nothing else.
    #[must_use]
    pub fn grant<S: Into<String>>(self, paths: impl IntoIterator<Item = S>) -> McplHostBuilder<C> {
        self.amend(|policy| policy.grant(paths))
    }

    setters! {
        /// Never says what it allows: a host of 0.4 that accepts everything, one of 0.5 that grants nothing.
        fn silent(mut self) { self.policy = None }
    }

    fn amend(mut self, amend: impl FnOnce(McplGrants) -> McplGrants) -> McplHostBuilder<C> {
        let policy = self.policy.take().unwrap_or_default();
        self.policy = Some(amend(policy.told()));
        self
    }

    setters! {
        /// The model that the host says it runs.
        fn model(mut self, model: ModelInfo) { self.config.model = model }
    }

    /// Answers every inference that the server asks for with this text.
    #[must_use]
    pub fn infers(self, text: impl Into<String>) -> McplHostBuilder<C> {
        let text: String = text.into();
        let model = self.config.model.id.clone();
        self.inference(move |request| {
            let usage = Usage::new(request.messages.len() as u64, words(&text));
            Ok(InferenceResult::new(&*text, &*model, usage))
        })
    }

    setters! {
        /// Answers the inferences that the server asks for.
        fn inference(
            mut self,
            infer: impl Fn(&InferenceRequest) -> Result<InferenceResult, ErrorObject> + Send + Sync + 'static
        ) {
            self.config.infer = Some(Arc::new(infer));
        }

        /// Refuses the inferences that a server asks for while the host waits for its context hook (MCPL 0.4.1 §10.7).
        fn no_inference_in_hooks(mut self) { self.config.no_inference_in_hooks = true }

        /// Decides on scopes that are neither on the blacklist nor on the whitelist; without it they are denied.
        ///
        /// It is given the name of the feature set and the scope.
        fn decide(mut self, decide: impl Fn(&str, &Scope) -> Elevation + Send + Sync + 'static) {
            self.config.decide = Some(Arc::new(decide));
        }

        /// Adds these members to the payload of each scope that a whitelist approves (MCPL 0.4.1 §7.5).
        fn enrich(mut self, enrich: impl Fn(&str, &Scope) -> Map<String, Value> + Send + Sync + 'static) {
            self.config.enrich = Some(Arc::new(enrich));
        }

        /// What a host of 0.4 answers to `channels/register`, for which the document defines nothing.
        fn registered(mut self, form: RegisterAnswer) { self.config.registered = form }
    }

    /// What calls of tools carry of a stored state.
    #[must_use]
    pub fn returns(mut self, returns: Returns) -> McplHostBuilder<C> {
        self.config.returns = returns;
        self
    }

    setters! {
        /// Shows nothing in place of a response that a blocking hook did not answer for (MCPL 0.4.1 §13.3).
        fn fail_closed(mut self) { self.config.fail_closed = true }

        /// Passes each text that is published or shown on a channel through this (MCPL 0.4.1 §14.5).
        fn moderate(mut self, moderate: impl Fn(&str) -> String + Send + Sync + 'static) {
            self.config.moderate = Some(Arc::new(moderate));
        }
    }

    setters! {
        /// What is done with every request of this method.
        fn react(mut self, method: &str, reaction: Reaction) { self.script.always(method, reaction) }

        /// What is done with the next request of this method; further calls are for the requests behind it.
        fn react_once(mut self, method: &str, reaction: Reaction) { self.script.once(method, reaction) }
    }

    setters! {
        /// Says what is done with each request for which nothing else was scripted, by its method and params.
        fn behaviour(mut self, behaviour: impl Fn(&str, &Value) -> Reaction + Send + Sync + 'static) {
            self.script.behave(Arc::new(behaviour));
        }
    }

    /// Serves the server on rmcp's own stream transport, to see what it does without the wire shim.
    #[must_use]
    pub fn without_shim(mut self) -> McplHostBuilder<C>
    where
        C: WithoutShim,
    {
        self.connector = self.connector.without_shim();
        self
    }
}

debugs!(McplHostBuilder<C> { config, policy });

pub(super) fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}
