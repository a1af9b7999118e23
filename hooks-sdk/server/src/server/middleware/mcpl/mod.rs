//! MCPL over rmcp: the handshake, the host's requests and notifications, and tool calls.

mod calls;
mod host_connection;
mod messages;
mod sending;

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{ClientCapabilities, CustomRequest, CustomResult},
};
use serde_json::Value;

pub(crate) use calls::{RunningFeature, problems};
pub(crate) use host_connection::HostConnection;
pub(crate) use messages::{MEMBERS_OF_A_CALL, inbound, notified, outbound};
use messages::{Stashed, take_stashed};
use sending::HostPeer;

use crate::server::{
    McpContext,
    connection::Arrival,
    pipeline::{AuthorRequest, Flow, Handshake, McpRequest, McpResponse, Pipeline, RequestState},
    request::{is_http, is_stateless, principal},
};
use hooks_core::Registry;
use hooks_mcpl::{
    Derived, McplSettings, Version,
    internal::{DispatchedAnswer, HostInfo, Link},
    wire::method,
};

/// Where both sides advertise MCPL in `experimental` (MCPL 0.4.1 §3.1).
const MCPL: &str = "mcpl";

/// The MCPL middleware of a server.
#[derive(Debug)]
pub(crate) struct Mcpl {
    derived: Arc<Derived>,
    settings: McplSettings,
}

/// Returns the version of MCPL that a client advertised, with the rest that it advertised.
fn advertised(client: &ClientCapabilities) -> Option<(Version, Value)> {
    let advertised = client.experimental.as_ref()?.get(MCPL)?;
    let advertised = Value::Object(advertised.clone());
    Some((Version::advertised(&advertised)?, advertised))
}

impl Mcpl {
    /// Creates the middleware, or returns `None` if the hooks use nothing of MCPL.
    pub(crate) fn new(hooks: &Registry, settings: McplSettings) -> Option<Mcpl> {
        let derived = Arc::new(Derived::of(hooks));
        (!derived.is_empty()).then(|| Mcpl { derived, settings })
    }

    /// Opens the link to a host that advertised MCPL. A second handshake on the same connection gets the same link.
    fn meet(&self, handshake: &Handshake, pipeline: &Pipeline) -> Option<Arc<Link>> {
        // After `server/discover`, only a stream is a connection that lasts.
        let lasts = handshake.by_wire && !is_http(&handshake.cx.extensions);
        if handshake.initialize.is_none() && !lasts {
            return None;
        }
        let (version, advertised) = advertised(&handshake.client_capabilities()?)?;
        let connection = &handshake.connection;
        // The revision 2026-07-28 has no requests from servers to clients, and rmcp sends none.
        let asks = !is_stateless(&handshake.cx);
        let to_host = HostPeer::by(handshake.cx.peer.clone());
        let open = |to_host| {
            Link::open(
                version,
                self.derived.clone(),
                pipeline.author.clone(),
                self.settings,
                sending::wire(to_host, connection),
                asks,
                HostInfo {
                    advertised,
                    name: handshake.client_name.clone(),
                    principal: principal(&handshake.cx),
                    ..HostInfo::default()
                },
            )
        };
        Some(if asks {
            connection.host.link_or(|| open(to_host))
        } else {
            let discovered = || (open(to_host.clone()), to_host);
            connection.host.discovered_or(discovered)
        })
    }

    /// Opens the link to a host, and declares the server's side.
    pub(crate) fn greet(&self, handshake: &mut Handshake, pipeline: &Pipeline) {
        if let Some(link) = self.meet(handshake, pipeline) {
            handshake.is_private = true;
            let experimental = handshake.capabilities.experimental.get_or_insert_default();
            experimental.insert(MCPL.to_owned(), link.declaration());
        }
    }

    /// Answers the host's requests, and asks the host about a call of a tool with a feature set.
    pub(crate) async fn before(
        &self,
        request: &mut AuthorRequest,
        call: &mut RequestState,
    ) -> Flow {
        let AuthorRequest { asked, cx } = request;
        match asked {
            McpRequest::CallTool(asked) => self.before_tool(asked, cx, call).await,
            McpRequest::Custom(custom) => {
                let connected = &call.connection.host;
                connected.came_by(&cx.peer);
                let Some(link) = connected.link() else {
                    return Flow::On;
                };
                match Box::pin(answer(custom, cx, connected, link)).await {
                    Some(answer) => {
                        Flow::answer(answer.map(|result| McpResponse::Custom(CustomResult(result))))
                    }
                    None => Flow::On,
                }
            }
            _ => Flow::On,
        }
    }
}

/// Answers an MCPL request. Returns `None` if the request is not one.
async fn answer(
    request: &mut CustomRequest,
    cx: &McpContext,
    connected: &HostConnection,
    link: &Arc<Link>,
) -> Option<Result<Value, ErrorData>> {
    // What is no method of MCPL is for the author's server, with its params.
    if !method::ALL.contains(&&*request.method) {
        return None;
    }
    let params = request.params.take();
    let requested = |turn| link.requested(&request.method, params, turn);
    let DispatchedAnswer { result, leaving } = match take_stashed(&cx.extensions) {
        Some(Stashed::DispatchedAnswer(answered)) => answered,
        Some(Stashed::Turn(turn)) => requested(Some(turn)).await?,
        None => requested(None).await?,
    };
    // The transport reports when the answer is sent. Without the transport, this moment is the closest one.
    let seen = cx.extensions.get::<Arrival>().is_some() && !cx.ct.is_cancelled();
    let now = if leaving.is_empty() || !seen {
        Some(leaving)
    } else {
        connected.keep(&cx.id, leaving).err()
    };
    if let Some(leaving) = now {
        leaving.begins(link);
        leaving.ended(link);
    }
    Some(result.map_err(ErrorData::from))
}
