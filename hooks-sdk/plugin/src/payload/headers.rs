//! HTTP headers as hooks see them.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};

/// The headers of an HTTP request or response (document §5.2, `HttpHeaderPayload`).
///
/// A look-up ignores case. A header that occurs several times keeps each of its values, in order. As JSON it is an
/// object; a header with several values is a list there.
///
/// ```
/// use hooks_sdk::plugin::HttpHeaders;
///
/// let mut headers = HttpHeaders::new();
/// headers.set("X-Trace", "17");
/// assert_eq!(headers.get("x-trace"), Some("17"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HttpHeaders {
    /// Every name with its value behind it. One text for all takes one allocation.
    text: String,
    /// Where each name and its value end.
    ends: Vec<(usize, usize)>,
}

impl HttpHeaders {
    /// Creates an empty list of headers.
    pub fn new() -> HttpHeaders {
        HttpHeaders::default()
    }

    /// Returns the first value of a header.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut own = self.iter();
        own.find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Returns every value of a header, in order.
    pub fn get_all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        let own = self.iter();
        own.filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Returns whether the header is present.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a header to one value. It replaces every value that the header had.
    pub fn set(&mut self, name: impl AsRef<str>, value: impl AsRef<str>) {
        let (name, value) = (name.as_ref(), value.as_ref());
        let mut is_set = false;
        let mut headers = HttpHeaders::new();
        for (known, old) in self.iter() {
            if !known.eq_ignore_ascii_case(name) {
                headers.append(known, old);
            } else if !is_set {
                headers.append(known, value);
                is_set = true;
            }
        }
        if !is_set {
            headers.append(name, value);
        }
        *self = headers;
    }

    /// Adds a value after those that the header has.
    pub fn append(&mut self, name: impl AsRef<str>, value: impl AsRef<str>) {
        self.text.push_str(name.as_ref());
        let name_ends = self.text.len();
        self.text.push_str(value.as_ref());
        self.ends.push((name_ends, self.text.len()));
    }

    /// Removes a header. Returns whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        let is_there = self.contains(name);
        if is_there {
            let others = self.iter();
            *self = others
                .filter(|(known, _)| !known.eq_ignore_ascii_case(name))
                .collect();
        }
        is_there
    }

    /// Returns every name with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut begins = 0;
        self.ends.iter().map(move |&(name, value)| {
            let begin = std::mem::replace(&mut begins, value);
            (&self.text[begin..name], &self.text[name..value])
        })
    }

    /// Returns whether there is no header.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl<N: AsRef<str>, V: AsRef<str>> FromIterator<(N, V)> for HttpHeaders {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(headers: I) -> HttpHeaders {
        // The headers of most requests have room in it.
        let mut all = HttpHeaders {
            text: String::with_capacity(512),
            ends: Vec::with_capacity(16),
        };
        for (name, value) in headers {
            all.append(name, value);
        }
        all
    }
}

/// Names only: a value may be a secret.
impl fmt::Debug for HttpHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|(name, _)| name))
            .finish()
    }
}

impl Serialize for HttpHeaders {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (at, (name, _)) in self.iter().enumerate() {
            let mut before = self.iter().take(at);
            if before.any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                continue;
            }
            let values: Vec<&str> = self.get_all(name).collect();
            match values.as_slice() {
                [value] => map.serialize_entry(name, value)?,
                values => map.serialize_entry(name, values)?,
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for HttpHeaders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HttpHeaders, D::Error> {
        deserializer.deserialize_map(HeadersVisitor)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum HeaderValues {
    One(String),
    More(Vec<String>),
}

struct HeadersVisitor;

impl<'de> Visitor<'de> for HeadersVisitor {
    type Value = HttpHeaders;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of headers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HttpHeaders, A::Error> {
        let mut headers = HttpHeaders::new();
        while let Some((name, values)) = map.next_entry::<String, HeaderValues>()? {
            match values {
                HeaderValues::One(value) => headers.append(name, value),
                HeaderValues::More(values) => {
                    for value in values {
                        headers.append(&name, value);
                    }
                }
            }
        }
        Ok(headers)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn a_look_up_ignores_case_and_repeated_headers_are_a_list() {
        let json = json!({"Authorization": "t", "set-cookie": ["a=1", "b=2"]});
        let mut headers: HttpHeaders = from_value(json.clone()).unwrap();
        assert_eq!(to_value(&headers).unwrap(), json);
        assert_eq!(headers.get("AUTHORIZATION"), Some("t"));
        assert_eq!(
            headers.get_all("Set-Cookie").collect::<Vec<_>>(),
            ["a=1", "b=2"]
        );
        headers.set("SET-COOKIE", "c=3");
        assert_eq!(headers.get_all("set-cookie").collect::<Vec<_>>(), ["c=3"]);
        assert!(headers.remove("authorization") && !headers.contains("Authorization"));
        assert_eq!(format!("{headers:?}"), r#"["set-cookie"]"#);
    }
}
