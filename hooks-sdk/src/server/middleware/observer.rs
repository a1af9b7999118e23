//! Calls an observer after each tool call that has ended.

use std::{fmt, sync::Arc};

use rmcp::{ErrorData, model::CallToolResponse};

use crate::server::{
    connection::Wants,
    request::{client_name, own_client_session},
    way::{Answer, Asked, Call, Flow, Place, Request, Station, Step, Way},
};

/// A tool call that has ended, in a session to which the client gives its own id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Called {
    /// The name of the tool.
    pub tool: String,
    /// The client's own id of its session.
    pub session: String,
    /// The name that the client gives itself, or an empty string if it gives none.
    pub client: String,
    /// Whether the tool succeeded.
    pub succeeded: bool,
}

/// The author's observer.
#[derive(Clone)]
pub(in crate::server) struct Observer(Arc<dyn Fn(Called) + Send + Sync>);

impl Observer {
    pub(in crate::server) fn new(observer: impl Fn(Called) + Send + Sync + 'static) -> Observer {
        Observer(Arc::new(observer))
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Station for Observer {
    fn place(&self) -> Place {
        Place::Observer
    }

    fn wants(&self) -> Wants {
        Wants::CLIENT_SESSION
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        _: &'a Way,
    ) -> Step<'a, Flow> {
        if let Asked::CallTool(asked) = &request.asked
            && let Some(session) = own_client_session(&request.cx, &call.connection)
        {
            let called = Called {
                tool: asked.name.to_string(),
                session: session.to_owned(),
                client: client_name(&request.cx).unwrap_or_default(),
                succeeded: false,
            };
            call.kept.put(called);
        }
        Step::Now(Flow::On)
    }

    fn ended(&self, call: &mut Call, answer: &Result<Answer, ErrorData>) {
        if let Some(mut called) = call.kept.take::<Called>() {
            called.succeeded = matches!(
                answer,
                Ok(Answer::CallTool(CallToolResponse::Complete(result)))
                    if result.is_error != Some(true)
            );
            (self.0)(called);
        }
    }
}
