//! The in-memory host of MCPL, against a small scripted peer.

mod asked;
mod calls;
mod channels;
mod misbehaviour;
mod observers;
mod peer;
mod policy;
mod served;
mod state;
mod streams;
