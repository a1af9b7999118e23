//! The keys of an issuer (JWKS): fetched when a token needs them, renewed, and kept while the issuer is away.

use std::{
    sync::{Arc, Mutex, RwLock},
    time::Duration,
};

use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse},
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
};
use hooks_core::internal::{lock, read_lock, write_lock};

/// The shortest time between two fetches of keys.
const FETCH_EVERY: Duration = Duration::from_secs(10);

/// The age at which keys are fetched again in the background.
const OLD: Duration = Duration::from_secs(600);

/// The largest number of requests that wait for the keys of an issuer.
const MAX_WAITING: usize = 32;

/// The largest number of keys of an issuer.
const MAX_KEYS: usize = 100;

/// Why there is no key for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoKey {
    /// The issuer has no such key.
    Unknown,
    /// Nobody knows now.
    Unavailable,
}

/// A key, and the algorithms for which it may be used.
#[derive(Debug)]
struct IssuerKey {
    id: Option<String>,
    algorithms: &'static [Algorithm],
    key: DecodingKey,
}

#[derive(Debug)]
struct KeySet(Vec<IssuerKey>);

/// The keys of one issuer.
#[derive(Debug)]
pub(super) struct IssuerKeys {
    issuer: String,
    /// Where the keys are, if the author has said it.
    place: Option<Url>,
    fetcher: Fetcher,
    known: RwLock<Option<Arc<KeySet>>>,
    times: Mutex<FetchTimes>,
    /// One fetch runs at a time.
    turn: Arc<AsyncMutex<()>>,
    waiting: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct FetchTimes {
    tried: Option<Instant>,
    fetched: Option<Instant>,
}

impl IssuerKeys {
    pub(super) fn new(issuer: String, place: Option<Url>, fetcher: Fetcher) -> IssuerKeys {
        IssuerKeys {
            issuer,
            place,
            fetcher,
            known: RwLock::default(),
            times: Mutex::default(),
            turn: Arc::default(),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        }
    }

    /// Returns the key of a token. Fetches the keys if the key is not known and the last fetch is long enough ago.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, NoKey> {
        let known = self.known();
        if let Some(key) = known.as_ref().and_then(|keys| keys.find(id, algorithm)) {
            self.renew();
            return Ok(key);
        }
        if self.is_due() || self.turn.try_lock().is_err() {
            let place = self.waiting.clone().try_acquire_owned();
            let place = place.map_err(|_| NoKey::Unavailable)?;
            let keys = self.clone();
            // A client that disconnects must not break the fetch off.
            let fetched = tokio::spawn(async move {
                let _place = place;
                let turn = keys.turn.clone().lock_owned().await;
                keys.fetch(turn).await;
            });
            _ = fetched.await;
        }
        match self.known() {
            None => Err(NoKey::Unavailable),
            Some(keys) => keys.find(id, algorithm).ok_or(NoKey::Unknown),
        }
    }

    /// Fetches old keys again, in the background.
    fn renew(self: &Arc<Self>) {
        let fetched = self.times().fetched;
        if fetched.is_some_and(|at| at.elapsed() >= OLD)
            && self.is_due()
            && let Ok(turn) = self.turn.clone().try_lock_owned()
        {
            let keys = self.clone();
            tokio::spawn(async move { keys.fetch(turn).await });
        }
    }

    /// Fetches the keys, unless another fetch has just tried.
    async fn fetch(&self, _turn: OwnedMutexGuard<()>) {
        if !self.is_due() {
            return;
        }
        self.times().tried = Some(Instant::now());
        let fetched = timeout(PATIENCE, self.fetched()).await;
        let fetched = fetched.unwrap_or_else(|_| Err(format!("no answer within {PATIENCE:?}")));
        match fetched {
            Ok(keys) => {
                tracing::debug!(
                    target: "hooks_sdk::http",
                    issuer = self.issuer, keys = keys.0.len(), "the issuer's keys were fetched"
                );
                *write_lock(&self.known) = Some(Arc::new(keys));
                self.times().fetched = Some(Instant::now());
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
            None => discovery::keys_of(&self.fetcher, &self.issuer).await?,
        };
        KeySet::read(&self.fetcher.get(&place).await?)
    }

    fn known(&self) -> Option<Arc<KeySet>> {
        let known = read_lock(&self.known);
        known.clone()
    }

    fn times(&self) -> std::sync::MutexGuard<'_, FetchTimes> {
        lock(&self.times)
    }

    fn is_due(&self) -> bool {
        let tried = self.times().tried;
        tried.is_none_or(|at| at.elapsed() >= FETCH_EVERY)
    }
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
    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
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
        let fitting: &'static [Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => &[
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(key) => match key.curve {
                EllipticCurve::P256 => &[Algorithm::ES256],
                EllipticCurve::P384 => &[Algorithm::ES384],
                _ => return None,
            },
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                &[Algorithm::EdDSA]
            }
            // A symmetric key in a public document is nobody's secret.
            _ => return None,
        };
        let algorithms = match common.key_algorithm {
            None => fitting,
            Some(only) => {
                let at = fitting
                    .iter()
                    .position(|algorithm| KeyAlgorithm::from(*algorithm) == only)?;
                &fitting[at..=at]
            }
        };
        Some(IssuerKey {
            id: common.key_id.clone(),
            algorithms,
            key: DecodingKey::from_jwk(&jwk).ok()?,
        })
    }
}
