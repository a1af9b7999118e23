//! The guidance data of one session or request: the hooks that are bound to it, and the texts for its next result.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::kept::KeptTexts;
use crate::server::{lock, pipeline::Owner};
use hooks_core::{
    guidance::{HookInput, HookRegistry, RegisterError},
    store::Key,
};

/// How many hooks one session or request may register. A further one is refused.
const MAX_HOOKS: usize = 32;

/// How many sessions may have registered hooks. At this number the SDK removes the hooks of expired sessions. If none
/// has expired, it refuses the hook of a further session.
const MAX_SESSIONS: usize = 1024;

/// How many of these sessions may belong to one client.
const MAX_SESSIONS_OF_ONE: usize = 256;

/// The guidance data of sessions. A connection holds it for the sessions that end with the connection, and the server
/// for all others.
#[derive(Debug, Default)]
pub(super) struct OfSessions(Mutex<SessionGuidance>);

#[derive(Debug, Default)]
struct SessionGuidance {
    bound: HashMap<Key, SessionHooks>,
    kept: KeptTexts,
}

/// The hooks of one session, in a registry of their own. Two sessions may therefore use the same id.
#[derive(Debug)]
struct SessionHooks {
    since: Instant,
    hooks: Arc<HookRegistry>,
    owner: Owner,
}

impl SessionHooks {
    /// Returns whether the last hook was registered within the session's time-to-live.
    fn is_live(&self, lives: Duration) -> bool {
        self.since.elapsed() < lives
    }
}

impl OfSessions {
    /// Returns the hooks that are bound to the session. Removes them if the time-to-live `lives` has passed.
    pub(super) fn hooks(&self, session: &Key, lives: Duration) -> Option<Arc<HookRegistry>> {
        let all = &mut lock(&self.0).bound;
        let bound = all.get(session)?;
        if bound.is_live(lives) {
            return Some(bound.hooks.clone());
        }
        all.remove(session);
        None
    }

    /// Registers a hook for the session.
    /// Returns an error if the definition is invalid, if the session has a hook with this id, or if a limit is reached.
    pub(super) fn register(
        &self,
        session: &Key,
        owner: &Owner,
        lives: Duration,
        app: &str,
        input: HookInput,
    ) -> Result<String, RegisterError> {
        let bound = &mut lock(&self.0).bound;
        if !bound.contains_key(session) && !has_room(bound, owner) {
            bound.retain(|_, bound| bound.is_live(lives));
            if !has_room(bound, owner) {
                return Err(RegisterError::TooManySessions);
            }
        }
        let own = bound.get(session).filter(|bound| bound.is_live(lives));
        let mut hooks = own.map(|bound| bound.hooks.clone());
        let id = add(&mut hooks, app, input)?;
        if let Some(hooks) = hooks {
            let own = SessionHooks {
                since: Instant::now(),
                hooks,
                owner: owner.clone(),
            };
            bound.insert(session.clone(), own);
        }
        Ok(id)
    }

    /// Removes one hook of the session. Returns whether it found one.
    pub(super) fn unregister(&self, session: &Key, id: &str) -> bool {
        let bound = &mut lock(&self.0).bound;
        let Some(own) = bound.get_mut(session) else {
            return false;
        };
        let removed = Arc::make_mut(&mut own.hooks).unregister(id);
        if own.hooks.size() == 0 {
            bound.remove(session);
        }
        removed
    }

    /// Keeps a text for the session's next result.
    pub(super) fn keep(&self, session: &Key, owner: &Owner, text: String) {
        lock(&self.0).kept.keep(session, owner, text);
    }

    /// Takes the texts that are kept for the session.
    pub(super) fn take(&self, session: &Key) -> impl Iterator<Item = String> + use<> {
        lock(&self.0).kept.take(session).into_iter()
    }

    /// Drops the data of the session.
    pub(super) fn forget(&self, session: &Key) {
        let mut inner = lock(&self.0);
        inner.bound.remove(session);
        inner.kept.take(session);
    }
}

/// Returns whether a further session of this client may register hooks.
fn has_room(bound: &HashMap<Key, SessionHooks>, owner: &Owner) -> bool {
    let own = bound.values().filter(|bound| bound.owner == *owner);
    bound.len() < MAX_SESSIONS && own.count() < MAX_SESSIONS_OF_ONE
}

