//! Where a tree is stored, and how to use it without blocking other tasks.

use std::sync::{Arc, Mutex};

#[cfg(feature = "sqlite")]
use std::path::Path;

use super::{
    memory::Memory,
    tree::{Checkpoint, CheckpointStore, Limits, Tree, Trouble},
};
use hooks_core::internal::lock;

#[cfg(feature = "sqlite")]
use super::sqlite;

/// One tree, in memory, in a file or in a database of the server's.
#[derive(Debug)]
pub(super) struct Backend {
    place: Place,
    /// The connection's own head, which replaces the head of the tree.
    head: Option<Arc<Mutex<Head>>>,
}

#[derive(Clone, Debug)]
enum Place {
    Memory(Arc<Mutex<Memory>>),
    #[cfg(feature = "sqlite")]
    Sqlite {
        connection: Arc<Mutex<rusqlite::Connection>>,
        tree: Arc<str>,
    },
    Store {
        store: Arc<dyn CheckpointStore>,
        tree: Arc<str>,
    },
}

impl Backend {
    pub(super) fn memory() -> Backend {
        Backend {
            place: Place::Memory(Arc::default()),
            head: None,
        }
    }

    #[cfg(feature = "sqlite")]
    pub(super) fn sqlite(path: &Path, tree: &str) -> Result<Backend, Trouble> {
        let place = Place::Sqlite {
            connection: Arc::new(Mutex::new(sqlite::open(path)?)),
            tree: tree.into(),
        };
        Ok(Backend { place, head: None })
    }

    pub(super) fn store(store: Arc<dyn CheckpointStore>, tree: &str) -> Backend {
        let place = Place::Store {
            store,
            tree: tree.into(),
        };
        Backend { place, head: None }
    }

    /// Returns the same tree with a new head, which is at no checkpoint yet.
    pub(super) fn with_new_head(&self) -> Backend {
        Backend {
            place: self.place.clone(),
            head: Some(Arc::default()),
        }
    }

    /// Runs a reading function on a consistent view of the tree.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Tree) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        self.run(false, work).await
    }

    /// Runs a writing function with exclusive access to the tree.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Tree) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        self.run(true, work).await
    }

    async fn run<T: Send + 'static>(
        &self,
        writes: bool,
        work: impl FnOnce(&mut dyn Tree) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let head = self.head.clone();
        match &self.place {
            Place::Memory(memory) => {
                let mut memory = lock(memory);
                as_seen(head.as_deref(), work, |work| work(&mut *memory))
            }
            #[cfg(feature = "sqlite")]
            Place::Sqlite { connection, tree } => {
                let (connection, tree) = (connection.clone(), tree.clone());
                tokio::task::spawn_blocking(move || {
                    let mut connection = lock(&connection);
                    as_seen(head.as_deref(), work, |work| {
                        sqlite::work(&mut connection, &tree, writes, work)
                    })
                })
                .await?
            }
            Place::Store { store, tree } => {
                let (store, tree) = (store.clone(), tree.clone());
                tokio::task::spawn_blocking(move || {
                    as_seen(head.as_deref(), work, |work| {
                        in_store(&*store, &tree, writes, work)
                    })
                })
                .await?
            }
        }
    }
}

fn in_store<T>(
    store: &dyn CheckpointStore,
    tree: &str,
    writes: bool,
    work: TreeWork<'_, T>,
) -> Result<T, Trouble> {
    let (mut work, mut done) = (Some(work), None);
    store.work(tree, writes, &mut |tree| {
        if let Some(work) = work.take() {
            done = Some(work(tree)?);
        }
        Ok(())
    })?;
    done.ok_or_else(|| "the store of checkpoints did not do its work".into())
}

type TreeWork<'w, T> = Box<dyn FnOnce(&mut dyn Tree) -> Result<T, Trouble> + 'w>;

/// Runs `work` with the tree, or with the tree as `head` sees it. `head` moves only after `run` has succeeded.
fn as_seen<T>(
    head: Option<&Mutex<Head>>,
    work: impl FnOnce(&mut dyn Tree) -> Result<T, Trouble>,
    run: impl FnOnce(TreeWork<'_, T>) -> Result<T, Trouble>,
) -> Result<T, Trouble> {
    let Some(head) = head else {
        return run(Box::new(work));
    };
    let mut head = lock(head);
    let mut moved = head.clone();
    let done = run(Box::new(|tree| {
        work(&mut ConnectionTree {
            tree,
            head: &mut moved,
        })
    }))?;
    *head = moved;
    Ok(done)
}

/// The head of a connection. It is the whole checkpoint, since another connection may prune it.
type Head = Option<Checkpoint>;

/// A tree with the head of one connection.
struct ConnectionTree<'t> {
    tree: &'t mut dyn Tree,
    head: &'t mut Head,
}

impl Tree for ConnectionTree<'_> {
    fn head(&mut self) -> Result<Option<Checkpoint>, Trouble> {
        Ok(self.head.clone())
    }

    fn find(&mut self, id: &str) -> Result<Option<Checkpoint>, Trouble> {
        match self.head {
            Some(head) if *head.id == *id => Ok(Some(head.clone())),
            _ => self.tree.find(id),
        }
    }

    fn with_state(&mut self, state: &str) -> Result<Option<Checkpoint>, Trouble> {
        self.tree.with_state(state)
    }

    fn add(&mut self, checkpoint: Checkpoint, limits: Limits) -> Result<(), Trouble> {
        self.tree.add(checkpoint.clone(), limits)?;
        *self.head = Some(checkpoint);
        Ok(())
    }

    fn move_head(&mut self, id: &str) -> Result<(), Trouble> {
        *self.head = self.find(id)?;
        Ok(())
    }
}
