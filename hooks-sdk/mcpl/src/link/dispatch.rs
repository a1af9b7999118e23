//! What the host sends: each message is read, checked against the policy, passed to its hooks, and answered.

mod after;
mod before;
pub(super) mod channels;
mod feature_sets;
mod observed;
mod rollback;

use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    ErrorObject, LaneTurn, Link, McplHook, McplPoint,
    link::cx::{DeferredWork, in_hook},
    point,
    wire::method,
};
use hooks_core::dispatch::Failure;

/// The answer to a request, and the work that waits until it is sent.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "it has a function")]
pub struct DispatchedAnswer {
    pub result: Result<Value, ErrorObject>,
    pub leaving: AfterSend,
}

/// What happens when an answer is sent.
#[expect(missing_debug_implementations, reason = "it has a function")]
#[derive(Default)]
#[doc(hidden)]
pub struct AfterSend {
    /// The number of the policy that it answers.
    activates: Option<u64>,
    after: Vec<DeferredWork>,
}

/// Why a request has no result.
enum Unserved {
    /// The server has nothing under the method.
    NoMethod,
    Error(ErrorObject),
}

impl From<ErrorObject> for Unserved {
    fn from(error: ErrorObject) -> Unserved {
        Unserved::Error(error)
    }
}

impl DispatchedAnswer {
    fn now(result: Result<Value, ErrorObject>) -> DispatchedAnswer {
        DispatchedAnswer::then(result, Vec::new())
    }

    fn then(result: Result<Value, ErrorObject>, after: Vec<DeferredWork>) -> DispatchedAnswer {
        let leaving = AfterSend {
            activates: None,
            after,
        };
        DispatchedAnswer { result, leaving }
    }

    /// Makes the answer to a policy; the senders open once it is sent.
    fn activating(result: Result<Value, ErrorObject>, number: u64) -> DispatchedAnswer {
        let leaving = AfterSend {
            activates: Some(number),
            after: Vec::new(),
        };
        DispatchedAnswer { result, leaving }
    }
}

impl AfterSend {
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.activates.is_none() && self.after.is_empty()
    }

    /// Called right before the answer is sent. Messages sent from now on follow it on the wire.
    #[doc(hidden)]
    pub fn begins(&self, link: &Arc<Link>) {
        if let Some(number) = self.activates {
            link.answered(number);
        }
    }

    /// Called when the answer is sent.
    #[doc(hidden)]
    pub fn ended(self, link: &Arc<Link>) {
        link.after(self.after);
    }
}

impl Link {
    /// Answers a request, when its `turn` comes, which ends with the answer. Returns `None` if this server has nothing under
    /// that method.
    #[doc(hidden)]
    pub async fn requested(
        self: &Arc<Link>,
        method: &str,
        params: Option<Value>,
        mut turn: Option<LaneTurn>,
    ) -> Option<DispatchedAnswer> {
        if method == method::FEATURE_SETS_UPDATE {
            return Some(self.update_requested(params));
        }
        if let Some(turn) = &mut turn {
            turn.comes().await;
        }
        let params = params.unwrap_or_else(|| json!({}));
        let mut after = Vec::new();
        match self.asked(method, params, &mut after).await {
            Ok(result) => Some(DispatchedAnswer::then(Ok(result), after)),
            // The work that hooks queued before is dropped with their answers.
            Err(Unserved::Error(error)) => Some(DispatchedAnswer::now(Err(error))),
            Err(Unserved::NoMethod) => None,
        }
    }

    /// Takes a notification, in wire order. Returns whether it belongs to MCPL; if not, the params stay untouched.
    #[doc(hidden)]
    pub fn notified(self: &Arc<Link>, method: &str, params: &mut Option<Value>) -> bool {
        let taken = self.told(method, params);
        if let Some(Err(error)) = &taken {
            tracing::warn!(target: "hooks_sdk::mcpl", method, %error, "a notification is ignored");
        }
        taken.is_some()
    }

