//! The function that makes a program's server: plain, or `async`.

use futures::future::{BoxFuture, FutureExt, ready};

use super::CommandError;

/// A function that makes a server of type `H`: `Fn() -> Result<H, CommandError>`, or one that is `async`.
///
/// `How` is [`AtOnce`] or [`Later`]; the compiler finds it. An `async` closure that borrows what it captures is not
/// `Fn`: capture a clone, as in `move || { let url = url.clone(); async move { … } }`.
#[diagnostic::on_unimplemented(
    message = "this function does not make a server",
    label = "not a function without arguments that gives `Result<_, Failure>`",
    note = "write `|| Ok(Notes::open()?)`, or `async || Ok(Notes::connect().await?)`"
)]
pub trait MakeServer<H, How>: Send + Sync + 'static {
    /// Makes a server.
    fn make(&self) -> BoxFuture<'static, Result<H, CommandError>>;
}

/// The function returns the server.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "it is a mark, of which there are no values"
)]
pub enum AtOnce {}

/// The function is `async`.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "it is a mark, of which there are no values"
)]
pub enum Later {}

impl<H, F> MakeServer<H, AtOnce> for F
where
    H: Send + 'static,
    F: Fn() -> Result<H, CommandError> + Send + Sync + 'static,
{
    fn make(&self) -> BoxFuture<'static, Result<H, CommandError>> {
        ready(self()).boxed()
    }
}

impl<H, F, A> MakeServer<H, Later> for F
where
    H: 'static,
    F: Fn() -> A + Send + Sync + 'static,
    A: Future<Output = Result<H, CommandError>> + Send + 'static,
{
    fn make(&self) -> BoxFuture<'static, Result<H, CommandError>> {
        self().boxed()
    }
}
