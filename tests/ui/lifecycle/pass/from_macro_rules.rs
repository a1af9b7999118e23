use hooks_sdk::prelude::*;

struct Memory;

macro_rules! reminders {
    ($($name:ident($point:ident, $priority:ident): $text:literal;)+) => {$(
        #[lifecycle::hook($point, strength = $priority, text = $text)]
        struct $name;
    )+};
}

reminders! {
    Start(session_start, suggestion): "Begin.";
    End(session_end, important): "Finish with {session_id}.";
}

macro_rules! answer {
    ($name:ident, $server:ty, $event:ty, $body:expr) => {
        #[lifecycle::hook(session_start, strength = suggestion)]
        async fn $name(_server: &$server, _event: &$event) -> String {
            $body
        }
    };
}

answer!(recall, Memory, SessionStart, String::new());

macro_rules! fixed {
    ($name:ident) => {
        #[lifecycle::hook(session_start, strength = suggestion)]
        async fn $name(_memory: &Memory, _start: &SessionStart) -> Option<String> {
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
                #[lifecycle::hook(pre_request, strength = suggestion)]
                async fn $name(&self) -> String {
                    String::new()
                }
            )+
        }
    };
}

server!(Memory { first second });

macro_rules! whole_items {
    ($(#[$attribute:meta])+ $item:item $block:item) => {
        $(#[$attribute])+
        $item

        #[hooks_sdk::hooks]
        $block
    };
}

whole_items! {
    #[lifecycle::hook(session_start, strength = suggestion, text = "Hello.")]
    struct Whole;

    impl Memory {
        #[lifecycle::hook(session_start, strength = suggestion)]
        async fn third(&self) -> String {
            String::new()
        }
    }
}

macro_rules! method {
    ($(#[$attribute:meta])+ $name:ident) => {
        #[hooks_sdk::hooks]
        impl Memory {
            $(#[$attribute])+
            async fn $name(&self) -> String {
                String::new()
            }
        }
    };
}

method! {
    /// Documented.
    #[lifecycle::hook(session_start, strength = suggestion)]
    fourth
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    for id in [
        "start", "end", "recall", "fixed", "first", "second", "whole", "third", "fourth",
    ] {
        assert!(registry.get(id).is_some(), "{id}");
    }
}
