//! A tree as one connection sees it: the same checkpoints, with the connection's own head.

use super::tree::{Checkpoint, Limits, Tree, Trouble};

/// The head of a connection. It is the whole checkpoint, since another connection may prune it.
pub(super) type Head = Option<Checkpoint>;

/// A tree with the head of one connection.
pub(super) struct Line<'t> {
    tree: &'t mut dyn Tree,
    head: &'t mut Head,
}

impl<'t> Line<'t> {
    pub(super) fn new(tree: &'t mut dyn Tree, head: &'t mut Head) -> Line<'t> {
        Line { tree, head }
    }
}

impl Tree for Line<'_> {
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
