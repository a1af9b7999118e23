//! The names of the methods on the wire.

macro_rules! methods {
    ($($(#[$doc:meta])+ $name:ident = $wire:literal;)+) => {$(
        $(#[$doc])+
        pub const $name: &str = $wire;
    )+

        /// Every method that MCPL itself defines.
        #[doc(hidden)]
        pub const ALL: &[&str] = &[$($wire),+];
    };
}

methods! {
    /// The host sends its policy: the enabled feature sets (MCPL 0.4.1 §6.7) and, in 0.5, the grants.
    FEATURE_SETS_UPDATE = "featureSets/update";
    /// The server's feature sets changed (MCPL 0.4.1 §6.7; not in 0.5).
    FEATURE_SETS_CHANGED = "featureSets/changed";
    /// The server asks for permission to act in a scope (MCPL 0.4.1 §7.4; not in 0.5).
    SCOPE_ELEVATE = "scope/elevate";
    /// The host rolls back to a checkpoint (MCPL 0.4.1 §8.5).
    STATE_ROLLBACK = "state/rollback";
    /// The server pushes an event (MCPL 0.4.1 §9.1).
    PUSH_EVENT = "push/event";
    /// The host is about to run the model (MCPL 0.4.1 §10.1).
    BEFORE_INFERENCE = "context/beforeInference";
    /// The model has answered (MCPL 0.4.1 §10.5; not in 0.5).
    AFTER_INFERENCE = "context/afterInference";
    /// An inference started or ended (MCPL 0.5).
    INFERENCE_LIFECYCLE = "inference/lifecycle";
    /// The server requests an inference (MCPL 0.4.1 §11.1).
    INFERENCE_REQUEST = "inference/request";
    /// A chunk of an inference that the server requested (MCPL 0.4.1 §11.4).
    INFERENCE_CHUNK = "inference/chunk";
    /// The server requests information about the host's model (MCPL 0.4.1 §12.1).
    MODEL_INFO = "model/info";
    /// The server announces channels (MCPL 0.4.1 §14.3).
    CHANNELS_REGISTER = "channels/register";
    /// The server's channels changed (MCPL 0.4.1 §14.3).
    CHANNELS_CHANGED = "channels/changed";
    /// Either side requests the list of channels (MCPL 0.4.1 §14.3).
    CHANNELS_LIST = "channels/list";
    /// The host requests a channel (MCPL 0.4.1 §14.3).
    CHANNELS_OPEN = "channels/open";
    /// The host closes a channel (MCPL 0.4.1 §14.3).
    CHANNELS_CLOSE = "channels/close";
    /// A chunk of the host's output on a channel, for observation only (MCPL 0.4.1 §14.3).
    CHANNELS_OUTGOING_CHUNK = "channels/outgoing/chunk";
    /// The whole of the host's output on a channel, for observation only (MCPL 0.4.1 §14.3).
    CHANNELS_OUTGOING_COMPLETE = "channels/outgoing/complete";
    /// The host sends a message for delivery to a channel (MCPL 0.4.1 §14.3).
    CHANNELS_PUBLISH = "channels/publish";
    /// The server passes incoming messages of a channel to the host (MCPL 0.4.1 §14.3).
    CHANNELS_INCOMING = "channels/incoming";
    /// The host shows on a channel that it is typing (MCPL 0.5).
    CHANNELS_TYPING = "channels/typing";
    /// The host shows on a channel that it saw a message (MCPL 0.5).
    CHANNELS_ACKNOWLEDGE = "channels/acknowledge";
    /// The host requests the server's current declaration (MCPL 0.5).
    MANIFEST = "mcpl/manifest";
    /// The server's declaration has changed (MCPL 0.5).
    MANIFEST_CHANGED = "mcpl/manifestChanged";
    /// MCP's own call of a tool, which MCPL extends (MCPL 0.4.1 §7.7 and §8.4).
    TOOLS_CALL = "tools/call";
}
