//! Hooks for MCP servers: an author writes a hook once, beside the code, and the compiler checks it. The program's `hooks install`
//! writes it into the agent clients of today. The server declares it to clients that ask, which no agent client does yet.
//!
//! ```no_run,standalone_crate
//! use hooks_sdk::prelude::*;
//! use hooks_sdk::rmcp::ServerHandler;
//!
//! struct Notes;
//!
//! impl ServerHandler for Notes {}
//!
//! #[lifecycle::hook(
//!     post_tool_use,
//!     matcher(tool_name = "Bash", input_contains = "git commit"),
//!     strength = suggestion,
//!     text = "You just committed to {project_name}. Is there something worth a note?"
//! )]
//! struct AfterCommit;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! Notes.with_hooks()?.serve(stdio()).await?.waiting().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # The order of reading
//!
//! 1. [`lifecycle::hook`] puts a text on a struct, or a function on a server: the events, the keys, the variables.
//! 2. [`WithHooks`] makes a server of rmcp a hooked one, and [`Hooked`] has its settings. [`stdio`] serves it; `http::Server` serves many.
//! 3. `cli::Program` gives the binary its commands. `hooks install` puts the hooks into the agent clients of today, and `cargo hooks prove`
//!    shows which text reached the model.
//! 4. `testing::TestHost` fires events and calls tools in your tests.
//! 5. Then the module of the protocol that you need: [`guidance`] for texts with levels, [`session`] for an order of calls, `plugin` for
//!    policy, `aos` for guardians, `mcpl` for hosts that ask before each inference.
//!
//! [The book](https://hooks-sdk.github.io/hooks-sdk/) has a page for each task.
//!
//! # The map
//!
//! | module | contents |
//! |---|---|
//! | [`prelude`] | the names that most servers need |
//! | [`lifecycle`] | SEP-2282: hooks at six events of an agent's session, and the client's side in [`lifecycle::host`] |
//! | [`guidance`] | the hooks system of the MCP toolkit: hooks with levels, registry, loader, composer |
//! | `mcpl` | MCPL 0.4.1 and 0.5: feature sets, context hooks, push events, inference, state and channels |
//! | `aos` | AOS: a guardian that decides about the steps of agents, and a server that asks one |
//! | `plugin` | policy around every tool call, prompt and resource: hooks that allow, change, deny or ask |
//! | `log` | the decision log: a line before each call and a line after it, in chains that show tampering |
//! | [`session`], [`store`] | a state machine for each session, and the stores that keep sessions |
//! | [`core`] | the parts that the protocols share: hook, registry, template, verdict, dispatch |
//! | [`foreign`] | the types of other crates that this API names; the book's page *Stability* has the promise for each |
//! | `server` | the adapter to rmcp: [`Hooked`], the session gate, the routes of guidance, the wire shim, [`stdio`] |
//! | `http` | the server over streamable HTTP, its layers, and the settings of many replicas |
//! | `clients` | today's agent clients: what they write and read at their events, their files, and the hooks that fired |
//! | `cli` | the commands of a server's program: `serve`, and `hooks` with `install`, `fire` and the others |
//! | `testing` | in-memory hosts for the tests of a server, one for MCP and one for MCPL; the contracts of stores |
//!
//! # Features
//!
//! Without a feature, a build has [`lifecycle`] with the side of a client, [`session`], and the types of [`guidance`] without a server. The feature
//! `guidance` adds its attributes and its part in a server. Three columns are the price of a feature, with the features that it turns on:
//!
//! - *crates*: how many crates it adds to such a build. Each is downloaded, compiled and audited.
//! - *KiB*: how much larger the stripped release binary of a small server is that uses the feature. If a program does not call the feature,
//!   the linker drops all but the tables of its hooks.
//! - *seconds*: how much more user time of the processor a cold release build of that server takes, on two cores.
//!
//! The row `server` is beside the same server on bare rmcp, and the rows below it are beside the server with `server` alone. `benches/features`
//! measures the last two columns; the seconds of two runs differ by up to ten. The largest part of `policy-engine`, of `guardian-local` and of all that turn them on is
//! the check of JSON Schema, which they share.
//!
//! | feature | adds | crates | KiB | seconds | turns on |
//! |---|---|---|---|---|---|
//! | `server` | the adapter to rmcp, on by default | 37 | 2,235 | 64 | |
//! | `guidance` | guidance and skills: their attributes and their part in a server; on by default | 0 | 714 | 8 | |
//! | `http` | streamable HTTP: the server, its tower layers, many replicas | 72 | 4,761 | 98 | `server` |
//! | `oauth` | the login over HTTP: access tokens and the keys of their issuers; TLS | 123 | 8,557 | 238 | `http` |
//! | `mcpl` | the module `mcpl` | 13 | 1,460 | 47 | |
//! | `finder` | the finder of secrets and personal data alone | 2 | 445 | 16 | |
//! | `policy-engine` | the module `plugin` | 59 | 8,982 | 276 | `finder` |
//! | `log` | the decision log | 10 | 552 | 42 | |
//! | `policy` | ready-made plugins: lists, limits, redaction, confirmation | 69 | 10,614 | 360 | `policy-engine`, `log` |
//! | `guardian-local` | the module `aos`, with a guardian in the process | 61 | 8,073 | 255 | |
//! | `guardian-client` | a guardian over HTTP, asked by a server; TLS | 129 | 11,790 | 388 | `guardian-local` |
//! | `guardian-server` | a guardian that is served over HTTP | 91 | 9,984 | 297 | `guardian-local` |
//! | `metrics` | counters and histograms, by the `metrics` facade | 3 | 28 | 0 | |
//! | `testing` | in-memory hosts, and the contracts of stores | 38 | 1,688 | 24 | `server` |
//! | `sqlite` | a store in a SQLite file; compiles SQLite's C source | 21 | 2,253 | 55 | |
//! | `redis` | a store in Redis, for many replicas; TLS | 64 | 2,989 | 87 | |
//! | `postgres` | a store in PostgreSQL, for many replicas; TLS | 68 | 3,108 | 99 | |
//! | `clients` | the adapters of agent clients | 35 | 697 | 147 | `sqlite` |
//! | `cli` | the program's commands | 86 | 9,584 | 268 | `clients`, `guidance`, `testing` |
//! | `include_dir` | guidance in a folder that the `include_dir` crate embeds | 2 | 967 | 0 | |
//!
//! # Linking and panics
//!
//! Rust does not link a dependency that no source file names, and its hooks are silently absent: [`link!`] names it.
//! `panic = "abort"` is not supported: a panicking hook is caught and answered with an error, which needs unwinding.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "guardian-local")]
pub mod aos;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "clients")]
pub use hooks_clients as clients;
pub mod core;
pub mod foreign;
pub mod guidance;
#[cfg(any(feature = "http", feature = "guardian-server"))]
pub mod http;
pub mod lifecycle;
#[cfg(feature = "log")]
pub use hooks_log as log;
#[cfg(feature = "mcpl")]
pub mod mcpl;
#[cfg(feature = "policy-engine")]
pub mod plugin;
#[cfg(all(feature = "finder", not(feature = "policy-engine")))]
pub mod plugin {
    //! Policy around every tool call, prompt and resource, with the feature `policy-engine`. Here is the finder alone.

