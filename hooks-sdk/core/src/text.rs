//! The limit of a hook's text.

/// The longest hook text, in bytes (32 KiB).
pub const MAX_TEXT: usize = hooks_text::MAX_TEXT;
