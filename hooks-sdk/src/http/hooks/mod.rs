//! The plugin points of HTTP, as a tower layer.
