//! The pages of other hosts: the stand-in is the proxy of a client, so that its tool fetches them here, also behind TLS.

use std::{error::Error, sync::LazyLock};

use axum::{Router, extract::Request};
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

/// The host of a page, which no name service knows.
pub const PAGE_HOST: &str = "page.example";

/// The beginning of a page's address for clients that refuse addresses of the own computer and hosts without one. Nobody
/// has it: the range is not assigned.
pub const UNASSIGNED_PAGE: &str = "http://[4000::1]";

/// The port behind which a proxy's client speaks TLS.
const TLS: u16 = 443;

/// The certificate of [`PAGE_HOST`], signed by itself, and the server that has it. It is as old as this process.
static PAGE: LazyLock<Option<(String, TlsAcceptor)>> = LazyLock::new(|| {
    let made = page();
    if let Err(error) = &made {
        tracing::warn!(target: "hooks_sdk::clients", %error, "no page behind TLS can be fetched");
    }
    made.ok()
});

fn page() -> Result<(String, TlsAcceptor), Box<dyn Error>> {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([PAGE_HOST.to_owned()])?;
    let key = PrivateKeyDer::try_from(signing_key.serialize_der())?;
    let config = ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)?;
    let acceptor = TlsAcceptor::from(std::sync::Arc::new(config));
    Ok((cert.pem(), acceptor))
}

/// Returns the certificate of [`PAGE_HOST`] as PEM text, for a client that is to trust it.
pub fn page_certificate() -> &'static str {
    PAGE.as_ref()
        .map_or("", |(certificate, _)| certificate.as_str())
}

/// Serves what a client sends through its proxy to another host.
pub(super) fn tunnel(request: Request, router: Router) {
    let port = request.uri().port_u16();
    let upgrade = hyper::upgrade::on(request);
    tokio::spawn(async move {
        // A client that ends here has no answer either.
        let Ok(stream) = upgrade.await.map(TokioIo::new) else {
            return;
        };
        match PAGE.as_ref().filter(|_| port == Some(TLS)) {
            None => serve(stream, router).await,
            Some((_, acceptor)) => {
                if let Ok(stream) = acceptor.accept(stream).await {
                    serve(stream, router).await;
                }
            }
        }
    });
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, router: Router) {
    let connection = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    if let Err(error) = connection.await {
        tracing::debug!(target: "hooks_sdk::clients", %error, "a page was not read to its end");
    }
}

#[cfg(test)]
mod tests;
