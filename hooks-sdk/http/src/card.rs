//! A server card (SEP-2127): what a directory of servers reads about a server, without a connection.

use axum::body::Body;
use http::{Request, Response};
use serde_json::{Map, Value, json};

use crate::{document, error::HttpError};
use hooks_core::internal::setters;

/// The schema of a card.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// What follows the path of MCP in the path of a card.
#[doc(hidden)]
pub const PATH: &str = "/server-card";

/// A server card (SEP-2127): the name of a server, what it is, and where it can be reached. It has no tools, prompts and
/// resources.
///
/// ```
/// use hooks_sdk::http::ServerCard;
///
/// let card = ServerCard::new("com.example/notes", "1.2.3", "Keeps notes.")
///     .title("Notes")
///     .remote("https://mcp.example.com/mcp");
/// # _ = card;
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ServerCard(Map<String, Value>);

impl ServerCard {
    /// Makes a card.
    ///
    /// - `name`: a reversed domain, `/` and a word, such as `com.example/notes`; 3 to 200 characters.
    /// - `version`: one version, at most 255 characters.
    /// - `description`: 1 to 100 characters.
    ///
    /// A server with a wrong card does not start.
    pub fn new(
        name: impl Into<String>,
        version: impl Into<String>,
        description: impl Into<String>,
    ) -> ServerCard {
        let members = [
            ("$schema", SCHEMA.to_owned()),
            ("name", name.into()),
            ("version", version.into()),
            ("description", description.into()),
        ];
        let members = members.map(|(name, value)| (name.to_owned(), value.into()));
        ServerCard(Map::from_iter(members))
    }

    setters! {
        /// Sets the name for people, 1 to 100 characters.
        fn title(mut self, title: impl Into<String>) {
            self.0.insert("title".to_owned(), title.into().into());
        }

        /// Sets the page about the server.
        fn website(mut self, url: impl Into<String>) {
            self.0.insert("websiteUrl".to_owned(), url.into().into());
        }

        /// Adds a URL at which clients reach the server by streamable HTTP.
        fn remote(mut self, url: impl Into<String>) {
            let remote = json!({"type": "streamable-http", "url": url.into()});
            let remotes = self.0.entry("remotes").or_insert_with(|| json!([]));
            if let Value::Array(remotes) = remotes {
                remotes.push(remote);
            }
        }
    }

    /// Reads a card that was written as JSON. Members that this SDK does not know stay as they are.
    ///
    /// # Errors
    ///
    /// The text is no card.
    pub fn parse(text: &str) -> Result<ServerCard, HttpError> {
        let members = serde_json::from_str(text)
            .map_err(|error| wrong(&format!("is no JSON object: {error}"), "correct it"))?;
        let card = ServerCard(members);
        card.check()?;
        Ok(card)
    }

    /// Checks the card.
    ///
    /// # Errors
    ///
    /// A member breaks the schema, or a secret has a value.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), HttpError> {
        let text = |name: &str, least: usize, most: usize| match self.0.get(name) {
            Some(Value::String(text)) if (least..=most).contains(&text.chars().count()) => {
                Ok(&**text)
            }
            _ => Err(wrong(
                &format!("has no `{name}` of {least} to {most} characters"),
                "write one",
            )),
        };
        if self.0.get("$schema").and_then(Value::as_str) != Some(SCHEMA) {
            return Err(wrong(
                "has another `$schema` than that of server cards, version 1",
                SCHEMA,
            ));
        }
        let name = text("name", 3, 200)?;
        let is_part = |part: &str, more: &[u8]| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || more.contains(&byte);
            !part.is_empty() && part.bytes().all(is_allowed)
        };
        let parts = name.split_once('/');
        if !parts.is_some_and(|(domain, word)| is_part(domain, b".-") && is_part(word, b"._-")) {
            return Err(wrong(
                &format!("has the name `{name}`, which is no domain and word"),
                "write one such as `com.example/notes`",
            ));
        }
        let version = text("version", 1, 255)?;
        if version.contains(['^', '~', '*', '<', '>', '|', ' ']) || version.ends_with(".x") {
            return Err(wrong(
                &format!("has the version `{version}`, which is a range"),
                "write one version, such as `1.2.3`",
            ));
        }
        text("description", 1, 100)?;
        if self.0.contains_key("title") {
            text("title", 1, 100)?;
        }
        match self.0.values().find_map(secret) {
            None => Ok(()),
            Some(name) => Err(wrong(
                &format!("has a value for the secret `{name}`"),
                "remove the value: everybody can read the card",
            )),
        }
    }

    /// Answers a request for the card.
    #[doc(hidden)]
    pub fn answer<B>(&self, request: &Request<B>) -> Response<Body> {
        let text = Value::Object(self.0.clone()).to_string();
        let kind = "application/mcp-server-card+json";
        document::answer(request, kind, "Content-Type, If-None-Match", text)
    }
}

fn wrong(what: &str, help: &str) -> HttpError {
    HttpError::setting(format!("the server card {what}"), help.to_owned())
}

/// Returns the name of an input that is marked as secret and has a value.
fn secret(value: &Value) -> Option<String> {
    match value {
        Value::Object(members) => {
            let has = |name: &&str| members.contains_key(*name);
            let is_secret = members.get("isSecret") == Some(&Value::Bool(true));
            if is_secret && ["value", "default", "choices"].iter().any(has) {
                let name = members.get("name").and_then(Value::as_str);
                return Some(name.unwrap_or("isSecret").to_owned());
            }
            members.values().find_map(secret)
        }
        Value::Array(items) => items.iter().find_map(secret),
        _ => None,
    }
}
