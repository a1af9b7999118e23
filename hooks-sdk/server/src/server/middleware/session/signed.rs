//! Handles that carry the state of their session, signed, so that no store keeps it.

use std::time::Duration;

use hooks_core::{
    BuildError,
    session::{Handle, Ledger, Session, StateIndex},
};

/// The keys that seal handles. A server without rmcp's codec has none.
#[cfg(any(feature = "http", feature = "policy-engine"))]
pub(super) type HandleKeys = std::sync::Arc<rmcp::model::RequestStateCodec>;
#[cfg(not(any(feature = "http", feature = "policy-engine")))]
pub(super) use std::convert::Infallible as HandleKeys;

/// What a signed handle is for. The same keys may seal other things.
const PURPOSE: &[u8] = b"hooks-sdk/session/1";

/// The longest handle, in bytes. A longer text is not looked at.
const LONGEST: usize = 4_096;

/// The length of the session's name in a handle.
const NAME: usize = 16;

/// A session that its client carries.
#[derive(Clone, Debug)]
pub(super) struct CarriedSession {
    /// The name of the session, the same in all of its handles.
    pub(super) handle: Handle,
    pub(super) session: Session,
}

/// Seals the sessions that clients carry.
pub(super) struct HandleSeal {
    pub(super) keys: HandleKeys,
    pub(super) lives: Duration,
}

impl HandleSeal {
    /// Returns the problem of a machine whose handles would be too long.
    pub(super) fn problem(&self, ledger: &Ledger) -> Option<BuildError> {
        let machine = ledger.machine();
        let longest = machine
            .states()
            .max_by_key(|state| machine.name(*state).len())?;
        let name = Handle::of_bytes([0; NAME]);
        let handle = self.close(ledger, &name, longest, None);
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
    pub(super) fn open(
        &self,
        ledger: &Ledger,
        text: &str,
        principal: Option<&str>,
    ) -> Option<CarriedSession> {
        if text.len() > LONGEST {
            return None;
        }
        let bytes = open(&self.keys, text, &bound(principal))?;
        let (name, record) = bytes.split_first_chunk::<NAME>()?;
        let session = ledger.carried(record)?;
        let handle = Handle::of_bytes(*name);
        Some(CarriedSession { handle, session })
    }

    /// Returns the handle of a session in this state.
    pub(super) fn close(
        &self,
        ledger: &Ledger,
        handle: &Handle,
        state: StateIndex,
        principal: Option<&str>,
    ) -> String {
        let record = ledger.carry(state);
        let bytes = [handle.as_bytes(), record.as_slice()].concat();
        seal(&self.keys, &bytes, &bound(principal), self.lives)
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

#[cfg(any(feature = "http", feature = "policy-engine"))]
fn open(keys: &HandleKeys, text: &str, bound: &[u8]) -> Option<Vec<u8>> {
    let bytes = keys.open_with(text, bound);
    bytes
        .inspect_err(|error| debug!(%error, "a handle is none of an open session"))
        .ok()
}

#[cfg(any(feature = "http", feature = "policy-engine"))]
fn seal(keys: &HandleKeys, bytes: &[u8], bound: &[u8], lives: Duration) -> String {
    let options = rmcp::model::SealOptions::new().associated_data(bound);
    keys.seal_with(bytes, &options.ttl(lives))
}

#[cfg(not(any(feature = "http", feature = "policy-engine")))]
fn open(keys: &HandleKeys, _: &str, _: &[u8]) -> Option<Vec<u8>> {
    match *keys {}
}

#[cfg(not(any(feature = "http", feature = "policy-engine")))]
fn seal(keys: &HandleKeys, _: &[u8], _: &[u8], _: Duration) -> String {
    match *keys {}
}
