//! Not public API: what the other packages of hooks-sdk use of this one. They share its version.

#[cfg(feature = "tls")]
pub use crate::tls::https;
pub use crate::{
    callback::{AnyCallback, Callback, Input, Mut, Ref},
    declared::ComposedText,
    dispatch::{Guard, catch_panic, catch_panic_now, in_time, within},
    findings::Findings,
    guidance::{SKILL_MD, skills},
    json::{JsonPart, is_equal_json, json_parts},
    lock::{lock, read_lock, write_lock},
    macros::{constants, debugs, entry, point, receives, setters, words},
    object::{objects, or_default, present},
    observe::{Run, contents_limit, cut, hook, join, onward, ruled},
    principal::has_scope,
    registry::linked,
};
#[cfg(feature = "conditions")]
pub use crate::{
    condition::{Path, Step, schema},
    glob::is_name,
};

/// Validation against JSON Schema.
#[cfg(feature = "json-schema")]
pub mod json_schema {
    pub use crate::json_schema::*;
}

/// Rules that attributes of several protocols have in common.
pub mod rule {
    pub use hooks_text::rule::*;
}

/// Connections to SQLite files.
#[cfg(feature = "sqlite")]
pub mod sqlite {
    pub use crate::sqlite::*;
}

/// Writes bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}
