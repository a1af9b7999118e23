//! What each message of MCP names, and whose content its answer holds: one table for reading, middleware and transports.

#[cfg(test)]
mod book;
mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rmcp::{
    ErrorData,
    model::{
        ClientNotification, ClientRequest, CustomRequest, ErrorCode, JsonRpcMessage,
        ServerJsonRpcMessage, ServerNotification, ServerRequest,
    },
};

pub(crate) use table::{optional, points, table};

/// The side that sends a message, and whether it is a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    ClientRequest,
    ClientNotification,
    ServerRequest,
    ServerNotification,
}

/// The entries of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum List {
    Tools,
    Prompts,
    Resources,
    ResourceTemplates,
    /// The resources in a folder.
    Directory,
    Skills,
}

/// The content of the answer to a request, or of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Content {
    /// Names and flags of the protocol at most.
    Nothing,
    Handshake,
    Tool,
    Prompt,
    Resource,
    List(List),
    Skill,
    Completion,
    /// The state of a task, with its result.
    Task,
    /// Text that belongs to no item.
    Text,
}

macro_rules! kinds {
    ($($kind:ident $family:ident $(in $file:ident)?;)+) => {
        /// The points of policy to which a request belongs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Points {
            $($kind,)+
        }
    };
}
table::points!(kinds);

/// The generations of MCP that have a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generations {
    Both,
    /// Those with `initialize`, before 2026-07-28.
    Sessions,
    /// 2026-07-28 and later.
    Stateless,
}

/// What a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedBy {
    Nothing,
    Tool,
    Prompt,
    /// A resource, by its URI. A skill is a resource.
    Resource,
    /// Any number of resources.
    Resources,
    /// A prompt, a resource template or a resource, whose argument is to be completed.
    Reference,
    Task,
}

/// A method, as its row in the table says it.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "the test of the book reads the rest")]
pub(crate) struct MethodRow {
    pub(crate) method: &'static str,
    pub(crate) direction: Direction,
    pub(crate) names: NamedBy,
    pub(crate) content: Content,
    pub(crate) points: Option<Points>,
    pub(crate) generations: Generations,
    /// Why no middleware decides about it as a whole message.
    pub(crate) exempt: Option<&'static str>,
}

macro_rules! row {
    ($direction:ident $method:literal
        [names $names:ident, holds $content:expr, in $generations:ident
            $(, points $points:ident)? $(, exempt $exempt:literal)?]) => {
        MethodRow {
            method: $method,
            direction: Direction::$direction,
            names: NamedBy::$names,
            content: $content,
            points: optional!($(Points::$points)?),
            generations: Generations::$generations,
            exempt: optional!($($exempt)?),
        }
    };
}

macro_rules! rows {
    (
        requests { $($request:literal: $kind:ident($($asked:ident: $params:ty)?) -> $result:ty = $function:ident
            [$asks:ident $shape:literal] $request_facts:tt;)* }
        listen { $listen:literal [$listens:ident $listen_shape:literal] $listen_facts:tt; }
        custom { $custom:literal: $($custom_row:tt)* }
        client_notifications { $($told:literal [$tells:ident] $told_facts:tt;)* }
        server_requests { $($server:literal [$server_asks:ident] $server_facts:tt;)* }
        server_notifications { $($notice:literal [$notifies:ident] $notice_facts:tt;)* }
    ) => {
        /// Every row of the table.
        pub(crate) const ROWS: &[MethodRow] = &[
            $(row!(ClientRequest $request $request_facts),)*
            row!(ClientRequest $listen $listen_facts),
            $(row!(ClientNotification $told $told_facts),)*
            $(row!(ServerRequest $server $server_facts),)*
            $(row!(ServerNotification $notice $notice_facts),)*
        ];

        // Each of these returns whether the message has a row, or a name that MCP does not define.
        has_row!(has_client_request: ClientRequest [$($asks)* $listens CustomRequest]);
        has_row!(has_client_notification: ClientNotification [$($tells)* CustomNotification]);
        has_row!(has_server_request: ServerRequest [$($server_asks)* CustomRequest]);
        has_row!(has_server_notification: ServerNotification [$($notifies)* CustomNotification]);

        /// Returns the shape of the params of a request, for an error message.
        fn shape(method: &str) -> Option<&'static str> {
            Some(match method {
                $($request => $shape,)*
                $listen => $listen_shape,
                _ => return None,
            })
        }
    };
}