/// Adds a hook to a registry. Creates the registry for the first hook.
pub(super) fn add(
    hooks: &mut Option<Arc<HookRegistry>>,
    app: &str,
    input: HookInput,
) -> Result<String, RegisterError> {
    if hooks
        .as_ref()
        .is_some_and(|hooks| hooks.size() >= MAX_HOOKS)
    {
        return Err(RegisterError::TooMany(MAX_HOOKS));
    }
    let mut changed = match hooks.take() {
        Some(hooks) => hooks,
        None => Arc::new(HookRegistry::with_app(app)?),
    };
    let added = Arc::make_mut(&mut changed).register(input);
    let added = added.map(|hook| hook.id().to_owned());
    *hooks = Some(changed).filter(|hooks| hooks.size() > 0);
    added
}

#[cfg(test)]
mod tests {
    use super::*;
    use hooks_core::{
        guidance::{HookType, Lifecycle, RequirementLevel},
        session::{Identity, TIME_TO_LIVE},
    };

    fn hook(tag: String) -> HookInput {
        HookInput::new(
            HookType::Action,
            Lifecycle::End,
            tag,
            "Name",
            RequirementLevel::May,
        )
    }

    /// The client of a session: each has its share.
    fn owner(at: usize) -> Owner {
        Owner::Connection((at / MAX_SESSIONS_OF_ONE) as u128)
    }

    fn key(at: usize) -> Key {
        Identity::Client(&at.to_string()).key(None)
    }

    #[test]
    fn sessions_are_apart_and_leave_nothing() {
        let all = OfSessions::default();
        let register = |session, tag: &str| {
            let (key, owner) = (key(session), owner(session));
            all.register(&key, &owner, TIME_TO_LIVE, "app", hook(tag.to_owned()))
        };
        assert!(register(1, "a").is_ok() && register(2, "a").is_ok());
        assert!(matches!(register(1, "a"), Err(RegisterError::Duplicate(_))));
        assert!(register(3, "Not kebab").is_err() && all.hooks(&key(3), TIME_TO_LIVE).is_none());
        assert!(all.unregister(&key(1), "app:action:end:a"));
        assert!(!all.unregister(&key(1), "app:action:end:a"));
        assert!(
            all.hooks(&key(1), TIME_TO_LIVE).is_none()
                && all.hooks(&key(2), TIME_TO_LIVE).is_some()
        );
        all.keep(&key(2), &owner(2), "text".to_owned());
        all.forget(&key(2));
        assert!(lock(&all.0).bound.is_empty() && all.take(&key(2)).next().is_none());
    }

    #[test]
    fn sessions_and_their_hooks_are_bounded() {
        let all = OfSessions::default();
        let register = |at: usize, owner: &Owner, tag: String| {
            all.register(&key(at), owner, TIME_TO_LIVE, "app", hook(tag))
        };
        for at in 0..MAX_HOOKS {
            register(0, &owner(0), at.to_string()).unwrap();
        }
        let more = register(0, &owner(0), "more".to_owned());
        assert_eq!(more, Err(RegisterError::TooMany(MAX_HOOKS)));
        for at in 1..MAX_SESSIONS {
            register(at, &owner(at), "a".to_owned()).unwrap();
        }
        let more = register(MAX_SESSIONS, &owner(MAX_SESSIONS), "a".to_owned());
        assert_eq!(more, Err(RegisterError::TooManySessions));
        assert!(register(1, &owner(1), "b".to_owned()).is_ok());
    }

    #[test]
    fn one_client_cannot_take_the_sessions_of_another() {
        let all = OfSessions::default();
        let register = |at: usize, owner: &Owner| {
            all.register(&key(at), owner, TIME_TO_LIVE, "app", hook("a".to_owned()))
        };
        let (one, other) = (Owner::Connection(1), Owner::Connection(2));
        for at in 0..MAX_SESSIONS_OF_ONE {
            register(at, &one).unwrap();
            all.keep(&key(at), &one, "text".to_owned());
        }
        let more = register(MAX_SESSIONS_OF_ONE, &one);
        assert_eq!(more, Err(RegisterError::TooManySessions));
        assert!(register(MAX_SESSIONS_OF_ONE, &other).is_ok());
        all.forget(&key(0));
        assert!(register(0, &one).is_ok());
    }

    #[test]
    fn the_hooks_of_an_expired_session_are_gone() {
        let all = OfSessions::default();
        let register = || {
            let (key, owner) = (key(0), owner(0));
            all.register(&key, &owner, Duration::ZERO, "app", hook("a".to_owned()))
        };
        assert!(register().is_ok() && register().is_ok());
        assert!(all.hooks(&key(0), Duration::ZERO).is_none());
        assert!(lock(&all.0).bound.is_empty());
    }
}
