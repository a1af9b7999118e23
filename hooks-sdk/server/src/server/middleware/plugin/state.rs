//! Requests that wait for their user on protocol 2026-07-28: what the client carries, and what the store keeps.

use std::time::Duration;

use rmcp::model::{RequestStateError, SealOptions};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{built::Built, chained::ChainedRequest};
use crate::server::{
    McpContext, hex,
    pipeline::{Owner, RequestState},
    quota::Amount,
    random,
    request::{is_http, is_stateless},
};
use hooks_core::store::{Bytes, Key, Swap};
use hooks_plugin::{
    Denial, Pending,
    internal::{Carried, MetHooks},
};

/// What begins a `requestState` of ours. Another one belongs to the author's own code.
const PREFIX: &str = "hooks-sdk.";

/// What a store keeps under a nonce that was used, until it expires.
const SPENT: &[u8] = b"spent";

/// How far the clocks of replicas may be apart.
const CLOCKS_DIFFER: Duration = Duration::from_secs(600);

/// How many questions may wait for their users, and the bytes of their requests: of one client, and of all.
pub(super) const MOST_OPEN_OF_ONE: Amount = Amount {
    entries: 256,
    bytes: 4 * 1024 * 1024,
};
pub(super) const MOST_OPEN: Amount = Amount {
    entries: 4096,
    bytes: 64 * 1024 * 1024,
};

/// What a `requestState` carries. It is sealed, and not secret.
#[derive(Debug, Serialize, Deserialize)]
struct Token {
    nonce: String,
    hook: String,
}

/// What the store keeps while a user is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedQuestion {
    pub(super) stage: Stage,
    pub(super) contexts: Carried,
    /// The payload before the server, with the changes of the hooks so far.
    pub(super) before: Value,
    /// The name of the item when this pass of the chain began.
    pub(super) began_as: String,
    /// Whether this is the second pass, of a renamed request.
    pub(super) again: bool,
    /// The hooks before the server that are done with the request, where the author's own code asks.
    #[serde(default)]
    pub(super) passed: MetHooks,
}

/// Where a request waits.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Stage {
    /// A hook before the server asks.
    Before(Box<Pending>),
    /// The author's own code asks. The hooks before the server have decided.
    Server(Option<String>),
    /// A hook after the server asks, about this payload.
    After(Box<Pending>, Value),
}

/// To whom and to what a `requestState` belongs.
#[derive(Clone, Debug)]
pub(super) struct QuestionBinding {
    bytes: Vec<u8>,
    /// The client whose share the question takes.
    owner: Owner,
}

impl QuestionBinding {
    /// Binds to the user, else the session, else the connection, and to the request itself.
    ///
    /// An HTTP request of 2026-07-28 without a user and a session is bound to the request alone.
    pub(super) fn of(
        request: &McpContext,
        call: &RequestState,
        user: Option<&str>,
        mut content: Value,
    ) -> QuestionBinding {
        let mut bytes = match (user, call.session_key(request)) {
            (Some(user), _) => [&b"u"[..], user.as_bytes()].concat(),
            (None, Some(key)) => [&b"s"[..], key.as_slice()].concat(),
            (None, None) if !(is_http(&request.extensions) && is_stateless(request)) => {
                [&b"c"[..], &call.connection.number.to_be_bytes()].concat()
            }
            (None, None) => b"-".to_vec(),
        };
        bytes.push(0);
        // Equal contents are written alike, whatever the order of their members.
        content.sort_all_objects();
        bytes.extend_from_slice(&Sha256::digest(content.to_string()));
        let owner = match user {
            Some(user) => Owner::Principal(user.into()),
            None => Owner::of(request, &call.connection),
        };
        QuestionBinding { bytes, owner }
    }
}

/// Returns whether a `requestState` is one of ours.
pub(super) fn is_ours(state: Option<&String>) -> bool {
    state.is_some_and(|state| state.starts_with(PREFIX))
}

