//! Trees of checkpoints in PostgreSQL.

use std::{error::Error as StdError, sync::Arc};

use hooks_sdk::mcpl::checkpoints::{Barrier, Checkpoint, CheckpointStore, Limits, Tree};

use super::Server;
use crate::store::{
    database::{Db, Row, Value},
    error::Error,
};

type Trouble = Box<dyn StdError + Send + Sync>;

impl CheckpointStore for Server {
    fn work(
        &self,
        tree: &str,
        _writes: bool,
        work: &mut dyn FnMut(&mut dyn Tree) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        // An error of the work is kept here, for it is none of the store's own.
        let mut done = Ok(());
        let outcome = self.run_blocking(|db| {
            let transaction = db.begin()?;
            let mut rows = Rows {
                db: transaction.db(),
                tree,
            };
            done = work(&mut rows);
            if done.is_ok() {
                transaction.commit()?;
            }
            Ok(())
        });
        done?;
        Ok(outcome.map_err(|error| error.at(&self.database))?)
    }
}

/// The rows of one tree.
struct Rows<'c> {
    db: Db<'c>,
    tree: &'c str,
}

impl Rows<'_> {
    fn one(&self, which: &str, with: &str) -> Result<Option<Checkpoint>, Trouble> {
        let sql = format!(
            "SELECT id, parent, told, barrier, reason, state FROM mcpl_checkpoint
             WHERE tree = ?1 AND {which} ORDER BY number DESC LIMIT 1"
        );
        Ok(self.db.first(&sql, &[&self.tree, &with], checkpoint)?)
    }
}

impl Tree for Rows<'_> {
    fn head(&mut self) -> Result<Option<Checkpoint>, Trouble> {
        let sql = "SELECT checkpoint FROM mcpl_head WHERE tree = ?1";
        let head: Option<String> = self.db.first(sql, &[&self.tree], |row| row.get(0))?;
        head.map_or(Ok(None), |head| self.one("id = ?2", &head))
    }

    fn find(&mut self, id: &str) -> Result<Option<Checkpoint>, Trouble> {
        self.one("id = ?2", id)
    }

    fn with_state(&mut self, state: &str) -> Result<Option<Checkpoint>, Trouble> {
        self.one(
            "told AND size = octet_length(CAST(?2 AS text)) AND state = ?2",
            state,
        )
    }

    fn add(&mut self, checkpoint: Checkpoint, limits: Limits) -> Result<(), Trouble> {
        let barrier = checkpoint.barrier.as_ref();
        self.db.execute(
            "INSERT INTO mcpl_checkpoint (tree, id, parent, told, barrier, reason, size, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, octet_length(CAST(?7 AS text)), ?7)",
            &[
                &self.tree,
                &&*checkpoint.id,
                &checkpoint.parent.as_deref(),
                &checkpoint.told,
                &barrier.map(|barrier| &*barrier.checkpoint),
                &barrier.map(|barrier| &*barrier.reason),
                &&*checkpoint.state,
            ],
        )?;
        self.move_head(&checkpoint.id)?;
        let most = |limit: usize| i64::try_from(limit).unwrap_or(i64::MAX);
        let values: [&dyn Value; 3] = [&self.tree, &most(limits.keep), &most(limits.total)];
        self.db.execute(
            "DELETE FROM mcpl_checkpoint WHERE number IN (
                 SELECT number FROM (
                     SELECT number, row_number() OVER newer AS nth, sum(size) OVER newer AS total
                     FROM mcpl_checkpoint WHERE tree = ?1 WINDOW newer AS (ORDER BY number DESC)
                 ) counted WHERE nth > 1 AND (nth > CAST(?2 AS bigint) OR total > CAST(?3 AS bigint))
             )",
            &values,
        )?;
        Ok(())
    }

    fn move_head(&mut self, id: &str) -> Result<(), Trouble> {
        self.db.execute(
            "INSERT INTO mcpl_head VALUES (?1, ?2) ON CONFLICT (tree) DO UPDATE SET checkpoint = ?2",
            &[&self.tree, &id],
        )?;
        Ok(())
    }
}

fn checkpoint(row: &Row<'_>) -> Result<Checkpoint, Error> {
    let text = |column| Ok::<_, Error>(row.get::<Option<String>>(column)?.map(Arc::from));
    let barrier = match (text(3)?, text(4)?) {
        (Some(checkpoint), Some(reason)) => Some(Barrier { checkpoint, reason }),
        _ => None,
    };
    Ok(Checkpoint {
        id: row.get::<String>(0)?.into(),
        parent: text(1)?,
        told: row.get(2)?,
        barrier,
        state: row.get::<String>(5)?.into(),
    })
}
