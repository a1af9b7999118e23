//! The tools that stations serve beside the author's: one source for lists, `get_tool` and calls.

use std::{collections::HashMap, sync::Arc};

use rmcp::model::Tool;

use super::Station;

/// A tool that a station serves.
#[derive(Clone, Debug)]
pub(in crate::server) struct Served {
    pub(in crate::server) tool: Tool,
    /// Its result is a hook's text for the client itself: no session guards it, and guidance adds nothing to it.
    pub(in crate::server) answers_hook: bool,
}

impl Served {
    /// A tool for the agent, as the author's are.
    pub(in crate::server) fn new(tool: Tool) -> Served {
        Served {
            tool,
            answers_hook: false,
        }
    }
}

/// The tools of all stations, by name and in order.
#[derive(Default)]
pub(super) struct ServedTools {
    tools: Vec<(Arc<Served>, Arc<dyn Station>)>,
    by_name: HashMap<Box<str>, usize>,
}

impl ServedTools {
    /// Of two tools of one name the first one counts.
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