    #[doc(inline)]
    pub use hooks_finder as finder;
}
pub mod prelude;
#[cfg(feature = "server")]
#[doc(inline)]
pub use hooks_server::server;
pub mod session;
pub use hooks_core::store;
#[cfg(feature = "testing")]
#[doc(inline)]
pub use hooks_testing as testing;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

/// Collects the hooks among the methods of an `impl` block.
///
/// An attribute on a method cannot see the type of `self`. So this attribute, on the block, moves the hook
/// attribute of each method, as written, to a free function that calls the method.
///
/// ```
/// use hooks_sdk::prelude::*;
///
/// struct Memory;
///
/// #[hooks_sdk::hooks]
/// impl Memory {
///     /// What is known of the project.
///     #[lifecycle::hook(session_start, strength = required)]
///     async fn recall(&self, start: &SessionStart) -> Option<String> {
///         start.project_name.clone()
///     }
/// }
/// # assert!(hooks_sdk::core::Registry::collect::<Memory>().unwrap().get("recall").is_some());
/// ```
///
/// It works with rmcp's `#[tool_router]`, in either order. A method that is also a `#[tool]` is declared under the
/// tool's name, and is not served a second time.
///
/// # Limits
///
/// - The attribute has no keys.
/// - The block is not generic and implements no trait.
/// - The methods take `&self`, because hooks run concurrently.
/// - The attribute does not see methods from a `macro_rules!` call inside the block: let the macro generate the
///   whole `#[hooks] impl`.
pub use hooks_macros::hooks;

/// Gives a plugin its word in configuration files, and registers it under that word.
///
/// ```
/// use hooks_sdk::core::{HookError, Verdict, Violation};
/// use hooks_sdk::plugin::{Plugin, PluginHooks, ToolCall, linked_kinds, point};
///
/// struct Greylist(Vec<String>);
///
/// #[hooks_sdk::plugin(kind = "greylist")]
/// impl Plugin for Greylist {
///     type Config = Vec<String>;
///
///     fn new(tools: Vec<String>) -> Result<Greylist, HookError> {
///         Ok(Greylist(tools))
///     }
///
///     fn hooks() -> PluginHooks<Greylist> {
///         PluginHooks::new().on(point::tool_pre_invoke, |greylist: &Greylist, call, _cx| {
///             Box::pin(async move {
///                 if greylist.0.iter().any(|tool| *tool == call.name) {
///                     return Verdict::<ToolCall>::Deny(Violation::new("not today"));
///                 }
///                 Verdict::Allow
///             })
///         })
///     }
/// }
///
/// assert!(linked_kinds().any(|kind| kind.word() == "greylist"));
/// ```
///
/// # Keys
///
/// | key | meaning |
/// |---|---|
/// | `kind = "greylist"` | required: the plugin's word in a configuration file, 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-` |
/// | `crate = path` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// The constant [`KIND`](plugin::Plugin::KIND) in the block, and the registration.
///
/// # Limits
///
/// The block implements [`Plugin`](plugin::Plugin) for a concrete type. For a generic one, write `KIND` yourself and add an
/// [`Instance`](plugin::Instance) of each type to the policy.
#[cfg(feature = "policy-engine")]
pub use hooks_macros::plugin_kind as plugin;
#[cfg(all(feature = "policy-engine", feature = "server"))]
pub use server::Policy;
#[cfg(feature = "server")]
pub use server::{CallDeadline, Collected, Hooked, WireTransport, WithHooks, collect, rmcp, stdio};

/// Links a dependency's hooks into the program.
///
/// Rust does not link a dependency that no source file names, and its hooks are silently absent.
///
/// ```
/// hooks_sdk::link!(std);
/// ```
#[macro_export]
macro_rules! link {
    ($($krate:ident),+ $(,)?) => {
        $(use $krate as _;)+
    };
}
