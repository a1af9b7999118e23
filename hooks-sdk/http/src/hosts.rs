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

/// The origins that may send requests: their schemes and their places. That of a page without an origin is `null`, at no place.
#[derive(Debug, Clone)]
pub struct Origins(Vec<(String, Place)>);

/// A host, and the port if only that port is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Place {
    host: String,
    port: Option<u16>,
}

impl Hosts {
    pub fn loopback() -> Hosts {
        Hosts(
            LOOPBACK
                .iter()
                .filter_map(|name| Place::parse(name))
                .collect(),
        )
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
        let header = header.map(|value| {
            let place = value.to_str().ok().and_then(Place::parse);
            place.ok_or_else(|| bad("the `Host` of the request is no host"))
        });
        // HTTP/2 names the host in the request's own authority, and HTTP/1.1 may.
        let own = uri.authority().map(|authority| {
            let place = Place::of(authority);
            place.ok_or_else(|| bad("the authority of the request is no host"))
        });
        let (header, own) = (header.transpose()?, own.transpose()?);
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
        let of = |scheme: &'static str| {
            let places = Hosts::loopback().0.into_iter();
            places.map(|place| (scheme.to_owned(), place))
        };
        Origins(of("http").chain(of("https")).collect())
    }

    /// Reads the list.
    ///
    /// # Errors
    ///
    /// An entry is no origin.
    pub fn of<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Result<Origins, HttpError> {
        let origin = |entry: T| {
            let entry = entry.as_ref().trim();
            allowed(entry).ok_or_else(|| {
                HttpError::setting(
                    format!("`{entry}` is no origin"),
                    "write `https://app.example.com`, with `:port` or `:*` behind it, or `null`",
                )
            })
        };
        Ok(Origins(
            entries.into_iter().map(origin).collect::<Result<_, _>>()?,
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
        let Some((scheme, place)) = split(origin) else {
            return false;
        };
        let place = place.with_port_of(&scheme);
        let mut known = self.0.iter();
        known.any(|(allowed, at)| *allowed == scheme && at.admits(&place))
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

    /// Adds the port of a scheme, where an origin names none.
    fn with_port_of(self, scheme: &str) -> Place {
        let port = match scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        Place {
            port: self.port.or(port),
            ..self
        }
    }

    fn is_address(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().is_ok()
    }
}

/// Reads an origin of the list. `:*` behind it means any port.
fn allowed(entry: &str) -> Option<(String, Place)> {
    let Some(entry) = entry.strip_suffix(":*") else {
        let (scheme, place) = split(entry)?;
        let place = place.with_port_of(&scheme);
        return Some((scheme, place));
    };
    split(entry).filter(|(_, place)| place.port.is_none() && *place != Place::default())
}

/// Splits an origin.
fn split(origin: &str) -> Option<(String, Place)> {
    if origin == "null" {
        return Some((origin.to_owned(), Place::default()));
    }
    let (scheme, place) = origin.split_once("://")?;
    let is_scheme = !scheme.is_empty()
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(())?;
    Some((scheme.to_ascii_lowercase(), Place::parse(place)?))
}
