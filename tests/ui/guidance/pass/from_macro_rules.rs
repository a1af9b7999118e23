//! Guidance that a macro of the author writes.

use hooks_sdk::prelude::*;

struct Memory;

macro_rules! reminders {
    ($($name:ident($type:ident, $lifecycle:ident, $level:ident, $priority:literal): $text:literal;)+) => {$(
        #[guidance::hook($type, $lifecycle, requirement = $level, name = $text, weight = $priority, text = $text)]
        struct $name;
    )+};
}

reminders! {
    Start(session, start, MAY, 50): "Begin.";
    TheEnd(session, end, MUST, -5): "Finish.";
}

macro_rules! text {
    ($name:ident, $server:ty, $firing:ty, $body:expr) => {
        #[guidance::hook(session, start, requirement = MAY, name = "Text")]
        async fn $name(_server: &$server, _firing: &$firing) -> String {
            $body
        }
    };
}

text!(recall, Memory, Firing, String::new());

macro_rules! fixed {
    ($name:ident) => {
        #[guidance::hook(action, start, requirement = MAY, name = "Fixed", tool = "a*", features(sampling))]
        async fn $name(_memory: &Memory, _firing: &Firing) -> Option<String> {
            None
        }
    };
}

fixed!(fixed);

macro_rules! server {
    ($server:ident { $($name:ident)+ }) => {
        #[hooks_sdk::hooks]
        impl $server {
            $(
                #[guidance::hook(storage, running, requirement = MAY, name = "Method")]
                async fn $name(&self) -> String {
                    String::new()
                }
            )+
        }
    };
}

server!(Memory { first second });

macro_rules! folder {
    ($folder:literal, $server:ty) => {
        guidance::dir!($folder, server = $server);
    };
}

folder!("guidance/dirs/folder_of_hooks", Memory);

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    for id in [
        "session:start:start",
        "session:end:the-end",
        "session:start:recall",
        "action:start:fixed",
        "storage:running:first",
        "storage:running:second",
        "session:start:welcome",
    ] {
        assert!(registry.get(id).is_some(), "{id}");
    }
}
