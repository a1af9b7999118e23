//! The names of the methods on the wire.

use crate::point::At;

/// The constant of a point's method. The moment `enabled` has none.
macro_rules! method {
    ({$($doc:tt)+} [$name:ident $wire:literal]) => {
        $($doc)+
        pub const $name: &str = $wire;
    };
    ($doc:tt [$moment:literal]) => {};
}

macro_rules! points {
    ($(
        $(#[$doc:meta])+
        $word:ident = $at:ident $method:tt $types:tt uses $u4:tt $u5:tt can $c4:tt $c5:tt $served:tt;
    )+) => {
        $(method!({$(#[$doc])+} $method);)+
    };
}
hooks_text::mcpl_points!(points);

macro_rules! others {
    ($($(#[$doc:meta])+ $name:ident = $wire:literal $(needs $capability:literal)?;)+) => {
        $($(#[$doc])+ pub const $name: &str = $wire;)+

        const OTHERS: &[&str] = &[$($wire),+];

        /// Returns the capability that a host of 0.5 has to grant before the server sends a message of this method.
        pub fn capability(method: &str) -> Option<&'static str> {
            let needs: &[&'static str] = match method {
                $($wire => &[$($capability)?],)+
                _ => &[],
            };
            needs.first().copied()
        }
    };
}

others! {
    /// The host sends its policy: the enabled feature sets (MCPL 0.4.1 §6.7) and, in 0.5, the grants.
    FEATURE_SETS_UPDATE = "featureSets/update";
    /// The server's feature sets changed (MCPL 0.4.1 §6.7; not in 0.5).
    FEATURE_SETS_CHANGED = "featureSets/changed";
    /// The server asks for permission to act in a scope (MCPL 0.4.1 §7.4; not in 0.5).
    SCOPE_ELEVATE = "scope/elevate";
    /// The server pushes an event (MCPL 0.4.1 §9.1).
    PUSH_EVENT = "push/event" needs "pushEvents";
    /// The server requests an inference (MCPL 0.4.1 §11.1).
    INFERENCE_REQUEST = "inference/request" needs "inferenceRequest";
    /// A chunk of an inference that the server requested (MCPL 0.4.1 §11.4).
    INFERENCE_CHUNK = "inference/chunk";
    /// The server requests information about the host's model (MCPL 0.4.1 §12.1).
    MODEL_INFO = "model/info" needs "modelInfo";
    /// The server announces channels (MCPL 0.4.1 §14.3).
    CHANNELS_REGISTER = "channels/register" needs "channels.register";
    /// The server's channels changed (MCPL 0.4.1 §14.3).
    CHANNELS_CHANGED = "channels/changed" needs "channels.register";
    /// Either side requests the list of channels (MCPL 0.4.1 §14.3).
    CHANNELS_LIST = "channels/list" needs "channels.register";
    /// The server passes incoming messages of a channel to the host (MCPL 0.4.1 §14.3).
    CHANNELS_INCOMING = "channels/incoming" needs "channels.incoming";
    /// The host requests the server's current declaration (MCPL 0.5).
    MANIFEST = "mcpl/manifest";
    /// The server's declaration has changed (MCPL 0.5).
    MANIFEST_CHANGED = "mcpl/manifestChanged";
    /// MCP's own call of a tool, which MCPL extends (MCPL 0.4.1 §7.7 and §8.4).
    TOOLS_CALL = "tools/call";
}

/// Every method of MCPL.
#[doc(hidden)]
pub const ALL: &[&str] = &all::<{ OTHERS.len() + At::ALL.len() - 1 }>();

const fn all<const COUNT: usize>() -> [&'static str; COUNT] {
    let mut all = [""; COUNT];
    let mut at = 0;
    while at < OTHERS.len() {
        all[at] = OTHERS[at];
        at += 1;
    }
    let mut point = 0;
    while point < At::ALL.len() {
        // The one that is no method.
        if !At::ALL[point].is(At::Enabled) {
            all[at] = At::ALL[point].method();
            at += 1;
        }
        point += 1;
    }
    all
}
