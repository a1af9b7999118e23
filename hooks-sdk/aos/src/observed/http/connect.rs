//! The HTTP client: what it connects with, and what it never does.

use std::{sync::Arc, time::Duration};

use reqwest::{Client, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::ring};

use super::HttpSettings;

/// Makes the client. It follows no redirect, and uses no proxy of the environment unless the author asks for it.
pub(super) fn client(settings: &HttpSettings) -> Result<Client, String> {
    let mut client = Client::builder()
        .redirect(Policy::none())
        .referer(false)
        .tcp_nodelay(true)
        // Most servers and proxies close an idle connection after a minute or later: this side closes it first.
        .pool_idle_timeout(Duration::from_secs(30))
        .pool_max_idle_per_host(settings.max_concurrent)
        .tls_backend_preconfigured(tls(settings.is_https())?);
    if !settings.environment_proxy {
        client = client.no_proxy();
    }
    client
        .build()
        .map_err(|error| error.without_url().to_string())
}

/// TLS with the certificates that the operating system trusts. Without `https` none are loaded.
fn tls(https: bool) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    if https {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::warn!(
                target: "hooks_sdk::aos",
                "a trusted certificate cannot be read: {error}"
            );
        }
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err("it trusts no certificate".to_owned());
        }
    }
    // A program may link several providers, and then rustls knows no default.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
