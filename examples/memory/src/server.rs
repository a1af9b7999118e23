//! The MCP server: each tool reads its arguments, asks the store and words the answer.

use std::time::Duration;

use hooks_sdk::{Hooked, WithHooks, core::BuildErrors, mcpl::Call, server::Guidance};
use rmcp::{
    ServerHandler,
    handler::server::{common::Extension, router::tool::ToolRouter},
    model::{
        CallToolResult, ContentBlock, Implementation, IntoContents, ServerCapabilities,
        ServerConfig,
    },
    tool, tool_handler, tool_router,
};

use crate::{
    Stage,
    args::{
        DeleteMemory, ExpandMemories, NewMemory, OfProject, RetagMemory, SearchMemories,
        SessionInit, StoreBatch, StoreMemory, UpdateMemory,
    },
    extract::{Arguments, OneOrMany, schema},
    mcpl::{Kept, asks},
    render,
    store::{Change, Draft, Error, Query, Retag, Scope, Store},
};

/// The memory server: its tools over one [`Store`].
///
/// A value serves any number of connections. What belongs to one of them is kept with it: the notes that a host of MCPL had
/// last, what its agent last asked for, and the merging that runs. Several values may share a store.
#[derive(Debug)]
pub struct Memory {
    store: Store,
    router: ToolRouter<Self>,
    kept: Kept,
    /// The name by which the user tells this server's hosts apart.
    user: Option<String>,
}

impl Memory {
    /// Serves a store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self {
            store,
            router: Self::tool_router()
                + Self::consolidation_tools()
                + Self::reminder_tools()
                + Self::note_tools(),
            kept: Kept::default(),
            user: None,
        }
    }

    /// Sets a name that tells the conversations of this server's hosts apart from those of hosts with the same name.
    #[must_use]
    pub fn named(mut self, user: Option<String>) -> Self {
        self.user = user;
        self
    }

    /// The name that the user gave.
    pub(crate) fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// The server as it is served: with its hooks, its guidance and its sessions.
    ///
    /// # Errors
    ///
    /// A mistake in these, which the tests of this package would have found.
    pub fn hooked(self) -> Result<Hooked<Self>, BuildErrors> {
        let hooked = self.with_hooks()?.session::<Stage>();
        Ok(hooked.guidance(guidance()).mcpl(hosts()))
    }

    /// What is kept for hosts of MCPL.
    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The store behind the tools.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }
}

/// The guidance's settings.
pub(crate) fn guidance() -> Guidance {
    Guidance::new().app("memory").storage("sqlite")
}

/// The settings towards hosts of MCPL.
///
/// Some hosts of 0.4 say what they allow once in their life, and not again after they have reconnected. Without their
/// word the notes would be refused until such a host is restarted. What comes late counts all the same. Turns are stored
/// only for a host that has said so: it may have said no before it connected again.
pub(crate) fn hosts() -> hooks_sdk::mcpl::McplSettings {
    hooks_sdk::mcpl::McplSettings::new().enable_silent_hosts_after(Duration::from_secs(5))
}

