use hooks_sdk::guidance::{self, Moment};

struct Memory;

macro_rules! everywhere {
    ($($type:ident)+; $lifecycles:tt) => {$(everywhere!($type $lifecycles);)+};
    ($type:ident ($($lifecycle:ident)+)) => {$(
        const _: () = {
            #[guidance::hook($type, $lifecycle, requirement = SHOULD_NOT, name = "Words", text = "Hello.")]
            struct Words;
        };
    )+};
}

everywhere!(session action storage config; (start running progress cancel end));

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    for moment in Moment::all() {
        let id = format!("{}:{}:words", moment.hook_type, moment.lifecycle);
        let hook = registry.get(&id).unwrap();
        assert_eq!(
            (hook.protocol(), hook.point()),
            ("guidance", moment.as_str())
        );
        assert_eq!(
            hook.detail::<guidance::GuidanceHook>().unwrap().moment(),
            moment
        );
    }
}
