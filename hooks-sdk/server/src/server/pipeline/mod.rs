//! The pipeline of a request through the middleware to the author's server and back. [`steps`] has their order.

mod author;
mod call;
mod deadline;
mod handshake;
mod late;
mod listening;
mod lists;
#[cfg(feature = "log")]
mod logged;
mod mcp;
mod observed;
mod parts;
#[cfg(test)]
mod pipeline_tests;
mod questions;
mod served;
mod shown;
mod steps;
mod tasks;

use std::{pin::pin, sync::Arc};

use futures::{
    FutureExt,
    future::{BoxFuture, Either, select},
};
use rmcp::{ErrorData, model::CustomNotification};
use tokio_util::sync::CancellationToken;

pub(super) use author::{Author, answered, caught, caught_later};
#[cfg(feature = "log")]
pub(super) use call::CallLog;
pub(super) use call::{AuthorRequest, Change, RefusalRecord, RequestState, Viewer};
pub use deadline::CallDeadline;
pub(super) use deadline::Clock;
pub(super) use handshake::Handshake;
pub(super) use lists::join;
#[cfg(feature = "log")]
pub use logged::count_decision;
#[cfg(feature = "log")]
pub(super) use logged::{add_decision, add_stop};
pub(super) use mcp::{
    McpAnswer, McpRequest, McpResponse, NamedItem, completed, is_missing, misplaced,
    without_other_output,
};
pub(super) use parts::{ListEntry, MiddlewareId, Parts, Visibility};
pub(super) use questions::CallPeers;
#[cfg(feature = "http")]
pub(super) use questions::{CallService, served_directly};
pub(super) use served::Served;
pub(super) use shown::{is_question, question};
pub(super) use steps::Flow;
pub(super) use tasks::Owner;

pub(crate) use super::transport::message_decisions::MessageFilter;

use self::{lists::ListRequest, observed::Observed, questions::CallPeer, served::Definitions};
#[cfg(feature = "mcpl")]
use super::middleware::mcpl;
use super::{
    McpContext,
    connection::{Arrival, Connection},
    methods::{Content, List},
    request::is_http,
    transport::read::PROTOCOL_VERSION,
};
use hooks_core::observe::TARGET;

/// A server with its middleware.
#[derive(Clone)]
pub(crate) struct Pipeline {
    pub(crate) author: Arc<dyn Author>,
    /// Of this author's server: servers that share the middleware may have other tools.
    definitions: Arc<Definitions>,
    pub(crate) parts: Arc<Parts>,
}

impl Pipeline {
    pub(super) fn new(author: Arc<dyn Author>, parts: Arc<Parts>) -> Pipeline {
        Pipeline {
            author,
            definitions: Arc::default(),
            parts,
        }
    }

    /// Returns whether a guardian may change requests.
    #[cfg(feature = "policy-engine")]
    pub(super) fn is_guarded(&self) -> bool {
        #[cfg(feature = "guardian-local")]
        return self.parts.guardian.is_some();
        #[cfg(not(feature = "guardian-local"))]
        false
    }

    /// Lets MCPL take a notification that is its own. Returns whether it was one.
    pub(super) fn notice(
        &self,
        notification: &mut CustomNotification,
        connection: &Connection,
    ) -> bool {
        #[cfg(feature = "mcpl")]
        if self.parts.mcpl.is_some() {
            let host = &connection.host;
            let taken = caught("a notification", || mcpl::notified(host, notification));
            return taken.unwrap_or(true);
        }
        false
    }

