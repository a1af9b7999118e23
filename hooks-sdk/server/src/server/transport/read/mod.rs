//! Reads the message on a line: the most frequent ones directly, if the result is exactly rmcp's, and all others as rmcp does.

mod direct;
mod fallback;
#[cfg(test)]
mod tests;

use rmcp::{
    RoleServer,
    model::{JsonObject, RequestId},
    service::RxJsonRpcMessage,
};

use super::{message::Malformed, normalise::drop_wrong_capabilities};

/// The parts of messages that middleware want and that rmcp's types drop.
pub(in crate::server) struct WantedMembers<'w> {
    /// The names of members in the params of a call of a tool.
    pub(in crate::server) of_a_call: &'w [&'static str],
    /// Returns whether a middleware wants the whole result of the answer to this request of the server.
    pub(in crate::server) whole_result: &'w dyn Fn(&RequestId) -> bool,
}

/// A message with its wanted members.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) message: RxJsonRpcMessage<RoleServer>,
    /// The wanted members of a call of a tool.
    pub(crate) members: JsonObject,
}

/// Reads the message on a line. Returns `None` for a notification that MCP does not define: no side answers it.
pub(in crate::server) fn read(
    line: &[u8],
    wanted: &WantedMembers<'_>,
) -> Result<Option<Read>, Malformed> {
    let mut read = match direct::read(line, wanted) {
        Some(read) => Some(read),
        None => fallback::read(line, wanted)?,
    };
    if let Some(read) = &mut read {
        drop_wrong_capabilities(&mut read.message);
    }
    Ok(read)
}
