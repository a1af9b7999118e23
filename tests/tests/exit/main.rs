//! What leaves a server, on streams and over HTTP: marks, cancelled calls, ids in use, errors, questions, tasks, deadlines.

mod bytes;
mod cleaners;
mod completions;
mod counted;
mod deadline;
mod deep;
mod desk;
mod foreign;
mod hidden;
mod ids;
mod inputs;
mod later;
mod listening;
mod loose;
mod marks;
mod tasks;
mod unseen;

use hooks_tests::client::peer;
