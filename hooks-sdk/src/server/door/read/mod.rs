//! Reads the message on a line: in one pass where that gives exactly what rmcp reads, and else as rmcp does.

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

/// What is wanted of messages beyond what rmcp's types hold.
pub(in crate::server) struct Wanted<'w> {
    /// Members of the params of a call of a tool.
    pub(in crate::server) of_a_call: &'static [&'static str],
    /// Whether the result of the answer to this request of the server's is wanted as it came.
    pub(in crate::server) whole_result: &'w dyn Fn(&RequestId) -> bool,
}

/// A message, and what was wanted beside it.
#[derive(Debug)]
pub(in crate::server) struct Read {
    pub(in crate::server) message: RxJsonRpcMessage<RoleServer>,
    /// The members of a call of a tool that were wanted.
    pub(in crate::server) members: JsonObject,
}

/// The message on a line; `None` for a notification that MCP does not know, which nobody answers.
pub(in crate::server) fn read(line: &[u8], wanted: &Wanted<'_>) -> Result<Option<Read>, Malformed> {
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
