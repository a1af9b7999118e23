//! Sessions: the state machine that is enforced, and what keeps each session's state.
//!
//! The machine itself is [`Machine`]; an enum makes one with `#[derive(SessionState)]`, a program at run
//! time with [`Machine::builder`], and the guidance document's own is [`Machine::standard`]. A [`Ledger`]
//! runs sessions on a machine over a [`Store`](crate::store::Store). The rmcp adapter does all of it for
//! every `tools/call`: `Hooked::session`.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_sdk::{session::{Handle, Identity, Ledger, Machine, Outcome}, store::MemoryStore};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let ledger = Ledger::new(Machine::standard().build()?, Arc::new(MemoryStore::new()));
//! let key = Identity::Client("conversation 7").key(None);
//!
//! let session = ledger.find(&key).await?;
//! assert!(ledger.machine().check(session.state, "deploy").is_err());
//! ledger.record(&key, session, "session_init", &Default::default(), Outcome::Succeeded).await?;
//!
//! let session = ledger.find(&key).await?;
//! ledger.machine().check(session.state, "deploy")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod diagram;
mod handle;
mod identity;
mod ledger;
mod record;

pub use crate::core::session::{
    Arrow, Edge, Guard, Listing, Machine, MachineBuilder, OPENING_TOOL, Outcome, Refusal,
    SessionState, Standard, StandardState, State, StateIndex, Step, Tracker, Transition,
};
pub use handle::{Handle, NotAHandle};
pub use identity::Identity;
pub use ledger::{Ledger, Session, TIME_TO_LIVE};

/// Makes the variants of an enum a session's states, and checks the graph they form at compile time.
///
/// ```
/// use hooks_sdk::session::{Machine, SessionState};
///
/// /// The guidance document's machine; `Machine::standard` is the same.
/// #[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
/// enum Stage {
///     #[stage(start, next(session_init => Initialized))]
///     Uninitialized,
///     /// Session initialized. Ready to work.
///     #[stage(next(session_init => Initialized, check_reports => Ready, any => Working))]
///     Initialized,
///     #[stage(next(session_init => Initialized, check_reports => Ready, any => Working))]
///     Ready,
///     #[stage(allow(any), next(session_init => Initialized, check_reports => Ready))]
///     Working,
/// }
///
/// let machine = Stage::machine()?;
/// assert!(machine.check(Stage::Uninitialized.index(), "deploy").is_err());
/// assert!(machine.check(Stage::Ready.index(), "deploy").is_ok());
/// # let standard = Machine::standard().ready("check_reports").build()?;
/// # for state in standard.states() {
/// #     assert_eq!(standard.name(state), machine.name(state).to_lowercase());
/// #     assert_eq!(standard.text(state), machine.text(state));
/// #     assert!(standard.arrows(state).eq(machine.arrows(state)));
/// #     assert!(standard.allowed(state).eq(machine.allowed(state)));
/// #     assert_eq!(standard.allows_any(state), machine.allows_any(state));
/// # }
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// # Keys
///
/// A tool is a word or, where its name is none, a string: `next("session.init" => Ready)`. The word `any`
/// stands for the tools without an edge of their own in the state. Whatever is not allowed is refused.
///
/// | key | in | what it says |
/// |---|---|---|
/// | `start` | `#[stage]` on a variant | required on one variant: every session begins here |
/// | `allow(tool, …)` | `#[stage]` | these may be called, and move nothing; `allow(any)`: all that are not denied |
/// | `deny(tool, …)` | `#[stage]` | these may not, although `any` may |
/// | `next(tool => State, …)` | `#[stage]` | these may be called, and their success leads on; `next(any => State)` for all others |
/// | `text_file = "file.md"` | `#[stage]` | what the agent is told here, in a file of this package, relative to the source file; otherwise the doc comment |
/// | `refusal = "…"` | `#[stage]`, or `#[session]` for all states | what the agent is told when a tool is refused, in place of the SDK's sentence; `{tool}`, `{state}` and `{first}` are replaced |
/// | `destructive(tool, …)` | `#[session]` | no refusal proposes these, nor a tool with the annotation `destructiveHint: true` |
/// | `reset(tool, …)` | `#[session]` on the enum | the success of these ends the session; allowed in every state but the start, unless denied |
/// | `crate = path` | `#[session]` | where `hooks_sdk` is, for crates that re-export it |
///
/// # What it adds
///
/// An implementation of the trait [`SessionState`](trait@SessionState), with the machine built once a process.
///
/// # Limits
///
/// The variants have no fields, the enum is not generic, and it is `Copy`. A doc comment that is
/// `include_str!` is not read: name the file with `text`. An edge that depends on a call's input needs a
/// machine made by hand, with [`State::next_if`].
pub use hooks_macros::SessionState;
