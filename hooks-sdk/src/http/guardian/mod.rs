//! A guardian over HTTP.
