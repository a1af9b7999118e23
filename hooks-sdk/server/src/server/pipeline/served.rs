//! The tools that middleware serve beside the author's: one source for lists, `get_tool` and calls.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use rmcp::{
    ErrorData,
    model::{CallToolResult, PaginatedRequestParams, Tool},
};

use super::{
    AuthorRequest, ListEntry, McpAnswer, McpRequest, McpResponse, Parts, Pipeline, Visibility,
};
#[cfg(feature = "guidance")]
use crate::server::middleware::guidance;
use crate::server::{McpContext, lock};

/// How many pages of tools are read to find a tool that the server does not find by name.
const MAX_PAGES: usize = 100;

/// A list of tools that cannot be read to its end.
pub(crate) struct UnreadList;

/// A tool that a middleware serves.
#[derive(Debug)]
pub(crate) struct Served {
    pub(super) tool: Tool,
    by: ServedBy,
}

/// The middleware that serves a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServedBy {
    Gate,
    #[cfg(feature = "guidance")]
    Guidance,
    Lifecycle,
}

impl Served {
    /// Returns whether the result is a hook's text for the client itself. No session guards such a tool, and guidance adds
    /// nothing to its result.
    pub(crate) fn answers_hook(&self) -> bool {
        self.by == ServedBy::Lifecycle
    }
}

impl Parts {
    /// Returns the tool of this name, if a middleware serves it.
    pub(crate) fn served(&self, name: &str) -> Option<&Arc<Served>> {
        self.served.iter().find(|served| served.tool.name == name)
    }
}

impl Pipeline {
    /// Runs a tool that a middleware serves.
    pub(super) fn serve<'a>(
        &'a self,
        served: &Served,
        request: AuthorRequest,
    ) -> BoxFuture<'a, McpAnswer> {
        let by = served.by;
        Box::pin(async move {
            let result = match (by, &self.parts.lifecycle) {
                // The session is opened when the call has ended.
                (ServedBy::Gate, _) => Some(CallToolResult::success(Vec::new())),
                #[cfg(feature = "guidance")]
                (ServedBy::Guidance, _) => guidance::serve(&request).await,
                (ServedBy::Lifecycle, Some(lifecycle)) => {
                    lifecycle.run(request.asked, &*self.author).await
                }
                (ServedBy::Lifecycle, None) => None,
            };
            let none = || ErrorData::internal_error("no middleware serves this tool", None);
            Ok(McpResponse::CallTool(result.ok_or_else(none)?.into()))
        })
    }

    /// Returns a tool of the author's, or a tool that a middleware serves. The definition may be [`FRESH`] old.
    pub(crate) fn tool(&self, name: &str) -> Option<Tool> {
        if let Some(served) = self.parts.served(name) {
            return Some(served.tool.clone());
        }
        let ask = || self.author.tool(name);
        self.definitions.find(name, Instant::now(), ask)
    }

    /// Returns a tool as the server finds it by name, or else as it lists it.
    /// Returns an error if the list cannot be read, or has more pages than are read.
    pub(crate) async fn find_tool(
        &self,
        name: &str,
        cx: &McpContext,
    ) -> Result<Option<Tool>, UnreadList> {
        if let Some(tool) = self.tool(name) {
            return Ok(Some(tool));
        }
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let page = McpRequest::ListTools(Some(page));
            let Ok(McpResponse::ListTools(page)) = self.author.ask(page, cx.clone()).await else {
                return Err(UnreadList);
            };
            if let Some(tool) = page.tools.into_iter().find(|tool| tool.name == name) {
                return Ok(Some(tool));
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(None);
            }
        }
        Err(UnreadList)
    }

    /// Returns whether the server has, or once had, a tool of this name. At most [`MOST`] names count: a server may find a
    /// tool for every name that a client makes up.
    pub(crate) fn has_had_tool(&self, name: &str) -> bool {
        if self.parts.served(name).is_some() || self.definitions.has(name) {
            return true;
        }
        self.tool(name);
        self.definitions.has(name)
    }

    /// Returns a tool as shown without a client.
    pub(crate) fn shown(&self, mut tool: Tool) -> Option<Tool> {
        let served = self.parts.served(&tool.name).map(|served| &**served);
        let shown = self.parts.show(ListEntry::Tool(&mut tool, served), None);
        (shown != Visibility::Hidden).then_some(tool)
    }
}

