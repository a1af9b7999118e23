use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum DenyAny {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), deny(any))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum Generic<const N: usize> {
    #[stage(start, allow(any))]
    New,
}

#[derive(SessionState, Clone, Copy)]
enum KeyGivenTwiceInTwoAttributes {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    #[stage(allow(search))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum KeyOfTheEnumOnAVariant {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), reset(session_clear))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum ListEmpty {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow())]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum NoStates {}

#[derive(SessionState, Clone, Copy)]
struct OnAStruct;

#[derive(SessionState, Clone, Copy)]
enum RefusalEmpty {
    #[stage(start, next(session_init => Ready), refusal = " ")]
    New,
    #[stage(allow(any))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum SessionOnAVariant {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    #[session(reset(session_clear))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
#[session(reset(session_clear))]
enum SeveralMistakesAtOnce {
    #[stage(start, next(session_init => Raedy, session_init => Working))]
    New,
    #[stage(start, allow(any, search), deny(search))]
    Ready,
    #[stage(allow(search))]
    Working,
    #[stage(allow(any), deny(session_clear), next(session_clear => New))]
    Done,
}

#[derive(SessionState, Clone, Copy)]
#[session(rest(session_clear))]
enum SeveralThatCannotBeRead {
    #[stage(strat, nxt(session_init => Ready))]
    New,
    #[stage(allow(any), deny(a-tool), text_file = "none.md")]
    Ready(u8),
}

#[derive(SessionState, Clone, Copy)]
enum StageWithAValue {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage = "ready"]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum TargetAConstant {
    #[stage(start, next(session_init => FIRST))]
    New,
    #[stage(allow(any))]
    Ready,
}

impl TargetAConstant {
    const FIRST: TargetAConstant = TargetAConstant::Ready;
}

#[derive(SessionState, Clone, Copy)]
enum TargetAPath {
    #[stage(start, next(session_init => TargetAPath::Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum TargetByAnotherArrow {
    #[stage(start, next(session_init -> Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum TargetMissing {
    #[stage(start, next(session_init))]
    New,
    #[stage(allow(any))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum TargetMisspelt {
    #[stage(start, next(session_init => Raedy))]
    New,
    #[stage(allow(any))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum TextEmpty {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), text_file = "empty.md")]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum ToolEmpty {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), deny(""))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum ToolGivenTwice {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(search, "search"), next(session_init => New))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum ToolNotAName {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), deny(7))]
    Ready,
}

#[derive(SessionState, Clone, Copy)]
enum VariantWithFields {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready(u8),
}

fn main() {}
