//! Sessions: a state machine for each session, and the store that keeps its state.
//!
//! There are three ways to make a [`Machine`]: `#[derive(SessionState)]` on an enum, [`Machine::builder`] at
//! run time, and [`Machine::standard`] for the guidance document's machine. A [`Ledger`] keeps the sessions of
//! one machine in a [`Store`](crate::store::Store). `Hooked::session` of the rmcp adapter enforces the machine
//! on every `tools/call`.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_sdk::{session::{Handle, Identity, Ledger, Machine, CallOutcome}, store::MemoryStore};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let ledger = Ledger::new(Machine::standard().build()?, Arc::new(MemoryStore::new()));
//! let key = Identity::Client("conversation 7").key(None);
//!
//! let session = ledger.find(&key).await?;
//! assert!(ledger.machine().check(session.state, "deploy").is_err());
//! ledger.record(&key, session, "session_init", &Default::default(), CallOutcome::Succeeded).await?;
//!
//! let session = ledger.find(&key).await?;
//! ledger.machine().check(session.state, "deploy")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[doc(inline)]
pub use hooks_core::session::*;

/// Makes the variants of an enum the states of a session, and checks their graph at compile time.
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
/// A tool is an identifier or a string: `next("session.init" => Ready)`. The word `any` stands for the tools
/// without an edge of their own in the state. A tool that is not allowed is refused.
///
/// | key | in | meaning |
/// |---|---|---|
/// | `start` | `#[stage]` on a variant | every session begins in this state; required on exactly one variant |
/// | `allow(tool, …)` | `#[stage]` | allows these tools; their calls do not change the state. `allow(any)` allows every tool that is not denied |
/// | `deny(tool, …)` | `#[stage]` | refuses these tools, although `any` is allowed |
/// | `next(tool => State, …)` | `#[stage]` | allows these tools; a successful call moves the session to `State`. `next(any => State)` covers all other tools |
/// | `text_file = "file.md"` | `#[stage]` | the text for the agent in this state: a file of this package, relative to the source file. Default: the doc comment |
/// | `refusal = "…"` | `#[stage]`, or `#[session]` for all states | replaces the SDK's sentence for a refused tool. `{tool}`, `{state}` and `{first}` are replaced |
/// | `destructive(tool, …)` | `#[session]` | no refusal names these tools. Tools with the annotation `destructiveHint: true` are not named either |
/// | `reset(tool, …)` | `#[session]` on the enum | a successful call of these tools ends the session. They are allowed in every state but the start, unless denied |
/// | `crate = path` | `#[session]` | the path of `hooks_sdk`, for crates that re-export it |
///
/// # Generated code
///
/// An implementation of the trait [`SessionState`](trait@SessionState). The machine is built once per process.
///
/// # Limits
///
/// - The enum is `Copy` and not generic, and its variants have no fields.
/// - The derive does not read a doc comment that is `include_str!`: name the file with `text`.
/// - An edge that depends on a call's input needs a machine that is built at run time, with [`State::next_if`].
pub use hooks_macros::SessionState;
