//! The errors of a server that cannot be served over HTTP.

use std::{borrow::Cow, fmt, io};

use hooks_core::{BuildErrors, store::StoreError};
use thiserror::Error;

/// Why a server cannot be served over HTTP. Its `Debug` output equals its `Display` output, as with [`BuildErrors`].
#[derive(Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The settings do not fit the server's hooks and tools.
    #[error(transparent)]
    Build(#[from] BuildErrors),
    /// A setting has a wrong value.
    #[error("{message}\n    help: {help}")]
    Setting {
        /// What is wrong.
        message: String,
        /// What mends it.
        help: Cow<'static, str>,
    },
    /// The store did not answer at the start.
    #[error("the server needs its store to start: {0}")]
    Store(#[from] StoreError),
    /// The server cannot listen on the address.
    #[error("the server cannot listen on `{address}`: {source}")]
    Listen {
        /// The address as it was given.
        address: String,
        /// The reason.
        source: io::Error,
    },
}

impl HttpError {
    pub fn setting(message: impl Into<String>, help: impl Into<Cow<'static, str>>) -> HttpError {
        HttpError::Setting {
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Debug for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
