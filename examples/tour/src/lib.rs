//! The tour of memory-server: a host and the server as a child process show one agent session, each step checked.

mod events;
mod mcpl;
mod mcpl_host;
mod page;
mod plain;
mod server;
mod session;
mod show;
mod steps;
mod unexpected;

use std::{error::Error, io, path::PathBuf};

use tempfile::TempDir;

use page::Page;

/// Where the tour's memories are.
enum Place {
    /// A file that the user named, which stays.
    Named(PathBuf),
    /// A folder of the tour's own, deleted with all that is in it.
    Temporary(TempDir),
}

impl Place {
    fn new(database: Option<PathBuf>) -> io::Result<Self> {
        match database {
            Some(path) => Ok(Self::Named(path)),
            None => Ok(Self::Temporary(
                tempfile::Builder::new().prefix("memory-tour-").tempdir()?,
            )),
        }
    }

    fn database(&self) -> PathBuf {
        match self {
            Self::Named(path) => path.clone(),
            Self::Temporary(folder) => folder.path().join("memory.db"),
        }
    }
}

/// Shows the session on standard output. The program that calls it is the server, too: `serve` starts it.
///
/// # Errors
///
/// When a step did not do what it says; what was expected and what came is on the page then.
pub async fn run(database: Option<PathBuf>) -> Result<(), Box<dyn Error + Send + Sync>> {
    let place = Place::new(database)?;
    let path = place.database();
    let mut page = Page::on_stdout();
    page.title("A tour of memory-server: one agent session, over a real pipe");
    page.plain(&match place {
        Place::Named(_) => format!("database: {}", path.display()),
        Place::Temporary(_) => format!("database: {} (deleted at the end)", path.display()),
    });
    page.plain("server:   `memory-server serve`, started by this process");

    if let Err(unexpected) = steps::all(&mut page, &path).await {
        page.failed(&unexpected);
        page.finish()?;
        let step = page.steps();
        return Err(format!("step {step} of the tour did not do what it says").into());
    }
    let steps = page.steps();
    page.title(&format!("All {steps} steps did what they say."));
    match place {
        Place::Named(path) => {
            page.plain(&format!("The memories are kept in {}.", path.display()));
        }
        Place::Temporary(folder) => {
            folder.close()?;
            page.plain("The database is deleted.");
        }
    }
    page.finish()?;
    Ok(())
}
