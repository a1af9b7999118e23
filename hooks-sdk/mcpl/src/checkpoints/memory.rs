//! Checkpoints in this process's memory.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use super::tree::{Checkpoint, Limits, Tree, Trouble};

/// A tree that ends with the process.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The checkpoints, from the oldest to the newest.
    checkpoints: VecDeque<Checkpoint>,
    /// The index that each checkpoint would have if none had been pruned.
    numbers: HashMap<Arc<str>, usize>,
    pruned: usize,
    /// The size of all states together, in bytes.
    size: usize,
    head: Option<Arc<str>>,
}

impl Memory {
    fn get(&self, id: &str) -> Option<&Checkpoint> {
        let number = self.numbers.get(id)?;
        self.checkpoints.get(number - self.pruned)
    }
}

impl Tree for Memory {
    fn head(&mut self) -> Result<Option<Checkpoint>, Trouble> {
        let head = self.head.as_deref().and_then(|head| self.get(head));
        Ok(head.cloned())
    }

    fn find(&mut self, id: &str) -> Result<Option<Checkpoint>, Trouble> {
        Ok(self.get(id).cloned())
    }

    fn with_state(&mut self, state: &str) -> Result<Option<Checkpoint>, Trouble> {
        let mut newest_first = self.checkpoints.iter().rev();
        let found = newest_first.find(|each| each.told && *each.state == *state);
        Ok(found.cloned())
    }

    fn add(&mut self, checkpoint: Checkpoint, limits: Limits) -> Result<(), Trouble> {
        let number = self.pruned + self.checkpoints.len();
        self.numbers.insert(checkpoint.id.clone(), number);
        self.size += checkpoint.state.len();
        self.head = Some(checkpoint.id.clone());
        self.checkpoints.push_back(checkpoint);
        while self.checkpoints.len() > 1
            && (self.checkpoints.len() > limits.keep || self.size > limits.total)
        {
            if let Some(oldest) = self.checkpoints.pop_front() {
                self.numbers.remove(&oldest.id);
                self.size -= oldest.state.len();
                self.pruned += 1;
            }
        }
        Ok(())
    }

    fn move_head(&mut self, id: &str) -> Result<(), Trouble> {
        self.head = Some(id.into());
        Ok(())
    }
}
