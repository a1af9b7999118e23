//! One guidance hook as its author wrote it.

use std::{any::Any, time::Duration};

use futures::future::BoxFuture;

use super::{Firing, HookInput, Moment, front};
use crate::macros::{entry, setters};
use crate::{
    Answer, AnyCallback, BuildError, Callback, Failure, Guard, Origin, Owner, Posture,
    callback::Ref, observe::Run,
};

/// A guidance hook: this protocol's part of a [`Hook`](crate::Hook).
///
/// The attribute `hook` makes a hook, and `dir!` makes one of each file in a
/// folder. These constructors do it by hand.
///
/// ```
/// use hooks_sdk::core::Registry;
/// use hooks_sdk::guidance::{GuidanceHook, HookInput, HookType, Lifecycle, RequirementLevel};
///
/// let welcome =
///     HookInput::new(HookType::Session, Lifecycle::Start, "welcome", "Welcome", RequirementLevel::Should)
///         .text("Welcome to the session.");
/// let registry = Registry::builder().add(GuidanceHook::new(welcome).into()).build()?;
/// # assert!(registry.get("session:start:welcome").is_some());
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
///
/// Its id in the core's registry is `type:lifecycle:tag`, or `app:type:lifecycle:tag` if it names an app.
#[derive(Debug)]
pub struct GuidanceHook {
    input: HookInput,
    computed: Option<Computed>,
    faults: Vec<BuildError>,
    is_skill: bool,
    owner: Owner,
    origin: Origin,
}

/// A function that makes a text when its hook fires.
type Computed = Callback<Ref<Firing>, String>;

const fn guard() -> Guard {
    Guard::new(GuidanceHook::DEADLINE, Posture::Deny)
}

impl GuidanceHook {
    /// The default deadline of a function that makes a text.
    pub const DEADLINE: Duration = Duration::from_secs(5);

    /// Makes a hook whose text is in `input`, or in a file that the server's loader reads.
    #[track_caller]
    pub fn new(input: HookInput) -> GuidanceHook {
        GuidanceHook {
            input,
            computed: None,
            faults: Vec::new(),
            is_skill: false,
            owner: Owner::ANY,
            origin: Origin::here(),
        }
    }

    /// Makes a hook whose text a function of the server `H` makes each time the hook fires. If the function returns
    /// no text, the hook is left out this time.
    #[track_caller]
    pub fn answering<H, A>(
        input: HookInput,
        text: impl for<'a> Fn(&'a H, &'a Firing) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> GuidanceHook
    where
        H: Any + Send + Sync,
        A: Answer + 'static,
    {
        let computed = Computed::of::<H>(guard(), move |server, firing| {
            let answer = text(server, firing);
            Box::pin(async move { answer.await.answer() })
        });
        GuidanceHook {
            owner: computed.owner(),
            computed: Some(computed),
            ..GuidanceHook::new(input)
        }
    }

    /// Like [`answering`](GuidanceHook::answering), with a function without a server.
    #[track_caller]
    pub fn answering_any<A: Answer + 'static>(
        input: HookInput,
        text: impl for<'a> Fn(&'a Firing) -> BoxFuture<'a, A> + Send + Sync + 'static,
    ) -> GuidanceHook {
        let computed = Computed::any(guard(), move |_, firing| {
            let answer = text(firing);
            Box::pin(async move { answer.await.answer() })
        });
        GuidanceHook {
            computed: Some(computed),
            ..GuidanceHook::new(input)
        }
    }

    /// Makes the hook that a markdown file declares by its front matter; `file` is its name.
    ///
    /// A problem of the file is an error when the server is built.
    #[track_caller]
    pub fn file(file: &'static str, text: &str) -> GuidanceHook {
        match front::hook(file, text) {
            Ok(input) => GuidanceHook::new(input),
            Err(faults) => {
                let faults = faults.into_iter().map(|fault| front::in_file(fault, file));
                GuidanceHook {
                    faults: faults.collect(),
                    ..GuidanceHook::new(HookInput::nothing(file))
                }
            }
        }
    }

    setters! {
        /// Sets the deadline of the function. Default: 5 s.
        fn deadline(mut self, deadline: Duration) { self.guarded(|guard| guard.deadline = deadline) }

        /// Sets what a failure means. Default: [`Posture::Deny`], which reports the hook as failed.
        fn posture(mut self, posture: Posture) { self.guarded(|guard| guard.posture = posture) }

        /// Sets the server `H` as the hook's owner.
        fn server<H: Any>(mut self) { self.owner = Owner::of::<H>() }

        /// Serves the text also as a [`Skill`](super::Skill), with the tag as its name. The hook needs a text and a
        /// description.
        fn skill(mut self) { self.is_skill = true }
    }

    fn guarded(&mut self, change: impl FnOnce(&mut Guard)) {
        if let Some(computed) = &mut self.computed {
            change(computed.guard_mut());
        }
    }

    /// Returns whether the text is also served as a skill.
    pub fn is_skill(&self) -> bool {
        self.is_skill
    }

    /// Returns the author's definition.
    pub fn input(&self) -> &HookInput {
        &self.input
    }

    /// Returns the moment at which the hook fires.
    pub fn moment(&self) -> Moment {
        self.input.moment()
    }

    /// Returns whether a function makes the text.
    pub fn is_computed(&self) -> bool {
        self.computed.is_some()
    }

    /// Makes the text of a computed hook. Returns `None` if the function returns no text, or if there is no function.
    ///
    /// # Errors
    ///
    /// The function failed, panicked or missed its deadline, and its posture is `deny`.
    pub async fn text(
        &self,
        server: &(dyn Any + Send + Sync),
        firing: &Firing,
    ) -> Result<Option<String>, Failure> {
        let Some(computed) = &self.computed else {
            return Ok(None);
        };
        let run = Run::new("guidance", self.moment().as_str(), &self.input.tag);
        let text = computed.call(run, server, firing).await?;
        Ok(text.filter(|text| !text.trim().is_empty()))
    }

    /// Returns the problems of the file that declares the hook.
    pub(super) fn faults(&self) -> &[BuildError] {
        &self.faults
    }
}

impl GuidanceHook {
    fn id(&self) -> String {
        let HookInput {
            app,
            hook_type,
            lifecycle,
            tag,
            ..
        } = &self.input;
        let id = format!("{hook_type}:{lifecycle}:{tag}");
        match app {
            Some(app) => format!("{app}:{id}"),
            None => id,
        }
    }
}

entry!(GuidanceHook: "guidance", |hook| hook.moment().as_str(), hook.id());
