//! What an author sets for a login.

use std::sync::Arc;

use reqwest::Url;

use super::{
    fetch::{Fetcher, url},
    introspection::{Client, Introspection},
    keys::IssuerKeys,
    login::{Login, metadata_places},
};
use crate::{error::HttpError, settings::check_path};
use hooks_core::internal::setters;

/// The login of a server: an OAuth 2.1 resource server, as MCP's authorization of 2026-07-28 describes it.
///
/// The server accepts a request with an access token of one of the [`issuers`](OAuth::issuer) that was issued for it.
/// The audience of each token is checked, and no setting turns the check off.
///
/// ```
/// use hooks_sdk::http::OAuth;
///
/// let login = OAuth::new("https://mcp.example.com/mcp")
///     .issuer("https://login.example.com")
///     .scopes(["notes:read"]);
/// # _ = login;
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct OAuth {
    resource: String,
    audiences: Vec<String>,
    issuers: Vec<Issuer>,
    scopes: Vec<String>,
}

/// An authorization server whose tokens a server accepts.
#[derive(Clone, Debug)]
#[must_use]
pub struct Issuer {
    url: String,
    keys_at: Option<String>,
    client: Option<Client>,
}

impl Issuer {
    /// Names an authorization server by its issuer URL, exactly as it writes it into `iss`. The URL is `https`, or `http`
    /// on this computer.
    pub fn new(url: impl Into<String>) -> Issuer {
        Issuer {
            url: url.into(),
            keys_at: None,
            client: None,
        }
    }

    setters! {
        /// Sets the URL of the issuer's keys (JWKS). Default: `jwks_uri` of the issuer's metadata (RFC 8414, or OpenID Connect
        /// Discovery), which is read when the first token arrives.
        fn keys_at(mut self, url: impl Into<String>) { self.keys_at = Some(url.into()) }

        /// Asks the issuer about tokens that are no JWT (RFC 7662), as this client. Default: such tokens are refused. At most one
        /// issuer of a server may have it.
        ///
        /// A good answer is remembered for at most 60 seconds. At most 32 questions run at a time; a further request is
        /// answered with 503.
        fn introspection(mut self, client_id: impl Into<String>, client_secret: impl Into<String>) {
            let (id, secret) = (client_id.into(), client_secret.into());
            self.client = Some(Client { id, secret });
        }
    }
}

impl<T: Into<String>> From<T> for Issuer {
    fn from(url: T) -> Issuer {
        Issuer::new(url)
    }
}

impl OAuth {
    /// Names the server by the public URL of its MCP path: RFC 9728's `resource`. Each token must have it as an audience.
    ///
    /// The URL is `https`, or `http` on this computer, and has no query and no fragment.
    pub fn new(resource: impl Into<String>) -> OAuth {
        OAuth {
            resource: resource.into(),
            audiences: Vec::new(),
            issuers: Vec::new(),
            scopes: Vec::new(),
        }
    }

    setters! {
        /// Accepts a further audience: the identifier that an authorization server writes into its tokens where it does not
        /// write the server's URL.
        fn audience(mut self, audience: impl Into<String>) { self.audiences.push(audience.into()) }

        /// Accepts the tokens of an authorization server, by its issuer URL or as an [`Issuer`]. At least one is needed.
        fn issuer(mut self, issuer: impl Into<Issuer>) { self.issuers.push(issuer.into()) }

        /// Sets the scopes that each request needs. Default: none. A rule of the policy may ask for more.
        fn scopes<T: Into<String>>(mut self, scopes: impl IntoIterator<Item = T>) {
            self.scopes = scopes.into_iter().map(Into::into).collect();
        }
    }

    /// Checks the settings, and makes what checks requests. `path` is the path of MCP at the server.
    ///
    /// # Errors
    ///
    /// A setting has a wrong value.
    #[doc(hidden)]
    pub fn login(self, path: &str) -> Result<Login, HttpError> {
        let resource = url("the resource", &self.resource)?;
        if resource.path() != "/" {
            check_path(resource.path(), "/mcp", &[])?;
        }
        if self.issuers.is_empty() {
            return Err(HttpError::setting(
                "the login has no issuer",
                "name the authorization server with `OAuth::issuer`",
            ));
        }
        if let Some(scope) = self.scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(HttpError::setting(
                format!("`{scope}` is no scope"),
                "write visible ASCII characters without spaces, `\"` and `\\`",
            ));
        }
        if self.audiences.iter().any(String::is_empty) {
            return Err(HttpError::setting(
                "an audience is empty",
                "write the identifier that the issuer puts into its tokens",
            ));
        }
        let mut places = Vec::new();
        for issuer in &self.issuers {
            places.push(url("the issuer", &issuer.url)?);
            if let Some(keys) = &issuer.keys_at {
                places.push(url("the URL of keys", keys)?);
            }
        }
        let fetcher = Fetcher::new(places.iter().any(|place| place.scheme() == "https"))?;
        let mut audiences = self.audiences;
        audiences.push(self.resource.clone());
        let mut introspection = None;
        let mut issuers: Vec<Arc<IssuerKeys>> = Vec::new();
        for issuer in self.issuers {
            if issuers.iter().any(|known| known.issuer == issuer.url) {
                return Err(HttpError::setting(
                    format!("the issuer `{}` is there twice", issuer.url),
                    "remove one of them",
                ));
            }
            if let Some(client) = &issuer.client {
                let (url, audiences) = (issuer.url.clone(), audiences.clone());
                let asked = Introspection::new(url, audiences, client, fetcher.clone());
                if introspection.replace(Arc::new(asked)).is_some() {
                    return Err(HttpError::setting(
                        "two issuers are to be asked about tokens, and a token does not say which one",
                        "leave `Issuer::introspection` at one of them",
                    ));
                }
            }
            let keys_at = issuer.keys_at.and_then(|keys| Url::parse(&keys).ok());
            let keys = IssuerKeys::new(issuer.url, keys_at, fetcher.clone());
            issuers.push(Arc::new(keys));
        }
        let (metadata, paths) = metadata_places(&resource, path);
        Ok(Login {
            metadata,
            paths,
            resource: self.resource,
            audiences,
            issuers,
            introspection,
            scopes: self.scopes,
        })
    }
}

/// Returns whether a text is a scope (RFC 6749 §3.3).
pub(super) fn is_scope(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    !text.is_empty() && text.bytes().all(is_allowed)
}
