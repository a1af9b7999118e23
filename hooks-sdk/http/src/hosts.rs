//! The checks of `Host` and `Origin`, which keep foreign web pages away from a server on the user's computer.

use std::net::IpAddr;

use http::{
    HeaderMap, StatusCode, Uri,
    header::{HOST, ORIGIN},
    uri::Authority,
};

use super::{error::HttpError, refusal::HttpRefusal};

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The hosts that a request may name.
#[derive(Debug, Clone)]
pub struct Hosts(Vec<Place>);

/// The origins that may send requests.
#[derive(Debug, Clone)]
pub struct Origins(Vec<Allowed>);

/// A host, and the port if only that port is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    host: String,
    port: Option<u16>,
}

/// An origin in the list.
#[derive(Debug, Clone)]
enum Allowed {
    Null,
    At { scheme: String, place: Place },
}

impl Hosts {
    pub fn loopback() -> Hosts {
        let place = |name: &str| Place {
            host: name.to_owned(),
            port: None,
        };
        Hosts(LOOPBACK.iter().map(|name| place(name)).collect())
    }

    /// Reads the list.
    ///
    /// # Errors
    ///
    /// An entry is no host.
    pub fn of<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Result<Hosts, HttpError> {
        let place = |entry: T| {
            let entry = entry.as_ref().trim();
            // An IPv6 address may be written without its brackets.
            let bare = entry.parse::<std::net::Ipv6Addr>();
            let written = bare.map_or_else(|_| entry.to_owned(), |address| format!("[{address}]"));
            Place::parse(&written).ok_or_else(|| {
                HttpError::setting(
                    format!("`{entry}` is no host"),
                    "write a name or an address, with or without a port: `mcp.example.com`, `10.0.0.5:8080`",
                )
            })
        };
        Ok(Hosts(
            entries.into_iter().map(place).collect::<Result<_, _>>()?,
        ))
    }

    /// Refuses a request for another host. `or_address` lets every IP address pass: a web page can take a name, but not
    /// an address.
    pub fn check(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        or_address: bool,
    ) -> Result<(), HttpRefusal> {
        let bad = |sentence: &str| HttpRefusal::new(StatusCode::BAD_REQUEST, sentence);
        let mut named = headers.get_all(HOST).iter();
        let header = named.next();
        if named.next().is_some() {
            return Err(bad("the request has more than one `Host`"));
        }
        let header = match header {
            None => None,
            Some(value) => {
                let place = value.to_str().ok().and_then(Place::parse);
                Some(place.ok_or_else(|| bad("the `Host` of the request is no host"))?)
            }
        };
        // HTTP/2 names the host in the request's own authority, and HTTP/1.1 may.
        let own = match uri.authority() {
            None => None,
            Some(authority) => {
                let place = Place::of(authority);
                Some(place.ok_or_else(|| bad("the authority of the request is no host"))?)
            }
        };
        if header.is_none() && own.is_none() {
            return Err(bad("the request has no `Host`"));
        }
        for place in header.iter().chain(&own) {
            if !(self.allows(place) || or_address && place.is_address()) {
                tracing::warn!(
                    target: "hooks_sdk::http",
                    host = %place.host, port = place.port, "a request for another host was refused"
                );
                return Err(HttpRefusal::new(
                    StatusCode::FORBIDDEN,
                    format!(
                        "the host `{}` is not among the hosts of this server: its operator allows it with `hosts` or `--allow-host`",
                        place.host
                    ),
                ));
            }
        }
        Ok(())
    }

    fn allows(&self, place: &Place) -> bool {
        self.0.iter().any(|allowed| allowed.admits(place))
    }
}

impl Origins {
    pub fn loopback() -> Origins {
        let of = |scheme: &str| {
            let scheme = scheme.to_owned();
            Hosts::loopback()
                .0
                .into_iter()
                .map(move |place| Allowed::At {
                    scheme: scheme.clone(),
                    place,
                })
        };
        Origins(of("http").chain(of("https")).collect())
    }

    /// Reads the list.
    ///
    /// # Errors
    ///
    /// An entry is no origin.
    pub fn of<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Result<Origins, HttpError> {
        let allowed = |entry: T| {
            let entry = entry.as_ref().trim();
            Allowed::parse(entry).ok_or_else(|| {
                HttpError::setting(
                    format!("`{entry}` is no origin"),
                    "write `https://app.example.com`, with `:port` or `:*` behind it, or `null`",
                )
            })
        };
        Ok(Origins(
            entries.into_iter().map(allowed).collect::<Result<_, _>>()?,
        ))
    }

    /// Refuses a request from another origin.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), HttpRefusal> {
        let Some(origin) = headers.get(ORIGIN) else {
            return Ok(());
        };
        if self.admits(headers) {
            return Ok(());
        }
        tracing::warn!(
            target: "hooks_sdk::http",
            origin = ?origin, "a request from another origin was refused"
        );
        Err(HttpRefusal::new(
            StatusCode::FORBIDDEN,
            "the `Origin` of the request is not among the origins of this server: its operator allows it with `origins` or `--allow-origin`",
        ))
    }

    /// Returns whether a request names one origin, which is allowed.
    pub fn admits(&self, headers: &HeaderMap) -> bool {
        let mut named = headers.get_all(ORIGIN).iter();
        match (named.next(), named.next()) {
            (Some(origin), None) => origin.to_str().is_ok_and(|origin| self.allows(origin)),
            _ => false,
        }
    }

    fn allows(&self, origin: &str) -> bool {
        if origin == "null" {
            return self
                .0
                .iter()
                .any(|allowed| matches!(allowed, Allowed::Null));
        }
        let Some((scheme, place)) = split(origin) else {
            return false;
        };
        let place = Place {
            port: place.port.or_else(|| default_port(&scheme)),
            ..place
        };
        self.0.iter().any(|allowed| match allowed {
            Allowed::Null => false,
            Allowed::At {
                scheme: known,
                place: at,
            } => *known == scheme && at.admits(&place),
        })
    }
}

impl Place {
    fn parse(text: &str) -> Option<Place> {
        Place::of(&text.parse::<Authority>().ok()?)
    }

    /// Reads an authority. One with user information is no host: `localhost@example.com` means `example.com`.
    fn of(authority: &Authority) -> Option<Place> {
        let (host, port) = (authority.host(), authority.port_u16());
        let rest = authority.as_str().strip_prefix(host)?;
        let whole = match port {
            None => rest.is_empty(),
            Some(_) => rest.starts_with(':'),
        };
        (whole && !host.is_empty()).then(|| Place {
            host: host.to_ascii_lowercase(),
            port,
        })
    }

    fn admits(&self, other: &Place) -> bool {
        self.host == other.host && (self.port.is_none() || self.port == other.port)
    }

    fn is_address(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().is_ok()
    }
}

impl Allowed {
    fn parse(entry: &str) -> Option<Allowed> {
        if entry == "null" {
            return Some(Allowed::Null);
        }
        let any_port = entry.strip_suffix(":*");
        let (scheme, mut place) = split(any_port.unwrap_or(entry))?;
        match any_port {
            Some(_) if place.port.is_some() => return None,
            Some(_) => {}
            None => place.port = place.port.or_else(|| default_port(&scheme)),
        }
        Some(Allowed::At { scheme, place })
    }
}

/// Splits an origin.
fn split(origin: &str) -> Option<(String, Place)> {
    let (scheme, place) = origin.split_once("://")?;
    let is_scheme = !scheme.is_empty()
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(())?;
    Some((scheme.to_ascii_lowercase(), Place::parse(place)?))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}
