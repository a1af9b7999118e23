//! The guidance that a tool, prompt or resource can use while it answers.

use std::sync::Arc;

use rmcp::{RoleServer, service::RequestContext};

use super::{GuidedRequest, RequestGuidance};
use hooks_core::guidance::{
    ComposedHooksResult, HookInput, HookType, Lifecycle, Moment, RegisterError,
};

/// Guidance within a request: composes what fires now, and registers and removes hooks while the server runs.
///
/// It is implemented for `RequestContext<RoleServer>`. Use it in the tools, prompts and resources of a
/// [`Hooked`](crate::server::Hooked) server that has guidance. In a server without guidance nothing fires, and you cannot
/// register a hook.
///
/// ```
/// use hooks_sdk::{guidance::{HookType, Lifecycle}, server::GuidanceContext};
/// use hooks_sdk::rmcp::{RoleServer, service::RequestContext};
///
/// async fn import(cx: RequestContext<RoleServer>) -> String {
///     let guidance = cx.guide(HookType::Storage, Lifecycle::Running).await;
///     format!("Imported.\n\n{}", guidance.content)
/// }
/// ```
pub trait GuidanceContext {
    /// Composes the hooks of this type and lifecycle, for the session, the tool and the id of the request.
    fn guide(
        &self,
        hook_type: HookType,
        lifecycle: Lifecycle,
    ) -> impl Future<Output = ComposedHooksResult> + Send;

    /// Returns the name by which hooks know the request's session. Returns `None` if the SDK cannot tell sessions
    /// apart.
    ///
    /// The name is not a handle: it gives nobody access to the session.
    fn session_id(&self) -> Option<&str>;

    /// Returns the name by which hooks know the request. No other request of any connection has this name.
    ///
    /// It is not the id in the message: every client counts its ids from 0.
    fn request_id(&self) -> Option<&str>;

    /// Registers a hook, and returns its id.
    ///
    /// - Bound to this [session](HookInput::session_id) or this [request](HookInput::request_id), the hook fires there
    ///   only. Each session and each request has at most 32 such hooks. The SDK removes them when the request or the
    ///   session ends or expires. They live in this process: other replicas do not fire them.
    /// - Bound to neither, the hook fires for everybody until you remove it.
    ///
    /// The hook fires around this call, and around calls that begin later.
    ///
    /// # Errors
    ///
    /// Returns an error in these cases:
    ///
    /// - The definition is invalid.
    /// - Another hook has the id.
    /// - The hook is bound to another session or request.
    /// - A limit is reached.
    /// - The server has no guidance.
    fn register_hook(&self, hook: HookInput) -> Result<String, RegisterError>;

    /// Removes the hook with this id: one of the request, of its session, or of everybody. Returns whether it found
    /// one.
    fn unregister_hook(&self, id: &str) -> bool;
}

/// Returns the guidance of a request, which its context carries for the author's function.
pub(super) fn around(context: &RequestContext<RoleServer>) -> Option<RequestGuidance<'_>> {
    let lazy = context.extensions.get::<Arc<GuidedRequest>>()?;
    Some(lazy.of(context))
}

impl GuidanceContext for RequestContext<RoleServer> {
    async fn guide(&self, hook_type: HookType, lifecycle: Lifecycle) -> ComposedHooksResult {
        let moments = [Moment::new(hook_type, lifecycle)];
        match around(self) {
            Some(around) => around.compose(&around.ask(&moments)).await,
            None => hooks_core::guidance::Composer::new().compose(&[]),
        }
    }

    fn session_id(&self) -> Option<&str> {
        around(self)?.session_id()
    }

    fn request_id(&self) -> Option<&str> {
        around(self).map(RequestGuidance::request_id)
    }

    fn register_hook(&self, hook: HookInput) -> Result<String, RegisterError> {
        let around = around(self).ok_or(RegisterError::NoRegistry)?;
        around.register(hook)
    }

    fn unregister_hook(&self, id: &str) -> bool {
        around(self).is_some_and(|around| around.unregister(id))
    }
}
