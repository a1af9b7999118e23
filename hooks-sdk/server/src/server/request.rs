//! Reads a request's client and its session.

use std::{net::IpAddr, sync::Arc};

use rmcp::model::{Extensions, ProtocolVersion, TASKS_EXTENSION_ID};
use serde_json::Value;

use super::{
    McpContext,
    connection::{Arrival, Connection},
    pipeline::Owner,
    transport::{
        message_decisions::PassedTransport,
        read::{CLIENT_CAPABILITIES, PROTOCOL_VERSION},
    },
};
use hooks_core::{observe::TraceContext, session::Identity, store::Key};

/// The member of `_meta` in which a client, such as Codex, sends its own id of the session.
const CLIENT_META: &str = "sessionId";

/// The header with the id of the transport's session. A look-up by a name takes longer by text.
#[cfg(feature = "http")]
const SESSION: http::HeaderName = http::HeaderName::from_static("mcp-session-id");

/// The longest session id of a client or transport, in bytes. The SDK ignores a longer one.
const LONGEST_ID: usize = 256;

/// Returns whether a request uses protocol 2026-07-28 or later. ISO dates compare as text.
pub(super) fn is_stateless(cx: &McpContext) -> bool {
    let is = |version: &str| version >= ProtocolVersion::V_2026_07_28.as_str();
    // rmcp's own functions copy the text of the version.
    match cx.meta.get(PROTOCOL_VERSION).and_then(Value::as_str) {
        Some(version) => is(version),
        None => (cx.peer.peer_info()).is_some_and(|info| is(info.protocol_version.as_str())),
    }
}

/// Returns whether the client may get tasks in answer to this request, as far as it says so. rmcp refuses a task for any other.
pub(super) fn may_get_tasks(cx: &McpContext) -> bool {
    let own = cx.meta.get(CLIENT_CAPABILITIES);
    let own = own.and_then(|own| own.get("extensions")?.get(TASKS_EXTENSION_ID));
    own.is_some() || (cx.peer.peer_info()).is_some_and(|info| info.capabilities.supports_tasks())
}

/// Writes functions that read the HTTP request of a message. Without the feature `http` there is none, and they return nothing.
macro_rules! of_http {
    ($($(#[$attribute:meta])+ $visibility:vis fn $name:ident($from:ident: $type:ty) -> $answer:ty {
        $($body:tt)*
    })+) => {$(
        $(#[$attribute])+
        $visibility fn $name($from: $type) -> $answer {
            #[cfg(feature = "http")]
            {
                $($body)*
            }
            #[cfg(not(feature = "http"))]
            Default::default()
        }
    )+};
}

of_http! {
    /// Returns the name of the principal that the HTTP layer found for the request.
    pub(super) fn principal(cx: &McpContext) -> Option<String> {
        http_extension::<crate::http::Principal>(cx).map(|principal| principal.as_str().to_owned())
    }

    /// Returns the tenant of the principal that the HTTP layer found for the request.
    pub(super) fn tenant(cx: &McpContext) -> Option<String> {
        http_extension::<crate::http::Principal>(cx)?.tenant().map(str::to_owned)
    }

    /// Returns the claims of the token that the login checked for the request.
    pub(super) fn claims(cx: &McpContext) -> Option<Arc<rmcp::model::JsonObject>> {
        http_extension::<crate::http::Principal>(cx)?.claims().cloned()
    }

    /// Returns the address of the peer over HTTP. Of an IPv6 address only the network: a host has all addresses in it.
    fn address(extensions: &Extensions) -> Option<IpAddr> {
        use std::net::{Ipv6Addr, SocketAddr};

        /// The network of an IPv6 address: its first 64 bits.
        const NETWORK: u128 = !0 << 64;
        let parts = extensions.get::<http::request::Parts>()?;
        let peer = parts.extensions.get::<axum::extract::ConnectInfo<SocketAddr>>()?;
        Some(match peer.0.ip().to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK)),
            address => address,
        })
    }

    /// Returns whether a handshake is replayed, by the SDK or by rmcp's service.
    pub(super) fn is_restored(extensions: &Extensions) -> bool {
        use rmcp::transport::streamable_http_server::session::SessionRestoreMarker;
        extensions.get::<RestoredHandshake>().is_some()
            || extensions.get::<SessionRestoreMarker>().is_some()
    }

    /// Returns the version of HTTP by which a request arrived.
    pub(super) fn http_version(extensions: &Extensions) -> Option<&'static str> {
        Some(match extensions.get::<http::request::Parts>()?.version {
            http::Version::HTTP_10 => "1.0",
            http::Version::HTTP_2 => "2",
            http::Version::HTTP_3 => "3",
            _ => "1.1",
        })
    }

    /// Returns the trace that the headers name.
    fn header_trace(extensions: &Extensions) -> Option<TraceContext> {
        let headers = &extensions.get::<http::request::Parts>()?.headers;
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        TraceContext::new(header("traceparent")?, header("tracestate"))
    }

    /// Returns the kind of transport by which a request arrived.
    fn carrier(extensions: &Extensions) -> Carrier<'_> {
        let Some(parts) = extensions.get::<http::request::Parts>() else {
            return Carrier::Stream;
        };
        let session = parts.headers.get(SESSION);
        let session = session.and_then(|id| id.to_str().ok());
        Carrier::Http(session.filter(|id| is_id(id)))
    }
}

