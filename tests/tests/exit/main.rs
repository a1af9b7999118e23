//! What leaves a server, on streams and over HTTP: marks, cancelled calls, ids in use, errors, questions, tasks, deadlines.

mod bytes;
#[path = "../http/transport/client.rs"]
#[allow(dead_code, reason = "the tests of the transport use all of it")]
mod client;
mod counted;
mod deadline;
mod deep;
mod desk;
mod hidden;
mod ids;
mod inputs;
mod judged;
mod later;
mod listening;
mod loose;
mod marks;
mod peer;
mod tasks;
mod unseen;
