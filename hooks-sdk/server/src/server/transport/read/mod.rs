//! Reads the message on a line: the most frequent ones directly, if the result is exactly rmcp's, and all others as rmcp does.

mod direct;
mod fallback;
#[cfg(test)]
mod tests;

use rmcp::{
    ErrorData, RoleServer,
    model::{JsonObject, JsonRpcMessage, RequestId},
    service::RxJsonRpcMessage,
};

use super::{
    message::{Id, Malformed, members},
    normalise::drop_wrong_capabilities,
};
use crate::server::connection::Connection;

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

impl Connection {
    /// Reads the message on a line, with the members of it that the middleware want. A malformed answer to an open request of the
    /// server is read as an error: whoever waits for it would wait for ever.
    pub(super) fn read(
        &self,
        line: &[u8],
        is_open: impl FnOnce(&RequestId) -> bool,
    ) -> Result<Option<Read>, Malformed> {
        let wanted = WantedMembers {
            of_a_call: self.members_of_a_call(),
            whole_result: &|id| self.settles(id),
        };
        read(line, &wanted).or_else(|malformed| {
            let id = malformed.id.as_ref().and_then(Id::as_rmcp);
            let Some(id) = id.filter(|id| !members(line).contains_key("method") && is_open(id))
            else {
                return Err(malformed);
            };
            let error =
                ErrorData::internal_error("the host's answer is no JSON-RPC response", None);
            Ok(Some(Read {
                message: JsonRpcMessage::error(error, Some(id)),
                members: JsonObject::new(),
            }))
        })
    }
}
