use std::{borrow::Cow, io};

use hooks_sdk::{core::HookError, lifecycle};

#[lifecycle::hook(session_start, strength = suggestion)]
async fn string() -> String {
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn cow() -> Cow<'static, str> {
    "".into()
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn option() -> Option<&'static str> {
    None
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn result() -> Result<Option<String>, io::Error> {
    Ok(None)
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn our_error() -> Result<String, HookError> {
    Err(HookError::new("no"))
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn unnamed() -> impl lifecycle::Answer {
    ""
}
