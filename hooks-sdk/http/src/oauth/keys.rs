//! The keys of an issuer (JWKS): fetched when a token needs them, renewed, and kept while the issuer is away.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use jsonwebtoken::{
    Algorithm,
    jwk::{Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse},
};
use reqwest::Url;
use serde_json::Value;
use tokio::{
    sync::{Mutex as AsyncMutex, OwnedMutexGuard, Semaphore},
    time::{Instant, timeout},
};

use super::{
    discovery,
    fetch::{Fetcher, PATIENCE},
    signature::PublicKey,
    token::Rejection,
};
use hooks_core::internal::lock;

/// The shortest time between two fetches of keys.
const FETCH_EVERY: Duration = Duration::from_secs(10);

/// The age at which keys are fetched again in the background.
const OLD: Duration = Duration::from_secs(600);

/// The largest number of requests that wait for the keys of an issuer.
const MAX_WAITING: usize = 32;

/// The largest number of keys of an issuer.
const MAX_KEYS: usize = 100;

/// A key, and the algorithms for which it may be used.
#[derive(Debug)]
struct IssuerKey {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    key: Arc<PublicKey>,
}

#[derive(Debug)]
struct KeySet(Vec<IssuerKey>);

/// The keys of one issuer.
#[derive(Debug)]
pub(super) struct IssuerKeys {
    pub(super) issuer: String,
    /// Where the keys are, if the author has said it.
    place: Option<Url>,
    fetcher: Fetcher,
    /// The keys that were fetched last, and when.
    known: Mutex<Option<(Arc<KeySet>, Instant)>>,
    /// When keys were fetched last, whether they came or not. One fetch runs at a time.
    turn: Arc<AsyncMutex<Option<Instant>>>,
    waiting: Arc<Semaphore>,
}

impl IssuerKeys {
    pub(super) fn new(issuer: String, place: Option<Url>, fetcher: Fetcher) -> IssuerKeys {
        IssuerKeys {
            issuer,
            place,
            fetcher,
            known: Mutex::default(),
            turn: Arc::default(),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        }
    }

    /// Returns the key of a token. Fetches the keys if the key is not known and the last fetch is long enough ago.
    ///
    /// # Errors
    ///
    /// The issuer has no such key, or nobody knows now.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Arc<PublicKey>, Rejection> {
        const UNAVAILABLE: Rejection =
            Rejection::Unavailable("the keys of the issuer cannot be fetched now");
        if let Some((keys, fetched)) = self.known()
            && let Some(key) = keys.find(id, algorithm)
        {
            self.renew(fetched);
            return Ok(key);
        }
        if self.turn.try_lock().map_or(true, |tried| is_due(*tried)) {
            let place = self.waiting.clone().try_acquire_owned();
            let place = place.map_err(|_| UNAVAILABLE)?;
            let keys = self.clone();
            // A client that disconnects must not break the fetch off.
            let fetched = tokio::spawn(async move {
                let _place = place;
                let turn = keys.turn.clone().lock_owned().await;
                keys.fetch(turn).await;
            });
            _ = fetched.await;
        }
        let (keys, _) = self.known().ok_or(UNAVAILABLE)?;
        let key = keys.find(id, algorithm);
        key.ok_or(Rejection::Invalid("its key is not one of its issuer's"))
    }

    /// Fetches old keys again, in the background.
    fn renew(self: &Arc<Self>, fetched: Instant) {
        if fetched.elapsed() >= OLD
            && let Ok(turn) = self.turn.clone().try_lock_owned()
            && is_due(*turn)
        {
            let keys = self.clone();
            tokio::spawn(async move { keys.fetch(turn).await });
        }
    }

    /// Fetches the keys, unless another fetch has just tried.
    async fn fetch(&self, mut turn: OwnedMutexGuard<Option<Instant>>) {
        if !is_due(*turn) {
            return;
        }
        *turn = Some(Instant::now());
        let fetched = timeout(PATIENCE, self.fetched()).await;
        let fetched = fetched.unwrap_or_else(|_| Err(format!("no answer within {PATIENCE:?}")));
        match fetched {
            Ok(keys) => {
                tracing::debug!(
                    target: "hooks_sdk::http",
                    issuer = self.issuer, keys = keys.0.len(), "the issuer's keys were fetched"
                );
                *lock(&self.known) = Some((Arc::new(keys), Instant::now()));
            }
            Err(error) => {
                let has_keys = self.known().is_some();
                tracing::warn!(
                    target: "hooks_sdk::http",
                    issuer = self.issuer, error, has_keys, "the issuer's keys cannot be fetched"
                );
            }
        }
    }

    async fn fetched(&self) -> Result<KeySet, String> {
        let place = match &self.place {
            Some(place) => place.clone(),
            None => discovery::place(&self.fetcher, &self.issuer, "jwks_uri").await?,
        };
        KeySet::read(&self.fetcher.get(&place).await?)
    }

    fn known(&self) -> Option<(Arc<KeySet>, Instant)> {
        lock(&self.known).clone()
    }
}

/// Returns whether the last fetch is long enough ago.
fn is_due(tried: Option<Instant>) -> bool {
    tried.is_none_or(|at| at.elapsed() >= FETCH_EVERY)
}

impl KeySet {
    /// Reads the keys that can check a signature. Others are skipped.
    ///
    /// # Errors
    ///
    /// The text is no set of keys, has too many, or none that can check a signature.
    fn read(text: &[u8]) -> Result<KeySet, String> {
        let set: Value = serde_json::from_slice(text).map_err(|_| "the keys are no JSON")?;
        let keys = set["keys"].as_array().ok_or("the keys are no JWKS")?;
        if keys.len() > MAX_KEYS {
            return Err(format!("the issuer has more than {MAX_KEYS} keys"));
        }
        let keys: Vec<IssuerKey> = keys.iter().filter_map(IssuerKey::read).collect();
        match keys.is_empty() {
            true => Err("no key of the issuer can check a signature".to_owned()),
            false => Ok(KeySet(keys)),
        }
    }

    /// Returns the key with this id. Without an id, the only key that fits the algorithm.
    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<Arc<PublicKey>> {
        let mut fitting = self.0.iter().filter(|key| {
            key.algorithms.contains(&algorithm) && (id.is_none() || key.id.as_deref() == id)
        });
        match (fitting.next(), fitting.next()) {
            (Some(key), None) => Some(key.key.clone()),
            (Some(key), Some(_)) if id.is_some() => Some(key.key.clone()),
            _ => None,
        }
    }
}

impl IssuerKey {
    fn read(key: &Value) -> Option<IssuerKey> {
        let jwk: Jwk = serde_json::from_value(key.clone()).ok()?;
        let common = &jwk.common;
        let signs = common.public_key_use.as_ref();
        if signs.is_some_and(|signs| *signs != PublicKeyUse::Signature) {
            return None;
        }
        let operations = common.key_operations.as_ref();
        if operations.is_some_and(|operations| !operations.contains(&KeyOperations::Verify)) {
            return None;
        }
        let key = PublicKey::read(&jwk.algorithm)?;
        let only = common.key_algorithm;
        let is_meant =
            |algorithm: &Algorithm| only.is_none_or(|only| only == KeyAlgorithm::from(*algorithm));
        let algorithms: Vec<Algorithm> = key.algorithms().filter(is_meant).collect();
        if algorithms.is_empty() {
            return None;
        }
        Some(IssuerKey {
            id: common.key_id.clone(),
            algorithms,
            key: Arc::new(key),
        })
    }
}
