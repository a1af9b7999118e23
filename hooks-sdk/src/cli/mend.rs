//! Entries that follow the program: those that are out of date are mended when a session starts.

use std::{env, path::PathBuf, thread};

use super::{
    CommandError, Program, install_target::InstallTarget, probe::is_gone, started::StartedProgram,
};
use crate::{
    clients::{
        self,
        config::{ConfigError, Plan, Record},
    },
    server::ServerHandler,
};

/// Entries that are out of date, and the plan that mends them.
#[derive(Debug)]
pub(super) struct Stale {
    title: &'static str,
    plan: Plan,
    started: StartedProgram,
    data: PathBuf,
}

impl<H: ServerHandler> Program<H> {
    /// Returns the entries that are out of date and that `install --keep-current` wrote. Entries of a project count only
    /// in that project. Problems are logged.
    ///
    /// If nothing has changed, this reads the records and the metadata of the program.
    pub(super) fn stale(&self) -> Vec<Stale> {
        let Some(data) = self.folder() else {
            return Vec::new();
        };
        let records = self.readable_installations().unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot read which entries to keep current");
            Vec::new()
        });
        let stale = records.iter().filter_map(|record| {
            let stale = self.stale_of(record, data.clone());
            stale.unwrap_or_else(|error| {
                let client = record.client();
                tracing::warn!(client, %error, "the entries cannot be compared with the program");
                None
            })
        });
        stale.collect()
    }

    fn stale_of(&self, record: &Record, data: PathBuf) -> Result<Option<Stale>, CommandError> {
        let Some(following) = record.following() else {
            return Ok(None);
        };
        let own = self.started(false)?.own;
        // Entries that start another program are moved only if that program is gone: it may be another build on purpose.
        let is_another = following.program != own && !is_gone(&following.program);
        if is_another || following.is_current(&own) {
            return Ok(None);
        }
        let here = env::current_dir().unwrap_or_default();
        let elsewhere = |project: &std::path::Path| !here.starts_with(project);
        if record.project().is_some_and(elsewhere) {
            return Ok(None);
        }
        if following.arguments != self.arguments {
            tracing::warn!(
                client = record.client(),
                "the entries have other arguments than this process, and are not mended"
            );
            return Ok(None);
        }
        let Some(client) = clients::by_name(record.client()) else {
            return Ok(None);
        };
        let target = InstallTarget {
            client,
            scope: record.scope(),
            project: record.project().map(Into::into),
        };
        let started = self.started_in(&target)?;
        let plan = self.plan_of(&target, record.has_server(), &started.path)?;
        // Entries that somebody has removed do not come back.
        if plan.installed()?.is_empty() {
            return Ok(None);
        }
        Ok(Some(Stale {
            title: client.title(),
            plan: plan.following(&started.path, &self.arguments),
            started,
            data,
        }))
    }

    /// Mends the entries that are out of date.
    pub(super) fn mend(&self) {
        self.stale().iter().for_each(Stale::mend);
    }

    /// Mends the entries that are out of date, without a delay of the caller.
    pub(super) fn mend_meanwhile(&self) {
        let stale = self.stale();
        if !stale.is_empty() {
            thread::spawn(move || stale.iter().for_each(Stale::mend));
        }
    }
}

impl Stale {
    /// Writes the entries, all files of a client or none. Another process may do the same: one of them changes the files.
    fn mend(&self) {
        let client = self.title;
        match self.write() {
            Ok(files) if files.is_empty() => {}
            Ok(files) => tracing::warn!(
                client,
                ?files,
                "the entries of this program were out of date, and are mended"
            ),
            Err(error) => {
                tracing::warn!(client, %error, "the entries of this program are out of date");
            }
        }
    }

    /// Returns the changed files.
    fn write(&self) -> Result<Vec<PathBuf>, ConfigError> {
        let _copy = self.started.copy()?;
        let changes = self.plan.apply(&self.data)?;
        let changed = changes.into_iter().filter(|change| change.changes());
        let files: Vec<PathBuf> = changed.map(|change| change.file.clone()).collect();
        self.plan.settle(&self.data, !files.is_empty())?;
        Ok(files)
    }
}
