//! The guidance data of sessions in the store that replicas share: registered hooks, and texts for the next result.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bound::OfSessions;
use crate::server::{lock, pipeline::Owner};
use hooks_core::{
    guidance::{HookDefinition, HookInput},
    store::{Bytes, EntryVersion, Key, Store, StoreError, Stored, Swap},
};

/// How often a write begins again because another replica has changed the session's data. Then the request gives up.
const ATTEMPTS: usize = 16;

/// The data of one session, as a request has found it in the store. Changes reach the store when the request ends.
pub(super) struct OfSharedSession {
    store: Arc<dyn Store>,
    entry: Key,
    lives: Duration,
    /// The data during the request.
    pub(super) now: OfSessions,
    found: Mutex<StoredGuidance>,
}

/// The data in the store.
#[derive(Clone, Default)]
struct StoredGuidance {
    version: Option<EntryVersion>,
    left: Duration,
    kept: KeptInStore,
}

/// The form of the data in the store.
#[derive(Clone, Default, Deserialize, PartialEq, Serialize)]
struct KeptInStore {
    hooks: Vec<KeptHook>,
    texts: Vec<String>,
}

#[derive(Clone, Deserialize, PartialEq, Serialize)]
struct KeptHook {
    id: String,
    definition: Value,
    tool: Option<String>,
    text: Option<String>,
    required: bool,
}

impl OfSharedSession {
    /// Reads the data of the session.
    ///
    /// # Errors
    ///
    /// The store cannot be reached, or its data cannot be read.
    pub(super) async fn load(
        store: &Arc<dyn Store>,
        session: &Key,
        lives: Duration,
        app: &str,
        owner: &Owner,
    ) -> Result<OfSharedSession, StoreError> {
        let entry = Key::new(&[b"guidance:", session.as_slice()].concat());
        let found = StoredGuidance::of(store.load(&entry).await?)?;
        let now = OfSessions::default();
        for hook in &found.kept.hooks {
            let input = hook.input().map_err(StoreError::unreachable)?;
            // The hook was checked when it was registered.
            now.register(session, owner, lives, app, input)
                .map_err(StoreError::unreachable)?;
        }
        for text in &found.kept.texts {
            now.keep(session, owner, text.clone());
        }
        Ok(OfSharedSession {
            store: store.clone(),
            entry,
            lives,
            now,
            found: Mutex::new(found),
        })
    }

    /// Writes the changes of this request to the store, beside those that other requests have written meanwhile.
    ///
    /// # Errors
    ///
    /// The store cannot be reached, or cannot keep the data.
    pub(super) async fn save(&self, session: &Key) -> Result<(), StoreError> {
        let (hooks, texts) = self.now.of(session, self.lives);
        let now = KeptInStore {
            hooks: hooks.iter().map(KeptHook::of).collect(),
            texts,
        };
        let mut found = lock(&self.found).clone();
        let lives_long = found.version.is_none() || found.left >= self.lives;
        if now == found.kept && lives_long {
            return Ok(());
        }
        let (base, mut wanted) = (found.kept.clone(), now.clone());
        for _ in 0..ATTEMPTS {
            let swap = self.write(&found, &wanted).await?;
            let changed = match swap {
                Swap::Done(version) => {
                    *lock(&self.found) = StoredGuidance {
                        version: Some(version),
                        left: self.lives,
                        kept: now,
                    };
                    return Ok(());
                }
                Swap::Conflict(stored) => StoredGuidance::of(stored)?,
            };
            wanted = now.after(&base, &changed.kept);
            found = changed;
        }
        Err(StoreError::unreachable(
            "other requests change the session's guidance all the time",
        ))
    }

    async fn write(
        &self,
        found: &StoredGuidance,
        wanted: &KeptInStore,
    ) -> Result<Swap, StoreError> {
        let bytes = serde_json::to_vec(wanted).map_err(StoreError::unreachable)?;
        let bytes = Bytes::from(&*bytes);
        // A sixteenth longer than the session, so that the next calls need not renew it.
        let ttl = self.lives.saturating_add(self.lives / 16);
        self.store
            .compare_and_swap(&self.entry, found.version, bytes, ttl)
            .await
    }

    /// Removes the data of the session from the store.
    ///
    /// # Errors
    ///
    /// The store cannot be reached.
    pub(super) async fn remove(&self) -> Result<(), StoreError> {
        if lock(&self.found).version.is_none() {
            return Ok(());
        }
        self.store.delete(&self.entry, None).await
    }
}

impl StoredGuidance {
    fn of(stored: Option<Stored>) -> Result<StoredGuidance, StoreError> {
        let Some(stored) = stored else {
            return Ok(StoredGuidance::default());
        };
        let kept = serde_json::from_slice(stored.bytes.as_slice());
        Ok(StoredGuidance {
            version: Some(stored.version),
            left: stored.left,
            kept: kept.map_err(StoreError::unreachable)?,
        })
    }
}

