//! An author's function that a protocol calls: whose it is, under which guard it runs, and the call itself.

use std::{
    any::{Any, type_name},
    convert::Infallible,
    fmt,
    future::poll_fn,
    marker::PhantomData,
    task::Poll,
    time::Duration,
};

use futures::future::BoxFuture;

use super::dispatch::{catch_panic_now, in_time, within};
use super::{Failure, Guard, HookError, Owner, hook::owner_in, observe::Run};

/// How far the coarse clock may be behind: the longest tick of an operating system. To read the exact clock takes as long as
/// a short function does.
const TICK: Duration = Duration::from_millis(16);

/// What a callback takes beside its server: a [`Ref`], a [`Mut`], a protocol's own type by value, or a pair of these, of
/// which the second is the context.
pub trait Input: 'static {
    /// The input of one call.
    type Of<'a>: Send;
}

/// A `&T` that lives as long as the call. It is a name only: rustc loses the lifetime of `&'static T` in a future.
#[derive(Debug)]
pub struct Ref<T>(PhantomData<fn() -> T>, Infallible);

/// A `&mut T` that lives as long as the call.
#[derive(Debug)]
pub struct Mut<T>(PhantomData<fn() -> T>, Infallible);

impl<T: Sync + 'static> Input for Ref<T> {
    type Of<'a> = &'a T;
}

impl<T: Send + 'static> Input for Mut<T> {
    type Of<'a> = &'a mut T;
}

impl<I: Input, C: Input> Input for (I, C) {
    type Of<'a> = (I::Of<'a>, C::Of<'a>);
}

/// An author's function with an input `I` and an answer `O`, of one server type or of any.
pub struct Callback<I: Input, O> {
    owner: Owner,
    guard: Guard,
    call: Box<Call<I, O>>,
}

type Call<I, O> = dyn for<'a> Fn(
        &'a (dyn Any + Send + Sync),
        <I as Input>::Of<'a>,
    ) -> BoxFuture<'a, Result<O, HookError>>
    + Send
    + Sync;

impl<I: Input, O: 'static> Callback<I, O> {
    /// A function of the server `S`.
    pub fn of<S: Any + Send + Sync>(
        guard: Guard,
        call: impl for<'a> Fn(&'a S, I::Of<'a>) -> BoxFuture<'a, Result<O, HookError>>
        + Send
        + Sync
        + 'static,
    ) -> Callback<I, O> {
        Callback {
            owner: Owner::of::<S>(),
            guard,
            call: Box::new(move |server, input| match owner_in::<S>(server) {
                Some(server) => call(server, input),
                None => Box::pin(async {
                    let message = format!("the server is not a `{}`", type_name::<S>());
                    Err(HookError::new(message))
                }),
            }),
        }
    }

    /// A function of no particular server; it is given whichever server there is.
    pub fn any(
        guard: Guard,
        call: impl for<'a> Fn(
            &'a (dyn Any + Send + Sync),
            I::Of<'a>,
        ) -> BoxFuture<'a, Result<O, HookError>>
        + Send
        + Sync
        + 'static,
    ) -> Callback<I, O> {
        Callback {
            owner: Owner::ANY,
            guard,
            call: Box::new(call),
        }
    }

    /// Calls the function of a hook; `None` for a failure with the posture [`Proceed`](super::Posture::Proceed).
    ///
    /// # Errors
    ///
    /// The function failed, panicked or exceeded its deadline, and its failures are reported.
    pub async fn call<'a>(
        &'a self,
        run: Run<'_, O>,
        server: &'a (dyn Any + Send + Sync),
        input: I::Of<'a>,
    ) -> Result<Option<O>, Failure> {
        // The closure may panic before it returns a future, so the guard runs the closure too.
        let answer = async { (self.call)(server, input).await };
        self.guard.run(run, answer).await
    }

    /// Calls the function within `deadline`. The caller decides what a failure means. An answer after the deadline does
    /// not count, also where the function computed without awaiting, so that no timer could end it; then it may be up to 16
    /// ms late.
    ///
    /// # Errors
    ///
    /// The function failed, panicked or exceeded the deadline.
    pub async fn within<'a>(
        &'a self,
        run: Run<'_, O>,
        deadline: Duration,
        server: &'a (dyn Any + Send + Sync),
        input: I::Of<'a>,
    ) -> Result<O, Failure> {
        let running = async {
            let began = coarsetime::Instant::now();
            // The closure may panic before it returns a future.
            let mut answer = catch_panic_now(|| (self.call)(server, input))?;
            // Most hooks are ready at once, and need neither a timer nor what carries one.
            let first =
                poll_fn(|cx| Poll::Ready(catch_panic_now(|| answer.as_mut().poll(cx)))).await?;
            let answered = match first {
                Poll::Ready(answered) => {
                    let took = Duration::from(began.elapsed()).saturating_sub(TICK);
                    in_time(took, deadline, answered)?
                }
                Poll::Pending => {
                    let left = deadline.saturating_sub(began.elapsed().into());
                    let ended = Box::pin(within(left, answer)).await;
                    ended.map_err(|failure| failure.of(deadline))?
                }
            };
            answered.map_err(Failure::Failed)
        };
        super::observe::hook(&run, running).await
    }
}

