//! The server's program: its settings, and the commands of its binary.

use std::{
    borrow::Cow,
    env,
    error::Error,
    io,
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, OnceLock},
    time::Duration,
};

use clap::{CommandFactory, FromArgMatches, Parser};
use futures::{FutureExt, TryFutureExt, future::BoxFuture};
use tokio::runtime::{Builder, Runtime};

#[cfg(feature = "guardian-client")]
use super::ServeGuarded;
use super::{MakeServer, command::Hooks, logging, options::binary, print};
#[cfg(feature = "http")]
use super::{
    ServeHttp,
    store_schemes::{self, StoreScheme},
};
use crate::{
    clients::{
        dump::About,
        history::{HookStore, RECEIPTS_VARIABLE, is_off},
        trial::Inside,
    },
    core::BuildErrors,
    guidance,
    lifecycle::host::ClientControls,
    server::{CallDeadline, Collected, Guidance, Hooked, ServerHandler, Sessions, collect},
    session::{Machine, SessionState},
};
use hooks_core::internal::{debugs, setters};
use hooks_server::internal::{AnyAuthor, ServerSettings};

/// Why a command failed, worded for its user.
pub type CommandError = Box<dyn Error + Send + Sync>;

/// A server's program: how the server is made, and with which settings it is served.
///
/// Only commands that need a server make one. A hook whose text is known does not need one.
///
/// ```no_run,standalone_crate
/// use hooks_sdk::cli::Program;
/// # use hooks_sdk::rmcp::ServerHandler;
/// # struct Notes;
/// # impl ServerHandler for Notes {}
///
/// fn main() -> std::process::ExitCode {
///     Program::new("notes", || Ok(Notes))
///         .package(hooks_sdk::package!())
///         .main()
/// }
/// ```
#[must_use]
pub struct Program<H> {
    pub(super) name: Cow<'static, str>,
    pub(super) id: Cow<'static, str>,
    pub(super) about: About,
    pub(super) icon: Option<Cow<'static, [u8]>>,
    make: Arc<dyn Fn() -> BoxFuture<'static, Result<H, CommandError>> + Send + Sync>,
    collect: Arc<dyn Fn() -> Result<Collected<H>, BuildErrors> + Send + Sync>,
    pub(super) settings: ServerSettings,
    machine: Option<Machine>,
    pub(super) client_controls: ClientControls,
    data: Option<PathBuf>,
    pub(super) arguments: Vec<String>,
    pub(super) offers_hooks: bool,
    #[cfg(feature = "http")]
    pub(super) store_schemes: Vec<StoreScheme>,
}

/// Where the sessions are, unless the author's settings say it.
#[derive(Clone, Copy, Debug)]
pub(super) enum SessionPlace {
    /// On this computer, where hook processes find them. An access waits so long for another process.
    Here { patience: Duration },
    /// In the store that the replicas share.
    #[cfg(feature = "http")]
    Shared,
    /// In this process only.
    Nowhere,
}

#[derive(Debug, Parser)]
#[command(arg_required_else_help = true)]
#[expect(
    clippy::large_enum_variant,
    reason = "a program reads its arguments once"
)]
enum Cli {
    /// Serve one MCP client over standard input and output, or many over HTTP
    Serve {
        #[cfg(feature = "http")]
        #[command(flatten)]
        http: ServeHttp,
        #[cfg(feature = "guardian-client")]
        #[command(flatten)]
        guarded: ServeGuarded,
    },
    /// Show the hooks, and install them into agent clients
    #[command(subcommand)]
    Hooks(Hooks),
}

impl<H: ServerHandler> Program<H> {
    /// Makes the program of a server. Clients know the server by `name`, and `make` makes it.
    ///
    /// `name` is one word of letters, digits, `-` and `_`, because it becomes part of the names of tools. `make` may be
    /// `async`; it then runs on the runtime that serves the server:
    ///
    /// ```
    /// # use hooks_sdk::{cli::Program, rmcp::ServerHandler};
    /// # struct Notes;
    /// # impl ServerHandler for Notes {}
    /// # impl Notes {
    /// #     fn open() -> std::io::Result<Notes> { Ok(Notes) }
    /// #     async fn connect() -> std::io::Result<Notes> { Ok(Notes) }
    /// # }
    /// let at_once = Program::new("notes", || Ok(Notes::open()?));
    /// let waiting = Program::new("notes", async || Ok(Notes::connect().await?));
    /// ```
    pub fn new<How>(
        name: impl Into<Cow<'static, str>>,
        make: impl MakeServer<H, How>,
    ) -> Program<H> {
        let name = name.into();
        let mut client_controls = ClientControls::default();
        // Each client's own limit holds.
        client_controls.max_characters = usize::MAX;
        Program {
            client_controls,
            id: name.clone(),
            name,
            about: About::default(),
            icon: None,
            make: Arc::new(move || make.make()),
            collect: Arc::new(collect::<H>),
            settings: ServerSettings::default(),
            machine: None,
            data: None,
            arguments: Vec::new(),
            offers_hooks: false,
            #[cfg(feature = "http")]
            store_schemes: Vec::new(),
        }
    }

