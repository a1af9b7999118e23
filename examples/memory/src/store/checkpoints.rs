//! Trees of checkpoints in the memories' own database.

use hooks_sdk::mcpl::{
    Checkpoints,
    checkpoints::{CheckpointError, CheckpointState},
};

use super::{Backend, Store};

impl Store {
    /// Opens the tree of a name, beside the memories.
    pub(crate) async fn checkpoints<S: CheckpointState>(
        &self,
        tree: &str,
        initial: S,
    ) -> Result<Checkpoints<S>, CheckpointError> {
        match &*self.backend {
            Backend::Sqlite(file) => {
                let (path, tree) = (file.path().to_owned(), tree.to_owned());
                let open = move || Checkpoints::sqlite(path, tree, initial);
                let opened = tokio::task::spawn_blocking(open).await;
                opened.map_err(|lost| CheckpointError::Store(lost.into()))?
            }
            #[cfg(feature = "postgres")]
            Backend::Postgres(server) => {
                let store = std::sync::Arc::clone(server);
                Ok(Checkpoints::in_store(store, tree, initial))
            }
            Backend::Unusable(what, _) => Err(CheckpointError::Store(what.as_str().into())),
        }
    }
}
