//! Installations that `hooks doctor` finds in other places: in a folder that a client does not read now, and by records that
//! cannot be read.

use super::{CommandError, Program, install_target::InstallTarget};
use crate::{
    clients::{self, Client, InstallScope, Place},
    server::ServerHandler,
};

/// Returns which files have entries of this server that the client does not read, because a variable moves its folder, or
/// has moved it.
pub(super) fn elsewhere<H: ServerHandler>(
    program: &Program<H>,
    client: &'static Client,
    place: &Place,
) -> Result<Vec<String>, CommandError> {
    let (row, title) = (client.folder, client.title);
    let here = row.moved(place);
    let mut found = Vec::new();
    if let Some((variable, folder)) = &here {
        let target = InstallTarget {
            client,
            scope: InstallScope::User,
            project: None,
        };
        let usual = Place::new(&place.home, &place.project);
        let plan = program.plan_in(&usual, &target, false)?;
        // A file that the client does not read may be broken.
        if plan.installed().is_ok_and(|entries| !entries.is_empty()) {
            found.push(format!(
                "entries are in {}, which {title} does not read while `{variable}` names {}: run `{}` again, or unset \
                 the variable",
                row.of(&usual).display(),
                folder.display(),
                target.install()
            ));
        }
    }
    for record in &program.installations()?.installed {
        let Some(folder) = record
            .folder
            .as_ref()
            .filter(|_| record.client == client.name)
        else {
            continue;
        };
        if here.as_ref().is_none_or(|(_, here)| here != folder) && folder.exists() {
            let folder = folder.display();
            found.push(format!(
                "entries are in {folder}, which {title} reads only while a variable names that folder"
            ));
        }
    }
    Ok(found)
}

/// Returns an error for each record that cannot be read and whose client, by its name, is meant.
pub(super) fn unreadable_records<H: ServerHandler>(
    program: &Program<H>,
    is_meant: impl Fn(Option<&'static Client>) -> bool,
) -> Result<Vec<String>, CommandError> {
    let mut records = program.installations()?.unreadable;
    records.retain(|record| is_meant(record.client.as_deref().and_then(clients::by_name)));
    Ok(records.iter().map(|it| it.error.to_string()).collect())
}
