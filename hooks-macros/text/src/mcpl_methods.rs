//! The methods of MCPL, the points of its hooks among them, and what feature sets send: one row says everything about each.

use crate::Vocabulary;

/// Passes the rows to a macro: those of the runtime and of the vocabularies are made from them.
///
/// A row of `points` is: word and variant; the constant and the name of the wire method; input and output; the words of `uses`
/// and the capabilities that a hook brings to its feature set, for 0.4 and for 0.5; the functions of a connection that answer
/// the request and take the notification. A function with arguments serves any point: on a channel, with the capability that
/// the host has to grant, or in a lane.
///
/// A row of `methods`, those without hooks, is: the constant and the name of the wire method; the capability that a host of
/// 0.5 has to grant before the server sends it; the functions, as above. One with `()` takes no params.
///
/// A row of `senders`, what a feature set sends to its host, is: word and variant; and, as above, the words of `uses` and the
/// capabilities.
#[doc(hidden)]
#[macro_export]
macro_rules! mcpl_methods {
    ($with:ident) => {
        $with! {
            points {
                /// The host is about to run the model. The host puts the answer into the context (MCPL 0.4.1 §10.1).
                before_inference = BeforeInference [BEFORE_INFERENCE "context/beforeInference"]
                    (BeforeInference => Vec<Injection>)
                    uses ["contextHooks.beforeInference"] [] can ["contextHooks.beforeInference"] []
                    [asked before_inference];
                /// The model has answered. A blocking hook may change the answer (MCPL 0.4.1 §10.5).
                after_inference = AfterInference [AFTER_INFERENCE "context/afterInference"]
                    (AfterInference => Modified)
                    uses ["contextHooks.afterInference"] [] can ["contextHooks.afterInference"] []
                    [asked after_inference told after_inference_told];
                /// An inference starts or ends; its content is not sent (MCPL 0.5).
                lifecycle = Lifecycle [INFERENCE_LIFECYCLE "inference/lifecycle"]
                    (InferenceLifecycle => ())
                    uses [] ["inferenceLifecycle"] can [] ["inferenceLifecycle"]
                    [told lifecycle_told];
                /// The feature set has become usable. The hook runs in its own task.
                enabled = Enabled ["enabled"]
                    (Enabled => ())
                    uses [] [] can [] []
                    [];
                /// The host goes back to an earlier checkpoint (MCPL 0.4.1 §8.5).
                rollback = Rollback [STATE_ROLLBACK "state/rollback"]
                    (RollbackRequest => ())
                    uses [] [] can [] []
                    [asked rollback];
                /// The host wants a channel opened (MCPL 0.4.1 §14.3).
                channels_open = ChannelsOpen [CHANNELS_OPEN "channels/open"]
                    (ChannelsOpen => ChannelDescriptor)
                    uses [] ["channels.lifecycle"] can ["channels.lifecycle"] ["channels.lifecycle"]
                    [asked open_channel];
                /// The host wants a channel closed (MCPL 0.4.1 §14.3).
                channels_close = ChannelsClose [CHANNELS_CLOSE "channels/close"]
                    (ChannelsClose => ())
                    uses [] ["channels.lifecycle"] can ["channels.lifecycle"] ["channels.lifecycle"]
                    [asked close_channel];
                /// The host wants a message delivered to a channel (MCPL 0.4.1 §14.3).
                channels_publish = ChannelsPublish [CHANNELS_PUBLISH "channels/publish"]
                    (Publish => Published)
                    uses ["channels.publish"] ["channels.publish"] can ["channels.publish"] ["channels.publish"]
                    [asked publish told publish_told];
                /// One chunk of the model's output. A server may show it, and never delivers it (MCPL 0.4.1 §14.3).
                channels_outgoing_chunk = ChannelsOutgoingChunk [CHANNELS_OUTGOING_CHUNK "channels/outgoing/chunk"]
                    (OutgoingChunk => ())
                    uses ["channels.observe"] []
                    can ["channels.observe" "channels.streaming"] ["channels.streaming"]
                    [told observed(outgoing)];
                /// The whole of the model's output. A server may show it, and never delivers it (MCPL 0.4.1 §14.3).
                channels_outgoing_complete = ChannelsOutgoingComplete
                    [CHANNELS_OUTGOING_COMPLETE "channels/outgoing/complete"]
                    (OutgoingComplete => ())
                    uses ["channels.observe"] [] can ["channels.observe"] ["channels.streaming"]
                    [told observed(outgoing)];
                /// Somebody is typing on a channel (MCPL 0.5).
                channels_typing = ChannelsTyping [CHANNELS_TYPING "channels/typing"]
                    (Typing => ())
                    uses [] ["channels.typing"] can [] ["channels.typing"]
                    [told observed(channels "channels.typing")];
                /// The host wants a message acknowledged (MCPL 0.5).
                channels_acknowledge = ChannelsAcknowledge [CHANNELS_ACKNOWLEDGE "channels/acknowledge"]
                    (Acknowledge => Acknowledged)
                    uses [] ["channels.acknowledge"] can [] ["channels.acknowledge"]
                    [asked on_channel("channels.acknowledge")];
            }
            methods {
                /// The host sends its policy: the enabled feature sets (MCPL 0.4.1 §6.7) and, in 0.5, the grants.
                FEATURE_SETS_UPDATE = "featureSets/update" needs [] [told update_notified];
                /// The server's feature sets changed (MCPL 0.4.1 §6.7; not in 0.5).
                FEATURE_SETS_CHANGED = "featureSets/changed" needs [] [];
                /// The server asks for permission to act in a scope (MCPL 0.4.1 §7.4; not in 0.5).
                SCOPE_ELEVATE = "scope/elevate" needs [] [];
                /// The server pushes an event (MCPL 0.4.1 §9.1).
                PUSH_EVENT = "push/event" needs ["pushEvents"] [];
                /// The server requests an inference (MCPL 0.4.1 §11.1).
                INFERENCE_REQUEST = "inference/request" needs ["inferenceRequest"] [];
                /// A chunk of an inference that the server requested (MCPL 0.4.1 §11.4).
                INFERENCE_CHUNK = "inference/chunk" needs [] [];
                /// The server requests information about the host's model (MCPL 0.4.1 §12.1).
                MODEL_INFO = "model/info" needs ["modelInfo"] [];
                /// The server announces channels (MCPL 0.4.1 §14.3).
                CHANNELS_REGISTER = "channels/register" needs ["channels.register"] [];
                /// The server's channels changed (MCPL 0.4.1 §14.3).
                CHANNELS_CHANGED = "channels/changed" needs ["channels.register"] [];
                /// Either side requests the list of channels (MCPL 0.4.1 §14.3).
                CHANNELS_LIST = "channels/list" needs ["channels.register"] [asked list_channels()];
                /// The server passes incoming messages of a channel to the host (MCPL 0.4.1 §14.3).
                CHANNELS_INCOMING = "channels/incoming" needs ["channels.incoming"] [];
                /// The host requests the server's current declaration (MCPL 0.5).
                MANIFEST = "mcpl/manifest" needs [] [asked manifest()];
                /// The server's declaration has changed (MCPL 0.5).
                MANIFEST_CHANGED = "mcpl/manifestChanged" needs [] [];
                /// MCP's own call of a tool, which MCPL extends (MCPL 0.4.1 §7.7 and §8.4).
                TOOLS_CALL = "tools/call" needs [] [];
            }
            senders {
                /// Events for the agent: `push/event` (MCPL 0.4.1 §9).
                push = Push
                    uses ["pushEvents"] ["pushEvents"] can ["pushEvents"] ["pushEvents"];
                /// Its own inferences: `inference/request` (MCPL 0.4.1 §11).
                inference = Inference
                    uses ["inferenceRequest"] ["inferenceRequest"]
                    can ["inferenceRequest" "inferenceRequest.streaming"] ["inferenceRequest" "inferenceRequest.streaming"];
                /// The question which model the host uses: `model/info` (MCPL 0.4.1 §12).
                model_info = ModelInfo
                    uses [] ["modelInfo"] can ["modelInfo"] ["modelInfo"];
                /// The list of its channels: `channels/register`, `channels/changed` and `channels/list` (MCPL 0.4.1 §14.3).
                register = Register
                    uses [] ["channels.register"] can ["channels.register"] ["channels.register"];
                /// Incoming messages: `channels/incoming` (MCPL 0.4.1 §14.3).
                incoming = Incoming
                    uses [] ["channels.incoming"] can [] ["channels.incoming"];
            }
        }
    };
}

macro_rules! words {
    (
        points {$(
            $(#[$doc:meta])+
            $word:ident = $at:ident $method:tt $types:tt uses $u4:tt $u5:tt can $c4:tt $c5:tt $served:tt;
        )+}
        methods $methods:tt
        senders {$(
            $(#[$about:meta])+
            $sender:ident = $variant:ident uses $s4:tt $s5:tt can $t4:tt $t5:tt;
        )+}
    ) => {
        /// The points of MCPL hooks.
        pub const MCPL_POINTS: Vocabulary = Vocabulary {
            what: "point",
            module: "point",
            words: &[$(stringify!($word)),+],
        };

        /// What a feature set sends to its host.
        pub const SENDERS: Vocabulary = Vocabulary {
            what: "sender",
            module: "sender",
            words: &[$(stringify!($sender)),+],
        };
    };
}
mcpl_methods!(words);