#[tool_router]
impl Memory {
    /// Open the session: call this before any other tool. It answers what is known: for a project, how
    /// many memories it has and their tags; without one, the projects that have memories.
    #[tool(
        input_schema = schema::<SessionInit>(),
        annotations(title = "Open the session", read_only_hint = true, open_world_hint = false)
    )]
    async fn session_init(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<SessionInit>,
    ) -> Result<CallToolResult, Error> {
        match given?.project.filter(is_given) {
            Some(project) => {
                let topics = self.store.topics(&project).await?;
                asks(&call, |asked| asked.begin(Some(&project)));
                Ok(render::topics(&project, &topics))
            }
            None => {
                let projects = self.store.projects().await?;
                asks(&call, |asked| asked.begin(None));
                Ok(render::projects(&projects))
            }
        }
    }

    /// Remember one finding. A memory that says the same already is not stored again; its ID is
    /// returned. To correct a memory, pass its ID as `supersedes`.
    #[tool(
        input_schema = schema::<StoreMemory>(),
        annotations(title = "Store a memory", destructive_hint = false, open_world_hint = false)
    )]
    async fn store_memory(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<StoreMemory>,
    ) -> Result<CallToolResult, Error> {
        let given = given?;
        let words = given.content.clone();
        let draft = draft(NewMemory {
            content: given.content,
            tags: given.tags,
            source: given.source,
            supersedes: given.supersedes,
        });
        let stored = self.store.store(&given.project, draft).await?;
        asks(&call, |asked| asked.ask(&given.project, &words));
        Ok(render::stored(&given.project, &stored))
    }

    /// Remember several findings at once, all or none.
    #[tool(
        input_schema = schema::<StoreBatch>(),
        annotations(title = "Store memories", destructive_hint = false, open_world_hint = false)
    )]
    async fn store_batch(
        &self,
        Arguments(given): Arguments<StoreBatch>,
    ) -> Result<CallToolResult, Error> {
        let StoreBatch { project, memories } = given?;
        let drafts = memories.into_iter().map(draft).collect();
        let stored = self.store.store_batch(&project, drafts).await?;
        Ok(render::batch(&project, &stored))
    }

    /// Search memories by words, best first. Begin with mode `probe` to see what there is, then
    /// read the promising ones with `expand_memories`. When no memory has any of the words, the
    /// answer says so and lists the newest instead (in JSON: `matched` is false), except with
    /// `min_score`.
    #[tool(
        input_schema = schema::<SearchMemories>(),
        annotations(title = "Search memories", read_only_hint = true, open_world_hint = false)
    )]
    async fn search_memories(
        &self,
        Extension(call): Extension<Call>,
        Arguments(given): Arguments<SearchMemories>,
    ) -> Result<CallToolResult, Error> {
        let given = given?;
        let query = query(&given);
        let found = self.store.search(query).await?;
        asks(&call, |asked| asked.ask(&given.project, &given.query));
        Ok(render::found(&given, &found))
    }

    /// Read memories in full, by ID.
    #[tool(
        input_schema = schema::<ExpandMemories>(),
        annotations(title = "Read memories", read_only_hint = true, open_world_hint = false)
    )]
    async fn expand_memories(
        &self,
        Arguments(given): Arguments<ExpandMemories>,
    ) -> Result<CallToolResult, Error> {
        let ExpandMemories {
            project,
            memory_ids: OneOrMany(ids),
            output,
        } = given?;
        let expanded = self.store.expand(&project, ids).await?;
        Ok(render::expanded(
            &project,
            &expanded,
            output.unwrap_or_default(),
        ))
    }

    /// Change the content, the tags or the source of a memory; what is left out stays.
    #[tool(
        input_schema = schema::<UpdateMemory>(),
        annotations(title = "Update a memory", idempotent_hint = true, open_world_hint = false)
    )]
    async fn update_memory(
        &self,
        Arguments(given): Arguments<UpdateMemory>,
    ) -> Result<CallToolResult, Error> {
        let given = given?;
        let change = Change {
            content: given.content,
            tags: given.tags.map(|OneOrMany(tags)| tags),
            source: given.source,
        };
        let (project, id) = (&given.project, &given.memory_id);
        let record = self.store.update(project, id, change).await?;
        Ok(render::changed("Updated", &record))
    }

    /// Add, remove or set the tags of a memory.
    #[tool(
        input_schema = schema::<RetagMemory>(),
        annotations(title = "Retag a memory", idempotent_hint = true, open_world_hint = false)
    )]
    async fn retag_memory(
        &self,
        Arguments(given): Arguments<RetagMemory>,
    ) -> Result<CallToolResult, Error> {
        let given = given?;
        let list = |tags: Option<OneOrMany>| tags.unwrap_or_default().0;
        let retag = Retag {
            add: list(given.add_tags),
            remove: list(given.remove_tags),
            set: given.set_tags.map(|OneOrMany(tags)| tags),
        };
        let (project, id) = (&given.project, &given.memory_id);
        let record = self.store.retag(project, id, retag).await?;
        Ok(render::changed("Retagged", &record))
    }

    /// Delete a memory for good. To correct one, store the correction with `supersedes` instead.
    #[tool(
        input_schema = schema::<DeleteMemory>(),
        annotations(title = "Delete a memory", destructive_hint = true, open_world_hint = false)
    )]
    async fn delete_memory(
        &self,
        Arguments(given): Arguments<DeleteMemory>,
    ) -> Result<CallToolResult, Error> {
        let DeleteMemory { project, memory_id } = given?;
        let record = self.store.delete(&project, &memory_id).await?;
        Ok(render::deleted(&record))
    }

    /// List the tags of a project and how many memories have each.
    #[tool(
        input_schema = schema::<OfProject>(),
        annotations(title = "List topics", read_only_hint = true, open_world_hint = false)
    )]
    async fn list_topics(
        &self,
        Arguments(given): Arguments<OfProject>,
    ) -> Result<CallToolResult, Error> {
        let OfProject { project } = given?;
        let topics = self.store.topics(&project).await?;
        Ok(render::topics(&project, &topics))
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Memory {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
                    .with_website_url(env!("CARGO_PKG_REPOSITORY")),
            )
            .with_instructions(include_str!("instructions.md").trim_end())
    }
}

// An error of the store is the tool's answer: the agent can act on its text, and a JSON-RPC error
// would not reach it.
impl IntoContents for Error {
    fn into_contents(self) -> Vec<ContentBlock> {
        vec![ContentBlock::text(self.to_string())]
    }
}

/// Agents fill in optional strings with nothing.
#[expect(clippy::ptr_arg, reason = "`Option::filter` lends a `String`")]
fn is_given(text: &String) -> bool {
    !text.trim().is_empty()
}

fn draft(given: NewMemory) -> Draft {
    Draft {
        content: given.content,
        tags: given.tags.0,
        source: given.source.unwrap_or_default(),
        supersedes: given.supersedes.filter(is_given),
        conversation: None,
    }
}

fn query(given: &SearchMemories) -> Query {
    let mut query = Query::new(&given.project, &given.query);
    match &given.projects {
        Some(OneOrMany(names)) if names.iter().any(|name| name.trim() == "*") => {
            query.scope = Scope::All;
        }
        Some(OneOrMany(names)) => {
            let further = names.iter().filter(|name| **name != given.project);
            let all = std::iter::once(&given.project).chain(further);
            query.scope = Scope::Projects(all.cloned().collect());
        }
        None => {}
    }
    query.tags = given.tags.clone().unwrap_or_default().0;
    query.limit = given.limit.unwrap_or(query.limit);
    query.min_score = given.min_score;
    query.after = given.after.clone().filter(is_given);
    query.before = given.before.clone().filter(is_given);
    query.include_superseded = given.include_superseded.unwrap_or_default();
    query.source.clone_from(&given.source);
    query
}
