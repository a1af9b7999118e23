//! The keys of a server: those of its operator, or the key that replicas share in their store.

use std::{sync::Arc, time::Duration};

use rmcp::model::{RequestStateCodec, RequestStateError};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::server::{ReplicaSettings, hex, random};
use hooks_core::store::{Bytes, Key, MemoryStore, Store, StoreError, Swap};
use hooks_http::error::HttpError;

/// Under this name, the store has the key.
const NAME: &[u8] = b"hooks-sdk/http/key";

/// The key's life in the store without a running replica, and the interval at which a running one renews it.
const LIFE: Duration = Duration::from_secs(30 * 24 * 3600);
const RENEW_EVERY: Duration = Duration::from_secs(3600);

/// How often the start asks a store that does not answer, and the pause after the first time, which doubles.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);

/// Makes what seals by the first of some keys, and opens by each of them.
///
/// The name of a key is in what it seals. It is a digest of the key, so that a key has the same name at each replica, wherever it
/// is among the others.
///
/// # Errors
///
/// There is no key, one twice, or one of fewer than 32 bytes.
pub fn keyring<K: AsRef<[u8]>>(keys: &[K]) -> Result<RequestStateCodec, RequestStateError> {
    let named = |key: &K| (name_of(key.as_ref()), key.as_ref().to_vec());
    let active = keys.first().map(|key| name_of(key.as_ref()));
    RequestStateCodec::new_with_keyring(active.unwrap_or_default(), keys.iter().map(named))
}

fn name_of(key: &[u8]) -> String {
    let digest = Sha256::new()
        .chain_update(b"hooks-sdk/http/key name")
        .chain_update(key);
    hex(&digest.finalize()[..8])
}

/// Returns the author's store and keys. Without them, these are a store in memory, and a random key, which replicas share in
/// their store. The guard ends the renewal of that key.
///
/// # Errors
///
/// The store does not answer.
pub(super) async fn provided(
    shared: Option<Arc<dyn Store>>,
    keys: Option<RequestStateCodec>,
) -> Result<(ReplicaSettings, DropGuard), HttpError> {
    let renewal = CancellationToken::new();
    let keys = match (keys, &shared) {
        (Some(keys), _) => keys,
        (None, None) => codec(&random_key())?,
        (None, Some(store)) => {
            let key = load(&**store).await?;
            let keys = codec(&key)?;
            let renewing = renew(key, store.clone());
            tokio::spawn(renewal.clone().run_until_cancelled_owned(renewing));
            keys
        }
    };
    let settings = ReplicaSettings {
        store: shared.unwrap_or_else(|| Arc::new(MemoryStore::new())),
        keys: Arc::new(keys),
    };
    Ok((settings, renewal.drop_guard()))
}

fn random_key() -> Bytes {
    random::<{ RequestStateCodec::MIN_KEY_LENGTH }>()[..].into()
}

/// Returns what seals with the key.
///
/// # Errors
///
/// Something else is in the key's place in the store.
fn codec(key: &Bytes) -> Result<RequestStateCodec, HttpError> {
    RequestStateCodec::try_new(key.as_slice()).map_err(|_| {
        HttpError::setting(
            "the entry of the shared key in the store is no key",
            "delete the entry `hooks-sdk/http/key`, or use another store",
        )
    })
}

/// Loads the key from the store, or makes it.
///
/// # Errors
///
/// The store does not answer within about six seconds.
async fn load(store: &dyn Store) -> Result<Bytes, HttpError> {
    let random = random_key();
    let mut pause = PAUSE;
    for left in (0..TRIES).rev() {
        match keep(store, &random).await {
            Ok(Some(key)) => return Ok(key),
            Err(error) if left == 0 => return Err(error.into()),
            Err(error) => tracing::warn!(
                target: "hooks_sdk::http",
                %error, "the store does not give the shared key"
            ),
            Ok(None) => {}
        }
        sleep(pause).await;
        pause *= 2;
    }
    Err(StoreError::unreachable("the shared key changes at every look").into())
}

/// Keeps the key in the store. It does not return.
async fn renew(key: Bytes, store: Arc<dyn Store>) {
    loop {
        sleep(RENEW_EVERY).await;
        match keep(&*store, &key).await {
            Ok(Some(now)) if !bool::from(now.as_slice().ct_eq(key.as_slice())) => tracing::error!(
                target: "hooks_sdk::http",
                "the store has another key than this replica: restart the replica, or set `Server::keys`"
            ),
            Ok(_) => {}
            Err(error) => tracing::warn!(
                target: "hooks_sdk::http",
                %error, "the shared key is not renewed"
            ),
        }
    }
}

/// Renews the key in the store, or stores `own` if there is none. Returns the key that the store then has, or `None` if
/// the entry changed meanwhile.
async fn keep(store: &dyn Store, own: &Bytes) -> Result<Option<Bytes>, StoreError> {
    let name = Key::new(NAME);
    let (expected, bytes) = match store.load(&name).await? {
        Some(stored) => (Some(stored.version), stored.bytes),
        None => (None, own.clone()),
    };
    let swap = store.compare_and_swap(&name, expected, bytes.clone(), LIFE);
    Ok(match swap.await? {
        Swap::Done(_) => Some(bytes),
        Swap::Conflict(now) => now.map(|stored| stored.bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_seals_and_each_one_opens() -> Result<(), RequestStateError> {
        let (old, new) = ([1; 32], [2; 32]);
        let before = keyring(&[old])?;
        let both = [keyring(&[old, new])?, keyring(&[new, old])?];
        let after = keyring(&[new])?;
        for open in &both {
            assert_eq!(open.open(&before.seal(b"a"))?, b"a");
            assert_eq!(open.open(&after.seal(b"a"))?, b"a");
        }
        assert!(after.open(&before.seal(b"a")).is_err());
        assert!(after.open(&both[0].seal(b"a")).is_err());
        assert_eq!(after.open(&both[1].seal(b"a"))?, b"a");
        Ok(())
    }

    #[test]
    fn wrong_keys_are_refused() {
        assert!(keyring::<[u8; 32]>(&[]).is_err());
        assert!(keyring(&[[1; 31]]).is_err());
        assert!(keyring(&[[1; 32], [1; 32]]).is_err());
    }
}
