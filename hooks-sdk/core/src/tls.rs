//! TLS towards other servers.

use std::sync::Arc;

use rustls::{ClientConfig, Error, RootCertStore, crypto::ring};

/// Returns the certificates that the operating system trusts. One that cannot be read is named in the log.
fn trusted() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::warn!(target: "hooks_sdk::tls", "a trusted certificate cannot be read: {error}");
    }
    roots.add_parsable_certificates(found.certs);
    roots
}

fn config(roots: RootCertStore) -> Result<ClientConfig, Error> {
    // A program may link several providers, and then rustls knows no default.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Makes TLS with the certificates that the operating system trusts. If it is off, none are loaded.
///
/// # Errors
///
/// rustls makes no configuration.
#[cfg(feature = "postgres")]
pub(crate) fn tls(is_on: bool) -> Result<ClientConfig, Error> {
    config(if is_on {
        trusted()
    } else {
        RootCertStore::empty()
    })
}

/// Makes TLS for HTTP with the certificates that the operating system trusts. Without `https` URLs, none are loaded.
///
/// # Errors
///
/// The machine trusts no certificate, or rustls makes no configuration.
pub fn https(is_on: bool) -> Result<ClientConfig, Error> {
    let roots = if is_on {
        trusted()
    } else {
        RootCertStore::empty()
    };
    if is_on && roots.is_empty() {
        return Err(Error::General(
            "the machine trusts no certificate".to_owned(),
        ));
    }
    let mut config = config(roots)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
