//! Which headers hooks may change, and the change.

use std::collections::HashSet;

use ::http::{HeaderMap, HeaderName, HeaderValue, header::CONNECTION};

use crate::server::{HttpPoints, header_text};
use hooks_plugin::{Denial, HttpHeaders};

/// How many headers a message may have for hooks to see it.
pub(super) const MOST: usize = 1_000;

/// The largest headers that hooks may leave, in bytes.
const LARGEST: usize = 256 * 1024;

/// The headers that say where a message ends and what the next hop does with it. No hook changes them.
const FRAMING: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The headers by which a message finds its server and its session, and by which it is read. A hook needs leave even to add one.
const TRANSPORT: [&str; 6] = [
    "accept",
    "content-encoding",
    "content-type",
    "host",
    "last-event-id",
    "origin",
];

/// What begins the headers of MCP. They are protected as [`TRANSPORT`] is.
const MCP: &str = "mcp-";

/// The headers that say who somebody is. A hook may add one that is absent.
const CREDENTIALS: [&str; 7] = [
    "authorization",
    "cookie",
    "proxy-authenticate",
    "proxy-authorization",
    "set-cookie",
    "www-authenticate",
    "x-api-key",
];

/// What hooks may do with the headers of one message.
pub(super) struct HeaderRules<'r> {
    pub(super) points: &'r HttpPoints,
    /// The headers with which the message arrived.
    pub(super) sent: &'r HeaderMap,
}

impl HeaderRules<'_> {
    /// Gives a message the headers that hooks want instead of those that they saw. Returns what was dropped, for
    /// the log.
    ///
    /// # Errors
    ///
    /// The headers are too large.
    pub(super) fn apply(
        &self,
        headers: &mut HeaderMap,
        seen: &HttpHeaders,
        wanted: &HttpHeaders,
    ) -> Result<Vec<String>, Denial> {
        let bytes: usize = wanted
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum();
        if wanted.iter().count() > MOST || bytes > LARGEST {
            let reason = format!(
                "the changed headers are more than {MOST}, or larger than {} KiB",
                LARGEST / 1024
            );
            return Err(Denial::by_chain("payload_too_large", reason));
        }
        let (mut dropped, mut stay) = (Vec::new(), Vec::new());
        // Their names are in lower case, and the values of one name follow one another.
        for (name, _) in seen.iter().filter(|(name, _)| !wanted.contains(name)) {
            match self.is_framing(name) || is_protected(name) {
                true => stay.push(name),
                false => _ = headers.remove(name),
            }
        }
        stay.dedup();
        if !stay.is_empty() {
            dropped.push(format!("protected headers stay: {}", stay.join(", ")));
        }
        let mut done = HashSet::new();
        for (name, _) in wanted.iter() {
            if !done.insert(name.to_ascii_lowercase())
                || seen.get_all(name).eq(wanted.get_all(name))
            {
                continue;
            }
            if let Err(why) = self.set(headers, name, wanted) {
                let shown: String = name.chars().take(64).collect();
                dropped.push(format!("{shown:?} {why}"));
            }
        }
        Ok(dropped)
    }

    /// Sets a header to the values that hooks want.
    fn set(
        &self,
        headers: &mut HeaderMap,
        name: &str,
        wanted: &HttpHeaders,
    ) -> Result<(), &'static str> {
        let known = HeaderName::from_bytes(name.as_bytes());
        let known = known.map_err(|_| "is no name of a header")?;
        let lower = known.as_str();
        if self.is_framing(lower) {
            return Err("belongs to the connection, and no hook changes it");
        }
        let is_there = is_transport(lower) || self.sent.contains_key(&known);
        if is_protected(lower) && is_there && !self.points.is_overridden(lower) {
            return Err("is protected: `override_protected` allows the change");
        }
        // A value that the hook left as it saw it keeps its bytes, also those that are no ASCII.
        let sent: Vec<HeaderValue> = headers.get_all(&known).iter().cloned().collect();
        let values = wanted.get_all(name).map(|wanted| {
            let mut sent = sent.iter();
            let same = sent.find(|value| header_text(value) == wanted);
            same.cloned()
                .map_or_else(|| HeaderValue::from_str(wanted), Ok)
        });
        let values: Result<Vec<HeaderValue>, _> = values.collect();
        let values = values.map_err(|_| "has a value that HTTP does not allow")?;
        headers.remove(&known);
        for mut value in values {
            value.set_sensitive(CREDENTIALS.contains(&lower));
            let added = headers.try_append(known.clone(), value);
            added.map_err(|_| "does not fit: the message has too many headers")?;
        }
        Ok(())
    }

    /// Returns whether a header belongs to the connection, by its name or because the message says so.
    fn is_framing(&self, name: &str) -> bool {
        let named = |value: &HeaderValue| {
            header_text(value)
                .split(',')
                .any(|token| token.trim().eq_ignore_ascii_case(name))
        };
        FRAMING.contains(&name) || self.sent.get_all(CONNECTION).iter().any(named)
    }
}

fn is_transport(name: &str) -> bool {
    TRANSPORT.contains(&name) || name.starts_with(MCP)
}

fn is_protected(name: &str) -> bool {
    is_transport(name) || CREDENTIALS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooks_plugin::Chain;

    #[test]
    fn a_value_that_a_hook_leaves_keeps_its_bytes_and_a_removed_header_goes_whole() {
        let points = HttpPoints::of_chain(Chain::new(None));
        let latin = || HeaderValue::from_bytes(b"caf\xe9").unwrap();
        let mut headers = HeaderMap::new();
        headers.append("x-a", latin());
        let sent = headers.clone();
        let rules = HeaderRules {
            points: &points,
            sent: &sent,
        };
        let seen = points.visible(&headers);
        let mut wanted = seen.clone();
        wanted.append("x-a", "more");
        rules.apply(&mut headers, &seen, &wanted).unwrap();
        let values: Vec<&HeaderValue> = headers.get_all("x-a").iter().collect();
        assert_eq!(values, [&latin(), &HeaderValue::from_static("more")]);

        let seen = points.visible(&headers);
        let mut wanted = seen.clone();
        wanted.remove("x-a");
        rules.apply(&mut headers, &seen, &wanted).unwrap();
        assert!(!headers.contains_key("x-a"));
    }
}
