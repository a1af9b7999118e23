//! The adapter that puts the protocols around an author's server.

use std::{error::Error as StdError, fmt, sync::Arc};

use rmcp::{RoleServer, ServerHandler, service::RunningService, transport::IntoTransport};

use super::{
    HookedService, ServeError,
    settings::{ServerSettings, common_setters},
};
#[cfg(feature = "cli")]
use super::{connection::Flag, middleware::offer::Offer};
use hooks_core::{BuildError, BuildErrors, Registry};

/// The server `H` with its hooks: an rmcp server that declares the hooks and answers them.
///
/// This type is a handle: its clones share the server.
///
/// Every request is answered, whatever a hook or the server does. A panic in a tool, prompt or resource becomes an
/// internal error.
///
/// ```no_run,standalone_crate
/// use hooks_sdk::{Hooked, prelude::*};
/// # use hooks_sdk::rmcp::ServerHandler;
/// # struct Notes;
/// # impl ServerHandler for Notes {}
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let server: Hooked<Notes> = Notes.with_hooks()?;
/// server.serve(stdio()).await?.waiting().await?;
/// # Ok(())
/// # }
/// ```
pub struct Hooked<H> {
    pub(super) server: Arc<H>,
    pub(crate) service: HookedService,
}

impl<H: ServerHandler> Hooked<H> {
    /// Declares the hooks in `experimental.hooks` also to clients that declared no support for hooks. This is for hosts
    /// on the path that SEP-2282 calls the prototype path.
    #[must_use]
    pub fn declare_unasked(self) -> Hooked<H> {
        self.set(|settings| {
            settings.places.unasked = true;
        })
    }

    /// Supports the extension `<prefix>/hooks` as well. The prefix is a domain that you own, reversed, such as
    /// `com.example`.
    ///
    /// # Errors
    ///
    /// Returns an error if `prefix` is not a reversed domain name, or if MCP reserves it.
    pub fn vendor(self, prefix: &str) -> Result<Hooked<H>, BuildErrors> {
        if let Some(problem) = prefix_problem(prefix) {
            let message = format!("`{prefix}` cannot be a vendor prefix: {problem}");
            return Err(BuildError::new(
                None,
                message,
                "use a domain that you own, reversed, such as `com.example`",
            )
            .into());
        }
        let extension = format!("{prefix}/hooks").into();
        Ok(self.set(|settings| {
            settings.places.extension = Some(extension);
        }))
    }

    /// Offers the hooks in a sentence, made for the name that the client gives itself.
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub fn offering(
        self,
        sentence: impl Fn(Option<&str>) -> String + Send + Sync + 'static,
    ) -> Hooked<H> {
        let offer = Offer {
            sentence: Box::new(sentence),
            is_made: Flag::default(),
        };
        self.set(|settings| settings.offer = Some(Arc::new(offer)))
    }

    pub(super) fn set(self, change: impl FnOnce(&mut ServerSettings)) -> Hooked<H> {
        Hooked {
            server: self.server,
            service: self.service.set(change),
        }
    }

    /// Returns the author's server.
    pub fn server(&self) -> &H {
        &self.server
    }

    /// Returns the hooks.
    pub fn registry(&self) -> &Registry {
        &self.service.hooks.registry
    }

    /// Checks that the settings fit the hooks and the server.
    ///
    /// # Errors
    ///
    /// Returns every setting that does not fit.
    pub fn check(&self) -> Result<(), BuildErrors> {
        self.service.check()
    }

    /// Serves the server on `transport`.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings do not fit the server, before it reads anything. Later errors are those of
    /// rmcp's own `serve`.
    pub async fn serve<T, E, A>(
        self,
        transport: T,
    ) -> Result<RunningService<RoleServer, HookedService>, ServeError>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: StdError + Send + Sync + 'static,
    {
        self.service.serve(transport).await
    }
}

common_setters!(Hooked);

impl<H> Clone for Hooked<H> {
    fn clone(&self) -> Hooked<H> {
        Hooked {
            server: self.server.clone(),
            service: self.service.clone(),
        }
    }
}

impl<H> fmt::Debug for Hooked<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooked")
            .field("registry", &self.service.hooks.registry)
            .field("settings", &self.service.settings)
            .finish_non_exhaustive()
    }
}

impl<H> From<Hooked<H>> for HookedService {
    fn from(hooked: Hooked<H>) -> HookedService {
        hooked.service
    }
}

fn prefix_problem(prefix: &str) -> Option<&'static str> {
    let labels: Vec<&str> = prefix.split('.').collect();
    let is_label = |label: &&str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && label.ends_with(|last: char| last.is_ascii_alphanumeric())
            && label
                .chars()
                .all(|each| each.is_ascii_alphanumeric() || each == '-')
    };
    if labels.len() < 2 || !labels.iter().all(is_label) {
        Some("it is no reversed domain name")
    } else if matches!(labels[1], "mcp" | "modelcontextprotocol") {
        Some("MCP reserves it")
    } else {
        None
    }
}
