mod sdk {
    pub mod inner {
        pub use hooks_sdk::*;
    }
}

#[derive(sdk::inner::session::SessionState, Clone, Copy)]
#[session(crate = crate::crate_path::sdk::inner)]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), text_file = "words/checked.md")]
    Ready,
}

#[test]
fn is_accepted() {
    use sdk::inner::session::SessionState;
    assert_eq!(Stage::machine().unwrap().states().len(), Stage::ALL.len());
}