impl KeptInStore {
    /// Returns `other` with the changes that lead from `base` to `self`.
    fn after(&self, base: &KeptInStore, other: &KeptInStore) -> KeptInStore {
        let ids = |kept: &KeptInStore| -> HashSet<String> {
            kept.hooks.iter().map(|hook| hook.id.clone()).collect()
        };
        let (before, now, theirs) = (ids(base), ids(self), ids(other));
        let stays = |hook: &&KeptHook| now.contains(&hook.id) || !before.contains(&hook.id);
        let comes = |hook: &&KeptHook| !before.contains(&hook.id) && !theirs.contains(&hook.id);
        let hooks = other.hooks.iter().filter(stays);
        let hooks = hooks.chain(self.hooks.iter().filter(comes));
        let texts = other.texts.iter();
        let texts = texts.filter(|text| self.texts.contains(text) || !base.texts.contains(text));
        let new = self.texts.iter();
        let new = new.filter(|text| !base.texts.contains(text) && !other.texts.contains(text));
        KeptInStore {
            hooks: hooks.cloned().collect(),
            texts: texts.chain(new).cloned().collect(),
        }
    }
}

impl KeptHook {
    fn of(hook: &HookDefinition) -> KeptHook {
        let input = hook.input();
        KeptHook {
            id: hook.id().to_owned(),
            definition: serde_json::to_value(hook).unwrap_or_default(),
            tool: input.tool.as_deref().map(str::to_owned),
            text: input.text.as_deref().map(str::to_owned),
            required: input.required,
        }
    }

    fn input(&self) -> Result<HookInput, hooks_core::guidance::InvalidHook> {
        let mut input = HookInput::try_from(&self.definition)?.required(self.required);
        input.tool = self.tool.clone().map(Into::into);
        input.text = self.text.as_deref().map(Into::into);
        Ok(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooks_core::{
        guidance::{HookType, Lifecycle, RequirementLevel},
        session::{Identity, TIME_TO_LIVE},
        store::MemoryStore,
    };

    const OWNER: Owner = Owner::Address(None);

    fn key() -> Key {
        Identity::Client("a").key(None)
    }

    fn hook(tag: &'static str) -> HookInput {
        HookInput::new(
            HookType::Action,
            Lifecycle::End,
            tag,
            "Name",
            RequirementLevel::May,
        )
        .text("A text.")
        .tool("store_*")
        .requires_storage(["memory"])
        .required(true)
    }

    async fn load(store: &Arc<dyn Store>) -> OfSharedSession {
        let loaded = OfSharedSession::load(store, &key(), TIME_TO_LIVE, "app", &OWNER).await;
        loaded.expect("a store that answers")
    }

    fn register(of: &OfSharedSession, tag: &'static str) {
        let registered = of
            .now
            .register(&key(), &OWNER, TIME_TO_LIVE, "app", hook(tag));
        registered.expect("a hook");
    }

    async fn stored(store: &Arc<dyn Store>) -> (Vec<HookDefinition>, Vec<String>) {
        load(store).await.now.of(&key(), TIME_TO_LIVE)
    }

    #[tokio::test]
    async fn what_two_requests_change_at_once_is_all_kept() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let first = load(&store).await;
        register(&first, "a");
        register(&first, "b");
        first.now.keep(&key(), &OWNER, "one".to_owned());
        first.save(&key()).await.unwrap();

        let (one, other) = (load(&store).await, load(&store).await);
        register(&one, "c");
        assert!(one.now.unregister(&key(), "app:action:end:a"));
        assert_eq!(one.now.take(&key()).collect::<Vec<_>>(), ["one"]);
        register(&other, "d");
        other.now.keep(&key(), &OWNER, "two".to_owned());
        one.save(&key()).await.unwrap();
        other.save(&key()).await.unwrap();

        let (hooks, texts) = stored(&store).await;
        let tags: Vec<&str> = hooks.iter().map(|hook| &*hook.input().tag).collect();
        assert_eq!(tags, ["b", "c", "d"]);
        assert_eq!(texts, ["two"]);
        let expected = hook("d").app("app");
        let found = hooks[2].input();
        assert_eq!(
            (&found.text, &found.tool, &found.conditions, found.required),
            (
                &expected.text,
                &expected.tool,
                &expected.conditions,
                expected.required
            )
        );

        load(&store).await.remove().await.unwrap();
        assert!(stored(&store).await.0.is_empty());
    }

    #[tokio::test]
    async fn a_request_without_changes_writes_nothing() {
        let memory = Arc::new(MemoryStore::new());
        let store: Arc<dyn Store> = memory.clone();
        load(&store).await.save(&key()).await.unwrap();
        assert!(memory.is_empty());
    }
}
