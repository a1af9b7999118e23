//! The tools that stations serve beside the author's: one source for lists, `get_tool` and calls.

use std::{collections::HashMap, sync::Arc};

use rmcp::model::Tool;

use super::{Item, Shown, Station, Way};
use crate::{core::dispatch::catch_panic_now, server::connection::Connection};

/// A tool that a station serves.
#[derive(Clone, Debug)]
pub(in crate::server) struct Served {
    pub(in crate::server) tool: Tool,
    /// Whether its result is a hook's text for the client itself. No session guards such a tool, and guidance adds
    /// nothing to its result.
    pub(in crate::server) answers_hook: bool,
}

impl Served {
    /// Creates a tool for the agent, like the author's tools.
    pub(in crate::server) fn new(tool: Tool) -> Served {
        Served {
            tool,
            answers_hook: false,
        }
    }
}

impl Way {
    /// Returns a tool of the author's, or a tool that a station serves.
    pub(in crate::server) fn tool(&self, name: &str) -> Option<Tool> {
        let served = self.stations.served.get(name);
        served
            .map(|(served, _)| served.tool.clone())
            .or_else(|| self.author.tool(name))
    }

    /// Returns the tool that a request calls.
    pub(in crate::server) fn called_tool(
        &self,
        name: &str,
        connection: &Connection,
    ) -> Option<Tool> {
        connection.known(name).or_else(|| self.tool(name))
    }

    /// Returns a tool as shown without a client.
    pub(in crate::server) fn shown(&self, mut tool: Tool) -> Option<Tool> {
        let served = self.stations.served.get(&tool.name);
        let served = served.map(|(served, _)| &**served);
        let hidden = self.stations.all.iter().any(|station| {
            let shown = catch_panic_now(|| station.show(Item::Tool(&mut tool, served), None));
            shown.unwrap_or(Shown::Hidden) == Shown::Hidden
        });
        (!hidden).then_some(tool)
    }
}

/// The tools of all stations, by name and in order.
#[derive(Default)]
pub(super) struct ServedTools {
    tools: Vec<(Arc<Served>, Arc<dyn Station>)>,
    by_name: HashMap<Box<str>, usize>,
}

impl ServedTools {
    /// Collects the tools of all stations. If two tools have the same name, the first one is used.
    pub(super) fn of<'s>(stations: impl Iterator<Item = &'s Arc<dyn Station>>) -> ServedTools {
        let mut all = ServedTools::default();
        for station in stations {
            for served in station.served() {
                let at = all.tools.len();
                let name = Box::from(&*served.tool.name);
                all.by_name.entry(name).or_insert(at);
                all.tools.push((Arc::new(served), station.clone()));
            }
        }
        all
    }

    pub(super) fn get(&self, name: &str) -> Option<&(Arc<Served>, Arc<dyn Station>)> {
        self.tools.get(*self.by_name.get(name)?)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Arc<Served>, Arc<dyn Station>)> {
        self.tools.iter()
    }
}
