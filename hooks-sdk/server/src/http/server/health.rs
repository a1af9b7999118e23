//! `/healthz` and `/readyz`: whether the process runs, and whether it can serve.

use std::{fmt::Display, sync::Arc, time::Duration};

use axum::body::Body;
use futures::{
    FutureExt, TryFutureExt,
    future::{BoxFuture, join_all},
};
use http::{Response, StatusCode};
use serde_json::{Map, json};
use tokio::{sync::Mutex, time::Instant};
use tokio_util::sync::CancellationToken;

#[cfg(feature = "guardian-local")]
use hooks_aos::{GuardianClient, Posture};
use hooks_core::{
    Failure,
    internal::within,
    store::{Key, Store},
};
use hooks_http::probe::answer;

/// The longest time of a check.
const LONGEST: Duration = Duration::from_secs(1);

/// How long a result holds, so that many probes are one question to the store.
const HOLDS: Duration = Duration::from_secs(1);

/// A key that no entry has.
const PROBE: &[u8] = b"hooks-sdk/http/probe";

/// A check of `/readyz`.
pub(super) struct ReadyCheck {
    name: String,
    run: Box<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>,
    /// Whether the server cannot serve while the check fails.
    is_needed: bool,
    /// What becomes of requests while the check fails.
    posture: Option<&'static str>,
}

impl ReadyCheck {
    pub(super) fn of<F, E>(
        name: String,
        check: impl Fn() -> F + Send + Sync + 'static,
    ) -> ReadyCheck
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display + 'static,
    {
        let run = move || check().map_err(|error| error.to_string()).boxed();
        ReadyCheck {
            name,
            run: Box::new(run),
            is_needed: true,
            posture: None,
        }
    }

    /// Checks that the store answers.
    pub(super) fn of_store(store: Arc<dyn Store>) -> ReadyCheck {
        ReadyCheck::of("store".to_owned(), move || {
            let store = store.clone();
            async move { store.load(&Key::new(PROBE)).await.map(|_| ()) }
        })
    }

    /// Checks that the guardian answers. A server whose steps go on without it can serve without it.
    #[cfg(feature = "guardian-local")]
    pub(super) fn of_guardian(client: GuardianClient) -> ReadyCheck {
        let is_needed = client.posture() == Posture::Deny;
        let posture = match is_needed {
            true => "closed when the guardian gives no decision",
            false => "open when the guardian gives no decision",
        };
        let check = ReadyCheck::of("guardian".to_owned(), move || {
            let client = client.clone();
            async move { client.ping().await }
        });
        ReadyCheck {
            is_needed,
            posture: Some(posture),
            ..check
        }
    }

    /// Runs the check. Logs its failure.
    async fn passes(&self) -> bool {
        // The function itself may panic, too.
        let failure = match within(LONGEST, async { (self.run)().await }).await {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error,
            Err(Failure::Panicked(_)) => "the check panicked".to_owned(),
            Err(_) => format!("no answer within {LONGEST:?}"),
        };
        tracing::warn!(
            target: "hooks_sdk::http",
            check = %self.name, error = %failure, "the server is not ready"
        );
        false
    }
}

/// What `/readyz` knows.
pub(super) struct Health {
    pub(super) checks: Vec<ReadyCheck>,
    pub(super) stopping: CancellationToken,
    /// What the checks said last, and when.
    pub(super) last: Mutex<Option<(Instant, Vec<bool>)>>,
}

impl Health {
    /// Answers `/readyz`.
    pub(super) async fn ready(&self) -> Response<Body> {
        let (mut checks, mut is_failing) = (Map::new(), false);
        let sessions = "closed when the store cannot be reached";
        let mut posture = Map::from_iter([("sessions".to_owned(), sessions.into())]);
        for (check, passed) in self.checks.iter().zip(self.passed().await) {
            let word = if passed { "ok" } else { "failed" };
            checks.insert(check.name.clone(), word.into());
            let its_posture = check.posture.map(|it| (check.name.clone(), it.into()));
            posture.extend(its_posture);
            is_failing |= check.is_needed && !passed;
        }
        let (code, status) = match self.stopping.is_cancelled() {
            true => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
            false if is_failing => (StatusCode::SERVICE_UNAVAILABLE, "failing"),
            false => (StatusCode::OK, "ready"),
        };
        answer(
            code,
            &json!({"status": status, "checks": checks, "posture": posture}),
        )
    }

    async fn passed(&self) -> Vec<bool> {
        let mut last = self.last.lock().await;
        if let Some((at, passed)) = &*last
            && at.elapsed() < HOLDS
        {
            return passed.clone();
        }
        let passed = join_all(self.checks.iter().map(ReadyCheck::passes)).await;
        *last = Some((Instant::now(), passed.clone()));
        passed
    }
}
