//! The author's setting of the decision log.

use hooks_core::{BuildError, BuildErrors};
use hooks_log::DecisionLog;

/// The log of a server, or that it has none whatever its policy file says.
#[derive(Clone, Debug)]
pub enum DecisionLogSettings {
    /// Into this log.
    To(DecisionLog),
    /// Into none.
    Nowhere,
}

impl DecisionLogSettings {
    /// Returns the log of the program, else that of the policy file.
    pub fn chosen(
        own: Option<&DecisionLogSettings>,
        of_file: impl FnOnce() -> Option<DecisionLog>,
    ) -> Option<DecisionLog> {
        match own {
            Some(DecisionLogSettings::Nowhere) => None,
            Some(DecisionLogSettings::To(log)) => Some(log.clone()),
            None => of_file(),
        }
    }

    /// Returns the [chosen](DecisionLogSettings::chosen) log, which runs.
    /// Returns an error if a key or a mask is wrong.
    pub(crate) fn resolved(
        own: Option<&DecisionLogSettings>,
        of_file: impl FnOnce() -> Option<DecisionLog>,
    ) -> Result<Option<DecisionLog>, BuildErrors> {
        let log = DecisionLogSettings::chosen(own, of_file);
        let started = log.as_ref().map_or(Ok(()), DecisionLog::start);
        let problem = started.err().map(|error| {
            BuildError::new(
                None,
                error.to_string(),
                "the book's page \"Who decided what\" has the settings of the log",
            )
        });
        BuildErrors::check(problem.into_iter().collect())?;
        Ok(log)
    }
}
