use hooks_sdk::{
    core::HookError,
    mcpl::{ErrorObject, Modified, Published},
    prelude::*,
};

struct Memory;

/// Recalls.
#[mcpl::feature_set("memory")]
struct Recall;

macro_rules! answers {
    ($point:ident $flag:tt: $($name:ident => $answer:ty = $value:expr;)+) => {$(
        answers!(@ $point $flag $name, $answer, $value);
    )+};
    (@ $point:ident waiting $name:ident, $answer:ty, $value:expr) => {
        #[mcpl::hook($point, feature_set = Recall, blocking)]
        async fn $name(_memory: &Memory) -> $answer {
            $value
        }
    };
    (@ $point:ident passing $name:ident, $answer:ty, $value:expr) => {
        #[mcpl::hook($point, feature_set = Recall)]
        async fn $name(_memory: &Memory) -> $answer {
            $value
        }
    };
}

fn injection() -> Injection {
    Injection::new("memory", Position::System, "words")
}

answers! {
    before_inference passing:
    several => Vec<Injection> = vec![injection()];
    one => Injection = injection();
    perhaps => Option<Injection> = None;
    perhaps_several => Option<Vec<Injection>> = None;
    fallible => Result<Option<Injection>, std::fmt::Error> = Ok(None);
    nothing => () = ();
    only_an_error => Result<(), HookError> = Ok(());
}

answers! {
    after_inference waiting:
    modified => Modified = Modified::unchanged();
    text => String = String::new();
    perhaps_modified => Option<Modified> = None;
    perhaps_text => Result<Option<String>, ErrorObject> = Ok(None);
    look => () = ();
}

answers! {
    after_inference passing:
    watch => () = ();
    try_to_watch => Result<(), ErrorObject> = Ok(());
}

answers! {
    channels_publish passing:
    delivered => () = ();
}

/// Publishes.
#[mcpl::feature_set("memory.channels")]
struct Channels;

#[mcpl::hook(channels_publish, feature_set = Channels)]
async fn published(_memory: &Memory) -> Result<Published, ErrorObject> {
    Ok(Published::delivered())
}

#[mcpl::hook(before_inference, feature_set = Recall)]
async fn hidden(_memory: &Memory) -> impl mcpl::McplAnswer<mcpl::point::before_inference> + use<> {
    Some(injection())
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    assert_eq!(mcpl::problems(&registry), []);
    let only = |hook: hooks_sdk::core::Hook| {
        let registry = hooks_sdk::core::Registry::builder()
            .add(hook)
            .build()
            .unwrap();
        let derived = mcpl::Derived::of(&registry);
        derived
            .set("memory")
            .unwrap()
            .uses(mcpl::Version::V05)
            .to_vec()
    };
    // A hook that answers nothing needs the user's message.
    let observes = ["contextHooks.beforeInference.observe"];
    assert_eq!(
        [only(nothing_hook()), only(only_an_error_hook())],
        [observes, observes]
    );
    // A hook that answers needs to inject before the user's message.
    let injects = ["contextHooks.beforeInference.inject.beforeUser"];
    assert_eq!([only(one_hook()), only(hidden_hook())], [injects, injects]);
}
