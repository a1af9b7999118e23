//! The bytes of a session in the store.

use crate::{
    machine::{Machine, StateIndex},
    store::Bytes,
};

/// The format of the bytes. A session in another format was stored by a newer program.
const FORMAT: u8 = 1;

/// The stored part of one session.
///
/// The state is stored by name, so that a program with more states can still read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) state: StateIndex,
    pub(super) marks: u64,
}

impl Record {
    pub(super) fn new(machine: &Machine) -> Record {
        Record {
            state: machine.start(),
            marks: 0,
        }
    }

    pub(super) fn encode(self, machine: &Machine) -> Bytes {
        let mut head = [FORMAT; 11];
        let mut len = 1;
        let mut marks = self.marks;
        while marks >= 0x80 {
            head[len] = marks as u8 | 0x80;
            marks >>= 7;
            len += 1;
        }
        head[len] = marks as u8;
        Bytes::of(&[&head[..=len], machine.name(self.state).as_bytes()])
    }

    /// Returns `None` if the bytes have another format, or name a state that the machine does not have.
    pub(super) fn decode(machine: &Machine, bytes: &[u8]) -> Option<Record> {
        let (&FORMAT, mut rest) = bytes.split_first()? else {
            return None;
        };
        let mut marks = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, after) = rest.split_first()?;
            rest = after;
            marks |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                let is_named = |&state: &StateIndex| machine.name(state).as_bytes() == rest;
                let state = machine.states().find(is_named)?;
                return Some(Record { state, marks });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_back_and_others_are_not_read() {
        let machine = Machine::standard().build().unwrap();
        for state in machine.states() {
            for marks in [0, 1, 127, 128, 1 << 40, u64::MAX] {
                let record = Record { state, marks };
                assert_eq!(
                    Record::decode(&machine, record.encode(&machine).as_slice()),
                    Some(record)
                );
            }
        }
        let nines = [&[1; 1][..], &[0xFF; 12]].concat();
        for bytes in [
            &b""[..],
            b"\x01",
            b"\x02\x00working",
            b"\x01\x00resting",
            b"\x01\x00\xFF",
            &nines,
        ] {
            assert_eq!(Record::decode(&machine, bytes), None);
        }
    }
}
