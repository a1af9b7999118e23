use std::{borrow::Cow, io};

use hooks_sdk::{core::HookError, guidance};

#[guidance::hook(session, start, requirement = MAY, name = "String")]
async fn string() -> String {
    String::new()
}

#[guidance::hook(session, start, requirement = MAY, name = "Cow")]
async fn cow() -> Cow<'static, str> {
    "".into()
}

#[guidance::hook(session, start, requirement = MAY, name = "Option")]
async fn option() -> Option<&'static str> {
    None
}

#[guidance::hook(session, start, requirement = MAY, name = "Result")]
async fn result() -> Result<Option<String>, io::Error> {
    Ok(None)
}

#[guidance::hook(session, start, requirement = MAY, name = "Our error")]
async fn our_error() -> Result<String, HookError> {
    Err(HookError::new("no"))
}

#[guidance::hook(session, start, requirement = MAY, name = "Unnamed")]
async fn unnamed() -> impl guidance::Answer {
    ""
}
