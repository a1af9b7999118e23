//! The client of a guardian, which an observed server is given.

use std::{
    any::Any,
    sync::{Arc, Mutex},
};

use serde_json::json;

use super::{
    GuardedStep, GuardianCounts, MissingDecision, StepIds, StepOutcome, ids::new_id,
    settings::Settings,
};
use crate::{Agent, AosAt, AosPoint, Guardian, Posture};
use hooks_core::{BuildError, BuildErrors, internal::lock};

/// Asks a guardian about steps, and obeys it.
///
/// [`Guardian::local`] makes one for a guardian in the same process, and `Guardian::http` (feature `guardian-client`) one for a
/// guardian at a URL. A server takes it once [`posture`](GuardianClient::posture) has said what happens without a
/// decision: there is no default.
///
/// ```
/// use std::convert::Infallible;
///
/// use hooks_sdk::{
///     aos::{Agent, AosHook, Guardian, Memory, Posture, StepOutcome, point},
///     core::{Registry, Verdict, Violation},
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hooks_sdk::core::BuildErrors> {
/// let hook = AosHook::answering_any("no_cards", point::memory_store, |memory: &Memory, _asked| {
///     let card = memory.memory.iter().any(|text| text.contains("4111"));
///     Box::pin(async move {
///         match card {
///             true => Verdict::<Infallible>::Deny(Violation::new("no card numbers")),
///             false => Verdict::Allow,
///         }
///     })
/// });
/// let guardian = Guardian::with((), Registry::builder().add(hook.into()).build()?);
/// let client = Guardian::local_with(guardian)
///     .agent(Agent::new("notes", "Notes").provider("Example", "https://example.com"))
///     .posture(Posture::Deny);
/// client.check()?;
///
/// match client.ask(point::memory_store, Memory::new(["4111 1111"])).await {
///     StepOutcome::Denied(denied) => assert_eq!(denied.blocked_text(), "Blocked: no card numbers"),
///     other => panic!("{other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
///
/// Without [`posture`](GuardianClient::posture) it asks nothing:
///
/// ```compile_fail,E0599
/// use hooks_sdk::aos::{Guardian, Memory, point};
///
/// # async fn run() {
/// let client = Guardian::local(());
/// client.ask(point::memory_store, Memory::new(["a"])).await;
/// # }
/// ```
///
/// Clones share the connections, the limits and the counts. A setter for HTTP, such as `bearer`, gives the client
/// connections and limits of its own.
#[derive(Clone, Debug)]
pub struct GuardianClient<P = Posture> {
    pub(super) transport: Arc<GuardianTransport>,
    pub(super) settings: Arc<Settings>,
    counts: Arc<Mutex<GuardianCounts>>,
    session_id: Arc<str>,
    posture: P,
}

/// A client of a guardian that says what happens to a step without a decision: [`posture`](GuardianClient::posture)
/// makes one.
#[diagnostic::on_unimplemented(
    message = "the client of the guardian does not say what happens to a step without a decision",
    label = "no `.posture(…)`",
    note = "add `.posture(Posture::Deny)`, which denies the step, or `.posture(Posture::Proceed)`, which lets it go on"
)]
pub trait HasPosture: sealed::Sealed {
    /// Returns the client.
    fn client(self) -> GuardianClient;
}

impl HasPosture for GuardianClient {
    fn client(self) -> GuardianClient {
        self
    }
}

mod sealed {
    pub trait Sealed {}
    impl<P> Sealed for super::GuardianClient<P> {}
}

/// How the guardian is reached.
#[derive(Debug)]
pub(super) enum GuardianTransport {
    Local(Guardian),
    #[cfg(feature = "guardian-client")]
    Http(Box<super::http::Http>),
}

impl Guardian {
    /// Makes a client of the guardian that a policy is, in this process: the same hooks as over HTTP, without JSON.
    pub fn local<G: Any + Send + Sync>(policy: G) -> GuardianClient<()> {
        Guardian::local_with(Guardian::of(policy))
    }

    /// Makes a client of this guardian, in this process.
    pub fn local_with(guardian: Guardian) -> GuardianClient<()> {
        GuardianClient::new(GuardianTransport::Local(guardian))
    }
}

impl GuardianClient<()> {
    pub(super) fn new(transport: GuardianTransport) -> GuardianClient<()> {
        GuardianClient {
            transport: Arc::new(transport),
            settings: Arc::default(),
            counts: Arc::default(),
            session_id: new_id().into(),
            posture: (),
        }
    }

    /// Sets what happens to a step when the guardian gives no usable decision: when it fails, hangs, cannot be reached, or
    /// answers with something else.
    pub fn posture(self, posture: Posture) -> GuardianClient {
        GuardianClient {
            transport: self.transport,
            settings: self.settings,
            counts: self.counts,
            session_id: self.session_id,
            posture,
        }
    }
}

impl<P> GuardianClient<P> {
    /// Returns what was asked and ruled so far, by all clones.
    pub fn counts(&self) -> GuardianCounts {
        *lock(&self.counts)
    }

    /// Adds to the counts.
    pub(super) fn count(&self, add: impl FnOnce(&mut GuardianCounts)) {
        add(&mut lock(&self.counts));
    }

    /// Returns whether the guardian is in this process.
    #[doc(hidden)]
    pub fn is_here(&self) -> bool {
        matches!(*self.transport, GuardianTransport::Local(_))
    }