macro_rules! has_row {
    ($function:ident: $message:ident [$($variant:ident)*]) => {
        fn $function(message: &$message) -> bool {
            matches!(message, $($message::$variant(_))|*)
        }
    };
}
table!(rows);

/// Returns the row of a method that a client may send.
pub(crate) fn of_client(method: &str) -> Option<&'static MethodRow> {
    ROWS.iter().find(|row| {
        row.method == method
            && matches!(
                row.direction,
                Direction::ClientRequest | Direction::ClientNotification
            )
    })
}

/// Returns whether MCP defines a method of this name for clients.
pub(crate) fn is_of_client(method: &str) -> bool {
    of_client(method).is_some()
}

/// Returns the method of a message that was not read.
pub(crate) fn method_of(message: &[u8]) -> Option<Cow<'_, str>> {
    #[derive(serde::Deserialize)]
    struct MethodOnly<'m> {
        #[serde(borrow)]
        method: Cow<'m, str>,
    }
    let message = serde_json::from_slice::<MethodOnly<'_>>(message);
    message.ok().map(|message| message.method)
}

/// Returns whether a message opens a stream that has no end of its own.
pub(crate) fn is_listening(message: &[u8]) -> bool {
    let row = method_of(message).and_then(|method| of_client(&method));
    row.is_some_and(|row| row.names == NamedBy::Resources)
}

/// Returns whether MCP defines the method.
pub(crate) fn is_known(method: &str) -> bool {
    ROWS.iter().any(|row| row.method == method)
}

/// Returns whether messages of this method are requests, if no middleware decides about them.
pub(crate) fn exempt(method: &str) -> Option<bool> {
    let mut exempt = ROWS.iter().filter(|row| row.exempt.is_some());
    let row = exempt.find(|row| row.method == method)?;
    Some(matches!(
        row.direction,
        Direction::ClientRequest | Direction::ServerRequest
    ))
}

/// Returns the error for a request of MCP with params of the wrong shape.
///
/// rmcp reads such a request as a custom request of that name. A method that `is_stateless` lacks is unknown there,
/// whatever its params are.
pub(crate) fn wrong_shape(request: &CustomRequest, is_stateless: bool) -> Option<ErrorData> {
    let method = request.method.as_str();
    let row = of_client(method);
    let is_removed = row.is_some_and(|row| row.generations == Generations::Sessions);
    if is_stateless && is_removed {
        let message = format!("`{method}` is not in protocol 2026-07-28");
        return Some(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
    }
    if method.starts_with("notifications/") {
        return Some(ErrorData::invalid_request(
            format!("`{method}` is a notification and is sent without an `id`"),
            None,
        ));
    }
    let shape = shape(method)?;
    Some(ErrorData::invalid_params(
        format!("the params of `{method}` have the wrong shape; expected: {shape}"),
        None,
    ))
}

/// Returns the error for a request of a method without a row.
pub(crate) fn without_row(request: &ClientRequest) -> Option<ErrorData> {
    if has_client_request(request) {
        return None;
    }
    Some(refused(request.method()))
}

/// Counts a request of a method without a row, and returns its error.
fn refused(method: &str) -> ErrorData {
    count(method, "inbound");
    let message = "this server does not have the method";
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// Returns whether the server may hear of a notification. One of a method without a row is dropped.
pub(crate) fn may_arrive(notification: &ClientNotification) -> bool {
    let is_known = has_client_notification(notification);
    if !is_known {
        count("a notification", "inbound");
    }
    is_known
}

/// Returns whether a message of the server may leave. A message of a method without a row is withheld.
pub(crate) fn may_leave(message: &ServerJsonRpcMessage) -> bool {
    let is_known = match message {
        JsonRpcMessage::Request(request) => has_server_request(&request.request),
        JsonRpcMessage::Notification(told) => has_server_notification(&told.notification),
        // The handler's functions are in the table, so their results are.
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => true,
    };
    if !is_known {
        count("of the server", "outbound");
    }
    is_known
}

fn count(method: &str, direction: &'static str) {
    #[cfg(feature = "metrics")]
    metrics::counter!("mcp.server.unknown_methods", "direction" => direction).increment(1);
    warn!(
        method,
        direction, "a message is stopped: this version of the SDK does not know its method"
    );
}
