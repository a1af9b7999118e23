//! The version of the protocol that a connection speaks.

use serde_json::Value;

use hooks_core::internal::words;

words! {
    /// A version of MCPL, as far as the shapes on the wire differ between versions.
    ///
    /// Implements MCPL 0.4.1 §3.1. The host's version decides: there is no negotiation, and hosts do not look
    /// at the server's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Version: "Returns the version's word on the wire." {
        /// 0.4: the host enables feature sets and permits scopes.
        V04 = "0.4",
        /// 0.5: the host grants capabilities.
        V05 = "0.5",
    }
}

impl Version {
    /// Returns the version that a host speaks, read from its `capabilities.experimental.mcpl`.
    ///
    /// Returns `None` if that is not an object: the host then does not speak MCPL. A missing or unreadable version
    /// counts as 0.4, and a version after 0.5 as 0.5.
    pub fn advertised(mcpl: &Value) -> Option<Version> {
        let version = mcpl.as_object()?.get("version").and_then(Value::as_str);
        Some(match version.and_then(major_minor) {
            Some(version) if version >= (0, 5) => Version::V05,
            _ => Version::V04,
        })
    }
}

/// Reads the first two numbers of `0.5`, `0.5.0-draft` and the like. A missing second number is 0.
fn major_minor(version: &str) -> Option<(u64, u64)> {
    let number = |part: &str| {
        let end = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        part[..end].parse().ok()
    };
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, number(minor)?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_host_says() {
        for (version, expected) in [
            (json!("0.4"), Version::V04),
            (json!("0.4.1"), Version::V04),
            (json!("0.3"), Version::V04),
            (json!("0.5"), Version::V05),
            (json!("0.5.0-draft"), Version::V05),
            (json!("0.5-draft"), Version::V05),
            (json!("0.10"), Version::V05),
            (json!("1"), Version::V05),
            (json!("1.0"), Version::V05),
            (json!("two"), Version::V04),
            (json!("v0.5"), Version::V04),
            (json!(""), Version::V04),
            (json!("99999999999999999999999.0"), Version::V04),
            (json!(0.5), Version::V04),
            (json!(null), Version::V04),
        ] {
            let mcpl = json!({ "version": version });
            assert_eq!(Version::advertised(&mcpl), Some(expected), "{version}");
        }
        assert_eq!(Version::advertised(&json!({})), Some(Version::V04));
        for nothing in [json!(null), json!(true), json!("0.5"), json!([])] {
            assert_eq!(Version::advertised(&nothing), None, "{nothing}");
        }
    }
}
