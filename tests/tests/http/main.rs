//! Servers over HTTP, spoken to over real sockets.

mod door;
