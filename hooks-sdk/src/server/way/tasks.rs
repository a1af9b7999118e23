//! Calls that answered with a task. The SDK keeps their data for the requests that fetch the results.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex},
};

use futures::lock;
use rmcp::{ErrorData, model::CallToolResponse};

use super::{Answer, Asked, Call};

/// How many calls are kept. For a further call the SDK drops the oldest one and logs a warning.
const MAX_CALLS: usize = 1024;

/// A call whose result comes later. Only one request uses it at a time.
pub(super) type Kept = Arc<lock::Mutex<Call>>;

/// The calls by the ids of their tasks.
#[derive(Default)]
pub(super) struct Tasks(Mutex<Calls>);

#[derive(Default)]
struct Calls {
    by_task: HashMap<String, Kept>,
    oldest: VecDeque<String>,
}

impl Tasks {
    /// Keeps a call that was answered with a task.
    pub(super) fn keep(&self, call: Call, answer: &Result<Answer, ErrorData>) {
        let Ok(Answer::CallTool(CallToolResponse::Task(created))) = answer else {
            return;
        };
        let id = &created.task.task_id;
        let mut calls = crate::server::lock::lock(&self.0);
        if calls.oldest.len() == MAX_CALLS
            && let Some(oldest) = calls.oldest.pop_front()
        {
            tracing::warn!(
                task = oldest,
                "the data of the oldest task is dropped: too many tasks are kept"
            );
            calls.by_task.remove(&oldest);
        }
        let call = Arc::new(lock::Mutex::new(call));
        if calls.by_task.insert(id.clone(), call).is_none() {
            calls.oldest.push_back(id.clone());
        }
    }

    /// Returns the call whose result a request fetches.
    pub(super) fn fetched_by(&self, asked: &Asked) -> Option<Kept> {
        let Asked::GetTask(request) = asked else {
            return None;
        };
        let calls = crate::server::lock::lock(&self.0);
        calls.by_task.get(&request.task_id).cloned()
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = crate::server::lock::lock(&self.0);
        f.debug_tuple("Tasks").field(&calls.by_task.len()).finish()
    }
}
