use hooks_sdk::lifecycle;

macro_rules! at {
    ($($name:ident at $point:ident: $priority:ident,)+) => {
        $(
            #[lifecycle::hook($point, strength = $priority, text = "{session_id} {project_name}")]
            struct $name;
        )+

        #[test]
        fn is_accepted() {
            $(
                assert_eq!($name::hook().point(), stringify!($point));
                let hook = $name::hook();
                let hook = hook.detail::<lifecycle::LifecycleHook>().expect("a lifecycle hook");
                assert_eq!(hook.strength(), lifecycle::strength::$priority);
            )+
        }
    };
}

at! {
    First at session_start: suggestion,
    Second at session_end: important,
    Third at pre_tool_use: required,
    Fourth at post_tool_use: suggestion,
    Fifth at pre_request: important,
    Sixth at post_request: required,
}
