//! What a tool, prompt or resource can do with guidance while it answers.

use std::sync::Arc;

use rmcp::{RoleServer, model::Extensions, service::RequestContext};

use super::Around;
use crate::guidance::{ComposedHooksResult, HookInput, HookType, Lifecycle, Moment, RegisterError};

/// Guidance within a request: what fires now, and hooks that come and go while the server runs.
///
/// For `RequestContext<RoleServer>`, in the tools, prompts and resources of a [`Hooked`](crate::Hooked) server
/// that has guidance; in one that has none nothing fires, and nothing can be registered.
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
    /// Composes the hooks of this type and lifecycle for the request's session, tool and id.
    fn guide(
        &self,
        hook_type: HookType,
        lifecycle: Lifecycle,
    ) -> impl Future<Output = ComposedHooksResult> + Send;

    /// The session of the request, by the name under which hooks know it; `None` when nothing tells sessions
    /// apart. It opens nothing: who knows the name has no access to the session.
    fn session_id(&self) -> Option<&str>;

    /// The request, by the name under which hooks know it. It is not the id in the message, which every client counts
    /// from 0: no other request has this name, of any connection.
    fn request_id(&self) -> Option<&str>;

    /// Registers a hook, and returns its id. Bound to this [session](HookInput::session_id) or this
    /// [request](HookInput::request_id), it fires there only: at most 32 for each, gone when the request or the session
    /// ends or expires. Bound to neither, it fires for everybody until it is removed.
    ///
    /// # Errors
    ///
    /// Its definition is invalid; its id is taken; it is bound to another session or request; there are as many as may
    /// be; or the server has no guidance.
    fn register_hook(&self, hook: HookInput) -> Result<String, RegisterError>;

    /// Removes the hook with this id: the request's, the session's or everybody's. Returns whether there was one.
    fn unregister_hook(&self, id: &str) -> bool;
}

/// How the request's own guidance travels to the author's function.
#[derive(Clone)]
struct Traveling(Arc<Around>);

/// Gives a request its guidance.
pub(super) fn attach(extensions: &mut Extensions, around: &Arc<Around>) {
    extensions.insert(Traveling(around.clone()));
}

pub(super) fn around(context: &RequestContext<RoleServer>) -> Option<&Around> {
    let Traveling(around) = context.extensions.get()?;
    Some(around)
}

impl GuidanceContext for RequestContext<RoleServer> {
    async fn guide(&self, hook_type: HookType, lifecycle: Lifecycle) -> ComposedHooksResult {
        let moments = [Moment::new(hook_type, lifecycle)];
        match around(self) {
            Some(around) => around.compose(&around.ask(&moments)).await,
            None => crate::guidance::Composer::new().compose(&[]),
        }
    }

    fn session_id(&self) -> Option<&str> {
        around(self)?.session_id()
    }

    fn request_id(&self) -> Option<&str> {
        around(self).map(Around::request_id)
    }

    fn register_hook(&self, hook: HookInput) -> Result<String, RegisterError> {
        let Some(around) = around(self) else {
            return Err(RegisterError::NoRegistry);
        };
        around.register(hook)
    }

    fn unregister_hook(&self, id: &str) -> bool {
        around(self).is_some_and(|around| around.unregister(id))
    }
}
