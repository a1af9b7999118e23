//! One guidance hook as its author wrote it.

use std::{
    any::{Any, type_name},
    borrow::Cow,
    fmt,
    time::Duration,
};

use futures::future::BoxFuture;

use super::{Firing, HookInput, Moment, front};
use crate::core::{
    self, Answer, BuildError, Failure, Guard, HookError, OnFailure, Origin, Owner, hook::owner_in,
};

/// A guidance hook: this room's part of a [`core::Hook`].
///
/// The attribute [`hook`](macro@super::hook) makes a hook, and [`dir!`](macro@super::dir) makes one of each file in a
/// folder. These constructors do it by hand.
///
/// ```
/// use hooks_sdk::core::Registry;
/// use hooks_sdk::guidance::{Hook, HookInput, HookType, Lifecycle, RequirementLevel};
///
/// let welcome =
///     HookInput::new(HookType::Session, Lifecycle::Start, "welcome", "Welcome", RequirementLevel::Should)
///         .text("Welcome to the session.");
/// let registry = Registry::builder().add(Hook::new(welcome).into()).build()?;
/// # assert!(registry.get("session:start:welcome").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// Its id in the core's registry is `type:lifecycle:tag`, or `app:type:lifecycle:tag` if it names an app.
pub struct Hook {
    input: HookInput,
    computed: Option<Computed>,
    faults: Vec<BuildError>,
    owner: Owner,
    origin: Origin,
}

type Call = dyn for<'a> Fn(&'a (dyn Any + Send + Sync), &'a Firing) -> BoxFuture<'a, Result<String, HookError>>
    + Send
    + Sync;

/// A function that makes the text when the hook fires.
struct Computed {
    deadline: Duration,
    on_failure: OnFailure,
    guard: Guard,
    call: Box<Call>,
}

impl Hook {
    /// The default deadline of a function that makes a text.
    pub const DEADLINE: Duration = Duration::from_secs(5);

    /// Makes a hook whose text is in `input`, or in a file that the server's loader reads.
    #[track_caller]
    pub fn new(input: HookInput) -> Hook {
        Hook {
            input,
            computed: None,
            faults: Vec::new(),
            owner: Owner::ANY,
            origin: Origin::here(),
        }
    }

    /// Makes a hook whose text a function of the server `H` makes each time the hook fires. If the function returns
    /// no text, the hook is left out this time.
    #[track_caller]
    pub fn computed<H, A>(
        input: HookInput,
        text: impl for<'a> Fn(&'a H, &'a Firing) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> Hook
    where
        H: Any + Send + Sync,
        A: Answer + 'static,
    {
        let call: Box<Call> = Box::new(move |server, firing| match owner_in::<H>(server) {
            Some(server) => {
                let answer = text(server, firing);
                Box::pin(async move { answer.await.answer() })
            }
            None => Box::pin(async {
                let message = format!("the server is not a `{}`", type_name::<H>());
                Err(HookError::new(message))
            }),
        });
        Hook {
            computed: Some(Computed::new(call)),
            owner: Owner::of::<H>(),
            ..Hook::new(input)
        }
    }

    /// Like [`computed`](Hook::computed), with a function without a server.
    #[track_caller]
    pub fn computed_any<A: Answer + 'static>(
        input: HookInput,
        text: impl for<'a> Fn(&'a Firing) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> Hook {
        let call: Box<Call> = Box::new(move |_, firing| {
            let answer = text(firing);
            Box::pin(async move { answer.await.answer() })
        });
        Hook {
            computed: Some(Computed::new(call)),
            ..Hook::new(input)
        }
    }

    /// Makes the hook that a markdown file declares by its front matter; `file` is its name.
    ///
    /// A problem of the file is an error when the server is built.
    #[track_caller]
    pub fn file(file: &'static str, text: &str) -> Hook {
        match front::hook(file, text) {
            Ok(input) => Hook::new(input),
            Err(faults) => {
                let faults = faults.into_iter().map(|fault| front::in_file(fault, file));
                Hook {
                    faults: faults.collect(),
                    ..Hook::new(HookInput::nothing(file))
                }
            }
        }
    }

    /// Sets the deadline of the function. Default: 5 s.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Hook {
        if let Some(computed) = &mut self.computed {
            computed.deadline = deadline;
            computed.guard = Guard::new(deadline, computed.on_failure);
        }
        self
    }

    /// Sets the failure policy. Default: [`OnFailure::Fail`], which reports the hook as failed.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Hook {
        if let Some(computed) = &mut self.computed {
            computed.on_failure = on_failure;
            computed.guard = Guard::new(computed.deadline, on_failure);
        }
        self
    }

    /// Sets the server `H` as the hook's owner.
    #[must_use]
    pub fn server<H: Any>(mut self) -> Hook {
        self.owner = Owner::of::<H>();
        self
    }

    /// Returns the author's definition.
    pub fn input(&self) -> &HookInput {
        &self.input
    }

    /// Returns the moment at which the hook fires.
    pub fn moment(&self) -> Moment {
        Moment::new(self.input.hook_type, self.input.lifecycle)
    }

    /// Returns whether a function makes the text.
    pub fn is_computed(&self) -> bool {
        self.computed.is_some()
    }

    /// Makes the text of a computed hook. Returns `None` if the function returns no text, or if there is no function.
    ///
    /// # Errors
    ///
    /// The function failed, panicked or missed its deadline, and its failure policy is `fail`.
    pub async fn text(
        &self,
        server: &(dyn Any + Send + Sync),
        firing: &Firing,
    ) -> Result<Option<String>, Failure> {
        let Some(computed) = &self.computed else {
            return Ok(None);
        };
        // The guard also covers the closure: it may panic before it returns a future.
        let text = async { (computed.call)(server, firing).await };
        let text = computed.guard.run(&self.input.tag, text).await?;
        Ok(text.filter(|text| !text.trim().is_empty()))
    }

    /// Returns the problems of the file that declares the hook.
    pub(super) fn faults(&self) -> &[BuildError] {
        &self.faults
    }
}

impl Computed {
    fn new(call: Box<Call>) -> Computed {
        let (deadline, on_failure) = (Hook::DEADLINE, OnFailure::default());
        Computed {
            deadline,
            on_failure,
            guard: Guard::new(deadline, on_failure),
            call,
        }
    }
}

impl From<Hook> for core::Hook {
    fn from(hook: Hook) -> core::Hook {
        let (owner, origin, moment) = (hook.owner, hook.origin, hook.moment());
        let HookInput {
            app,
            hook_type,
            lifecycle,
            tag,
            ..
        } = &hook.input;
        let mut id = format!("{hook_type}:{lifecycle}:{tag}");
        if let Some(app) = app {
            id = format!("{app}:{id}");
        }
        let id: Cow<'static, str> = id.into();
        core::Hook::standing_at("guidance", moment.as_str(), id, hook)
            .at(origin)
            .owned_by(owner)
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook")
            .field("input", &self.input)
            .field("computed", &self.is_computed())
            .finish_non_exhaustive()
    }
}
