//! The editor of clients' configuration files, which keeps everything that the user wrote.
//!
//! A [`Plan`] has the entries for a client. [`Plan::preview`] returns the changes, [`Plan::apply`] writes them and
//! keeps a [`Record`], and [`Record::uninstall`] undoes them. An edit is made in a tree that has every byte of the file, so
//! that comments, order, indentation, line ends and a byte order mark stay. A file that does not parse is never changed.
//!
//! Commands are quoted for POSIX shells. Windows is not supported.

mod change;
mod command;
mod copy;
mod document;
mod error;
mod file;
mod hooks;
mod install;
mod json;
mod lock;
mod own;
mod plan;
mod reading;
mod record;
mod records;
mod servers;
mod text;
mod toml;
mod toml_items;
mod transaction;
mod uninstall;

pub use change::FileChange;
pub use command::quoted;
pub use command::{EntryOwner, closed_command_line, command_line, started};
pub(crate) use command::{NOTHING, printed};
pub use copy::ProgramCopy;
pub use document::Format;
pub use error::{ConfigError, Obstacle};
pub use plan::{HookEntry, Installed, Plan};
pub use reading::{MemberType, Reading};
pub use record::{InstallationKey, Record};
pub use records::{Records, UnreadableRecord};
pub use servers::ServerEntry;

pub(super) use document::settings;
pub(super) use hooks::hooks;
pub(super) use servers::or_jsonc;
