use hooks_sdk::{
    core::point::Point,
    mcpl::{self, McplHook, point},
};

struct Memory;

/// Everything.
#[mcpl::feature_set("everything", rollback)]
struct Everything;

macro_rules! at {
    ($($word:ident: $event:ident => $answer:ty = $value:expr;)+) => {
        $(
            #[mcpl::hook($word, feature_set = Everything)]
            async fn $word(_memory: &Memory, _event: &mcpl::$event, _cx: &mcpl::Context) -> $answer {
                $value
            }
        )+

        #[test]
        fn is_accepted() {
            let registry = crate::collected::<Memory>(file!()).unwrap();
            assert_eq!(mcpl::problems(&registry), []);
            $(
                let hook = registry.at::<point::$word>().next().unwrap();
                assert_eq!(hook.id(), concat!("mcpl:", stringify!($word), ":", stringify!($word)));
                assert_eq!(hook.point(), <point::$word as Point>::METHOD);
                let hook: &McplHook = hook.detail().unwrap();
                assert_eq!(hook.at().unwrap().as_str(), stringify!($word));
            )+
        }
    };
}

at! {
    before_inference: BeforeInference => Vec<mcpl::Injection> = Vec::new();
    after_inference: AfterInference => () = ();
    lifecycle: InferenceLifecycle => () = ();
    enabled: Enabled => () = ();
    rollback: RollbackRequest => () = ();
    channels_open: ChannelsOpen => mcpl::ChannelDescriptor =
        mcpl::ChannelDescriptor::new("a", "b", "c", mcpl::Direction::Inbound);
    channels_close: ChannelsClose => () = ();
    channels_publish: Publish => mcpl::Published = mcpl::Published::delivered();
    channels_outgoing_chunk: OutgoingChunk => () = ();
    channels_outgoing_complete: OutgoingComplete => () = ();
    channels_typing: Typing => () = ();
    channels_acknowledge: Acknowledge => mcpl::Acknowledged = mcpl::Acknowledged::done();
}
