//! What leaves a server, on streams and over HTTP: marks, cancelled calls, ids in use, errors, questions, tasks, deadlines.

#[path = "../http/door/client.rs"]
#[allow(dead_code, reason = "the tests of the door use all of it")]
mod client;
mod deadline;
mod desk;
mod ids;
mod judged;
mod marks;
mod peer;
mod tasks;
mod unseen;
