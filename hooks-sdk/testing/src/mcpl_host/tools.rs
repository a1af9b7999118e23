//! Tools, called with their state, and the state taken back.

use crate::connection::{RequestError, Side, ToolAnswer, all_tools, object};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    CallError, HostCall, McplHost, Returns, StoredCheckpoint,
    audit::{AuditOutcome, OperationSubject},
    call::Carries,
};
use hooks_mcpl::{
    RollbackRequest,
    wire::{RollbackResult, StateUpdate, error, method},
};

impl<C> McplHost<C> {
    /// The tools the server lists, over all pages.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came.
    pub async fn list_tools(&self) -> Result<Vec<Value>, RequestError> {
        all_tools(|params| self.request("tools/list", params)).await
    }

    /// Calls a tool with what the host has stored of its state.
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came; a tool's own failure is a [`ToolAnswer`].
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Value,
    ) -> Result<ToolAnswer, RequestError> {
        self.call_tool_with(HostCall::new(name, arguments)).await
    }

    /// Calls a tool, and stores the state that its result reports.
    ///
    /// A state that cannot be stored, such as a patch of one that the host does not have, is a
    /// [failure](McplHost::failures) in the audit log.
    ///
    /// # Errors
    ///
    /// As [`call_tool`](McplHost::call_tool), and -32602 for a scope that the host's own blacklist denies: nothing is sent then.
    pub async fn call_tool_with(&self, call: HostCall) -> Result<ToolAnswer, RequestError> {
        let judged = call.label().map(|label| {
            let state = self.state();
            state.gate.check_scope(call.set.as_deref(), label)
        });
        if let Some(Err(error)) = judged {
            let refused = RequestError::Refused {
                code: error.code,
                message: error.message,
                data: error.data.unwrap_or_default(),
            };
            let about = OperationSubject {
                feature_set: call.set,
                ..OperationSubject::default()
            };
            let outcome = AuditOutcome::of(&refused);
            self.shared
                .log(Side::Host, method::TOOLS_CALL, about, outcome);
            return Err(refused);
        }
        let set = match &call.set {
            Some(set) => Some(set.clone()),
            None => self.set_of(&call).await,
        };
        let carries = match &call.carries {
            Carries::Stored => self.stored_for(set.as_deref()),
            given => given.clone(),
        };
        let carried = match &carries {
            Carries::State(state) => Some(state.clone()),
            _ => None,
        };
        let named = call.set.clone();
        let params = call.params(carries);
        let answer = self.connection.request(method::TOOLS_CALL, params).await;
        let mut about = OperationSubject {
            feature_set: named,
            ..OperationSubject::default()
        };
        let outcome = match &answer {
            Ok(result) => {
                about = about.or(OperationSubject::of(&result["_meta"]));
                match self.store(about.feature_set.clone().or(set), result, carried) {
                    Ok(stored) => {
                        about.feature_set = stored.or(about.feature_set);
                        AuditOutcome::Success
                    }
                    Err(wrong) => AuditOutcome::Failed(wrong),
                }
            }
            Err(error) => AuditOutcome::of(error),
        };
        self.shared
            .log(Side::Host, method::TOOLS_CALL, about, outcome);
        answer.map(ToolAnswer::new)
    }

    /// The checkpoint of a feature set that the host takes to be the latest.
    pub fn stored(&self, feature_set: &str) -> Option<StoredCheckpoint> {
        self.state().states.head(feature_set).cloned()
    }

    /// One checkpoint of a feature set, while the host keeps it.
    pub fn checkpoint(&self, feature_set: &str, checkpoint: &str) -> Option<StoredCheckpoint> {
        self.state().states.get(feature_set, checkpoint).cloned()
    }

    /// Goes back to a checkpoint (MCPL 0.4.1 §8.5).
    ///
    /// # Errors
    ///
    /// The server's error, or that no answer came; that it cannot be undone is a result.
    pub async fn rollback(
        &self,
        feature_set: &str,
        checkpoint: &str,
    ) -> Result<RollbackResult, CallError> {
        let params = object(json!(RollbackRequest::new(feature_set, checkpoint)));
        let answer: Result<RollbackResult, _> = self.call(method::STATE_ROLLBACK, params).await;
        let mut state = self.state();
        match &answer {
            Ok(result) if result.success => state.states.roll_back(feature_set, checkpoint),
            Err(failed) if failed.code() == Some(error::CHECKPOINT_NOT_FOUND) => {
                state.states.forget(feature_set, checkpoint);
            }
            _ => {}
        }
        answer
    }

    /// The set whose state a call is about, since the call names none (MCPL 0.4.1 §8.4).
    async fn set_of(&self, call: &HostCall) -> Option<String> {
        let stateful = self.stateful_sets();
        // Only among several is there anything to tell apart, and then the state of one is no state of another.
        if stateful.len() > 1 {
            let tools = self.list_tools().await.unwrap_or_default();
            let tool = tools.iter().find(|tool| tool["name"] == *call.name);
            if let Some(set) = tool.and_then(|tool| tool["_meta"]["featureSet"].as_str()) {
                return Some(set.to_owned());
            }
        }
        stateful.into_iter().next()
    }

    /// The declared sets with `rollback`.
    fn stateful_sets(&self) -> Vec<String> {
        let state = self.state();
        let sets = state.gate.sets().into_iter().flat_map(Map::iter);
        let stateful = sets.filter(|(_, set)| set["rollback"] == true);
        stateful.map(|(name, _)| name.clone()).collect()
    }

    fn stored_for(&self, set: Option<&str>) -> Carries {
        let state = self.state();
        let Some(head) = set.and_then(|set| state.states.head(set)) else {
            return Carries::Nothing;
        };
        match (self.shared.config.returns, &head.data) {
            (Returns::Nothing, _) => Carries::Nothing,
            (Returns::State, Some(data)) => Carries::State(data.clone()),
            _ => Carries::Checkpoint(head.checkpoint.clone()),
        }
    }

    /// Stores the state that a result reports, and says of which set it was.
    fn store(
        &self,
        set: Option<String>,
        result: &Value,
        carried: Option<Value>,
    ) -> Result<Option<String>, String> {
        let Some(state) = result.get("state") else {
            return Ok(None);
        };
        let update = StateUpdate::deserialize(state).map_err(|error| format!("state: {error}"))?;
        let set = set.ok_or("a state of no feature set")?;
        self.state().states.apply(&set, update, carried)?;
        Ok(Some(set))
    }
}
