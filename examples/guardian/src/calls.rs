//! Which call belongs to which tool: the result of a call names the call, and not its tool.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use hooks_sdk::aos::Asked;

/// The most calls that are remembered. The oldest one is forgotten first, and then rules for its tool match its result.
const MOST: usize = 10_000;

/// The calls that were asked about, by their sessions and execution ids.
#[derive(Debug, Default)]
pub(crate) struct Calls(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    tools: HashMap<Key, String>,
    order: VecDeque<Key>,
}

type Key = (String, String);

impl Calls {
    pub(crate) fn remember(&self, asked: &Asked, execution: &str, tool: &str) {
        let key = key(asked, execution);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.tools.insert(key.clone(), tool.to_owned()).is_some() {
            return;
        }
        known.order.push_back(key);
        if known.order.len() > MOST
            && let Some(oldest) = known.order.pop_front()
        {
            known.tools.remove(&oldest);
        }
    }

    pub(crate) fn tool(&self, asked: &Asked, execution: &str) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.tools.get(&key(asked, execution)).cloned()
    }
}

fn key(asked: &Asked, execution: &str) -> Key {
    let session = asked.context().map(|context| context.session.id.clone());
    (session.unwrap_or_default(), execution.to_owned())
}