/// Returns a text of a request, such as its principal.
pub(super) type TextOfRequest = Arc<dyn Fn(&McpContext) -> Option<String> + Send + Sync>;

/// Returns a text of a request by the author's function, if there is one.
pub(super) fn text_of(
    cx: &McpContext,
    of_author: Option<&TextOfRequest>,
    by_default: fn(&McpContext) -> Option<String>,
) -> Option<String> {
    match of_author {
        Some(of) => of(cx),
        None => by_default(cx),
    }
}

/// Returns what a layer put in the extensions of the HTTP request.
#[cfg(feature = "http")]
pub(super) fn http_extension<T: Send + Sync + 'static>(cx: &McpContext) -> Option<&T> {
    match cx.extensions.get::<http::request::Parts>() {
        Some(parts) => parts.extensions.get::<T>(),
        // The transport of a WebSocket puts it beside each message.
        None => cx.extensions.get::<T>(),
    }
}

/// The kind of transport by which a request arrived.
#[derive(Debug, Default, PartialEq, Eq)]
enum Carrier<'c> {
    /// A stream. It belongs to one client as long as it lasts.
    #[default]
    Stream,
    /// rmcp's HTTP service, in one of its sessions. With `None` it keeps no sessions: each request has its own handler,
    /// and only a handle connects it to the next one.
    Http(Option<&'c str>),
}

/// Returns who sent a request, as the server itself knows it: the principal, or else the stream, or the address over HTTP with
/// the transport's session. Nothing of it is the client's choice.
pub(super) fn sender<'c>(cx: &'c McpContext, connection: &Connection) -> (Owner, Option<&'c str>) {
    if let Some(principal) = principal(cx) {
        return (Owner::Principal(principal.into()), None);
    }
    match carrier(&cx.extensions) {
        Carrier::Stream => (Owner::Connection(connection.number), None),
        Carrier::Http(session) => {
            let address = Owner::Address(address(&cx.extensions));
            // On 2026-07-28 the transport has no sessions, and the header is whatever the client writes.
            (address, session.filter(|_| !is_stateless(cx)))
        }
    }
}

/// Returns the client's name, from the request or from the handshake before it.
pub(super) fn client_name(cx: &McpContext) -> Option<String> {
    let own = cx.meta.client_info().map(|client| client.name);
    own.or_else(|| Some(cx.peer.peer_info()?.client_info.name.clone()))
}

/// Returns the session of a request that sends no handle.
///
/// The first of these that is present identifies it:
///
/// - the client's own id,
/// - before 2026-07-28, the transport's session or the stream.
pub(super) fn own_session<'a>(
    cx: &'a McpContext,
    connection: &'a Connection,
) -> Option<Identity<'a>> {
    if let Some(id) = own_client_session(cx, connection) {
        return Some(Identity::Client(id));
    }
    match carrier(&cx.extensions) {
        _ if is_stateless(cx) => None,
        Carrier::Http(session) => session.map(Identity::Transport),
        Carrier::Stream => Some(Identity::Connection(connection.number)),
    }
}

/// Returns the key of that session, for a server whose sessions have no principals.
pub(super) fn own_key(cx: &McpContext, connection: &Connection) -> Option<Key> {
    own_session(cx, connection).map(|own| own.key(None))
}

