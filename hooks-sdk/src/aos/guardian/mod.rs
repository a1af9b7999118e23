//! A guardian, until the engine is there.

use std::{any::Any, sync::Arc};

use super::{AosPoint, Asked, Reply};
use crate::core::{BuildErrors, HookError};

/// A guardian.
#[derive(Clone)]
pub struct Guardian(Arc<dyn Any + Send + Sync>);

impl std::fmt::Debug for Guardian {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Guardian")
    }
}

impl Guardian {
    /// Collects the hooks of a policy.
    pub fn of<G: Any + Send + Sync>(policy: G) -> Guardian {
        Guardian(Arc::new(policy))
    }

    /// Checks the hooks.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn check(&self) -> Result<(), BuildErrors> {
        Ok(())
    }

    /// Decides.
    ///
    /// # Errors
    ///
    /// No hook decided.
    pub async fn decide<P: AosPoint>(
        &self,
        _payload: P::Payload,
        _asked: &Asked,
    ) -> Result<Reply<P::Changed>, HookError> {
        Err(HookError::new("there is no engine"))
    }
}
