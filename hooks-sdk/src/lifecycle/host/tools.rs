//! How a host reaches the tools of its servers.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::core::HookError;

/// The tools of the connected servers, as far as hooks need them.
///
/// It is object safe: a client may pass `&dyn ContextTools`.
pub trait ContextTools: Sync {
    /// Calls `tool` on `server` and gives its result as text.
    ///
    /// The host ends the call at its policy's deadline by dropping the future, and survives its panic.
    ///
    /// # Errors
    ///
    /// That there is no such server or tool, or that the tool reported an error.
    fn call<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>>;
}

/// No tools: for a client that uses static texts only.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "nothing can be added to nothing")]
pub struct NoTools;

impl ContextTools for NoTools {
    fn call<'a>(
        &'a self,
        _server: &'a str,
        _tool: &'a str,
        _args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        Box::pin(async { Err(HookError::new("this client calls no context tools")) })
    }
}
