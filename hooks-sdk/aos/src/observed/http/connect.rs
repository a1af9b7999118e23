//! The HTTP client: what it connects with, and what it never does.

use std::time::Duration;

use hooks_core::internal;
use reqwest::{Client, redirect::Policy};

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
        .tls_backend_preconfigured(
            internal::https(settings.is_https()).map_err(|error| error.to_string())?,
        );
    if !settings.environment_proxy {
        client = client.no_proxy();
    }
    client
        .build()
        .map_err(|error| error.without_url().to_string())
}
