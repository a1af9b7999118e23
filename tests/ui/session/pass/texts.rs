//! A state's text is its doc comment, or a file instead of it.

use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    /// Work.
    ///
    ///   And tell.
    #[stage(next(check_reports => Checked))]
    Ready,
    /// For readers of the source.
    #[stage(text_file = "words/checked.md", allow(any))]
    Checked,
}

#[test]
fn is_accepted() {
    let machine = Stage::machine().unwrap();
    assert_eq!(machine.text(Stage::New.index()), "");
    assert_eq!(machine.text(Stage::Ready.index()), "Work.\n\n  And tell.");
    assert_eq!(machine.text(Stage::Checked.index()), "Reports are checked.");
}
