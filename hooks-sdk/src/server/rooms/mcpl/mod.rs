//! MCPL over rmcp: the handshake, the host's requests and notifications, and calls of tools.

mod calls;
mod kept;
mod sending;
mod shim;

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        ClientCapabilities, CustomNotification, CustomRequest, ErrorCode, Extensions,
        ServerCapabilities,
    },
    service::RequestContext,
};
use serde_json::Value;

pub(in crate::server) use calls::unbound;
pub(in crate::server) use kept::Kept;
use sending::Way;
pub(in crate::server) use shim::{Inbound, Outbound};
use shim::{Stashed, take_stashed};

pub(in crate::server) use crate::mcpl::problems;
use crate::server::{Collected, Hooked, door::transport::Wire, handler::is_stateless};
use crate::{
    core::{BuildErrors, Registry},
    mcpl::{Answered, Derived, ErrorObject, Link, McplSettings, Version, wire::method},
};

/// Where both sides advertise MCPL in `experimental` (MCPL 0.4.1 §3.1).
const MCPL: &str = "mcpl";

/// What a server has of MCPL.
#[derive(Clone)]
pub(in crate::server) struct Mcpl {
    derived: Arc<Derived>,
    settings: McplSettings,
}

impl Mcpl {
    pub(in crate::server) fn of(hooks: &Registry) -> Mcpl {
        Mcpl {
            derived: Arc::new(Derived::of(hooks)),
            settings: McplSettings::new(),
        }
    }

    /// Whether the settings fit the server.
    pub(in crate::server) fn check(&self) -> Result<(), BuildErrors> {
        let problems = self.settings.problem(&self.derived);
        BuildErrors::check(problems.into_iter().collect())
    }
}

impl<H: ServerHandler> Collected<H> {
    /// Sets how long MCPL hosts are waited for, by every server that is wrapped.
    #[must_use]
    pub fn mcpl(mut self, settings: McplSettings) -> Collected<H> {
        self.mcpl.settings = settings;
        self
    }
}

impl<H: ServerHandler> Hooked<H> {
    /// Sets how long the MCPL host is waited for.
    ///
    /// What does not fit the server is an error of [`serve`](Hooked::serve); served in another way, the server logs it and
    /// works without that setting.
    #[must_use]
    pub fn mcpl(mut self, settings: McplSettings) -> Hooked<H> {
        self.mcpl.settings = settings;
        if let Err(problems) = self.mcpl.check() {
            tracing::error!(%problems, "the MCPL settings do not fit the server");
        }
        self
    }

    /// Opens the connection to a host that advertised MCPL, once; a second handshake on it finds it as it is.
    pub(in crate::server) fn meet(
        &self,
        client: &ClientCapabilities,
        context: &RequestContext<RoleServer>,
    ) -> Option<Arc<Link>> {
        if self.mcpl.derived.is_empty() {
            return None;
        }
        let advertised = client.experimental.as_ref()?.get(MCPL)?;
        let advertised = Value::Object(advertised.clone());
        let version = Version::advertised(&advertised)?;
        let connection = self.connection_of(&context.extensions);
        // That revision has no requests from servers to clients, and rmcp sends none.
        let asks = !is_stateless(context.protocol_version().as_ref());
        let way = Way::by(context.peer.clone());
        let open = |way| {
            Link::open(
                version,
                self.mcpl.derived.clone(),
                self.any_server(),
                self.mcpl.settings.fitting(&self.mcpl.derived),
                sending::wire(way, connection),
                asks,
                advertised,
            )
        };
        Some(if asks {
            connection.mcpl.link_or(|| open(way))
        } else {
            let discovered = || (open(way.clone()), way);
            connection.mcpl.discovered_or(discovered)
        })
    }

    /// Answers a request of MCPL's; `None` when it is none.
    pub(in crate::server) async fn answer_mcpl(
        &self,
        request: &mut CustomRequest,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<Value, ErrorData>> {
        let connection = self.connection_of(&context.extensions).clone();
        connection.mcpl.came_by(&context.peer);
        let link = connection.mcpl.link()?;
        let (answered, turn) = match take_stashed(&context.extensions) {
            Some(Stashed::Answered(answered)) => (Some(answered), None),
            Some(Stashed::Turn(turn)) => (None, Some(turn)),
            None => (None, None),
        };
        let Answered { result, leaving } = match answered {
            Some(answered) => answered,
            None => {
                let params = request.params.take();
                link.requested(&request.method, params, turn).await?
            }
        };
        // The shim sees the answer leave; without it, about now is as near as one can tell.
        let seen = context.extensions.get::<Wire>().is_some() && !context.ct.is_cancelled();
        let now = if leaving.is_empty() || !seen {
            Some(leaving)
        } else {
            connection.mcpl.keep(&context.id, leaving).err()
        };
        if let Some(leaving) = now {
            leaving.begins(link);
            leaving.ended(link);
        }
        Some(result.map_err(error_data))
    }

    /// Takes a notification of MCPL's where no shim did; says whether it was one.
    pub(in crate::server) fn note_mcpl(
        &self,
        notification: &mut CustomNotification,
        extensions: &Extensions,
    ) -> bool {
        let connection = self.connection_of(extensions);
        let Some(link) = connection.mcpl.link() else {
            return false;
        };
        if notification.method == method::INFERENCE_CHUNK {
            connection.mcpl.chunk(notification.params.take());
            return true;
        }
        link.notified(&notification.method, &mut notification.params)
    }
}

/// Declares what the server has, to a host that advertised MCPL.
pub(in crate::server) fn declare_mcpl(link: Option<&Link>, capabilities: &mut ServerCapabilities) {
    if let Some(link) = link {
        let experimental = capabilities.experimental.get_or_insert_default();
        experimental.insert(MCPL.to_owned(), link.declaration());
    }
}

fn error_data(error: ErrorObject) -> ErrorData {
    let code = i32::try_from(error.code).unwrap_or(ErrorCode::INTERNAL_ERROR.0);
    ErrorData::new(ErrorCode(code), error.message, error.data)
}
