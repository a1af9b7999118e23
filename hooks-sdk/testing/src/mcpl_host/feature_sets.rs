//! What the host allows, told to the server; and what the server declares, asked for.

use std::io;

use hooks_core::Open;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::connection::object;

use super::{CallError, McplGrants, McplHost, audit::OperationSubject, connected::read};
use hooks_mcpl::{
    Version,
    wire::{Fallback, Receipt, method},
};

impl<C> McplHost<C> {
    /// Tells the server what is allowed from now on.
    ///
    /// In 0.4 a notification, of which later ones change only what they name, so that there is no receipt. In
    /// 0.5 a request that replaces what was allowed: what it takes away is gone at once, what it gives counts
    /// from an accepting receipt on. After a refusing one nothing is allowed, and a server that asks for it is
    /// disconnected; an error changes nothing.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn update_feature_sets(
        &self,
        policy: &McplGrants,
    ) -> Result<Option<Receipt>, CallError> {
        let version = self.version();
        let method = method::FEATURE_SETS_UPDATE;
        let policy = policy.clone().resolved(version, &self.state().gate.names());
        let update = policy.update(version);
        let params = object(json!(update));
        if version == Version::V04 {
            self.state().gate.update(&update);
            let sent = self.tell(method, params).await;
            // The server is gone, which the next call of the host reports as well.
            return sent
                .map(|()| None)
                .map_err(|_| crate::connection::RequestError::Closed.into());
        }
        let ticket = self.state().gate.propose(&update);
        let shared = self.shared.clone();
        let conclude = move |answer: &Value| {
            let mut state = shared.state();
            match Receipt::deserialize(&answer["result"]) {
                Ok(receipt) if receipt.is_accepted() => state.gate.conclude(ticket, true),
                Ok(_) => state.gate.withdraw(ticket),
                Err(_) => state.gate.conclude(ticket, false),
            }
        };
        let answer = self.connection.request_then(method, params, conclude).await;
        let answer = answer.map_err(CallError::from).and_then(read::<Receipt>);
        self.log(method, OperationSubject::default(), &answer);
        // Where no answer came there was nothing to conclude by.
        self.state().gate.conclude(ticket, false);
        if let Ok(Receipt::Refused(refused)) = &answer
            && refused.fallback == Open::Known(Fallback::Close)
        {
            // Closed already, if it fails.
            _ = self.close().await;
        }
        self.state().receipt = answer.as_ref().ok().cloned();
        answer.map(Some)
    }

    /// What the server answered to the latest policy, which is nothing in 0.4.
    pub fn receipt(&self) -> Option<Receipt> {
        self.state().receipt.clone()
    }

    /// Takes feature sets away, as a notification in both versions.
    ///
    /// # Errors
    ///
    /// The stream's failure.
    pub async fn disable<S: Into<String>>(
        &self,
        sets: impl IntoIterator<Item = S>,
    ) -> io::Result<()> {
        let sets: Vec<String> = sets.into_iter().map(Into::into).collect();
        self.state().gate.narrow(&sets);
        let params = Map::from_iter([("disabled".to_owned(), json!(sets))]);
        self.tell(method::FEATURE_SETS_UPDATE, params).await
    }

    /// Reads what the server declares now, and goes by it from then on (MCPL 0.5).
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn manifest(&self) -> Result<Value, CallError> {
        let shared = self.shared.clone();
        let then = move |answer: &Value| {
            if let Some(manifest) = answer.get("result") {
                shared.declare(method::MANIFEST, Some(manifest));
            }
        };
        let request = self
            .connection
            .request_then(method::MANIFEST, Map::new(), then);
        let answer = request.await.map_err(CallError::from);
        self.log(method::MANIFEST, OperationSubject::default(), &answer);
        answer
    }
}