    /// Returns the feature set of the hooks at a context point; they all belong to one.
    fn set_at<P: McplPoint>(&self) -> Option<&'static str> {
        let first = self.derived.hooks_at::<P>().next()?;
        Some(first.definition().name)
    }

    /// Runs a hook on a request. If the hook fails, the work that it queued is dropped.
    async fn run<P: McplPoint>(
        &self,
        hook: &McplHook,
        event: &P::In,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Option<P::Out>, Failure> {
        self.run_as::<P>(hook, event, true, after).await
    }

    /// Runs a hook on an event. `awaited` is whether the host waits for it.
    async fn run_as<P: McplPoint>(
        &self,
        hook: &McplHook,
        event: &P::In,
        awaited: bool,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Option<P::Out>, Failure> {
        let cx = self.context(awaited);
        let run = hook.run::<P>(&*self.server, event, &cx);
        let answer = if P::CONTEXT {
            in_hook(run).await
        } else {
            run.await
        };
        if let Ok(Some(_)) = answer {
            after.extend(cx.take());
        }
        answer
    }
}

/// Serves a request, as its row says.
macro_rules! asked {
    ($link:tt $params:ident $after:ident $($word:ident)? [asked $serve:ident()]) => {
        $link.$serve()
    };
    ($link:tt $params:ident $after:ident $word:ident [asked $serve:ident($capability:literal) $($told:tt)*]) => {
        $link
            .$serve::<point::$word>($capability, $params, $after)
            .await
    };
    ($link:tt $params:ident $after:ident $($word:ident)? [asked $serve:ident $($told:tt)*]) => {
        $link.$serve($params, $after).await
    };
    ($link:tt $params:ident $after:ident $($word:ident)? [$($told:tt)*]) => {
        Err(Unserved::NoMethod)
    };
}

/// Takes a notification, as its row says.
macro_rules! told {
    ($link:tt $params:ident $word:ident [told $take:ident($lane:ident $($capability:literal)?)]) => {
        $link.$take::<point::$word>(&$link.$lane, &[$($capability)?], taken($params))
    };
    ($link:tt $params:ident $($word:ident)? [$(asked $asked:ident)? told $take:ident]) => {
        $link.$take(taken($params))
    };
    ($link:tt $params:ident $($word:ident)? [$($asked:tt)*]) => {
        return None
    };
}

macro_rules! methods {
    (
        points {$(
            $(#[$doc:meta])+
            $word:ident = $at:ident [$($constant:ident)? $point:literal] $types:tt
                uses $u4:tt $u5:tt can $c4:tt $c5:tt $served_point:tt;
        )+}
        methods {$(
            $(#[$about:meta])+
            $name:ident = $method:literal needs $needs:tt $served:tt;
        )+}
        senders $senders:tt
    ) => {
        impl Link {
            /// Answers a request.
            async fn asked(
                self: &Arc<Link>,
                method: &str,
                params: Value,
                after: &mut Vec<DeferredWork>,
            ) -> Result<Value, Unserved> {
                match method {
                    $($point => asked!(self params after $word $served_point),)+
                    $($method => asked!(self params after $served),)+
                    _ => Err(Unserved::NoMethod),
                }
            }

            /// Takes a notification. Returns `None` if there is none of this method.
            fn told(
                self: &Arc<Link>,
                method: &str,
                params: &mut Option<Value>,
            ) -> Option<Result<(), ErrorObject>> {
                Some(match method {
                    $($point => told!(self params $word $served_point),)+
                    $($method => told!(self params $served),)+
                    _ => return None,
                })
            }
        }
    };
}
hooks_text::mcpl_methods!(methods);

/// Takes the params of a notification. Absent ones are an empty object.
fn taken(params: &mut Option<Value>) -> Value {
    params.take().unwrap_or_else(|| json!({}))
}

/// Reads params.
///
/// # Errors
///
/// The params have the wrong shape; the error says where.
fn read<T: DeserializeOwned>(method: &str, params: Value) -> Result<T, ErrorObject> {
    serde_json::from_value(params).map_err(|error| {
        ErrorObject::invalid_params(format!("the params of `{method}` cannot be read: {error}"))
    })
}

/// Writes a result.
fn written(result: &impl Serialize) -> Result<Value, ErrorObject> {
    serde_json::to_value(result)
        .map_err(|error| ErrorObject::internal(format!("the result cannot be written: {error}")))
}

/// Converts a hook's failure to an error: the author's own, or one that names the hook.
fn failed(hook: &McplHook, failure: &Failure) -> ErrorObject {
    if let Failure::Failed(error) = failure
        && let Some(own) = error.get_ref().downcast_ref::<ErrorObject>()
    {
        return own.clone();
    }
    let failure = failure.for_peer();
    ErrorObject::internal(format!("the hook `{}` failed: {failure}", hook.id()))
}