    /// Returns whether the author has set the agent.
    #[doc(hidden)]
    pub fn has_agent(&self) -> bool {
        self.settings.agent.is_some()
    }

    /// Returns the URL of the provider for a server without a `websiteUrl`.
    #[doc(hidden)]
    pub fn its_provider_url(&self) -> Option<&str> {
        self.settings.provider_url.as_deref()
    }

    /// Returns which of these points a guardian in the same process has no hook at.
    #[doc(hidden)]
    pub fn unanswered(&self, points: &[AosAt]) -> Vec<AosAt> {
        let lacks = |at: &&AosAt| match &*self.transport {
            GuardianTransport::Local(guardian) => guardian.points().all(|point| point != **at),
            #[cfg(feature = "guardian-client")]
            GuardianTransport::Http(_) => false,
        };
        points.iter().filter(lacks).copied().collect()
    }

    /// Completes the agent with what the server says of itself. Servers call this at start-up.
    #[must_use]
    pub fn for_server(mut self, instructions: Option<&str>, version: &str) -> Self {
        if let Some(agent) = self.own_agent() {
            if agent.instructions.is_empty() {
                agent.instructions = instructions.unwrap_or_default().to_owned();
            }
            if agent.version.is_empty() {
                agent.version = version.to_owned();
            }
        }
        self
    }

    /// Sets the client that calls the server. It is sent in the agent's metadata, as `client`. Servers call this for each
    /// connection.
    #[must_use]
    pub fn called_by(mut self, name: &str, version: &str) -> Self {
        if let Some(agent) = self.own_agent() {
            let client = json!({ "name": name, "version": version });
            let metadata = agent.metadata.get_or_insert_default();
            metadata
                .get_or_insert_default()
                .insert("client".to_owned(), client);
        }
        self
    }

    /// Checks the settings. Servers call this at start-up.
    ///
    /// # Errors
    ///
    /// Every problem: an agent or its provider is missing, the URL or the secret is unusable, or, with a guardian in the
    /// same process, one of its hooks is wrong.
    pub fn check(&self) -> Result<(), BuildErrors> {
        let mut problems = problems_of_agent(self.settings.agent.as_deref());
        if self.settings.timeout.is_zero() {
            problems.push(BuildError::new(
                None,
                "the guardian's timeout is zero, so no question is ever answered in time",
                "set one such as `.timeout(Duration::from_secs(5))`",
            ));
        }
        match &*self.transport {
            GuardianTransport::Local(guardian) => {
                if let Err(found) = guardian.check() {
                    problems.extend(found);
                }
            }
            #[cfg(feature = "guardian-client")]
            GuardianTransport::Http(http) => problems.extend(http.problems()),
        }
        BuildErrors::check(problems)
    }

    /// Asks whether the guardian is there, for a server's readiness. It does not count as a question.
    ///
    /// # Errors
    ///
    /// It does not answer within the timeout, or it says that it cannot decide.
    #[cfg_attr(
        not(feature = "guardian-client"),
        expect(clippy::unused_async, reason = "over HTTP it waits")
    )]
    pub async fn ping(&self) -> Result<(), MissingDecision> {
        match &*self.transport {
            GuardianTransport::Local(_) => Ok(()),
            #[cfg(feature = "guardian-client")]
            GuardianTransport::Http(http) => {
                super::over_http::ping(http, self.settings.timeout).await
            }
        }
    }

    fn own_agent(&mut self) -> Option<&mut Agent> {
        self.set().agent.as_mut().map(Arc::make_mut)
    }
}

impl GuardianClient {
    /// Returns what happens without a decision.
    pub fn posture(&self) -> Posture {
        self.posture
    }

    /// Returns the step with these ids: what is asked with it belongs to its session and its turn.
    pub fn at(&self, ids: StepIds) -> GuardedStep {
        GuardedStep::new(self.clone(), ids)
    }

    /// Asks about a step outside of every request, such as a trigger of work that the server starts itself. It is a turn of
    /// its own, in a session that lasts as long as the client.
    pub async fn ask<A: AosPoint>(&self, point: A, payload: A::Payload) -> StepOutcome<A::Payload> {
        let ids = StepIds::new(&*self.session_id);
        self.at(ids).ask(point, payload).await
    }
}

/// What to write for an agent that is missing, or that lacks something.
const AGENT: &str = "set it with `.agent(Agent::new(\"notes\", \"Notes\").provider(\"Example\", \"https://example.com\"))`";

/// Returns what the agent of the steps lacks.
fn problems_of_agent(agent: Option<&Agent>) -> Vec<BuildError> {
    let Some(agent) = agent else {
        return vec![BuildError::new(
            None,
            "the guardian is not told which agent it guards: the client has no agent, and the server's information has no `websiteUrl`",
            format!("{AGENT}; in `serve`, with `--guardian-provider-url https://example.com`"),
        )];
    };
    let required = [
        ("id", &agent.id),
        ("name", &agent.name),
        ("provider's name", &agent.provider.name),
        ("provider's URL", &agent.provider.url),
    ];
    let missing = required.iter().filter(|(_, value)| value.is_empty());
    missing
        .map(|(name, _)| {
            let message = format!("the guarded agent has no {name}, which every guardian requires");
            BuildError::new(None, message, AGENT)
        })
        .collect()
}
