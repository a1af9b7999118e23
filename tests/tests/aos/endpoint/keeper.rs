//! The guardian of these tests, on a port.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use hooks_sdk::{
    aos::{AosHook, Guardian, point},
    core::{Registry, Verdict, Violation},
    http::{GuardianServer, HttpError},
};
use hooks_tests::client::PATIENCE;
use tokio::{net::TcpListener, sync::Semaphore, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

/// Denies the tool `shell`, lets `wait` wait, fails at `broken`, and allows every other tool. At other steps no hook
/// stands.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub(crate) begun: Arc<Semaphore>,
    pub(crate) leave: Arc<Semaphore>,
}

impl Keeper {
    pub(crate) fn new() -> Keeper {
        let none = || Arc::new(Semaphore::new(0));
        Keeper {
            begun: none(),
            leave: none(),
        }
    }

    pub(crate) fn guardian(&self) -> Guardian {
        let keeper = self.clone();
        let hook = AosHook::answering_any("keeper", point::tool_call_request, move |call, _| {
            let keeper = keeper.clone();
            Box::pin(async move {
                match &*call.tool_id {
                    "shell" => return Verdict::<Infallible>::Deny(Violation::new("no shell here")),
                    "wait" => {
                        keeper.begun.add_permits(1);
                        let leave = keeper.leave.acquire().await;
                        leave.expect("an open semaphore").forget();
                    }
                    "broken" => panic!("the hook of a test"),
                    _ => {}
                }
                Verdict::Allow
            })
        });
        let hook = hook.deadline(PATIENCE);
        let registry = Registry::builder().add(hook.into()).build();
        Guardian::with((), registry.expect("a sound hook"))
    }
}

/// A guardian on a port.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) keeper: Keeper,
    pub(crate) stop: CancellationToken,
    serving: JoinHandle<Result<(), HttpError>>,
}

impl Served {
    /// Stops the guardian, and waits until it has ended.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        let ended = timeout(PATIENCE, self.serving).await.expect("in time");
        ended.expect("no panic").expect("sound settings");
    }
}

/// Serves the guardian with settings.
pub(crate) async fn serve(settings: impl FnOnce(GuardianServer) -> GuardianServer) -> Served {
    let keeper = Keeper::new();
    let server = settings(GuardianServer::new(keeper.guardian()));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let shutdown = stop.clone().cancelled_owned();
    Served {
        address,
        keeper,
        stop,
        serving: tokio::spawn(server.serve_on(listener, shutdown)),
    }
}
