//! Which call belongs to which tool: the result of a call names the call, and not its tool.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use hooks_sdk::aos::StepInfo;

/// The most calls that are remembered. The oldest one is forgotten first, and then rules for its tool match its result.
const MOST: usize = 10_000;

/// The longest id of a session or an execution, and the longest name of a tool, in bytes. A call with a longer one is not
/// remembered, so that the memory has a bound in bytes, too: 7.5 MiB.
const LONGEST: usize = 256;

/// The calls that were asked about, by their sessions and execution ids.
#[derive(Debug, Default)]
pub(crate) struct Calls(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    tools: HashMap<Arc<Key>, Box<str>>,
    order: VecDeque<Arc<Key>>,
}

type Key = (Box<str>, Box<str>);

impl Calls {
    pub(crate) fn remember(&self, asked: &StepInfo, execution: &str, tool: &str) {
        let Some(key) = key(asked, execution).filter(|_| tool.len() <= LONGEST) else {
            return;
        };
        let key = Arc::new(key);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.tools.insert(Arc::clone(&key), tool.into()).is_some() {
            return;
        }
        known.order.push_back(key);
        if known.order.len() > MOST
            && let Some(oldest) = known.order.pop_front()
        {
            known.tools.remove(&oldest);
        }
    }

    pub(crate) fn tool(&self, asked: &StepInfo, execution: &str) -> Option<String> {
        let key = key(asked, execution)?;
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.tools.get(&key).map(|tool| tool.to_string())
    }
}

fn key(asked: &StepInfo, execution: &str) -> Option<Key> {
    let session = asked.context().map_or("", |context| &context.session.id);
    let fits = session.len() <= LONGEST && execution.len() <= LONGEST;
    fits.then(|| (session.into(), execution.into()))
}

#[cfg(test)]
mod tests {
    use hooks_sdk::aos::AosAt;

    use super::*;

    #[test]
    fn a_call_with_a_long_id_or_a_long_name_is_not_remembered() {
        let calls = Calls::default();
        let asked = StepInfo::new(AosAt::ToolCallRequest);
        let (long, fits) = ("x".repeat(LONGEST + 1), "x".repeat(LONGEST));
        calls.remember(&asked, &long, "tool");
        calls.remember(&asked, "e1", &long);
        calls.remember(&asked, &fits, &fits);
        assert_eq!(calls.tool(&asked, &long), None);
        assert_eq!(calls.tool(&asked, "e1"), None);
        assert_eq!(calls.tool(&asked, &fits), Some(fits));
    }
}
