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
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HttpHeaders(Vec<(String, String)>);

impl HttpHeaders {
    /// Creates an empty list of headers.
    pub fn new() -> HttpHeaders {
        HttpHeaders::default()
    }

    /// Returns the first value of a header.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut own = self.0.iter();
        own.find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Returns every value of a header, in order.
    pub fn get_all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        let own = self.0.iter();
        own.filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Returns whether the header is present.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a header to one value. It replaces every value that the header had.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let name = name.into();
        match self
            .0
            .iter()
            .position(|(known, _)| known.eq_ignore_ascii_case(&name))
        {
            Some(at) => {
                self.0[at].1 = value.into();
                let mut index = 0;
                self.0.retain(|(known, _)| {
                    index += 1;
                    index - 1 == at || !known.eq_ignore_ascii_case(&name)
                });
            }
            None => self.0.push((name, value.into())),
        }
    }

    /// Adds a value after those that the header has.
    pub fn append(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// Removes a header. Returns whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.0.len() != before
    }

    /// Returns every name with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns whether there is no header.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for HttpHeaders {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(headers: I) -> HttpHeaders {
        let headers = headers.into_iter();
        HttpHeaders(
            headers
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

/// Names only: a value may be a secret.
impl fmt::Debug for HttpHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}

impl Serialize for HttpHeaders {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (at, (name, _)) in self.0.iter().enumerate() {
            let same = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
            if self.0[..at].iter().any(|entry| same(&entry)) {
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
        deserializer.deserialize_map(Headers)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

struct Headers;

impl<'de> Visitor<'de> for Headers {
    type Value = HttpHeaders;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of headers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HttpHeaders, A::Error> {
        let mut headers = HttpHeaders::new();
        while let Some((name, values)) = map.next_entry::<String, OneOrMore>()? {
            match values {
                OneOrMore::One(value) => headers.append(name, value),
                OneOrMore::More(values) => {
                    for value in values {
                        headers.append(name.clone(), value);
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