/// How long the definition of a tool is kept (1 second). A call needs it up to four times, and many servers make all
/// their tools anew to return one.
const FRESH: Duration = Duration::from_secs(1);

/// How many definitions are kept. Further ones are asked for each time.
const MOST: usize = 4096;

/// The longest name whose definition is kept, in bytes: a server may find a tool for every name that a client makes up.
const LONGEST: usize = 256;

/// The definitions of the author's tools, as the author's server returned them last.
#[derive(Default)]
pub(super) struct Definitions(Mutex<HashMap<Box<str>, (Tool, Instant)>>);

impl Definitions {
    fn has(&self, name: &str) -> bool {
        lock(&self.0).contains_key(name)
    }

    fn find(&self, name: &str, now: Instant, ask: impl FnOnce() -> Option<Tool>) -> Option<Tool> {
        if let Some((tool, asked)) = lock(&self.0).get(name)
            && now.duration_since(*asked) < FRESH
        {
            return Some(tool.clone());
        }
        let tool = ask()?;
        let mut kept = lock(&self.0);
        if name.len() <= LONGEST && (kept.len() < MOST || kept.contains_key(name)) {
            kept.insert(name.into(), (tool.clone(), now));
        }
        Some(tool)
    }
}

/// Returns the tools of all middleware, in order. If two tools have the same name, the first one is used.
pub(super) fn served(parts: &Parts) -> Vec<Arc<Served>> {
    let served = |by| move |tool: Tool| Arc::new(Served { tool, by });
    let gate = (parts.gate.iter()).filter_map(|gate| gate.served.clone());
    let tools = gate.map(served(ServedBy::Gate));
    #[cfg(feature = "guidance")]
    let tools = tools
        .chain((parts.guidance.iter().flat_map(|it| it.tools())).map(served(ServedBy::Guidance)));
    let hooks = parts.lifecycle.iter().flat_map(|it| it.served().cloned());
    tools
        .chain(hooks.map(served(ServedBy::Lifecycle)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_kept_for_a_second_and_its_name_for_ever() {
        let definitions = Definitions::default();
        let now = Instant::now();
        let title = |title: &str| Some(Tool::new("a", title.to_owned(), Arc::default()));
        let find = |name: &str, after: u64, asked: Option<Tool>| {
            let found = definitions.find(name, now + Duration::from_millis(after), || asked);
            found.and_then(|tool| tool.description)
        };
        assert_eq!(find("a", 0, None), None);
        assert!(
            !definitions.has("a"),
            "nobody can fill the memory with names"
        );
        assert_eq!(find("a", 1, title("first")).as_deref(), Some("first"));
        assert_eq!(find("a", 1000, title("second")).as_deref(), Some("first"));
        assert_eq!(find("a", 1001, title("third")).as_deref(), Some("third"));
        assert_eq!(find("a", 3000, None), None);
        assert!(definitions.has("a"));
    }

    #[test]
    fn so_many_definitions_are_kept_at_most() {
        let definitions = Definitions::default();
        let now = Instant::now();
        for number in 0..=MOST {
            let name = number.to_string();
            let tool = Tool::new(name.clone(), "", Arc::default());
            assert!(definitions.find(&name, now, || Some(tool)).is_some());
        }
        assert!(definitions.has("0") && !definitions.has(&MOST.to_string()));
        let (definitions, long) = (Definitions::default(), "x".repeat(LONGEST + 1));
        let tool = Tool::new(long.clone(), "", Arc::default());
        assert!(definitions.find(&long, now, || Some(tool)).is_some());
        assert!(!definitions.has(&long));
    }
}