impl Built {
    /// Keeps a request until its user has answered. Returns the `requestState` for the client.
    /// Returns an error if the store cannot keep it, or if too many questions of this client wait.
    pub(super) async fn keep(
        &self,
        hook: &str,
        stage: Stage,
        passed: MetHooks,
        running: &ChainedRequest,
        lives: Duration,
    ) -> Result<String, Denial> {
        let failed = |error: &dyn std::fmt::Display| {
            error!(hook, %error, "a request that waits for its user cannot be kept");
            Denial::by_chain(
                "elicitation_unavailable",
                "the user cannot be asked now; call again later",
            )
        };
        let asker = running.asker.as_ref().ok_or_else(no_state)?;
        let bound = asker.bound.as_ref().ok_or_else(no_state)?;
        let kept = SavedQuestion {
            stage,
            contexts: running.contexts.carried(),
            before: asker.before.clone(),
            began_as: running.name.clone(),
            again: running.is_renamed,
            passed,
        };
        let nonce = hex(&random::<16>());
        let bytes = serde_json::to_vec(&kept).map_err(|error| failed(&error))?;
        let owner = bound.owner.clone();
        if !self.waiting.hold(owner, nonce.clone(), bytes.len(), lives) {
            warn!(
                hook,
                "a user is not asked: too many questions of this client wait"
            );
            return Err(Denial::by_chain(
                "elicitation_unavailable",
                "the user cannot be asked now: too many questions of this client wait for an answer. Answer one, or call \
                 again later",
            ));
        }
        let stored = self
            .store
            .compare_and_swap(&key(&nonce), None, Bytes::from(&*bytes), lives)
            .await;
        let refused = match stored {
            Ok(Swap::Done(_)) => None,
            Ok(Swap::Conflict(_)) => Some(failed(&"two requests have one nonce")),
            Err(error) => Some(failed(&error)),
        };
        if let Some(denial) = refused {
            self.waiting.release(&nonce);
            return Err(denial);
        }
        // The store's own clock ends the request. A replica whose clock is behind must not end it earlier.
        let options = SealOptions::new()
            .associated_data(&bound.bytes)
            .ttl(lives.saturating_add(CLOCKS_DIFFER));
        let hook = hook.to_owned();
        self.tell_of_keys();
        let sealed = self.codec.seal_json_with(&Token { nonce, hook }, &options);
        let sealed = sealed.map_err(|error| failed(&error))?;
        Ok(format!("{PREFIX}{sealed}"))
    }

    /// Opens a `requestState`. Returns the hook that asked, and the nonce that names the request in the store.
    /// Returns an error if it is not for this request, or expired.
    pub(super) fn open(
        &self,
        state: &str,
        bound: &QuestionBinding,
    ) -> Result<(String, String), Denial> {
        let sealed = state.strip_prefix(PREFIX).unwrap_or(state);
        let token: Result<Token, _> = self.codec.open_json_with(sealed, &bound.bytes);
        match token {
            Ok(token) => Ok((token.hook, token.nonce)),
            Err(RequestStateError::Expired) => Err(expired()),
            Err(error) => {
                warn!(%error, "a `requestState` is refused");
                Err(Denial::by_chain(
                    "elicitation_state",
                    "the `requestState` does not belong to this request: send the arguments of the first call again",
                ))
            }
        }
    }

    /// Takes a request out of the store. Nobody can take it a second time.
    /// Returns an error if it is gone, it was taken before, or the store cannot be reached.
    pub(super) async fn take(&self, nonce: String) -> Result<SavedQuestion, Denial> {
        let unavailable = |error: &dyn std::fmt::Display| {
            error!(%error, "a request that waited for its user cannot be read");
            Denial::by_chain(
                "elicitation_unavailable",
                "the user's answer cannot be used now; call again later",
            )
        };
        let (key, store) = (key(&nonce), &self.store);
        let stored = store.load(&key).await;
        let stored = stored.map_err(|error| unavailable(&error))?;
        let stored = stored.ok_or_else(expired)?;
        let read = |bytes: &Bytes| {
            serde_json::from_slice(bytes.as_slice()).map_err(|error| unavailable(&error))
        };
        let replayed = || {
            Denial::by_chain(
                "elicitation_replayed",
                "the user's answer was used before; call again without `requestState`",
            )
        };
        if stored.bytes.as_slice() == SPENT {
            return Err(replayed());
        }
        let spent = Bytes::from(SPENT);
        let swap = store.compare_and_swap(&key, Some(stored.version), spent, stored.left);
        match swap.await {
            Ok(Swap::Done(_)) => {
                self.waiting.release(&nonce);
                read(&stored.bytes)
            }
            Ok(Swap::Conflict(_)) => Err(replayed()),
            Err(error) => Err(unavailable(&error)),
        }
    }
}

fn key(nonce: &str) -> Key {
    Key::new(format!("plugin:{nonce}").as_bytes())
}

fn expired() -> Denial {
    Denial::by_chain(
        "elicitation_expired",
        "the time to answer is over; call again without `requestState`",
    )
}

/// Reads a part of a request that waited for its user.
pub(super) fn stored<T: DeserializeOwned>(value: Value) -> Result<T, Denial> {
    serde_json::from_value(value).map_err(|error| {
        error!(%error, "a request that waited for its user cannot be read");
        no_state()
    })
}

pub(super) fn no_state() -> Denial {
    Denial::by_chain(
        "elicitation_state",
        "the user's answer does not belong to this request; call again without `requestState`",
    )
}
