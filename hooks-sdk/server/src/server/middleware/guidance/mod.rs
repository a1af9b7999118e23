//! Guidance for the agent: the SDK composes it at its moment and sends it by the best route that the client supports.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

mod around;
mod author;
mod bound;
mod caller;
mod compose;
mod context;
mod declare;
mod kept;
mod middleware;
mod prompts;
mod request;
mod tools;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, OnceLock, RwLock},
};

use rmcp::model::{LoggingLevel, ServerCapabilities};

use around::RequestGuidance;
pub use author::{Guidance, Route};
use bound::OfSessions;
use caller::GuidedClient;
pub use context::GuidanceContext;
pub(crate) use middleware::{GuidanceRequest, serve};
use request::GuidedRequest;

use crate::server::{capability::Places, connection::Flag};
use hooks_core::{
    BuildError, BuildErrors, Hook, Registry,
    guidance::{
        Composer, ContentLoader, GuidanceHook, HookInput, HookRegistry, HookType, Lifecycle,
        McpFeature, McpFeatures, Moment, RegisterError,
    },
    internal::{read_lock, write_lock},
};

/// The moments that occur when a session begins, and when it ends.
const START: [Moment; 3] = of_session(Lifecycle::Start);
const END: [Moment; 3] = of_session(Lifecycle::End);

const fn of_session(when: Lifecycle) -> [Moment; 3] {
    [
        Moment::new(HookType::Session, when),
        Moment::new(HookType::Storage, when),
        Moment::new(HookType::Config, when),
    ]
}

/// The moments that occur around a tool call.
const ACTION: [Moment; 3] = [
    Moment::new(HookType::Action, Lifecycle::Start),
    Moment::new(HookType::Action, Lifecycle::Running),
    Moment::new(HookType::Action, Lifecycle::End),
];

const PROGRESS: Moment = Moment::new(HookType::Action, Lifecycle::Progress);
const CANCEL: Moment = Moment::new(HookType::Action, Lifecycle::Cancel);

/// The guidance data of one connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionGuidance {
    /// Whether the handshake sent the agent the guidance at the start of the first session.
    told: Flag,
    /// Whether the connection received `initialize`.
    had_handshake: Flag,
    /// The data of the sessions that end with the connection.
    kept: OfSessions,
    /// The lowest level of log messages that the client has set.
    log_level: Mutex<Option<LoggingLevel>>,
}

/// A server's guidance, prepared for composition.
pub(crate) struct Guide {
    settings: Guidance,
    /// Where its declarations are.
    places: Places,
    composer: Composer,
    texts: Arc<ContentLoader>,
    /// The registry may change while other requests compose hooks.
    registry: RwLock<Arc<HookRegistry>>,
    /// The hooks whose texts a function makes when they fire, by their ids.
    computed: HashMap<Box<str>, Hook>,
    /// The ids of the hooks that were registered from the beginning and still are. A handshake can declare only these.
    lasting: RwLock<HashSet<Box<str>>>,
    /// The data of the sessions that outlive their connections. Replicas do not share it.
    kept: OfSessions,
    features: OnceLock<McpFeatures>,
    /// Whether a hook ever stood at the progress of a call. Calls are watched for progress from then on.
    has_progress: Flag,
}

