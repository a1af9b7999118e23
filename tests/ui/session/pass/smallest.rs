use hooks_sdk::prelude::*;

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum One {
    #[stage(start, allow(any))]
    Only,
}

#[test]
fn is_accepted() {
    assert_eq!(Stage::ALL, [Stage::New, Stage::Ready]);
    assert_eq!(Stage::at(Stage::Ready.index()), Some(Stage::Ready));
    assert!(
        One::machine()
            .unwrap()
            .allows(One::Only.index(), "anything")
    );
}