/// A callback whose input and answer are not in its type, for protocols with a type for each point.
pub trait AnyCallback: Any + fmt::Debug + Send + Sync {
    /// The server type that the function belongs to.
    fn owner(&self) -> Owner;

    /// The guard that the function runs under.
    fn guard(&self) -> &Guard;

    /// The same guard, to be changed.
    fn guard_mut(&mut self) -> &mut Guard;
}

impl<I: Input, O: 'static> AnyCallback for Callback<I, O> {
    fn owner(&self) -> Owner {
        self.owner
    }

    fn guard(&self) -> &Guard {
        &self.guard
    }

    fn guard_mut(&mut self) -> &mut Guard {
        &mut self.guard
    }
}

impl dyn AnyCallback {
    /// The callback, if it has this input and this answer.
    pub fn typed<I: Input, O: 'static>(&self) -> Option<&Callback<I, O>> {
        (self as &dyn Any).downcast_ref()
    }
}

impl<I: Input, O> fmt::Debug for Callback<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callback")
            .field("owner", &self.owner)
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use futures::FutureExt;

    use super::*;
    use crate::Posture;

    const fn guard() -> Guard {
        Guard::new(Duration::from_secs(1), Posture::Deny)
    }

    fn run<T>(id: &str) -> Run<'_, T> {
        Run::new("protocol", "point", id)
    }

    struct Shop(u32);

    #[tokio::test]
    async fn inputs_are_borrowed_for_the_call_and_contexts_may_be_changed() {
        let sum = Callback::<(Ref<u32>, Mut<Vec<u32>>), u32>::of(
            guard(),
            |shop: &Shop, (input, seen)| {
                async move {
                    seen.push(*input);
                    Ok(shop.0 + *input)
                }
                .boxed()
            },
        );
        let mut seen = Vec::new();
        let shops: [Box<dyn Any + Send + Sync>; 2] =
            [Box::new(Shop(1)), Box::new(Arc::new(Shop(2)))];
        for (shop, expected) in shops.iter().zip([11, 12]) {
            let answer = sum
                .call(run("sum"), &**shop, (&10, &mut seen))
                .await
                .unwrap();
            assert_eq!(answer, Some(expected));
        }
        assert_eq!(seen, [10, 10]);
        assert!(sum.owner().includes::<Shop>());
        let wrong = sum.call(run("sum"), &"a shop", (&1, &mut seen)).await;
        let message = wrong.unwrap_err().to_string();
        assert!(message.ends_with("tests::Shop`"), "{message}");
    }

    #[tokio::test]
    async fn a_closure_that_panics_is_a_failure() {
        let mut callback = Callback::<Ref<u32>, u32>::any(guard(), |_, _| panic!("no stock"));
        let failure = callback.call(run("a"), &(), &1).await.unwrap_err();
        assert_eq!(failure.to_string(), "it panicked: no stock");
        callback.guard_mut().posture = Posture::Proceed;
        assert_eq!(callback.call(run("a"), &(), &1).await.unwrap(), None);
    }

    #[tokio::test]
    async fn an_answer_after_the_deadline_does_not_count_though_nothing_was_awaited() {
        let short = Duration::from_millis(20);
        for waits in [false, true] {
            let busy = Callback::<Ref<u32>, u32>::any(guard(), move |_, input| {
                async move {
                    if waits {
                        tokio::task::yield_now().await;
                    }
                    std::thread::sleep(Duration::from_millis(60));
                    Ok(*input)
                }
                .boxed()
            });
            let ended = busy.within(run("busy"), short, &(), &1).await;
            assert_eq!(ended.unwrap_err().to_string(), "it took longer than 20 ms");
        }
    }

    #[test]
    fn an_untyped_callback_knows_its_types() {
        let callback: Box<dyn AnyCallback> =
            Box::new(Callback::<Ref<u32>, u32>::any(guard(), |_, input| {
                async move { Ok(*input) }.boxed()
            }));
        assert!(callback.typed::<Ref<u32>, u32>().is_some());
        assert!(callback.typed::<Ref<u32>, String>().is_none());
    }
}