    /// Answers a request, whatever a middleware or the author's server does.
    ///
    /// The future is boxed because rmcp moves the future of a request several times. Rare futures inside of it have boxes
    /// of their own, so that it stays small.
    pub(super) fn run<'a>(
        &'a self,
        asked: McpRequest,
        cx: McpContext,
        connection: Arc<Connection>,
    ) -> BoxFuture<'a, McpAnswer> {
        let is_traced = tracing::enabled!(target: TARGET, tracing::Level::INFO);
        let is_watched = is_traced || cfg!(feature = "metrics");
        let observed = is_watched.then(|| Observed::of(&asked, &cx, self, is_traced));
        let clock = self.clock(&asked, &connection);
        match asked {
            _ if !self.parts.is_passed && clock.is_none() => {
                let (method, mut cx) = (asked.method(), cx);
                let peer = peer_of_call(&mut cx, &connection, asked.judged().is_some());
                let answer = self.author.ask(asked, cx);
                let answer = match peer {
                    None => answer,
                    Some(peer) => Box::pin(answer.inspect(move |_| drop(peer))),
                };
                until(observed, answered(method, answer))
            }
            McpRequest::Initialize(_) | McpRequest::Discover() => {
                let method = asked.method();
                let handshake = async move {
                    let mut answer = self.on_handshake(asked, cx, connection).await;
                    self.clean(&method, None, &mut answer);
                    answer
                };
                until(observed, handshake)
            }
            _ => {
                let request = Box::new(AuthorRequest { asked, cx });
                until(observed, self.pass(request, connection, clock))
            }
        }
    }

    async fn pass(
        &self,
        mut request: Box<AuthorRequest>,
        connection: Arc<Connection>,
        clock: Option<Arc<Clock>>,
    ) -> McpAnswer {
        let method = &*request.asked.method();
        let judged = request.asked.judged();
        // The id of the request is in use until it has passed its last middleware.
        let arrival = request.cx.extensions.get::<Arrival>();
        let _id = arrival.map(|arrival| arrival.running.clone());
        let cancelled = request.cx.ct.clone();
        let has_task = matches!(
            request.asked,
            McpRequest::CallTool(_) | McpRequest::GetTask(_)
        );
        let owner =
            (has_task && self.parts.judges_tasks).then(|| Owner::of(&request.cx, &connection));
        let mut call = RequestState::new(&request.asked, connection);
        self.find_served(&mut call);
        let content = request.asked.content();
        let listing = match content {
            // The middleware of skills shows each of them.
            Some(Content::List(list)) if list != List::Skills => {
                Some(ListRequest::of(list, &request.cx, &call, &self.parts))
            }
            _ => None,
        };
        let is_late = self.parts.judges_tasks && content == Some(Content::Task);
        let late =
            (owner.as_ref()).and_then(|owner| self.parts.tasks.fetched_by(owner, &request.asked));
        let early = self.before(method, &mut request, &mut call).await;
        call.reached = early.is_none();
        // In a box, the answer takes no room in the future while it is awaited.
        let mut answer = match early.or_else(|| call.prepared.take()) {
            Some(answer) => answer,
            None => Box::new(match clock {
                Some(clock) => {
                    Box::pin(self.reach_in_time(method, request, &clock, &cancelled, &mut call))
                        .await
                }
                None => {
                    let is_call = judged.is_some();
                    let _peer = peer_of_call(&mut request.cx, &call.connection, is_call);
                    let answer = self.begin(*request, &call);
                    let answer = answered(method, answer);
                    self.reach(method, answer, &cancelled, &mut call).await
                }
            }),
        };
        if let Some(listing) = &listing {
            listing.join(&mut answer, &self.parts);
        }
        if !call.is_cancelled {
            self.after(method, judged, &mut call, &mut answer).await;
        }
        if let Some(listing) = listing {
            listing.show(&mut answer, &self.parts);
        }
        if let Some(kept) = late {
            let mut kept = kept.lock().await;
            // The line is that of the fetch: the call has had its own.
            #[cfg(feature = "log")]
            std::mem::swap(&mut kept.log, &mut call.log);
            Box::pin(self.late(method, &mut kept, &mut answer)).await;
            #[cfg(feature = "log")]
            std::mem::swap(&mut kept.log, &mut call.log);
        } else if is_late {
            Box::pin(self.late(method, &mut call, &mut answer)).await;
        }
        self.clean(method, call.stopped, &mut answer);
        // Some middleware have not seen it. rmcp drops the answer to a cancelled request, unless the client uses the id again.
        if cancelled.is_cancelled() {
            *answer = Err(withheld_from_cancelled());
        }
        self.ended(method, &mut call, &answer);
        if let Some(owner) = owner {
            self.parts.tasks.keep(owner, call, &answer);
        }
        *answer
    }

    /// Returns the time of a request, if it has a deadline.
    fn clock(&self, asked: &McpRequest, connection: &Connection) -> Option<Arc<Clock>> {
        let over_http = || {
            connection
                .over_http
                .is_set()
                .then_some(CallDeadline::OVER_HTTP)
        };
        let deadline = self.parts.deadline.or_else(over_http)?;
        Clock::new(asked.judged()?, deadline)
    }

    /// Cleans an answer that belongs to no item, and every error. `by` is the middleware that answered in place of the author's
    /// server.
    fn clean(&self, method: &str, by: Option<MiddlewareId>, answer: &mut McpAnswer) {
        #[cfg(feature = "policy-engine")]
        if let Some(plugin) = &self.parts.plugin {
            plugin.clean_answer(method, by, answer);
        }
    }

    fn find_served(&self, call: &mut RequestState) {
        let tool = call.tool.as_ref();
        call.served = tool.and_then(|tool| self.parts.served(tool).cloned());
    }

    /// Lets the author's server answer, or the middleware that serves the tool.
    fn begin(&self, request: AuthorRequest, call: &RequestState) -> BoxFuture<'_, McpAnswer> {
        match &call.served {
            Some(served) => self.serve(served, request),
            None => self.author.ask(request.asked, request.cx),
        }
    }

    /// Waits for the answer, at most until the deadline of the call.
    async fn reach_in_time(
        &self,
        method: &str,
        mut request: Box<AuthorRequest>,
        clock: &Arc<Clock>,
        cancelled: &CancellationToken,
        call: &mut RequestState,
    ) -> McpAnswer {
        let token = cancelled.child_token();
        request.cx.ct = token.clone();
        // What is sent for the call may stop or extend the clock.
        let (id, progress) = (request.cx.id.clone(), request.cx.meta.get_progress_token());
        let _watched = (call.connection.clocks).watch(id, progress, Some(clock.clone()));
        let _peer = CallPeer::given_to(&mut request.cx, &call.connection, true);
        let tool = call.tool().to_owned();
        let answer = self.begin(*request, call);
        let answer = clock.limit(method, answer, &tool, token);
        let answer = self.reach(method, answer, cancelled, call).await;
        if clock.has_stopped.is_set() {
            let record = RefusalRecord::new("server", "deadline", "deadline_exceeded");
            call.refused = Some(record);
        }
        answer
    }

    /// Waits for the answer. A call that is cancelled while the server works runs to its end.
    async fn reach(
        &self,
        method: &str,
        answer: impl Future<Output = McpAnswer>,
        cancelled: &CancellationToken,
        call: &mut RequestState,
    ) -> McpAnswer {
        // Nothing has happened yet for a request that was cancelled while the middleware before the server worked.
        if cancelled.is_cancelled() {
            Box::pin(self.cancelled(method, call)).await;
            return Err(withheld_from_cancelled());
        }
        let mut answer = pin!(answer);
        // An answer that lived across an `await` would have room in the future of every request.
        let ended = match select(answer.as_mut(), pin!(cancelled.cancelled())).await {
            Either::Left((answer, _)) if !cancelled.is_cancelled() => return answer,
            Either::Left((answer, _)) => Some(Box::new(answer)),
            Either::Right(((), _)) => None,
        };
        Box::pin(self.cancelled(method, call)).await;
        match ended {
            Some(answer) => *answer,
            None => answer.await,
        }
    }

    /// Returns whether a middleware gave the call another tool. That tool then becomes the tool of the call.
    fn is_renamed(&self, request: &AuthorRequest, call: &mut RequestState) -> bool {
        let McpRequest::CallTool(asked) = &request.asked else {
            return false;
        };
        let renamed = call.tool.as_ref() != Some(&asked.name);
        if renamed {
            call.tool = Some(asked.name.clone());
            self.find_served(call);
        }
        renamed
    }
}

/// Gives a request without a deadline a peer of its own, if it needs one: a call over HTTP does, and a request of another revision.
fn peer_of_call(
    cx: &mut McpContext,
    connection: &Arc<Connection>,
    is_call: bool,
) -> Option<CallPeer> {
    let asks_there = is_call && connection.over_http.is_set() && is_http(&cx.extensions);
    let may_need = asks_there || cx.meta.get(PROTOCOL_VERSION).is_some();
    may_need.then(|| CallPeer::given_to(cx, connection, asks_there))?
}

/// Watches a request until its answer, if somebody wants to know of it.
fn until<'a>(
    observed: Option<Observed>,
    answer: impl Future<Output = McpAnswer> + Send + 'a,
) -> BoxFuture<'a, McpAnswer> {
    match observed {
        Some(observed) => observed.until(answer),
        None => Box::pin(answer),
    }
}

/// Returns the error in place of the answer to a cancelled request.
fn withheld_from_cancelled() -> ErrorData {
    ErrorData::internal_error("the client cancelled the request", None)
}
