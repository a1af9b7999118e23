//! `serve --http`: serves many MCP clients over HTTP.

use std::{
    env,
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
};

use clap::Args;
use http::HeaderName;
use tokio::runtime::Builder;

use super::{
    CommandError, Program,
    program::SessionPlace,
    serve::PATIENCE,
    store_schemes,
    tokens::{keys, tokens},
};
use crate::{http::Server, server::ServerHandler};
use hooks_server::internal::{AnyAuthor, keyring};

/// The options of `serve` over HTTP. A binary with commands of its own flattens them into its `serve`, and calls
/// [`Program::serve_here_or_over`].
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Over HTTP")]
pub struct ServeHttp {
    /// Serve over HTTP at this address, such as `127.0.0.1:8080` or `localhost:8080` [default: over standard input and
    /// output]
    #[arg(long = "http", value_name = "ADDRESS", value_parser = address)]
    address: Option<String>,
    /// A name under which the server may be reached, such as `mcp.example.com`; may be repeated [default: this computer]
    #[arg(long, value_name = "HOST", requires = "address")]
    allow_host: Vec<String>,
    /// A web origin that may call the server, such as `https://app.example.com`; may be repeated [default: this
    /// computer]
    #[arg(long, value_name = "ORIGIN", requires = "address")]
    allow_origin: Vec<String>,
    /// Refuse requests without one of the bearer tokens in this file, one a line
    #[arg(long, value_name = "FILE", requires = "address")]
    bearer_file: Option<PathBuf>,
    /// The keys for what clients bring back: one a line in this file, each of at least 64 hexadecimal digits; the first one
    /// seals, and each of them opens; every replica needs the same keys [default: a random key of this process]
    #[arg(long, value_name = "FILE", requires = "address")]
    keys_file: Option<PathBuf>,
    // The help of a program lists the author's schemes, too.
    #[arg(long, value_name = "URL", requires = "address", help = store_schemes::help(&[]))]
    store: Option<String>,
    /// The header in which the proxy names the user that it has authenticated, such as `x-user`; it must remove the header
    /// that a client sends
    #[arg(long, value_name = "HEADER", requires = "address")]
    principal_header: Option<HeaderName>,
    /// The public URL of the server's MCP path, such as `https://mcp.example.com/mcp`: refuse requests without an access token
    /// that an `--issuer` made for it
    #[cfg(feature = "oauth")]
    #[arg(long, value_name = "URL", requires_all = ["address", "issuer"], conflicts_with_all = ["bearer_file", "principal_header"])]
    audience: Option<String>,
    /// An authorization server whose access tokens are accepted, by its issuer URL; may be repeated
    #[cfg(feature = "oauth")]
    #[arg(long, value_name = "URL", requires = "audience")]
    issuer: Vec<String>,
    /// A scope that every access token needs, such as `notes:read`; may be repeated
    #[cfg(feature = "oauth")]
    #[arg(long, value_name = "SCOPE", requires = "audience")]
    scope: Vec<String>,
    /// The path of MCP [default: /mcp]
    #[arg(long, value_name = "PATH", requires = "address")]
    path: Option<String>,
}

impl ServeHttp {
    /// Returns whether the options say to serve over HTTP, where clients belong to many users.
    pub fn is_asked(&self) -> bool {
        self.address.is_some()
    }

    /// Returns the warning about an address at which everybody may call the server.
    fn warning_about(&self, address: &str) -> Option<&'static str> {
        let knows_clients = self.bearer_file.is_some() || self.principal_header.is_some();
        #[cfg(feature = "oauth")]
        let knows_clients = knows_clients || self.audience.is_some();
        (!knows_clients && !is_here(address)).then_some(
            "everybody who reaches this address may call the server: name tokens with --bearer-file, or listen on localhost",
        )
    }
}

impl<H: ServerHandler> Program<H> {
    /// Serves over HTTP if the options have an address. Otherwise serves one client over standard input and output.
    ///
    /// Over HTTP, it returns when the process receives SIGTERM or Ctrl-C, and its runtime has a thread for each core. Over
    /// standard input and output, it returns when the client disconnects.
    ///
    /// # Errors
    ///
    /// Those of [`serve`](Program::serve); over HTTP those of [`Server::serve`], and a store, or a file of tokens or keys, that cannot be read.
    pub fn serve_here_or_over(&self, http: &ServeHttp) -> Result<(), CommandError> {
        self.without_type().serve_any_or_over(http)
    }
}

impl Program<AnyAuthor> {
    fn serve_any_or_over(&self, http: &ServeHttp) -> Result<(), CommandError> {
        match &http.address {
            None => self.serve_blocking(),
            Some(address) => {
                let runtime = Builder::new_multi_thread().enable_all().build()?;
                runtime.block_on(self.serve_over(address, http))
            }
        }
    }

