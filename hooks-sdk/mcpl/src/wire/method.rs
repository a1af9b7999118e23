//! The names of the methods on the wire.

/// The constant of a point's method. The moment `enabled` has none.
macro_rules! point {
    ({$($doc:tt)+} [$name:ident $wire:literal]) => {
        $($doc)+
        pub const $name: &str = $wire;
    };
    ($doc:tt [$moment:literal]) => {};
}

macro_rules! methods {
    (
        points {$(
            $(#[$doc:meta])+
            $word:ident = $at:ident [$($point:ident $name:literal)? $($moment:literal)?] $types:tt
                uses $u4:tt $u5:tt can $c4:tt $c5:tt $served_point:tt;
        )+}
        methods {$(
            $(#[$about:meta])+
            $method:ident = $wire:literal needs [$($capability:literal)?] $served:tt;
        )+}
        senders $senders:tt
    ) => {
        $(point!({$(#[$doc])+} [$($point $name)? $($moment)?]);)+
        $(
            $(#[$about])+
            pub const $method: &str = $wire;
        )+

        /// Every method of MCPL.
        #[doc(hidden)]
        pub const ALL: &[&str] = &[$($wire,)+ $($($name,)?)+];

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
hooks_text::mcpl_methods!(methods);
