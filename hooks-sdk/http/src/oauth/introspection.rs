//! Asks an issuer about tokens that are no JWT (RFC 7662), and remembers good answers for a while.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::{
    Method, Request, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio::{
    sync::{OnceCell, Semaphore},
    time::Instant,
};

use super::{
    discovery,
    fetch::Fetcher,
    token::{self, Rejection},
};
use hooks_core::internal::{debugs, lock};

/// How long a good answer is remembered.
const REMEMBERED: Duration = Duration::from_secs(60);

/// The age at which a remembered answer is asked for again, before it is forgotten.
const RENEWED: Duration = Duration::from_secs(30);

/// The largest number of remembered answers.
const MAX_REMEMBERED: usize = 10_000;

/// The largest number of questions at a time about new tokens, and about remembered ones.
const MAX_QUESTIONS: usize = 32;

/// What an issuer is asked with.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: String,
}

debugs!(Client { id });

/// An issuer that is asked about tokens.
pub(super) struct Introspection {
    issuer: String,
    audiences: Vec<String>,
    fetcher: Fetcher,
    authorization: HeaderValue,
    place: OnceCell<Url>,
    /// The good answers, by the digests of their tokens.
    remembered: Mutex<HashMap<[u8; 32], Remembered>>,
    questions: Semaphore,
    renewals: Arc<Semaphore>,
}

struct Remembered {
    claims: Arc<Map<String, Value>>,
    asked: Instant,
}

debugs!(Introspection { issuer });

impl Introspection {
    pub(super) fn new(
        issuer: String,
        audiences: Vec<String>,
        client: &Client,
        fetcher: Fetcher,
    ) -> Introspection {
        // RFC 6749 §2.3.1: both are form-encoded first.
        let encoded =
            |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&client.id), encoded(&client.secret));
        let basic = format!("Basic {}", BASE64_STANDARD.encode(pair));
        let mut authorization =
            HeaderValue::try_from(basic).unwrap_or(HeaderValue::from_static(""));
        authorization.set_sensitive(true);
        Introspection {
            issuer,
            audiences,
            fetcher,
            authorization,
            place: OnceCell::new(),
            remembered: Mutex::default(),
            questions: Semaphore::new(MAX_QUESTIONS),
            renewals: Arc::new(Semaphore::new(MAX_QUESTIONS)),
        }
    }

    /// Returns the claims of a token that the issuer calls active.
    pub(super) async fn claims(
        self: &Arc<Self>,
        token: &str,
    ) -> Result<Map<String, Value>, Rejection> {
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        if let Some((claims, age)) = self.known(&digest) {
            if age >= RENEWED
                && let Ok(place) = self.renewals.clone().try_acquire_owned()
            {
                let (introspection, token) = (self.clone(), token.to_owned());
                tokio::spawn(async move {
                    introspection.renew(digest, &token).await;
                    drop(place);
                });
            }
            return self.checked((*claims).clone());
        }
        // Known tokens pass, however many wrong ones are asked about.
        let busy = Rejection::Unavailable("the issuer is being asked about too many tokens");
        let _place = self.questions.try_acquire().map_err(|_| busy)?;
        let claims = self.ask(token).await?;
        self.remember(digest, &claims);
        Ok(claims)
    }

    async fn renew(&self, digest: [u8; 32], token: &str) {
        match self.ask(token).await {
            Ok(claims) => self.remember(digest, &claims),
            Err(Rejection::Invalid(_)) => _ = lock(&self.remembered).remove(&digest),
            // It is forgotten at the end of its time.
            Err(Rejection::Unavailable(_)) => {}
        }
    }

    async fn ask(&self, token: &str) -> Result<Map<String, Value>, Rejection> {
        let unavailable = |error: String| {
            tracing::warn!(
                target: "hooks_sdk::http",
                issuer = self.issuer, error, "the issuer cannot be asked about a token"
            );
            Rejection::Unavailable("the issuer cannot be asked about the token now")
        };
        let place = self
            .place
            .get_or_try_init(|| {
                discovery::place(&self.fetcher, &self.issuer, "introspection_endpoint")
            })
            .await
            .map_err(unavailable)?;
        let body = form_urlencoded::Serializer::new(String::new())
            .append_pair("token", token)
            .append_pair("token_type_hint", "access_token")
            .finish();
        let mut request = Request::new(Method::POST, place.clone());
        let headers = request.headers_mut();
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(CONTENT_TYPE, form);
        headers.insert(AUTHORIZATION, self.authorization.clone());
        *request.body_mut() = Some(body.into());
        let answer = self.fetcher.send(request).await.map_err(unavailable)?;
        let claims = serde_json::from_slice::<Map<String, Value>>(&answer)
            .map_err(|_| unavailable("its answer is no JSON object".to_owned()))?;
        if claims.get("active") != Some(&Value::Bool(true)) {
            return Err(Rejection::Invalid("it is not active"));
        }
        self.checked(claims)
    }

    /// Checks the members of an answer. Their times go on while the answer is remembered.
    fn checked(&self, mut claims: Map<String, Value>) -> Result<Map<String, Value>, Rejection> {
        claims.remove("active");
        claims
            .entry("iss")
            .or_insert_with(|| self.issuer.clone().into());
        token::checked(claims, &self.issuer, &self.audiences)
    }

    fn known(&self, digest: &[u8; 32]) -> Option<(Arc<Map<String, Value>>, Duration)> {
        let remembered = lock(&self.remembered);
        let known = remembered.get(digest)?;
        let age = known.asked.elapsed();
        (age < REMEMBERED).then(|| (known.claims.clone(), age))
    }

    fn remember(&self, digest: [u8; 32], claims: &Map<String, Value>) {
        let mut remembered = lock(&self.remembered);
        if remembered.len() >= MAX_REMEMBERED && !remembered.contains_key(&digest) {
            remembered.retain(|_, known| known.asked.elapsed() < REMEMBERED);
            if remembered.len() >= MAX_REMEMBERED
                && let Some(any) = remembered.keys().next().copied()
            {
                remembered.remove(&any);
            }
        }
        let known = Remembered {
            claims: Arc::new(claims.clone()),
            asked: Instant::now(),
        };
        remembered.insert(digest, known);
    }
}
