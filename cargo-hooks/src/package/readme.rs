//! The page of a package, for the people who load it.

use hooks_clients::dump::DumpedHook;
use hooks_core::lifecycle::Event;

use super::parts::PackageParts;
use crate::{CommandError, print};

impl PackageParts<'_> {
    /// Returns the page `README.md`.
    pub(super) fn readme(&self) -> Result<String, CommandError> {
        let (server, binary) = (&self.about.dump.name, self.about.program);
        let needs = match &self.inside {
            None => format!(
                "The program `{binary}` on your PATH. Without it, the hooks do nothing, and the client reports that it \
                 cannot start the server."
            ),
            Some(_) => "Nothing else: the plugin contains the program.".to_owned(),
        };
        let mut page = format!(
            "# {}\n\n{}\n\nThis plugin adds the MCP server `{server}` and its hooks to {}.\n\n## What you need\n\n{needs}\n\n\
             ## What the plugin adds\n\n",
            self.about.name,
            self.about.said().description,
            self.format.title,
        );
        page.push_str(&self.additions()?);
        page.push_str(&format!(
            "\n`{binary} hooks list` lists the hooks.\n\n## How to load \
             it\n\n"
        ));
        for step in self.loads("THIS-FOLDER") {
            page.push_str(&format!("- {step}\n"));
        }
        if let Some(lacks) = self.format.lacks {
            page.push_str(&format!("\n{lacks}\n"));
        }
        page.push_str(&format!(
            "\nWritten by `cargo hooks package --format {}`. Run it again to renew the plugin.\n",
            self.format.name
        ));
        page.push_str(&self.about.registry_line());
        Ok(page)
    }

    /// Returns what the plugin adds, as a list: the server, the texts of each event, and the skills.
    pub(super) fn additions(&self) -> Result<String, CommandError> {
        let (server, binary) = (&self.about.dump.name, self.about.program);
        let mut list = format!("- The MCP server `{server}`: the client runs `{binary} serve`.\n");
        for (event, hooks) in self.hooks_by_event()? {
            list.push_str(&format!("- Texts for the agent at `{event}`: {hooks}.\n"));
        }
        for skill in &self.about.dump.skills {
            list.push_str(&format!(
                "- The skill `{}`: {}\n",
                skill.name, skill.description
            ));
        }
        Ok(list)
    }

    /// Returns the ids of the hooks whose texts reach an agent, by event.
    fn hooks_by_event(&self) -> Result<Vec<(Event, String)>, CommandError> {
        let client = self.format.client()?;
        let reaches = |event: &Event| client.mapping(*event).delivery.reaches_agent();
        let of = |event: Event| {
            let at_it = |each: &&DumpedHook| each.event == Some(event);
            let at_it = self.about.dump.hooks.iter().filter(at_it);
            let ids = at_it.flat_map(|each| &each.hooks);
            let ids: Vec<String> = ids.map(|id| format!("`{id}`")).collect();
            (!ids.is_empty()).then(|| (event, print::listed(&ids, "and")))
        };
        Ok(Event::ALL
            .into_iter()
            .filter(reaches)
            .filter_map(of)
            .collect())
    }
}
