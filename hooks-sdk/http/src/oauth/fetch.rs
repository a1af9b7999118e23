//! Asks an issuer over HTTP, within limits.

use std::time::Duration;

use hooks_core::internal;
use reqwest::{
    Client, Request, Url,
    header::{ACCEPT, HeaderValue},
    redirect::Policy,
};

use crate::error::HttpError;

/// The longest answer of an issuer, in bytes.
const MAX_ANSWER: usize = 256 * 1024;

/// The longest time of a question to an issuer.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// A client of HTTP that follows no redirect and uses no proxy of the environment.
#[derive(Clone, Debug)]
pub(super) struct Fetcher(Client);

impl Fetcher {
    /// # Errors
    ///
    /// A URL is one of `https`, and the machine trusts no certificate.
    pub(super) fn new(https: bool) -> Result<Fetcher, HttpError> {
        let wrong = |error: String| {
            HttpError::setting(
                format!("the HTTP client for the issuers cannot be made: {error}"),
                "check the certificates that this machine trusts",
            )
        };
        let client = Client::builder()
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            .timeout(PATIENCE)
            .tls_backend_preconfigured(
                internal::https(https).map_err(|error| wrong(error.to_string()))?,
            )
            .build();
        let client = client.map_err(|error| wrong(error.without_url().to_string()))?;
        Ok(Fetcher(client))
    }

    /// Returns the body of a document.
    ///
    /// # Errors
    ///
    /// A sentence that has nothing of the answer's content.
    pub(super) async fn get(&self, url: &Url) -> Result<Vec<u8>, String> {
        self.send(Request::new(reqwest::Method::GET, url.clone()))
            .await
    }

    /// Sends a request, and returns the body of its answer.
    ///
    /// # Errors
    ///
    /// A sentence that has nothing of the answer's content.
    pub(super) async fn send(&self, mut request: Request) -> Result<Vec<u8>, String> {
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(ACCEPT, json);
        let sentence = |error: reqwest::Error| {
            let error = error.without_url();
            match error.is_timeout() {
                true => format!("no answer within {PATIENCE:?}"),
                false => error.to_string(),
            }
        };
        let mut answer = self.0.execute(request).await.map_err(sentence)?;
        if answer.status() != 200 {
            return Err(format!("HTTP status {}", answer.status().as_u16()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(sentence)? {
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(format!("an answer of more than {MAX_ANSWER} bytes"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// Reads a URL that others may be sent to: `https`, or `http` on this computer.
///
/// # Errors
///
/// It is no such URL. `what` begins the sentence.
pub(super) fn url(what: &str, text: &str) -> Result<Url, HttpError> {
    let wrong = |why: &str, help: &'static str| {
        Err(HttpError::setting(format!("{what} `{text}` {why}"), help))
    };
    let url = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => url,
        _ => return wrong("is no URL", "write one such as `https://login.example.com`"),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return wrong("has a user or a password", "remove them");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return wrong(
            "has a query or a fragment",
            "remove what begins with `?` or `#`",
        );
    }
    let is_here = match url.host_str() {
        Some("localhost" | "[::1]") => true,
        Some(host) => host
            .parse()
            .is_ok_and(|ip: std::net::Ipv4Addr| ip.is_loopback()),
        None => false,
    };
    if url.scheme() == "http" && !is_here {
        return wrong("would pass the network without encryption", "use `https`");
    }
    Ok(url)
}
