//! What an author sets for a guardian over HTTP.

use std::{fmt, time::Duration};

use reqwest::{Url, header::HeaderValue};

use hooks_core::BuildError;

#[derive(Clone)]
pub(in crate::observed) struct HttpSettings {
    pub(super) url: Result<Url, BuildError>,
    bearer: Option<Result<HeaderValue, BuildError>>,
    pub(in crate::observed) max_concurrent: usize,
    pub(in crate::observed) max_answer: usize,
    pub(in crate::observed) circuit_failures: u32,
    pub(in crate::observed) circuit_pause: Duration,
    pub(in crate::observed) environment_proxy: bool,
    pub(in crate::observed) allow_plain_http: bool,
}

impl HttpSettings {
    pub(in crate::observed) fn new(url: &str) -> HttpSettings {
        HttpSettings {
            url: read_url(url),
            bearer: None,
            max_concurrent: 64,
            max_answer: 1024 * 1024,
            circuit_failures: 5,
            circuit_pause: Duration::from_secs(1),
            environment_proxy: false,
            allow_plain_http: false,
        }
    }

    pub(in crate::observed) fn set_bearer(&mut self, secret: &str) {
        let usable = !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic());
        let bearer = HeaderValue::try_from(format!("Bearer {secret}")).ok();
        self.bearer = Some(match bearer.filter(|_| usable) {
            Some(mut bearer) => {
                bearer.set_sensitive(true);
                Ok(bearer)
            }
            None => Err(BuildError::new(
                None,
                "the bearer secret for the guardian is empty, or has a character that no header can carry",
                "use visible ASCII characters without spaces",
            )),
        });
    }

    pub(super) fn bearer(&self) -> Option<&HeaderValue> {
        self.bearer.as_ref()?.as_ref().ok()
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.as_ref().is_ok_and(|url| url.scheme() == "https")
    }

    pub(super) fn problems(&self) -> Vec<BuildError> {
        let url = self.url.as_ref().err();
        let bearer = self
            .bearer
            .as_ref()
            .and_then(|bearer| bearer.as_ref().err());
        let is_plain = self.url.as_ref().is_ok_and(is_open);
        let plain = (is_plain && !self.allow_plain_http).then(plain);
        if is_plain && self.allow_plain_http {
            tracing::warn!(
                target: "hooks_sdk::aos",
                "the guardian is asked over a network without encryption"
            );
        }
        let known = [url, bearer].into_iter().flatten().cloned();
        known.chain(plain).collect()
    }
}

impl fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only where the guardian is: a path or a query may contain a secret.
        let origin = self
            .url
            .as_ref()
            .map(|url| url.origin().ascii_serialization());
        f.debug_struct("HttpSettings")
            .field("origin", &origin)
            .field("max_concurrent", &self.max_concurrent)
            .field("max_answer", &self.max_answer)
            .field("circuit", &(self.circuit_failures, self.circuit_pause))
            .finish_non_exhaustive()
    }
}

fn plain() -> BuildError {
    BuildError::new(
        None,
        "the guardian's URL is one of `http` and leads to another computer, so steps and secrets would pass the network \
         unencrypted",
        "use `https`, or allow it with `.allow_plain_http()`, in `serve` with `--guardian-plain-http`",
    )
}

/// Whether a request to the URL passes a network without encryption.
fn is_open(url: &Url) -> bool {
    let local = match url.host_str() {
        Some("localhost" | "[::1]") => true,
        Some(host) => host
            .parse()
            .is_ok_and(|ip: std::net::Ipv4Addr| ip.is_loopback()),
        None => false,
    };
    url.scheme() == "http" && !local
}

/// Reads a URL. The problem does not repeat it, because it may contain a secret.
fn read_url(text: &str) -> Result<Url, BuildError> {
    let url = Url::parse(text).map_err(|error| {
        BuildError::new(
            None,
            format!("the guardian's URL cannot be read: {error}"),
            "write it as in `https://guardian.example/aos`",
        )
    })?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(BuildError::new(
            None,
            "the guardian's URL is not one of `http` or `https`",
            "write it as in `https://guardian.example/aos`",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(BuildError::new(
            None,
            "the guardian's URL has a user or a password in it, and URLs are logged",
            "remove them, and set the secret with `.bearer(…)`",
        ));
    }
    Ok(url)
}
