//! How a host connects: the server behind it, the handshake, and the first policy.

use std::sync::Arc;

use crate::connection::{ConnectError, ConnectionSettings, ServerConnection, client_info};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{McplHost, McplHostBuilder, audit::Audit, gate::HostGate, inbound, shared::SharedHost};
use hooks_mcpl::Version;

/// How a host reaches a server that is given as a `T`.
pub trait Connector<T> {
    /// Returns the streams from the server and to it.
    fn open(
        self,
        server: T,
    ) -> (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    );
}

/// Takes one stream that goes both ways, such as a TCP socket, or one end of a pipe.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ByteStream;

impl<T: AsyncRead + AsyncWrite + Send + 'static> Connector<T> for ByteStream {
    fn open(
        self,
        stream: T,
    ) -> (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ) {
        tokio::io::split(stream)
    }
}

/// Not public API: a connector that puts the wire shim of `hooks-sdk` before the server.
#[doc(hidden)]
pub trait WithoutShim {
    fn without_shim(self) -> Self;
}

impl<C> McplHostBuilder<C> {
    /// Connects to the server that `server` is, or leads to.
    ///
    /// A [`StreamHost`](super::StreamHost) takes a stream that goes both ways. The host of `hooks_sdk::testing` takes the
    /// server itself, and serves it in a task of its own.
    ///
    /// # Errors
    ///
    /// As [`over`](McplHostBuilder::over).
    pub async fn connect<T>(self, server: T) -> Result<McplHost<C>, ConnectError>
    where
        C: Connector<T> + Clone,
    {
        let (read, write) = self.connector.clone().open(server);
        self.over(read, write).await
    }

    /// Connects to a server by a stream from it and one to it, such as the pipes of a child process.
    ///
    /// # Errors
    ///
    /// The handshake's failure, or that the server did not take the policy.
    pub async fn over(
        self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<McplHost<C>, ConnectError> {
        let capabilities = self.capabilities.unwrap_or_else(|| {
            let mcpl = mirror(self.config.version, &self.advertised);
            json!({"experimental": {"mcpl": mcpl}})
        });
        let plain = Version::advertised(&capabilities["experimental"]["mcpl"]).is_none();
        let gate = HostGate::new(self.config.version, self.policy.is_none());
        let audit = Audit::new(self.name, self.keep);
        let shared = Arc::new(SharedHost::new(self.config, gate, self.script, audit));
        let settings = ConnectionSettings {
            timeout: self.timeout,
            keep: self.keep,
            first_id: 0,
            cancels: true,
        };
        let inbound = |line: &_| inbound::receiving(line, shared.clone());
        let connection = ServerConnection::new(read, write, settings, inbound);
        let mut host = McplHost::new(connection, shared.clone(), self.timeout);
        let mut params = json!({
            "protocolVersion": self.protocol,
            "capabilities": capabilities,
            "clientInfo": client_info(),
        });
        if let Some(name) = self.host_name {
            params["clientInfo"]["name"] = name.into();
        }
        host.shake_hands(params, !plain).await?;
        if host.speaks_mcpl()
            && let Some(policy) = &self.policy
        {
            host.update_feature_sets(policy).await?;
        }
        Ok(host)
    }
}

/// Everything that a host of this version can advertise.
fn mirror(version: Version, advertised: &str) -> Value {
    match version {
        Version::V04 => json!({
            "version": advertised,
            "pushEvents": true,
            "contextHooks": {"beforeInference": true, "afterInference": {"blocking": true}},
            "inferenceRequest": {"streaming": true},
            "modelInfo": true,
            "featureSets": true,
            "channels": {
                "register": true, "publish": true, "observe": true, "lifecycle": true, "streaming": true,
            },
        }),
        _ => json!({
            "version": advertised,
            "pushEvents": true,
            "contextHooks": {"beforeInference": {
                "observe": true,
                "inject": {"system": true, "beforeUser": true, "afterUser": true},
            }},
            "inferenceLifecycle": true,
            "inferenceRequest": {"streaming": true},
            "modelInfo": true,
            "featureSets": true,
            "channels": {
                "register": true, "lifecycle": true, "publish": true, "incoming": true,
                "streaming": true, "acknowledge": true, "typing": true,
            },
        }),
    }
}