    setters! {
        /// Sets the server's id: one word of letters, digits, `-` and `_`. [`package`](Program::package) sets the package's name,
        /// and without both the id is the server's name.
        ///
        /// Each entry in a client's file has the id, and by it the server finds its own entries again. So it must stay the same
        /// in all versions, and no other server may have it.
        fn id(mut self, id: impl Into<Cow<'static, str>>) { self.id = id.into() }

        /// Takes hooks that were added by hand, in place of those that are linked.
        fn collected(
            mut self,
            collect: impl Fn() -> Result<Collected<H>, BuildErrors> + Send + Sync + 'static
        ) {
            self.collect = Arc::new(collect);
        }

        /// Enforces a session machine, like [`Hooked::session`]. Sessions are stored where hook processes find them.
        fn session<S: SessionState>(mut self) {
            self.machine = S::machine().ok();
            self = self.sessions(Sessions::of::<S>());
        }

        /// Like [`session`](Program::session), with settings. A store that the settings have is used.
        fn sessions(mut self, sessions: Sessions) {
            self.machine = self.machine.or_else(|| sessions.machine());
            self.settings.sessions = Some(sessions);
        }

        /// Sets how long the server's tools, prompts and resources may take.
        ///
        /// Without this setting, calls over HTTP have a deadline of 120 seconds, and calls over standard input and output have
        /// none.
        fn call_deadline(mut self, deadline: impl Into<CallDeadline>) {
            self.settings.call_deadline = Some(deadline.into());
        }

        /// Sets how guidance reaches the agent, like [`Hooked::guidance`].
        fn guidance(mut self, guidance: Guidance) { self.settings.guidance = Some(guidance) }

        /// Sets how long to wait for MCPL hosts, like [`Hooked::mcpl`].
        #[cfg(feature = "mcpl")]
        fn mcpl(mut self, settings: crate::mcpl::McplSettings) { self.settings.mcpl = Some(settings) }

        /// Asks a guardian about each call of a tool and each reading of a resource, like [`Hooked::guardian`].
        #[cfg(feature = "guardian-local")]
        fn guardian(mut self, client: impl crate::aos::HasPosture) {
            self.settings.guardian = Some(client.client());
        }

        /// Sets the policy around every call, prompt and resource, like [`Hooked::policy`]: plugins beside the annotated hooks,
        /// the configuration file and users.
        #[cfg(feature = "policy-engine")]
        fn policy(mut self, policy: crate::server::Policy) { self.settings.policy = Some(policy) }

        /// Writes a line before and after each call, like [`Hooked::log`].
        #[cfg(feature = "log")]
        fn log(mut self, log: crate::log::DecisionLog) {
            self.settings.log = Some(hooks_server::internal::DecisionLogSettings::To(log));
        }

        /// Sets what agent clients accept from the hooks of this server: how many fire, how often, and how long their texts
        /// can be.
        ///
        /// Without it, the default of [`ClientControls`] holds, but for `max_characters`: the limit of each client holds instead.
        fn client_controls(mut self, policy: ClientControls) { self.client_controls = policy }

        /// Sets further arguments for installed entries, such as the path of the server's data.
        fn arguments<A: Into<String>>(mut self, arguments: impl IntoIterator<Item = A>) {
            self.arguments = arguments.into_iter().map(Into::into).collect();
        }

        /// Sets the folder for the hook store and the records of installations. Default: a folder in the user's data folder.
        fn data(mut self, folder: impl Into<PathBuf>) { self.data = Some(folder.into()) }
    }

    /// Runs the command line of this process: `serve` or `hooks`. With the feature `http`, `serve --http ADDRESS` serves
    /// over HTTP.
    ///
    /// The log goes to standard error. `RUST_LOG` sets its levels, such as `warn,hooks_sdk=debug`; it cannot name spans. By
    /// default, `serve` logs the hooks that were found, and every other command logs warnings and errors.
    pub fn main(self) -> ExitCode {
        self.without_type().run()
    }

    /// Returns the program without the type of its server. The commands are compiled once for it, and not in the crate of each
    /// author.
    pub(super) fn without_type(&self) -> Program<AnyAuthor> {
        let (make, collect) = (self.make.clone(), self.collect.clone());
        // A command needs the hooks more than once.
        let collected = OnceLock::new();
        Program {
            name: self.name.clone(),
            id: self.id.clone(),
            about: self.about.clone(),
            icon: self.icon.clone(),
            make: Arc::new(move || make().map_ok(AnyAuthor::new).boxed()),
            collect: Arc::new(move || {
                let collected = collected.get_or_init(|| collect().map(Collected::without_type));
                collected.clone()
            }),
            settings: self.settings.clone(),
            machine: self.machine.clone(),
            client_controls: self.client_controls.clone(),
            data: self.data.clone(),
            arguments: self.arguments.clone(),
            offers_hooks: self.offers_hooks,
            #[cfg(feature = "http")]
            store_schemes: self.store_schemes.clone(),
        }
    }
}

impl Program<AnyAuthor> {
    fn run(self) -> ExitCode {
        let matches = self.command().get_matches();
        let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        logging::start(matches!(cli, Cli::Serve { .. }));
        if let Err(wrong) = self.check_name() {
            return print::outcome(Err(wrong));
        }
        let outcome = match cli {
            Cli::Serve {
                #[cfg(feature = "http")]
                http,
                #[cfg(feature = "guardian-client")]
                guarded,
            } => {
                #[cfg(feature = "guardian-client")]
                let this = self.guarded_by(&guarded);
                #[cfg(not(feature = "guardian-client"))]
                let this: Result<Program<AnyAuthor>, CommandError> = Ok(self);
                this.and_then(|program| {
                    #[cfg(feature = "http")]
                    return program.serve_here_or_over(&http);
                    #[cfg(not(feature = "http"))]
                    program.serve_blocking()
                })
            }
            Cli::Hooks(hooks) => return hooks.run(&self),
        };
        print::outcome(outcome)
    }
}

impl<H: ServerHandler> Program<H> {
    /// Returns the command line of a binary without commands of its own.
    pub(super) fn command(&self) -> clap::Command {
        let command = Cli::command().name(binary()).about(self.description());
        #[cfg(feature = "http")]
        let command = command.mut_subcommand("serve", |serve| {
            serve.mut_arg("store", |store| {
                store.help(store_schemes::help(&self.store_schemes))
            })
        });
        match &self.about.version {
            Some(version) => command.version(version.clone()),
            None => command,
        }
    }

