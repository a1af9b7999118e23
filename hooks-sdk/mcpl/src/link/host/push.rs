//! `push/event` (MCPL 0.4.1 §9).

use futures::{FutureExt, future::BoxFuture};

use super::{Host, decoded, written};
use crate::{Push, Pushed, SendError, Sends, sender, wire::method};

impl Host {
    /// Pushes an event. If the event asks for further attempts, each carries the same id, so that the host can
    /// recognise a repetition.
    ///
    /// # Errors
    ///
    /// The event was not sent, no attempt was answered in time, or an answer cannot be read. A host's refusal, in
    /// either form, is not an error but [`Pushed::Refused`].
    pub fn push<'a, F: Sends<sender::push>>(
        &'a self,
        event: &'a Push,
    ) -> BoxFuture<'a, Result<Pushed, SendError>> {
        const { F::DECLARED };
        async move {
            let link = self.connected()?;
            let name = F::DEFINITION.name;
            let params = written(&event.event(name));
            let deadline = link.settings.deadline();
            let mut attempt = 1;
            loop {
                link.may_send(name, method::PUSH_EVENT)?;
                let sent = link.send(method::PUSH_EVENT, params.clone(), deadline, None);
                return match sent.await {
                    Ok(answer) => Ok(Pushed::of(Ok(decoded(method::PUSH_EVENT, answer)?))),
                    Err(SendError::Refused(error)) => Ok(Pushed::of(Err(error))),
                    Err(SendError::TimedOut(_)) if attempt < event.attempts => {
                        attempt += 1;
                        continue;
                    }
                    Err(error) => Err(error),
                };
            }
        }
        .boxed()
    }
}
