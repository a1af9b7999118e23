//! An authorization server of a test, its tokens, and a server that trusts it.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{StatusCode, Uri, header::CONTENT_TYPE},
    response::IntoResponse,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hooks_sdk::{
    Collected,
    core::Registry,
    http::{self, OAuth},
    plugin::PluginHook,
};
use hooks_tests::toy_server::{Served, ToyServer};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Semaphore, time::sleep};

/// The public URL of the server.
pub(crate) const RESOURCE: &str = "https://mcp.example.com/mcp";

/// The pointer that every challenge has.
pub(crate) const POINTER: &str = r#"resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="notes:read""#;

/// A key that signs by ES256.
pub(crate) struct SigningKey {
    pub(crate) id: String,
    pair: EcdsaKeyPair,
}

impl SigningKey {
    pub(crate) fn new(id: &str) -> SigningKey {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).expect("a key");
        SigningKey {
            id: id.to_owned(),
            pair,
        }
    }

    pub(crate) fn public(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }

    pub(crate) fn jwk(&self) -> Value {
        let (x, y) = self.public()[1..].split_at(32);
        json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "kid": self.id,
            "x": base64(x), "y": base64(y),
        })
    }

    /// Signs a token with any header and claims.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let message = unsigned(header, claims);
        let random = SystemRandom::new();
        let signed = self
            .pair
            .sign(&random, message.as_bytes())
            .expect("a signature");
        format!("{message}.{}", base64(signed.as_ref()))
    }

    /// Signs a token with the usual header.
    pub(crate) fn token(&self, claims: &Value) -> String {
        self.sign(&self.header(), claims)
    }

    pub(crate) fn header(&self) -> Value {
        json!({"alg": "ES256", "typ": "at+jwt", "kid": self.id})
    }
}

pub(crate) fn base64(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the part of a token that is signed.
pub(crate) fn unsigned(header: &Value, claims: &Value) -> String {
    format!(
        "{}.{}",
        base64(header.to_string()),
        base64(claims.to_string())
    )
}

pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("a clock").as_secs()
}

/// What an authorization server does when it is asked.
#[derive(Clone, Default)]
pub(crate) struct Mood {
    pub(crate) delay: Duration,
    /// Answers this in the place of its keys.
    pub(crate) rubbish: Option<(u16, String)>,
    /// The spelling of the issuer in its metadata, if it is another one.
    pub(crate) spelling: Option<String>,
    /// The answers to introspection, by token.
    pub(crate) active: Vec<(String, Value)>,
}

struct Asked {
    url: String,
    keys: Mutex<Vec<Value>>,
    mood: Mutex<Mood>,
    fetches: AtomicUsize,
    delayed: Semaphore,
    introspections: Mutex<Vec<String>>,
}

/// An authorization server on this computer.
pub(crate) struct Authority {
    pub(crate) url: String,
    pub(crate) key: SigningKey,
    asked: Arc<Asked>,
}

impl Authority {
    pub(crate) async fn start() -> Authority {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let key = SigningKey::new("one");
        let asked = Arc::new(Asked {
            url: url.clone(),
            keys: Mutex::new(vec![key.jwk()]),
            mood: Mutex::default(),
            fetches: AtomicUsize::new(0),
            delayed: Semaphore::new(0),
            introspections: Mutex::default(),
        });
        let router = Router::new().fallback(answer).with_state(asked.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Authority { url, key, asked }
    }

    /// Publishes other keys.
    pub(crate) fn publish(&self, keys: Vec<Value>) {
        *self.asked.keys.lock().unwrap() = keys;
    }

    pub(crate) fn mood(&self, change: impl FnOnce(&mut Mood)) {
        change(&mut self.asked.mood.lock().unwrap());
    }

    /// Returns how often the keys were fetched.
    pub(crate) fn fetches(&self) -> usize {
        self.asked.fetches.load(Ordering::SeqCst)
    }

    /// Returns one permit for each question whose answer is delayed.
    pub(crate) fn delayed(&self) -> &Semaphore {
        &self.asked.delayed
    }

    /// Returns the bodies of the questions about tokens.
    pub(crate) fn introspections(&self) -> Vec<String> {
        self.asked.introspections.lock().unwrap().clone()
    }

    /// Returns good claims of a user.
    pub(crate) fn claims(&self, user: &str) -> Value {
        json!({
            "iss": self.url, "aud": RESOURCE, "sub": user, "exp": now() + 600,
            "scope": "notes:read", "department": "staff",
        })
    }

    /// Returns a good token of a user.
    pub(crate) fn token(&self, user: &str) -> String {
        self.key.token(&self.claims(user))
    }

    /// Returns a good token of a user, with these scopes.
    pub(crate) fn scoped(&self, user: &str, scopes: &str) -> String {
        let mut claims = self.claims(user);
        claims["scope"] = scopes.into();
        self.key.token(&claims)
    }

    pub(crate) fn login(&self) -> OAuth {
        OAuth::new(RESOURCE)
            .issuer(&*self.url)
            .scopes(["notes:read"])
    }
}

async fn answer(State(asked): State<Arc<Asked>>, uri: Uri, body: Bytes) -> impl IntoResponse {
    let mood = asked.mood.lock().unwrap().clone();
    if !mood.delay.is_zero() {
        asked.delayed.add_permits(1);
        sleep(mood.delay).await;
    }
    let json = |body: Value| (200, body.to_string());
    let (status, body) = match uri.path() {
        "/.well-known/oauth-authorization-server" => {
            let issuer = mood.spelling.unwrap_or_else(|| asked.url.clone());
            json(json!({
                "issuer": issuer,
                "jwks_uri": format!("{}/keys", asked.url),
                "introspection_endpoint": format!("{}/introspect", asked.url),
            }))
        }
        "/keys" => {
            asked.fetches.fetch_add(1, Ordering::SeqCst);
            let keys = asked.keys.lock().unwrap().clone();
            mood.rubbish.unwrap_or_else(|| json(json!({"keys": keys})))
        }
        "/introspect" => {
            let body = String::from_utf8(body.to_vec()).expect("text");
            let known = mood
                .active
                .iter()
                .find(|(token, _)| body.contains(&**token));
            let known = known.map_or_else(|| json!({"active": false}), |(_, known)| known.clone());
            asked.introspections.lock().unwrap().push(body);
            json(known)
        }
        _ => (404, String::new()),
    };
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [(CONTENT_TYPE, "application/json")], body)
}

/// The server of these tests.
pub(crate) fn desk() -> ToyServer {
    ToyServer::default()
        .says("session_init", "opened")
        .says("work", "worked")
        .says("delete_note", "deleted")
        .waits()
}

/// Serves the desk with hooks and settings.
pub(crate) async fn serve(
    hooks: impl IntoIterator<Item = PluginHook>,
    settings: impl FnOnce(http::Server) -> http::Server,
) -> Served {
    let desk = desk();
    let registry = hooks
        .into_iter()
        .fold(Registry::builder(), |registry, hook| {
            registry.add(hook.into())
        });
    let registry = registry.build().expect("sound hooks");
    let collected = Collected::of(registry).expect("sound hooks");
    let hooked = collected.wrap(desk.clone()).expect("sound hooks");
    Served::start(desk, settings(http::Server::new(hooked))).await
}

/// Makes the value of `Authorization`.
pub(crate) fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}