    /// Serves over HTTP until the process receives SIGTERM or Ctrl-C. Writes the address to standard error.
    ///
    /// Every client gets guidance by prompts and results: whether a client on another computer has hooks installed, this
    /// computer cannot know.
    async fn serve_over(&self, address: &str, http: &ServeHttp) -> Result<(), CommandError> {
        self.check_name()?;
        if let Some(warning) = http.warning_about(address) {
            tracing::warn!(address, "{warning}");
        }
        let from_environment = || env::var("HOOKS_STORE").ok().filter(|url| !url.is_empty());
        let store = http.store.clone().or_else(from_environment);
        #[cfg(feature = "policy-engine")]
        self.check_gates(store.is_some())?;
        let kept = match store {
            Some(_) => SessionPlace::Shared,
            None => SessionPlace::Here { patience: PATIENCE },
        };
        let hooked = self.hooked(|guidance| guidance, kept).await?;
        let mut server = Server::new(hooked);
        if let Some(path) = &http.path {
            server = server.path(path);
        }
        if !http.allow_host.is_empty() {
            server = server.hosts(&http.allow_host);
        }
        if !http.allow_origin.is_empty() {
            server = server.origins(&http.allow_origin);
        }
        if let Some(file) = &http.bearer_file {
            for token in tokens(file)? {
                server = server.bearer(token);
            }
        }
        if let Some(file) = &http.keys_file {
            server = server.keys(keyring(&keys(file)?)?);
        }
        if let Some(header) = http.principal_header.clone() {
            server = server.principal(move |parts| {
                let user = parts.headers.get(&header)?.to_str().ok()?;
                (!user.is_empty()).then(|| user.to_owned())
            });
        }
        #[cfg(feature = "oauth")]
        if let Some(audience) = &http.audience {
            let login = crate::http::OAuth::new(audience).scopes(http.scope.iter().cloned());
            let issuers = http.issuer.iter().cloned();
            server = server.oauth(issuers.fold(login, |login, issuer| login.issuer(issuer)));
        }
        if let Some(url) = &store {
            server = server.store(store_schemes::open(&self.store_schemes, url).await?);
        }
        server.serve_and_tell(address, tell).await?;
        Ok(())
    }
}

/// Checks an address: an IP address or a name, and a port.
fn address(text: &str) -> Result<String, String> {
    let is_named = |(host, port): (&str, &str)| {
        !host.is_empty() && !host.contains([':', '/', ' ']) && port.parse::<u16>().is_ok()
    };
    match text.parse::<SocketAddr>().is_ok() || text.rsplit_once(':').is_some_and(is_named) {
        true => Ok(text.to_owned()),
        false => Err(
            "write an address and a port, such as `127.0.0.1:8080` or `localhost:8080`".to_owned(),
        ),
    }
}

/// Returns whether only this computer reaches an address.
fn is_here(address: &str) -> bool {
    match address.parse::<SocketAddr>() {
        Ok(address) => address.ip().is_loopback(),
        Err(_) => address.starts_with("localhost:"),
    }
}

/// Tells the user where the server listens. Whoever starts it on port 0 reads the line.
fn tell(address: &str) {
    _ = writeln!(io::stderr(), "listening on {address}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        for (text, here) in [
            ("127.0.0.1:8191", true),
            ("[::1]:0", true),
            ("localhost:8191", true),
            ("0.0.0.0:8191", false),
            ("[::]:80", false),
            ("mcp.example.com:443", false),
        ] {
            assert_eq!(address(text).as_deref(), Ok(text));
            assert_eq!(is_here(text), here, "{text}");
        }
        for text in [
            "",
            "8191",
            "localhost",
            ":8191",
            "localhost:99999",
            "http://localhost:1",
            "a b:1",
        ] {
            assert!(address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_address_for_everybody_without_a_token_is_warned_about() {
        #[derive(clap::Parser)]
        struct Options {
            #[command(flatten)]
            http: ServeHttp,
        }

        for (options, warns) in [
            (&["--http", "0.0.0.0:8191"][..], true),
            (&["--http", "[::]:8191"], true),
            (&["--http", "localhost:8191"], false),
            (
                &["--http", "0.0.0.0:8191", "--bearer-file", "tokens"],
                false,
            ),
            (
                &["--http", "0.0.0.0:8191", "--principal-header", "x-user"],
                false,
            ),
        ] {
            let options = ["serve"].iter().chain(options);
            let parsed = <Options as clap::Parser>::parse_from(options).http;
            let address = parsed.address.as_deref().unwrap();
            assert_eq!(parsed.warning_about(address).is_some(), warns, "{parsed:?}");
        }
    }
}
