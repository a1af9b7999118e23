//! Telling an observer of the calls that have ended.

use std::{fmt, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, model::CallToolResponse, service::RequestContext,
};

use crate::core::dispatch::catch_panic_now;
use crate::server::{Hooked, rooms::gate::own_client_session, rooms::guidance::client_name};

/// A call of a tool that has ended, in a session to which the client itself gives an id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Called {
    /// The tool.
    pub tool: String,
    /// The client's own id of its session.
    pub session: String,
    /// What the client calls itself; empty when it does not say.
    pub client: String,
    /// Whether the tool succeeded.
    pub succeeded: bool,
}

/// Who is told.
#[derive(Clone)]
pub(in crate::server) struct Observer(Arc<dyn Fn(Called) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl<H: ServerHandler> Hooked<H> {
    /// Tells of each call of a tool that has ended, where the client gives its session an id: in the request, or
    /// to the process that serves it. The observer is called before the answer is sent, and must not take long. If it
    /// panics, that is logged, and the answer is sent all the same. Calls of answering hooks are told of, too.
    #[must_use]
    pub fn observed(mut self, observer: impl Fn(Called) + Send + Sync + 'static) -> Hooked<H> {
        self.observer = Some(Observer(Arc::new(observer)));
        self
    }

    /// A call that begins, if somebody is to be told of its end.
    pub(in crate::server) fn observe(
        &self,
        tool: &str,
        context: &RequestContext<RoleServer>,
    ) -> Option<Observed> {
        let observer = self.observer.clone()?;
        let session = own_client_session(context, self.connection_of(&context.extensions))?;
        let called = Called {
            tool: tool.to_owned(),
            session: session.to_owned(),
            client: client_name(context).unwrap_or_default(),
            succeeded: false,
        };
        Some(Observed { observer, called })
    }
}

/// A call whose end somebody is to be told of.
pub(in crate::server) struct Observed {
    observer: Observer,
    called: Called,
}

impl Observed {
    pub(in crate::server) fn ended(mut self, answer: &Result<CallToolResponse, ErrorData>) {
        self.called.succeeded = matches!(
            answer,
            Ok(CallToolResponse::Complete(result)) if result.is_error != Some(true)
        );
        let tool = self.called.tool.clone();
        if let Err(failure) = catch_panic_now(|| (self.observer.0)(self.called)) {
            tracing::error!(tool, error = %failure, "the observer of a call failed");
        }
    }
}