impl Guide {
    /// Registers the hooks of the program and of the settings' folders.
    pub(crate) fn prepare(
        settings: Guidance,
        places: Places,
        hooks: &Registry,
    ) -> Result<Guide, BuildErrors> {
        let mut registry = HookRegistry::with_app(&settings.app).map_err(|_| {
            BuildError::new(
                None,
                "the app of the guidance is empty",
                "name it, or leave it out",
            )
        })?;
        let mut problems = Vec::new();
        let mut computed = HashMap::new();
        let mut register = |input: HookInput| -> Result<Box<str>, String> {
            let hook = registry.register(input).map_err(|error| match error {
                RegisterError::Duplicate(id) => {
                    format!("a second guidance hook with the id `{id}`")
                }
                other => format!("a guidance hook: {other}"),
            })?;
            Ok(hook.id().into())
        };
        let help = "give one of them another `id` (in a file: `tag`), or an `app` of its own";
        for (entry, hook) in hooks.details::<GuidanceHook>() {
            match register(hook.input().clone()) {
                Ok(id) if hook.is_computed() => _ = computed.insert(id, entry.clone()),
                Ok(_) => {}
                Err(message) => problems.push(BuildError::new(entry.origin(), message, help)),
            }
        }
        for input in settings.folder.clone() {
            let file = input.content_file.clone().unwrap_or_default();
            if let Err(message) = register(input) {
                problems.push(BuildError::new(None, format!("{file}: {message}"), help));
            }
        }
        BuildErrors::check(problems)?;
        let lasting = registry.all().map(|hook| hook.id().into()).collect();
        let has_progress = Flag::default();
        if registry.has_at(PROGRESS) {
            has_progress.set();
        }
        Ok(Guide {
            composer: settings
                .composer
                .clone()
                .shielded(true)
                .compact(!settings.full_page),
            texts: settings
                .texts
                .clone()
                .unwrap_or_else(|| Arc::new(ContentLoader::embedded::<&str, Vec<u8>>([]))),
            settings,
            places,
            registry: RwLock::new(Arc::new(registry)),
            computed,
            lasting: RwLock::new(lasting),
            kept: OfSessions::default(),
            features: OnceLock::new(),
            has_progress,
        })
    }

    /// Returns the hooks as they are now.
    fn registry(&self) -> Arc<HookRegistry> {
        let registry = read_lock(&self.registry);
        registry.clone()
    }

    fn register(&self, hook: HookInput) -> Result<String, RegisterError> {
        let mut registry = write_lock(&self.registry);
        let hook = Arc::make_mut(&mut registry).register(hook)?;
        Ok(hook.id().to_owned())
    }

    fn unregister(&self, id: &str) -> bool {
        write_lock(&self.lasting).remove(id);
        Arc::make_mut(&mut write_lock(&self.registry)).unregister(id)
    }

    /// Returns whether the client gets the guidance by its own hooks. The SDK then sends it prompts and nothing else.
    fn leaves(&self, name: impl FnOnce() -> Option<String>) -> bool {
        let by_own_hooks = self.settings.by_own_hooks.as_ref();
        by_own_hooks.is_some_and(|is_one| name().is_some_and(|name| (is_one.0)(&name)))
    }

    pub(crate) fn takes(&self, route: Route) -> bool {
        !self.settings.off.contains(&route)
    }

    /// Returns whether the shared registry has a hook at one of these moments.
    fn stands_at(&self, moments: &[Moment]) -> bool {
        request::has_one_at(&read_lock(&self.registry), moments)
    }

    /// Records the server's features, once: those that the author declares, and those that the handshake adds.
    pub(crate) fn learn(&self, capabilities: impl FnOnce() -> Option<ServerCapabilities>) {
        if self.features.get().is_some() {
            return;
        }
        let Some(mut capabilities) = capabilities() else {
            return;
        };
        self.declare(&mut capabilities);
        let has = [
            capabilities.tools.map(|_| McpFeature::Tools),
            capabilities.resources.map(|_| McpFeature::Resources),
            capabilities.prompts.map(|_| McpFeature::Prompts),
        ];
        _ = self.features.set(has.into_iter().flatten().collect());
    }

    /// Adds the capabilities that guidance needs to the answer of a handshake.
    pub(crate) fn declare(&self, capabilities: &mut ServerCapabilities) {
        if self.serves_prompts() {
            capabilities.prompts.get_or_insert_default();
            capabilities.completions.get_or_insert_default();
        }
        if self.tools().next().is_some() {
            capabilities.tools.get_or_insert_default();
        }
        capabilities.logging.get_or_insert_default();
    }
}
