use hooks_sdk::session::SessionState;

macro_rules! stages {
    ($name:ident, $tool:literal, $other:ident => $to:ident) => {
        #[derive(SessionState, Clone, Copy)]
        enum $name {
            #[stage(start, next($tool => $to, $other => $to))]
            New,
            #[stage(allow(any))]
            $to,
        }
    };
}

stages!(Stage, "session.init", login => Ready);

#[test]
fn is_accepted() {
    let machine = Stage::machine().unwrap();
    assert!(machine.allows(Stage::New.index(), "session.init"));
    assert!(machine.allows(Stage::New.index(), "login"));
}
