//! Where a tree is kept, and how it is reached without holding up other tasks.

use std::sync::{Mutex, PoisonError};

#[cfg(feature = "sqlite")]
use std::{path::Path, sync::Arc};

use super::{
    memory::Memory,
    tree::{Tree, Trouble},
};

#[cfg(feature = "sqlite")]
use super::sqlite;

/// One tree, in one of the places where trees are kept.
#[derive(Debug)]
pub(super) enum Backend {
    Memory(Mutex<Memory>),
    #[cfg(feature = "sqlite")]
    Sqlite {
        connection: Arc<Mutex<rusqlite::Connection>>,
        tree: Arc<str>,
    },
}

impl Backend {
    pub(super) fn memory() -> Backend {
        Backend::Memory(Mutex::default())
    }

    #[cfg(feature = "sqlite")]
    pub(super) fn sqlite(path: &Path, tree: &str) -> Result<Backend, Trouble> {
        Ok(Backend::Sqlite {
            connection: Arc::new(Mutex::new(sqlite::open(path)?)),
            tree: tree.into(),
        })
    }

    /// Looks at the tree as it is at one moment.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Tree) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        self.run(false, work).await
    }

    /// Changes the tree, alone.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Tree) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        self.run(true, work).await
    }

    #[cfg_attr(
        not(feature = "sqlite"),
        expect(
            clippy::unused_async,
            unused_variables,
            reason = "a file is waited for"
        )
    )]
    async fn run<T: Send + 'static>(
        &self,
        writes: bool,
        work: impl FnOnce(&mut dyn Tree) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        match self {
            Backend::Memory(memory) => {
                work(&mut *memory.lock().unwrap_or_else(PoisonError::into_inner))
            }
            #[cfg(feature = "sqlite")]
            Backend::Sqlite { connection, tree } => {
                let (connection, tree) = (connection.clone(), tree.clone());
                tokio::task::spawn_blocking(move || {
                    let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                    sqlite::work(&mut connection, &tree, writes, work)
                })
                .await?
            }
        }
    }
}
