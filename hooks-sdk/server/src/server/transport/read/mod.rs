//! Reads the message on a line: in one pass if the result is exactly rmcp's, otherwise with rmcp's own reading.

mod checked;
mod envelope;
mod fallback;
pub(super) mod params;
mod parts;
#[cfg(test)]
mod tests;

use rmcp::{
    RoleServer,
    model::{JsonObject, RequestId},
    service::RxJsonRpcMessage,
};

use super::{
    message::Malformed,
    normalise::{drop_wrong_capabilities, needs_second_reading},
};

/// The parts of messages that middleware want and that rmcp's types drop.
pub(in crate::server) struct WantedMembers<'w> {
    /// The names of members in the params of a call of a tool.
    pub(in crate::server) of_a_call: &'w [&'static str],
    /// Returns whether a middleware wants the whole result of the answer to this request of the server.
    pub(in crate::server) whole_result: &'w dyn Fn(&RequestId) -> bool,
}

/// A message with its wanted members.
#[derive(Debug)]
pub(in crate::server) struct Read {
    pub(in crate::server) message: RxJsonRpcMessage<RoleServer>,
    /// The wanted members of a call of a tool.
    pub(in crate::server) members: JsonObject,
}

/// Reads the message on a line. Returns `None` for a notification that MCP does not define: no side answers it.
pub(in crate::server) fn read(
    line: &[u8],
    wanted: &WantedMembers<'_>,
) -> Result<Option<Read>, Malformed> {
    let read =
        envelope::read(line, wanted).filter(|read| !needs_second_reading(&read.message, line));
    let mut read = match read {
        Some(read) => Some(read),
        None => fallback::read(line, wanted)?,
    };
    if let Some(read) = &mut read {
        drop_wrong_capabilities(&mut read.message);
    }
    Ok(read)
}
