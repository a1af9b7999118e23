//! Handles that carry the state of their session, signed, so that no store keeps it.

#[cfg(not(any(feature = "http", feature = "plugin")))]
pub(super) use self::none::HandleSeal;
#[cfg(any(feature = "http", feature = "plugin"))]
pub(super) use self::sealing::HandleSeal;
use crate::session::{Handle, Session};

/// A session that its client carries.
#[derive(Clone, Debug)]
pub(super) struct CarriedSession {
    /// The name of the session, the same in all of its handles.
    pub(super) handle: Handle,
    pub(super) session: Session,
}

#[cfg(any(feature = "http", feature = "plugin"))]
mod sealing {
    use std::{sync::Arc, time::Duration};

    use rmcp::model::{RequestStateCodec, SealOptions};

    use super::CarriedSession;
    use crate::{
        core::BuildError,
        session::{Handle, Ledger, StateIndex},
    };

    /// What a signed handle is for. The same keys may seal other things.
    const PURPOSE: &[u8] = b"hooks-sdk/session/1";

    /// The longest handle, in bytes. A longer text is not looked at.
    const LONGEST: usize = 4_096;

    /// The length of the session's name in a handle.
    const NAME: usize = 16;

    /// Seals the sessions that clients carry.
    pub(in super::super) struct HandleSeal {
        pub(in super::super) keys: Arc<RequestStateCodec>,
        pub(in super::super) lives: Duration,
    }

    impl HandleSeal {
        /// Returns the problem of a machine whose handles would be too long.
        pub(in super::super) fn problem(&self, ledger: &Ledger) -> Option<BuildError> {
            let machine = ledger.machine();
            let longest = machine
                .states()
                .max_by_key(|state| machine.name(*state).len())?;
            let name = Handle::of_bytes([0; NAME]);
            let handle = self.close(ledger, &name, (longest, u64::MAX), None);
            (handle.len() > LONGEST).then(|| {
                let state: String = machine.name(longest).chars().take(64).collect();
                BuildError::new(
                    None,
                    format!("a signed handle of a session in `{state}…` would be longer than {LONGEST} characters"),
                    "give the state a shorter name",
                )
            })
        }

        /// Returns the session of a handle, or `None` if the handle is wrong, expired, or another principal's.
        pub(in super::super) fn open(
            &self,
            ledger: &Ledger,
            text: &str,
            principal: Option<&str>,
        ) -> Option<CarriedSession> {
            if text.len() > LONGEST {
                return None;
            }
            let bytes = match self.keys.open_with(text, &bound(principal)) {
                Ok(bytes) => bytes,
                Err(error) => {
                    tracing::debug!(%error, "a handle is none of an open session");
                    return None;
                }
            };
            let (name, record) = bytes.split_first_chunk::<NAME>()?;
            let session = ledger.carried(record)?;
            let handle = Handle::of_bytes(*name);
            Some(CarriedSession { handle, session })
        }

        /// Returns the handle of a session in this state with these marks.
        pub(in super::super) fn close(
            &self,
            ledger: &Ledger,
            handle: &Handle,
            (state, marks): (StateIndex, u64),
            principal: Option<&str>,
        ) -> String {
            let record = ledger.carry(state, marks);
            let bytes = [handle.as_bytes(), record.as_slice()].concat();
            let bound = bound(principal);
            let options = SealOptions::new().associated_data(&bound).ttl(self.lives);
            self.keys.seal_with(&bytes, &options)
        }
    }

    /// Returns what a handle is bound to beside its own bytes.
    fn bound(principal: Option<&str>) -> Vec<u8> {
        let mut bound = PURPOSE.to_vec();
        match principal {
            None => bound.push(0),
            Some(principal) => {
                bound.push(1);
                bound.extend_from_slice(principal.as_bytes());
            }
        }
        bound
    }
}

/// Without rmcp's codec, no handle is signed.
#[cfg(not(any(feature = "http", feature = "plugin")))]
mod none {
    use super::CarriedSession;
    use crate::{
        core::BuildError,
        session::{Handle, Ledger, StateIndex},
    };

    pub(in super::super) enum HandleSeal {}

    impl HandleSeal {
        pub(in super::super) fn problem(&self, _: &Ledger) -> Option<BuildError> {
            match *self {}
        }

        pub(in super::super) fn open(
            &self,
            _: &Ledger,
            _: &str,
            _: Option<&str>,
        ) -> Option<CarriedSession> {
            match *self {}
        }

        pub(in super::super) fn close(
            &self,
            _: &Ledger,
            _: &Handle,
            _: (StateIndex, u64),
            _: Option<&str>,
        ) -> String {
            match *self {}
        }
    }
}
