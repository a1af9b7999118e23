//! How a host reaches the tools of its servers.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::HookError;

/// Calls the tools of the connected servers, for hooks.
///
/// It is object safe: a client may pass `&dyn ContextTools`.
pub trait ContextTools: Sync {
    /// Calls `tool` on `server` and returns its result as text.
    ///
    /// At the policy's deadline, the host drops the future. A panic of the future counts as a failure of the hook.
    ///
    /// # Errors
    ///
    /// The server or the tool does not exist, or the tool reported an error.
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
