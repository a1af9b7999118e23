//! Streamable HTTP: the server, its layers, and what they do to real requests.

mod points;