/// Returns the client's own id of its session, from the request or from the process that serves the session.
pub(super) fn own_client_session<'a>(
    cx: &'a McpContext,
    connection: &'a Connection,
) -> Option<&'a str> {
    let client = cx.meta.get(CLIENT_META).and_then(Value::as_str);
    let client = client.filter(|id| is_id(id));
    client.or(connection.client_session())
}

/// Returns whether only a handle connects this request to the next one of its session, unless the client gives its own
/// id.
pub(super) fn needs_handle(cx: &McpContext) -> bool {
    is_stateless(cx) || carrier(&cx.extensions) == Carrier::Http(None)
}

/// Returns whether the answer passes a transport, which writes members that rmcp's types lack.
pub(super) fn is_lifted(extensions: &Extensions) -> bool {
    extensions.get::<Arrival>().is_some()
}

/// The members of a call that rmcp's types drop.
#[cfg(feature = "mcpl")]
#[derive(Clone, Debug)]
pub(super) struct CarriedMembers(pub(super) Arc<rmcp::model::JsonObject>);

/// Returns the state that an MCPL host brings with a call. Without MCPL, nobody brings one.
pub(super) fn brought_state(extensions: &Extensions) -> Option<&Value> {
    #[cfg(feature = "mcpl")]
    {
        let CarriedMembers(members) = extensions.get()?;
        members.get("state")
    }
    #[cfg(not(feature = "mcpl"))]
    None
}

/// Returns whether the request passed a transport where a middleware could decide about its message.
pub(super) fn was_seen(extensions: &Extensions) -> bool {
    extensions.get::<PassedTransport>().is_some()
}

/// Counts a message that is stopped because its transport shows no guardian whole messages.
pub(super) fn count_unseen(kind: &'static str) {
    #[cfg(feature = "metrics")]
    metrics::counter!("mcp.server.unseen_messages", "kind" => kind).increment(1);
}

/// The mark on a handshake that is replayed: another replica had the client's first one.
#[cfg(feature = "http")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestoredHandshake;

/// Returns the session of the transport in which a request arrived.
pub(super) fn transport_session(extensions: &Extensions) -> Option<&str> {
    match carrier(extensions) {
        Carrier::Http(session) => session,
        Carrier::Stream => None,
    }
}

/// Returns the trace that the client names in the request, or else in the headers of its HTTP request.
pub(super) fn trace_context(cx: &McpContext) -> Option<TraceContext> {
    let meta = |key| cx.meta.get(key).and_then(Value::as_str);
    match meta("traceparent") {
        Some(parent) => TraceContext::new(parent, meta("tracestate")),
        None => header_trace(&cx.extensions),
    }
}

/// Returns whether the request arrived over HTTP. On 2026-07-28 each HTTP request has its own handler.
pub(super) fn is_http(extensions: &Extensions) -> bool {
    carrier(extensions) != Carrier::Stream
}

fn is_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len())
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;

    #[test]
    fn the_transports_session_is_read_from_its_header() {
        let long = "x".repeat(257);
        for (value, expected) in [("0198-a", Some("0198-a")), ("", None), (&long, None)] {
            let request = http::Request::builder()
                .header("mcp-session-id", value)
                .body(());
            let mut extensions = Extensions::new();
            extensions.insert(request.expect("a request").into_parts().0);
            assert_eq!(carrier(&extensions), Carrier::Http(expected));
        }
        assert_eq!(carrier(&Extensions::new()), Carrier::Stream);
    }

    #[test]
    fn the_trace_is_read_from_the_headers() {
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        for (value, expected) in [(trace, Some(trace)), ("00-1-2-01", None)] {
            let request = http::Request::builder()
                .header("traceparent", value)
                .header("tracestate", "vendor=1")
                .body(());
            let mut extensions = Extensions::new();
            extensions.insert(request.expect("a request").into_parts().0);
            let found = header_trace(&extensions);
            let parent = found.as_ref().map(TraceContext::parent);
            assert_eq!(parent, expected);
            let state = found.as_ref().and_then(TraceContext::state);
            assert_eq!(state, expected.and(Some("vendor=1")));
        }
        assert_eq!(header_trace(&Extensions::new()), None);
    }
}
