//! The configuration files of clients, edited so that nothing of the user's is lost.
//!
//! A [`Plan`] says which entries a client is to have. [`Plan::preview`] shows what would change, [`Plan::apply`]
//! writes it and keeps a [`Record`], and [`Record::uninstall`] undoes it. An edit puts ranges of text in or takes
//! them out, so that comments, order, indentation, line ends and a byte order mark stay as they are; a file that
//! does not read well is never touched.
//!
//! Commands are quoted for POSIX shells. Windows is not supported.

mod change;
mod command;
mod error;
mod file;
mod hooks;
mod install;
mod json;
mod lock;
mod plan;
mod record;
mod servers;
mod text;
mod toml;
mod transaction;
mod uninstall;

pub use change::FileChange;
pub use command::{Marker, command_line};
pub use error::{ConfigError, Obstacle};
pub use plan::{HookEntry, Installed, Plan};
pub use record::{Record, installed_clients};
pub use servers::{Format, ServerEntry};
