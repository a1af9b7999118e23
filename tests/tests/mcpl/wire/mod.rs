//! MCPL 0.4.1 taken at its word: its fragments, what it forbids, and what has to survive.

mod answers;
mod capabilities;
mod forbidden;
mod fragments;
mod mutations;
mod open;
mod values;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, from_value, to_value};

/// What the type reads, which it has to write as it was.
fn decoded<T: DeserializeOwned + Serialize>(sent: &Value) -> T {
    let read: T = from_value(sent.clone()).unwrap_or_else(|error| panic!("{error} in {sent}"));
    assert_eq!(to_value(&read).unwrap(), *sent, "encoded again");
    read
}

/// Why the type does not read it.
#[track_caller]
fn refusal<T: DeserializeOwned>(sent: Value) -> String {
    match from_value::<T>(sent.clone()) {
        Ok(_) => panic!("{sent} was read"),
        Err(error) => error.to_string(),
    }
}