    /// Returns the machine, if the server has one.
    #[cfg(feature = "policy-engine")]
    pub(super) fn machine(&self) -> Option<&Machine> {
        self.machine.as_ref()
    }

    /// Returns the hooks, without a server and without sessions.
    pub(super) fn hooks(&self) -> Result<Collected<H>, BuildErrors> {
        Ok((self.collect)()?.overridden_by(self.settings.of_hooks()))
    }

    /// Makes the server with its hooks and sessions. `guidance` can change the guidance settings.
    pub(super) async fn hooked(
        &self,
        guidance: impl FnOnce(Guidance) -> Guidance,
        kept: SessionPlace,
    ) -> Result<Hooked<H>, CommandError> {
        let collected = self.settled(guidance, kept)?;
        Ok(collected.wrap(self.server().await?)?)
    }

    /// Returns the hooks with the settings with which the server is served.
    pub(super) fn settled(
        &self,
        guidance: impl FnOnce(Guidance) -> Guidance,
        kept: SessionPlace,
    ) -> Result<Collected<H>, BuildErrors> {
        let collected = (self.collect)()?;
        let has_hooks = || {
            let mut hooks = collected.registry().details::<guidance::GuidanceHook>();
            hooks.next().is_some()
        };
        let mut settings = self.settings.clone();
        if settings.guidance.is_some() || has_hooks() {
            let own = settings.guidance.take().unwrap_or_default();
            settings.guidance = Some(guidance(own));
        }
        if let SessionPlace::Here { patience } = kept
            && let Some(sessions) = settings.sessions.take()
        {
            settings.sessions = Some(match self.store().sessions(patience) {
                Ok(store) => sessions.store_if_none(store),
                Err(error) => {
                    tracing::warn!(%error, "sessions are stored in memory, where hook processes do not find them");
                    sessions
                }
            });
        }
        Ok(collected.overridden_by(settings))
    }

    /// Makes a server.
    pub(super) async fn server(&self) -> Result<H, CommandError> {
        (self.make)().await
    }

    /// Returns the folder of the hook store and of the records.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        // A folder that the author has fixed is the user's own.
        if let Some(inside) = Inside::here() {
            return Some(inside.data());
        }
        self.data
            .clone()
            .or_else(|| Some(dirs::data_dir()?.join(&*self.name)))
    }

    /// Returns the hook store, which the processes share.
    pub(super) fn store(&self) -> HookStore {
        match self.folder() {
            Some(folder) => HookStore::open(folder.join("hooks.db"))
                .receipts(!is_off(env::var_os(RECEIPTS_VARIABLE).as_deref())),
            None => HookStore::off(),
        }
    }
}

debugs!(Program<H> { name });

/// Makes a runtime for one command.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
