//! `hooks uninstall`: removes what `install` wrote.

use std::path::Path;

use clap::Args;
use serde_json::json;

use super::{
    CommandError, Program,
    install::InstallTarget,
    installed::Changed,
    options::OutputFormat,
    print,
    started::remove_unused,
    targets::{Targets, for_each},
};
use crate::{
    clients::{Client, config::Record},
    server::ServerHandler,
};

/// The arguments of `hooks uninstall`.
#[derive(Clone, Debug, Args)]
pub(super) struct Uninstall {
    #[command(flatten)]
    targets: Targets,
    #[command(flatten)]
    format: OutputFormat,
}

impl Uninstall {
    pub(super) fn run<H: ServerHandler>(self, program: &Program<H>) -> Result<(), CommandError> {
        let data = program.records()?;
        let record = |target: &InstallTarget| -> Result<Option<Record>, CommandError> {
            let place = target.place()?;
            let name = target.client.name();
            Ok(Record::find(&data, name, target.scope, &place.project)?)
        };
        let targets = self.targets.each(|target| Ok(record(target)?.is_some()))?;
        if targets.is_empty() {
            return print::text("No installation is recorded for any client.");
        }
        for_each(&targets, self.format, |target| {
            let (mut files, mut copy) = (Vec::new(), None);
            if let Some(record) = record(target)? {
                files = record.uninstall()?;
                if let Some(starts) = record.starts() {
                    copy = remove_unused(&data, starts)?;
                }
            }
            let files: Vec<Changed> = files.iter().map(Changed::of).collect();
            let page = restored(target.client, &files, copy.as_deref());
            let mut value = json!({ "client": target.client.name(), "files": files });
            if let Some(copy) = copy {
                value["removed_copy"] = json!(copy);
            }
            Ok((value, page))
        })
    }
}

fn restored(client: &dyn Client, files: &[Changed], copy: Option<&Path>) -> String {
    let title = client.title();
    let is_named = |file: &&Changed| file.changes || file.left.is_some();
    let mut named = files.iter().filter(is_named).peekable();
    if named.peek().is_none() {
        return format!("No installation is recorded for {title}.\n");
    }
    let mut page = format!("Removed from {title}.\n");
    for file in named {
        let name = file.file.display();
        if file.changes {
            page.push_str(&match file.file.exists() {
                true => format!("  removed this server's entries from {name}\n"),
                false => format!("  removed {name}\n"),
            });
        }
        if let Some(left) = &file.left {
            page.push_str(&format!("  note on {name}: {left}\n"));
        }
    }
    if let Some(copy) = copy {
        page.push_str(&format!(
            "  removed {}, which no client starts any more\n",
            copy.display()
        ));
    }
    page.push_str(&format!("next: restart {title}\n"));
    page
}
