//! Completions that middleware return.

use rmcp::model::{CompleteResult, CompletionInfo};

/// Returns an answer with these values, cut to the number that MCP allows.
pub(super) fn completed(mut values: Vec<String>) -> CompleteResult {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut completion = CompletionInfo::default();
    completion.total = u32::try_from(total).ok();
    completion.has_more = Some(total > values.len());
    completion.values = values;
    CompleteResult::new(completion)
}
